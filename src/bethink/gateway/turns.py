"""Which conversation a request belongs to, and what was said in it before memory was woven in. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bethink.gateway.json_text import JsonText
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.parts import attachment_of
from bethink.shapes.weaving import last_user, text_of
from bethink.text.fence import without_woven

Dialect = Literal["chat", "responses", "messages"]

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
