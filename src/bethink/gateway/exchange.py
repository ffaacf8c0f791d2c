"""One conversation turn through the gateway: recall, weave, send on, listen, take in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from starlette.datastructures import Headers
from starlette.types import Receive, Send

from bethink.clock import now
from bethink.errors import BethinkError
from bethink.gateway.connections import RawHeaders, Reply
from bethink.gateway.offering import FORMATS, offer
from bethink.gateway.providers import (
    OFF,
    Providers,
    Route,
    Switches,
    Upstream,
    header_of,
    reply_headers,
    request_headers,
)
from bethink.gateway.recalling import (
    Asked,
    Caller,
    Conversation,
    Held,
    Observer,
    Recalled,
    drafts_of,
    note_recalled,
    recall,
    reply_draft,
    session_of,
)
from bethink.gateway.refusals import Refused
from bethink.gateway.rounds import Exchange, Hands, in_rounds
from bethink.gateway.turns import DECODED, Listener, Naming, naming, storable, talk_of
from bethink.gateway.weave import Dialect, Edit, JsonText, NotJson, as_json, weaving_edits
from bethink.memory import AsyncSpace
from bethink.settings import Settings
from bethink.shapes.inputs import MessageDraft
from bethink.tools.call import as_functions, offered
from bethink.transfer.bounds import MOST_PARTS, has_too_many_parts

_log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

MOST_ANSWERS = 10_000  # that are known until the database knows them, and a while longer
LARGE = 50_000  # bytes of a body that is read off the event loop; a thread has its price


@dataclass(frozen=True)
class Call:
    """A request to the gateway, once it is known who asks."""

    method: str
    path: str
    query: bytes
    raw_headers: list[tuple[bytes, bytes]]
    headers: Headers
    body: bytes
    space: AsyncSpace
    own_key: bool
    receive: Receive
    send: Send
    degraded: str | None = None  # why it has no memory, where it should

    async def read(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do some work on what it holds: where that is long, off the event loop."""
        return (
            await asyncio.to_thread(work, *args, **kwargs)
            if len(self.body) > LARGE
            else work(*args, **kwargs)
        )

    def header(self, name: str) -> str | None:
        """A header of ours, as UTF-8, which is what clients send; None when it is empty."""
        value = self.headers.get(f"x-bethink-{name}")
        return storable(value.encode("latin-1").decode("utf-8", "replace"))[:250] or None if value else None


@dataclass
class Remembering:
    """What memory has to do with an exchange."""

    space_id: str
    drafts: list[MessageDraft]  # what was said, as messages
    caller: Caller
    recalled: Recalled
    naming: Naming
    session: str | None

    @property
    def whole(self) -> bool:
        """Whether the client sends what was said before, too."""
        return self.naming.after is None


