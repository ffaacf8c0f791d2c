"""Rounds of an exchange: the model calls tools of memory, they are run here, and the model goes on.

The client sees one answer. It never learns of the calls but by `x-bethink-tool-calls`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass, replace

from starlette.types import Send

from bethink.errors import BethinkError
from bethink.gateway.answers import Answer, added, read_answer
from bethink.gateway.connections import RawHeaders, Reply
from bethink.gateway.offering import Called, next_body
from bethink.gateway.providers import header_of
from bethink.gateway.refusals import Refused
from bethink.gateway.streams import Spliced, StreamedAnswer, failed_event
from bethink.gateway.weave import Dialect, Edit, JsonText, NotJson, as_json
from bethink.memory import AsyncSpace
from bethink.records import Json
from bethink.shapes.tools import ToolResult
from bethink.tools.call import call
from bethink.tools.contract import Tool

DOCUMENT_BYTES = 8_000_000  # an answer in one piece that is longer goes on as it is
CALL_SECONDS = 30.0
MOST_CALLS = 32  # of tools of memory that one answer of a model may hold
TOO_MANY = ToolResult(text=f"Error: more than {MOST_CALLS} calls at once; call fewer.", is_error=True)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Hands:
    """What runs the tools of memory for one request."""

    space: AsyncSpace
    tools: Sequence[Tool]
    names: frozenset[str]
    writes: bool
    turn: Callable[[], AbstractAsyncContextManager[None]]
    most_rounds: int

    async def run(self, called: Called) -> ToolResult:
        """Do what the model called; what goes wrong is told to it."""
        recalls = any(tool.recalls for tool in self.tools if tool.name == called.name)
        try:
            async with asyncio.timeout(CALL_SECONDS), self.turn() if recalls else nullcontext():
                return await call(self.space, called.name, called.arguments, writes=self.writes)
        except TimeoutError:
            problem = f"memory did not answer within {CALL_SECONDS:g} s"
        except BethinkError as error:
            problem = error.message
        except Exception:  # as with recall, the conversation goes on
            _log.exception("The tool %s cannot be run in %r", called.name, self.space.name)
            problem = "memory has a defect, which the log tells of"
        return ToolResult(text=f"Error: {problem}; go on without it.", is_error=True)


@dataclass(frozen=True)
class Exchange:
    """What rounds need: how to ask, how to answer, what to listen with."""

    dialect: Dialect
    body: bytes
    first: Reply
    ask: Callable[[bytes], Awaitable[Reply]]
    headers: Callable[[Reply, int], RawHeaders]  # with how many tools were called
    send: Send
    hear: Callable[[bytes], None] | None
    note_id: Callable[[str, str], None]  # what the client knows an answer by, and what its provider does


async def in_rounds(exchange: Exchange, hands: Hands) -> None:
    """Answer the client, whose request had this first reply."""
    async with AsyncExitStack() as stack:

        async def ask(body: bytes) -> Reply:
            reply = await exchange.ask(body)
            stack.push_async_callback(reply.close)
            return reply

        asking = replace(exchange, ask=ask)
        stack.push_async_callback(exchange.first.close)
        streamed = "event-stream" in header_of(exchange.first, b"content-type")
        await (_streamed if streamed else _whole)(asking, hands)


async def _whole(exchange: Exchange, hands: Hands) -> None:
    """An answer in one piece: the last is what the client gets, with the usage of all."""
    reply, body, usage, count = exchange.first, exchange.body, Answer().usage, 0
    for number in range(hands.most_rounds + 1):
        pieces, data = reply.pieces(), bytearray()
        async for piece in pieces:
            data += piece
            if len(data) > DOCUMENT_BYTES:
                await _begin(exchange, reply, count)
                await _sent(exchange, bytes(data))
                async for more in pieces:
                    await _sent(exchange, more)
                break
        else:
            answer = _read(exchange.dialect, bytes(data)) if 200 <= reply.status < 300 else Answer()
            if called := answer.ours(hands.names) if number < hands.most_rounds else []:
                await reply.close()
                usage, count = added(usage, answer.usage), count + len(called)
                body = await _next(exchange, hands, body, answer, called, number + 1)
                reply = await exchange.ask(body)
                continue
            told = _with_usage(bytes(data), usage)
            await _begin(exchange, reply, count, len(told))
            await _sent(exchange, told)
        break
    await exchange.send({"type": "http.response.body", "body": b"", "more_body": False})


async def _begin(exchange: Exchange, reply: Reply, count: int, length: int | None = None) -> None:
    headers = [(n, v) for n, v in exchange.headers(reply, count) if n != b"content-length"]
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    await exchange.send({"type": "http.response.start", "status": reply.status, "headers": headers})


async def _streamed(exchange: Exchange, hands: Hands) -> None:
    """A stream: what comes of every round follows what came before, in one stream."""
    reply, body, spliced = exchange.first, exchange.body, Spliced()
    await _begin(exchange, reply, 0)
    for number in range(hands.most_rounds + 1):
        stream = StreamedAnswer(exchange.dialect, spliced)
        async for piece in reply.pieces():
            passed = stream.feed(piece)
            known, real = spliced.head.get("id"), spliced.last_id
            if known and real and known != real:
                exchange.note_id(known, real)  # before the client can go on from it
            await _sent(exchange, passed)
        await reply.close()
        answer = stream.answer()
        called = answer.ours(hands.names) if number < hands.most_rounds else []
        if not called:
            await _sent(exchange, stream.release())
            break
        spliced = stream.next_round(answer)
        body = await _next(exchange, hands, body, answer, called, number + 1)
        try:
            reply = await exchange.ask(body)
        except Refused as error:
            await _sent(exchange, failed_event(exchange.dialect, error.message))
            break
        if not 200 <= reply.status < 300 or "event-stream" not in header_of(reply, b"content-type"):
            await reply.close()
            problem = f"The provider answered {reply.status} once memory's tools had been called."
            await _sent(exchange, failed_event(exchange.dialect, problem))
            break
    await exchange.send({"type": "http.response.body", "body": b"", "more_body": False})


async def _sent(exchange: Exchange, data: bytes) -> None:
    if data:
        await exchange.send({"type": "http.response.body", "body": data, "more_body": True})
        if exchange.hear:
            exchange.hear(data)


async def _next(
    exchange: Exchange, hands: Hands, body: bytes, answer: Answer, called: Sequence[Called], round_: int
) -> bytes:
    """The next request, once the tools have been run one after the other."""
    results = [
        (one, await hands.run(one) if place < MOST_CALLS else TOO_MANY) for place, one in enumerate(called)
    ]
    said = answer.only_ours(exchange.dialect, hands.names)
    last = round_ == hands.most_rounds
    if last:
        _log.warning("Tools of memory were called in all %d rounds of an exchange", hands.most_rounds)
    return next_body(body, exchange.dialect, said, results, last=last)


def _read(dialect: Dialect, data: bytes) -> Answer:
    try:
        return read_answer(dialect, json.loads(data))
    except (ValueError, RecursionError):
        return Answer()


def _with_usage(data: bytes, before: Json) -> bytes:
    """An answer with the usage of the rounds before added; else as it came."""
    if not before:
        return data
    try:
        reply = JsonText.read(data)
    except NotJson:
        return data
    place = reply.fields.get("usage")
    if place is None or not isinstance(place.value, dict):
        return data
    return reply.edited([Edit(place.start, place.end, as_json(added(before, place.value)))])
