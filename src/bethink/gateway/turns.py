"""What was said: in a request, before memory was woven in, and in its reply while that passes. Pure.

A reply is one JSON document, or a stream of events; it may be compressed. What is kept of it is bounded.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bethink.gateway.weave import Dialect, JsonText
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.parts import attachment_of
from bethink.shapes.weaving import last_user, text_of
from bethink.text.fence import without_woven

_LIST = {"chat": "messages", "responses": "input", "messages": "messages"}
_SPOKEN = ("user", "assistant")


@dataclass(frozen=True)
class Turn:
    """Something that someone said."""

    role: str
    text: str
    name: str | None = None
    attachments: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Talk:
    """A conversation: what the user and the assistant said."""

    turns: Sequence[Turn]
    under_way: bool = False  # the assistant has begun to work on what the user said last

    @property
    def asked(self) -> str:
        """The last thing the user said."""
        return next((turn.text for turn in reversed(self.turns) if turn.role == "user"), "")


def talk_of(posted: JsonText, dialect: Dialect) -> Talk:
    """The conversation in a request. Instructions, and tools' calls and results, are no part of it."""
    sent = posted.value(_LIST[dialect])
    if isinstance(sent, str):
        sent = [{"role": "user", "content": sent}]
    messages = [message for message in sent if isinstance(message, Mapping)] if isinstance(sent, list) else []
    results = ("tool_result",) if dialect == "messages" else ()
    under_way = last_user(messages, results) < len(messages) - 1
    return Talk([turn for message in messages if (turn := _turn(message))], under_way)


def storable(text: str) -> str:
    """A text as a database can keep it, without what we wove in ourselves."""
    return without_woven(text).replace("\0", "").encode("utf-8", "replace").decode().strip()


def _turn(message: Mapping[str, Any]) -> Turn | None:
    role, content = message.get("role"), message.get("content")
    if role not in _SPOKEN:
        return None
    text, name = storable(text_of(content)), message.get("name")
    attachments = list(_attachments(content if isinstance(content, list) else ()))
    if not text and not attachments:
        return None
    return Turn(str(role), text, storable(name)[:200] or None if isinstance(name, str) else None, attachments)


def _attachments(parts: Iterable[Any]) -> Iterable[dict[str, Any]]:
    """Pictures and files, by their address; what is sent along itself is only mentioned."""
    for part in parts:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in ("image_url", "input_image", "image", "document", "input_file", "file", "input_audio"):
            yield {name: storable(value) for name, value in attachment_of(part).items()}


_FIELDS = ("session_id", "conversation_id", "thread_id", "chat_id", "sessionId", "conversationId", "threadId")
# Coding agents put their session into Anthropic's user id.
_IN_USER_ID = re.compile(r"_session_([\w-]{8,})$")
_LOOKED_AT = 1000  # characters at the end of a user id


@dataclass(frozen=True)
class Naming:
    """How a conversation is known: by its name, by the answer it goes on from, or by its opening."""

    by: Literal["name", "answer", "opening"]
    value: str
    after: str | None = None  # the answer that the request goes on from: only what is new is sent
    kept_there: bool = False  # the provider has what was said before, and adds it by itself


def naming(header: str | None, posted: JsonText, talk: Talk) -> Naming:
    """What tells the session: the header, the metadata, the answer before, or how it began.

    `user` names a person who may have many conversations, so it only tells alike openings apart. System
    prompts do not: many hold the time, and change from request to request.
    """
    metadata = posted.value("metadata")
    said = metadata if isinstance(metadata, Mapping) else {}
    inside = _IN_USER_ID.search(_text(said.get("user_id"))[-_LOOKED_AT:])
    conversation = posted.value("conversation")
    if isinstance(conversation, Mapping):
        conversation = conversation.get("id")
    given = [header, *(said.get(name) for name in _FIELDS), inside[1] if inside else None, conversation]
    before = storable(_text(posted.value("previous_response_id")))[:NAME_CHARS] or None
    if name := next((text for value in given if (text := storable(_text(value)))), ""):
        kept = before is not None or bool(conversation)
        return Naming("name", name if len(name) <= NAME_CHARS else _short(name), before, kept)
    if before:
        return Naming("answer", before, before, kept_there=True)
    first = next((turn.text for turn in talk.turns if turn.role == "user"), "")
    user = _text(posted.value("user")) or _text(said.get("user_id"))
    return Naming("opening", _short(user, first))


def session_after(answer: str) -> str:
    """The name of a session that goes on from an answer nobody here has given."""
    return _short("after", answer)


def _short(*parts: str) -> str:
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        data = part.encode("utf-8", "replace")
        digest.update(len(data).to_bytes(8) + data)
    return f"gateway-{digest.hexdigest()}"


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


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
