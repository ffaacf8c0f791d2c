"""Listens to a reply while it passes, and tells afterwards what was said. Pure, and bounded in memory.

A reply is one JSON document, or a stream of events; it may be compressed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bethink.gateway.turns import Dialect, storable

DOCUMENT_BYTES = 8_000_000  # a longer reply in one piece is not read
LINE_BYTES = 1_000_000  # a longer line of a stream holds a picture or the like
DECODED = ("gzip", "deflate", "identity")  # what can be listened to
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


@dataclass(frozen=True)
class Heard:
    """What a reply said, the id its host gave it, and whether it came to its end."""

    text: str
    id: str | None
    complete: bool


class Listener:
    """Takes in the bytes of a reply as they come."""

    def __init__(self, dialect: Dialect, kind: str, encoding: str, chars: int) -> None:
        stream = kind.partition(";")[0].strip().lower() == "text/event-stream"
        self._ears: _Ears = _Stream(dialect, chars) if stream else _Whole(dialect, chars)
        packed = encoding.strip().lower() or "identity"
        self._zip = None if packed == "identity" else zlib.decompressobj(_GZIP_OR_ZLIB)
        self.problem: str | None = None  # why no more is heard
        if packed not in DECODED:
            self.problem = f"it is packed as {packed}, though only {', '.join(DECODED)} can be taken in"

    def feed(self, data: bytes) -> None:
        """Hear some more."""
        if self.problem:
            return
        try:
            self._ears.feed(self._zip.decompress(data) if self._zip else data)
        except zlib.error:
            self.problem = "it cannot be unpacked"

    def heard(self) -> Heard:
        """What was said so far."""
        return self._ears.heard()


class _Ears(Protocol):
    def feed(self, data: bytes) -> None: ...
    def heard(self) -> Heard: ...


class _Whole:
    """A reply in one piece."""

    def __init__(self, dialect: Dialect, chars: int) -> None:
        self._dialect, self._chars = dialect, chars
        self._data: bytearray = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> None:
        self._too_long = self._too_long or len(self._data) + len(data) > DOCUMENT_BYTES
        if self._too_long:
            self._data.clear()
        else:
            self._data += data

    def heard(self) -> Heard:
        try:
            reply = json.loads(self._data)
        except (ValueError, RecursionError):
            return Heard("", None, complete=False)
        if not isinstance(reply, Mapping):
            return Heard("", None, complete=False)
        said = storable("".join(_WHOLE[self._dialect](reply)))
        return Heard(said[: self._chars], _id(reply), complete=True)


class _Stream:
    """A reply in events."""

    def __init__(self, dialect: Dialect, chars: int) -> None:
        self._dialect, self._chars = dialect, chars
        self._line = bytearray()
        self._skipping = False
        self._said: list[str] = []
        self._length = 0
        self._id: str | None = None
        self._complete = False

    def feed(self, data: bytes) -> None:
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            if not self._skipping:
                self._read(bytes(self._line))
            self._line.clear()
            self._skipping = False
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._skipping = self._skipping or len(self._line) + len(piece) > LINE_BYTES
        if self._skipping:
            self._line.clear()
        else:
            self._line += piece

    def _read(self, line: bytes) -> None:
        if not line.startswith(b"data:"):
            return
        data = line[5:].strip()
        if data == b"[DONE]":
            self._complete = True
            return
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            return
        if not isinstance(event, Mapping):
            return
        for holder in (event, event.get("response"), event.get("message")):
            self._id = self._id or (_id(holder) if isinstance(holder, Mapping) else None)
        self._complete = self._complete or _ends(event)
        for text in _DELTAS[self._dialect](event):
            if self._length < self._chars:
                self._said.append(text)
                self._length += len(text)

    def heard(self) -> Heard:
        said = storable("".join(self._said))
        return Heard(said[: self._chars], self._id, self._complete)


def _ends(event: Mapping[str, Any]) -> bool:
    if event.get("type") in ("message_stop", "response.completed", "response.incomplete"):
        return True
    choice = _first(event.get("choices"))
    return bool(choice and choice.get("finish_reason"))


def _id(holder: Mapping[str, Any]) -> str | None:
    found = holder.get("id")
    return storable(found)[:200] or None if isinstance(found, str) else None


def _chat_whole(reply: Mapping[str, Any]) -> Iterable[str]:
    return _chat_text(_first(reply.get("choices")), "message")


def _chat_delta(event: Mapping[str, Any]) -> Iterable[str]:
    return _chat_text(_first(event.get("choices")), "delta")


def _chat_text(choice: Mapping[str, Any] | None, name: str) -> Iterable[str]:
    """What the first choice says; others are alternatives that nobody has chosen."""
    message = choice.get(name) if choice and choice.get("index", 0) == 0 else None
    content = message.get("content") if isinstance(message, Mapping) else None
    return _texts([{"text": content}] if isinstance(content, str) else content, ("text", None))


def _responses_whole(reply: Mapping[str, Any]) -> Iterable[str]:
    output = reply.get("output")
    for item in output if isinstance(output, list) else ():
        if isinstance(item, Mapping) and item.get("type") == "message":
            yield from _texts(item.get("content"), ("output_text",))


def _responses_delta(event: Mapping[str, Any]) -> Iterable[str]:
    delta = event.get("delta")
    if event.get("type") == "response.output_text.delta" and isinstance(delta, str):
        yield delta


def _messages_whole(reply: Mapping[str, Any]) -> Iterable[str]:
    return _texts(reply.get("content"), ("text",))


def _messages_delta(event: Mapping[str, Any]) -> Iterable[str]:
    delta = event.get("delta")
    if event.get("type") == "content_block_delta" and isinstance(delta, Mapping):
        yield from _texts([{"type": "text", "text": delta.get("text")}], ("text",))


def _texts(parts: Any, kinds: tuple[str | None, ...]) -> Iterable[str]:
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, Mapping) and part.get("type") in kinds and isinstance(part.get("text"), str):
            yield part["text"]


def _first(items: Any) -> Mapping[str, Any] | None:
    item = items[0] if isinstance(items, list) and items else None
    return item if isinstance(item, Mapping) else None


_WHOLE = {"chat": _chat_whole, "responses": _responses_whole, "messages": _messages_whole}
_DELTAS = {"chat": _chat_delta, "responses": _responses_delta, "messages": _messages_delta}
