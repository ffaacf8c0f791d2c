"""A streamed answer whose calls of our tools the client does not see: several rounds become one stream. Pure.

Until a tool may be called, every byte goes on as it came. From the first call on everything waits for the
end, which shows whether a tool of ours is among them; if none is, it goes on then, still as it came. What a
model thinks waits for what comes after it, since a client that sends thoughts back must send both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bethink.gateway.answers import (
    Answer,
    BlockPieces,
    ChatPieces,
    added,
    chat_answer,
    is_clients_or_ours,
    objects,
    read_answer,
    usage_of,
)
from bethink.gateway.weave import Dialect, as_json
from bethink.records import Json

Mark = Literal["open", "wait", "call"]  # it may go on; it waits for what follows; it is a call
MOST_HELD = 8_000_000  # bytes; what is longer goes on unread
_END = re.compile(rb"\r?\n\r?\n")
_LONGEST_END = 3  # bytes of it that may have come before the last


@dataclass
class Spliced:
    """What the client has got in the rounds before."""

    rounds: int = 0
    parts: int = 0  # blocks or items
    items: list[Json] = field(default_factory=list)
    usage: Json = field(default_factory=dict)
    head: Json = field(default_factory=dict)  # what the client knows the answer by, in all rounds
    sequence: int = -1  # the last number of an event
    last_id: str | None = None  # what the provider knows the last round by


class _Way(Protocol):
    """How one API streams."""

    passed: int  # parts that the client has got in this round

    def look(self, event: Json) -> Mark | None: ...
    def passing(self, event: Json) -> Json | None: ...
    def answer(self) -> Answer: ...


class StreamedAnswer:
    """One round of a streamed answer."""

    def __init__(self, dialect: Dialect, spliced: Spliced) -> None:
        self._spliced = spliced
        self._way: _Way = _WAYS[dialect](spliced)
        self._rest = bytearray()
        self._looked = 0  # so far no event ends in what is left
        self._held: list[tuple[bytes, Json | None]] = []
        self._held_bytes = 0
        self._waiting = self._calling = self._unread = False

    def feed(self, data: bytes) -> bytes:
        """Take some bytes; those that may go on now."""
        if self._unread:
            return data
        self._rest += data
        passed, start = [], 0
        while found := _END.search(self._rest, self._looked):
            passed.append(self._event(bytes(self._rest[start : found.end()])))
            start = self._looked = found.end()
        del self._rest[:start]
        self._looked = max(len(self._rest) - _LONGEST_END, 0)
        if len(self._rest) + self._held_bytes > MOST_HELD:
            passed.append(self.release())
            self._unread = True
        return b"".join(passed)

    def answer(self) -> Answer:
        """What was said, once it has come to its end."""
        return Answer() if self._unread else self._way.answer()

    def release(self) -> bytes:
        """What waits, when nothing of it is ours."""
        passed, rest = self._flush(), bytes(self._rest)
        self._rest.clear()
        self._looked = 0
        return passed + rest

    def next_round(self, answer: Answer) -> Spliced:
        """What waits is dropped, and another round goes on after what the client has got."""
        spliced, passed = self._spliced, self._way.passed
        spliced.items += answer.items[:passed]
        spliced.parts += passed
        spliced.usage = added(spliced.usage, answer.usage)
        spliced.rounds += 1
        return spliced

    def _event(self, raw: bytes) -> bytes:
        event = _data(raw)
        mark = self._way.look(event) if event else None
        passed = b""
        if mark == "call":
            self._calling = self._waiting = True
        elif mark == "wait":
            self._waiting = True
        elif mark == "open" and not self._calling and self._waiting:
            passed, self._waiting = self._flush(), False
        if not self._waiting:
            return passed + self._passed(raw, event)
        self._held.append((raw, event))
        self._held_bytes += len(raw)
        return passed

    def _flush(self) -> bytes:
        held, self._held, self._held_bytes = self._held, [], 0
        return b"".join(self._passed(raw, event) for raw, event in held)

    def _passed(self, raw: bytes, event: Json | None) -> bytes:
        """An event as the client gets it: in the first round as it came."""
        if event is None:
            return raw
        told = self._way.passing(event)
        if self._spliced.rounds == 0:
            return raw
        if told is None:
            return b""
        name = next((line for line in raw.splitlines() if line.startswith(b"event:")), None)
        return (name + b"\n" if name else b"") + b"data: " + as_json(told).encode() + b"\n\n"


def _data(raw: bytes) -> Json | None:
    lines = [line[5:].strip() for line in raw.splitlines() if line.startswith(b"data:")]
    try:
        event = json.loads(b"\n".join(lines)) if lines else None
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


class _Chat:
    def __init__(self, spliced: Spliced) -> None:
        self._spliced = spliced
        self._pieces = ChatPieces()
        self._usage: Json = {}
        self._cut = False
        self.passed = 0

    def look(self, event: Json) -> Mark | None:
        self._usage = usage_of(event) or self._usage
        mark: Mark | None = None
        for choice in objects(event.get("choices")):
            delta = choice.get("delta")
            self._cut = self._cut or choice.get("finish_reason") == "length"
            if isinstance(delta, Mapping) and choice.get("index", 0) == 0:
                self._pieces.add(delta)
                mark = "call" if delta.get("tool_calls") else mark
        return mark

    def passing(self, event: Json) -> Json | None:
        head: Json = {name: event[name] for name in ("id", "created") if name in event}
        begins = not self._spliced.head
        self._spliced.head = self._spliced.head or head
        if self._spliced.rounds == 0:
            return event
        told = event | self._spliced.head
        if not begins:
            told["choices"] = [_without_role(choice) for choice in objects(event.get("choices"))]
        if usage := usage_of(event):
            told["usage"] = added(self._spliced.usage, usage)
        return told

    def answer(self) -> Answer:
        return Answer(usage=self._usage) if self._cut else chat_answer(self._pieces.message, self._usage)


def _without_role(choice: Json) -> Json:
    """Said in the first round already; a client puts the pieces together, and would say it twice."""
    delta = choice.get("delta")
    if not isinstance(delta, Mapping):
        return choice
    return {**choice, "delta": {name: value for name, value in delta.items() if name != "role"}}


class _Messages:
    def __init__(self, spliced: Spliced) -> None:
        self._spliced = spliced
        self._pieces = BlockPieces()
        self._usage: Json = {}
        self._stopped_by: Any = None
        self.passed = 0

    def look(self, event: Json) -> Mark | None:
        match event.get("type"):
            case "message_start":
                message = event.get("message")
                self._usage = usage_of(message) if isinstance(message, Mapping) else {}
            case "content_block_start":
                block = event.get("content_block")
                if isinstance(block, Mapping):
                    self._pieces.start(_index(event), block)
                    return _mark_of_block(block.get("type"))
            case "content_block_delta":
                delta = event.get("delta")
                if isinstance(delta, Mapping):
                    self._pieces.add(_index(event), delta)
            case "message_delta":
                delta = event.get("delta")
                self._stopped_by = delta.get("stop_reason") if isinstance(delta, Mapping) else None
                told = {name: value for name, value in usage_of(event).items() if value is not None}
                self._usage = {**self._usage, **told}
        return None

    def passing(self, event: Json) -> Json | None:
        kind = event.get("type")
        if kind == "content_block_start":
            self.passed += 1
        if self._spliced.rounds == 0:
            return event
        if kind == "message_start":
            return None
        if "index" in event:
            return {**event, "index": _index(event) + self._spliced.parts}
        if kind == "message_delta":
            return {**event, "usage": added(self._spliced.usage, self._usage)}
        return event

    def answer(self) -> Answer:
        reply = {"content": self._pieces.blocks(), "stop_reason": self._stopped_by, "usage": self._usage}
        return read_answer("messages", reply)


def _mark_of_block(kind: Any) -> Mark:
    if kind == "tool_use":
        return "call"
    return "wait" if kind in ("thinking", "redacted_thinking") else "open"


def _index(event: Json) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0


_OPENINGS = ("response.created", "response.in_progress", "response.queued")
_ENDINGS = ("response.completed", "response.incomplete", "response.failed")


class _Responses:
    def __init__(self, spliced: Spliced) -> None:
        self._spliced = spliced
        self._answer = Answer()
        self.passed = 0

    def look(self, event: Json) -> Mark | None:
        kind, item = event.get("type"), event.get("item")
        if kind in _ENDINGS:
            self._answer = read_answer("responses", event.get("response"))
        if kind in _OPENINGS:  # a round that only calls us leaves no trace, not even its id
            return "wait"
        if kind != "response.output_item.added" or not isinstance(item, Mapping):
            return None
        if is_clients_or_ours(item):
            return "call"
        return "wait" if item.get("type") == "reasoning" else "open"

    def passing(self, event: Json) -> Json | None:
        kind, spliced, response = event.get("type"), self._spliced, event.get("response")
        if kind == "response.output_item.added":
            self.passed += 1
        if isinstance(response, Mapping):
            if (
                spliced.head
                and spliced.rounds
                and kind in _OPENINGS
                and spliced.head["round"] < spliced.rounds
            ):
                return None
            spliced.head = spliced.head or {"id": response.get("id"), "round": spliced.rounds}
            spliced.last_id = response.get("id")
        if spliced.rounds == 0:
            spliced.sequence = _number(event.get("sequence_number"), spliced.sequence)
            return event
        spliced.sequence += 1
        told = {**event, "sequence_number": spliced.sequence}
        if "output_index" in event:
            told["output_index"] = _number(event["output_index"], 0) + spliced.parts
        if isinstance(response, Mapping):
            told["response"] = self._response(response, ends=kind in _ENDINGS)
        return told

    def _response(self, response: Mapping[str, Any], *, ends: bool) -> Json:
        """The whole response under the id that the client knows, with what went before."""
        told = {**response, "id": self._spliced.head["id"]}
        if ends:
            told["output"] = [*self._spliced.items, *objects(response.get("output"))]
            told["usage"] = added(self._spliced.usage, usage_of(response)) or None
        return told

    def answer(self) -> Answer:
        return self._answer


def _number(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


_WAYS: dict[Dialect, type[_Chat] | type[_Messages] | type[_Responses]] = {
    "chat": _Chat,
    "messages": _Messages,
    "responses": _Responses,
}


def failed_event(dialect: Dialect, message: str) -> bytes:
    """An error in the middle of a stream, as the client's library reads it."""
    said: Json = {"type": "error", "code": "provider_failed", "message": message, "param": None}
    if dialect == "chat":
        said = {"error": {"message": message, "type": "server_error", "code": "provider_failed"}}
        return b"data: " + as_json(said).encode() + b"\n\n"
    if dialect == "messages":
        said = {"type": "error", "error": {"type": "api_error", "message": message}}
    return b"event: error\ndata: " + as_json(said).encode() + b"\n\n"