class Exchanges:
    """Carries out exchanges with all providers."""

    def __init__(self, settings: Settings, providers: Providers, upstream: Upstream) -> None:
        self.turn: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
        self._providers, self._upstream = providers, upstream
        self._chars, self._seconds = settings.limits.content_chars, settings.gateway.recall_seconds
        self._rounds = settings.gateway.tool_rounds
        self._answers: dict[str, str] = {}
        self._real_ids: dict[str, str] = {}  # answers that the client knows by the id of their first round
        self._held = Held()
        self.observer = Observer()

    async def plain(self, call: Call, dialect: Dialect | None) -> None:
        """Send a request on as it is."""
        posted = await read_posted(call)
        await self._forward(call, self._route(posted, dialect), posted, dialect, OFF, None, [])

    async def converse(
        self, call: Call, dialect: Dialect, switches: Switches, space_ids: tuple[str, ...]
    ) -> None:
        """Send a conversation on with memory, from its own space, which is the first, and the others."""
        posted = await read_posted(call)
        route = self._route(posted, dialect)
        talk = await call.read(talk_of, posted, dialect)
        caller, recalled = Caller(call.header("person"), call.header("device")), Recalled()
        named = await call.read(naming, call.header("session"), posted, talk)
        drafts = await call.read(drafts_of, talk, self._chars)
        async with asyncio.TaskGroup() as group:
            located = group.create_task(self._locate(call, space_ids[0], named, drafts))
            if switches.weave and talk.turns:
                before = await located if named.kept_there else None
                recalled = await self._recall(call.space, Asked(space_ids, caller, talk, before))
        session = located.result()
        note_recalled(drafts, recalled)
        mind = Remembering(space_ids[0], drafts, caller, recalled, named, session)
        style = self._providers.system_style(route)
        edits = await call.read(weaving_edits, posted, dialect, recalled.stable, recalled.volatile, style)
        hands = None
        if switches.tools and (made := await self._hands(call, dialect, posted, switches, recalled)):
            hands, more = made
            edits += more
        await self._forward(call, route, posted, dialect, switches, mind, edits, hands)

    async def _hands(
        self, call: Call, dialect: Dialect, posted: JsonText, switches: Switches, recalled: Recalled
    ) -> tuple[Hands, list[Edit]] | None:
        """What runs the tools of memory for a request, and the edits that offer them."""
        try:
            async with asyncio.timeout(self._seconds):
                mode, tools = await offered(call.space, writes=switches.writes)
        except (BethinkError, TimeoutError) as error:
            recalled.degraded.append("the tools of memory are not there: the database does not answer")
            _log.warning("A request in %r gets no tools: %s", call.space.name, error or "it took long")
            return None
        found = offer(posted, dialect, as_functions(mode, tools, FORMATS[dialect]))
        if not found.names:
            return None
        hands = Hands(call.space, tools, found.names, switches.writes, self.turn, self._rounds)
        return hands, list(found.edits)

    async def _recall(self, space: AsyncSpace, asked: Asked) -> Recalled:
        if asked.talk.under_way and (held := await self._held.get(space, asked, self._seconds)):
            return held
        since = now()
        recalled = await recall(space, asked, self._seconds, self.turn())
        own = recalled.space_id == asked.space_ids[0]  # its name may have become another's meanwhile
        if own and recalled.complete:
            self._held.keep(asked, recalled, since)
        return recalled

    def _route(self, posted: JsonText, dialect: Dialect | None) -> Route:
        model = posted.value("model")
        return self._providers.route(model if isinstance(model, str) else "", dialect)

    async def _locate(
        self, call: Call, space_id: str, named: Naming, drafts: Sequence[MessageDraft]
    ) -> str | None:
        """Which session a request belongs to; None when that takes long: the request goes on."""
        await asyncio.sleep(0)  # recall first: the model then reads the query while this is looked up
        space = call.space
        if named.by == "answer" and (known := self._answers.get(f"{space_id}/{named.value}")):
            return known
        try:
            async with asyncio.timeout(self._seconds):
                return await session_of(space, named, drafts)
        except (BethinkError, TimeoutError) as error:
            _log.warning(
                "The session of a request in %r is told later: %s", space.name, error or "it took long"
            )
        except Exception:  # as with recall, the conversation goes on
            _log.exception("The session of a request in %r cannot be told", space.name)
        return None

    async def _forward(
        self,
        call: Call,
        route: Route,
        posted: JsonText,
        dialect: Dialect | None,
        switches: Switches,
        mind: Remembering | None,
        edits: list[Edit],
        hands: Hands | None = None,
    ) -> None:
        if route.model is not None:
            asked = posted.fields["model"]
            edits = [*edits, Edit(asked.start, asked.end, as_json(route.model))]
        before = posted.fields.get("previous_response_id") if dialect == "responses" else None
        if before and isinstance(before.value, str) and (real := self._real_ids.get(before.value)):
            edits = [*edits, Edit(before.start, before.end, as_json(real))]
        body = await call.read(posted.edited, edits) if edits else call.body
        encodings: tuple[str, ...] | None = DECODED if switches.observe else None
        if hands:
            encodings = ("identity",)
        headers = request_headers(route.provider, call.raw_headers, own_key=call.own_key, encodings=encodings)

        async def ask(body: bytes) -> Reply:
            return await self._upstream.send(
                route.provider, call.method, call.path, call.query, headers, body
            )

        reply = await ask(body)
        listener = None
        accepted = 200 <= reply.status < 300
        kind = header_of(reply, b"content-type")
        if accepted and mind and dialect and switches.observe:
            listener = Listener(dialect, kind, header_of(reply, b"content-encoding"), self._chars)
            if "event-stream" in kind and mind.whole:  # may take minutes: what the user said is stored first
                self._take_in(call.space, dialect, mind, None)
        try:
            ours = _told(mind, listener) if mind else {}
            if call.degraded:
                ours["x-bethink-degraded"] = header_text(call.degraded)
            hear = listener.feed if listener else None

            def told(reply: Reply, calls: int) -> RawHeaders:
                return reply_headers(reply, ours | ({"x-bethink-tool-calls": str(calls)} if calls else {}))

            packed = header_of(reply, b"content-encoding") not in ("", "identity")
            if hands and dialect and accepted and not packed:
                note_id = partial(_keep, self._real_ids)
                await in_rounds(Exchange(dialect, body, reply, ask, told, call.send, hear, note_id), hands)
            else:
                await pass_on(reply, told(reply, 0), call.send, hear)
        finally:
            if listener and mind and dialect:
                self._take_in(call.space, dialect, mind, listener)
            await reply.close()

    def _take_in(
        self, space: AsyncSpace, dialect: Dialect, mind: Remembering, listener: Listener | None
    ) -> None:
        """Store the conversation as it was sent to us, and the reply as far as it came."""
        drafts = [*mind.drafts]
        if listener:
            heard = listener.heard()
            if listener.problem:
                _log.warning("A reply to %r was not taken in: %s", space.name, listener.problem)
            answer = reply_draft(heard, known_by_id=dialect == "responses")
            if heard.id and mind.session and dialect == "responses":
                _keep(self._answers, f"{mind.space_id}/{heard.id}", mind.session)
            drafts += [answer] if answer else []
        caller = None if mind.recalled.speaker else mind.caller
        self.observer.take_in(space, Conversation(mind.session, mind.naming, drafts, mind.whole, caller))


def _keep(answers: dict[str, str], name: str, value: str) -> None:
    """Note something of an answer for a while: the oldest go."""
    while len(answers) >= MOST_ANSWERS:
        answers.pop(next(iter(answers)))
    answers[name] = value


async def pass_on(
    reply: Reply, headers: RawHeaders, send: Send, hear: Callable[[bytes], None] | None
) -> None:
    """Send a reply piece by piece; `hear` gets each piece after the client has it.

    A piece is asked for only when the one before has been taken, so a slow client slows its provider.
    """
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    ended = False
    async for piece in reply.pieces():
        ended = reply.ended
        await send({"type": "http.response.body", "body": piece, "more_body": not ended})
        if hear:
            hear(piece)
    if not ended:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def read_posted(call: Call) -> JsonText:
    """The JSON of a request; `Refused` when it is none, or would take far more room than it has as text."""
    if len(call.body) > MOST_PARTS and await call.read(has_too_many_parts, call.body):
        detail = f"The body holds more than {MOST_PARTS:,} texts, lists and objects; send less at once."
        raise Refused(413, detail, "request_too_large")
    try:
        return await call.read(JsonText.read, call.body)
    except NotJson as error:
        raise Refused(400, f"The body is not a valid JSON object: {error}.") from None


def _told(mind: Remembering, listener: Listener | None) -> dict[str, str]:
    """What the client is told of what memory did."""
    recalled = mind.recalled
    told = {
        "x-bethink-memories": str(recalled.memories),
        "x-bethink-facts": str(recalled.facts),
        "x-bethink-engine": recalled.engine,
        "x-bethink-latency-ms": f"{recalled.milliseconds:.1f}",
    }
    if recalled.withdrawn:
        told["x-bethink-withdrawn"] = str(recalled.withdrawn)
    if mind.session:
        told["x-bethink-session"] = header_text(mind.session)
    problems = [*recalled.degraded]
    if listener and listener.problem:
        problems.append(f"the reply is not taken in: {listener.problem}")
    if problems:
        told["x-bethink-degraded"] = header_text("; ".join(problems))
    return told


def header_text(text: str) -> str:
    """A text as a header can hold it."""
    return " ".join(text.split())[:500]
