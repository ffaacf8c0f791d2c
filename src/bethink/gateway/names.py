"""Which conversation a request belongs to, as far as the request itself tells. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bethink.gateway.json_text import Document
from bethink.gateway.turns import Talk, storable
from bethink.shapes.fields import NAME_CHARS

_FIELDS = ("session_id", "conversation_id", "thread_id", "chat_id", "sessionId", "conversationId", "threadId")
# Coding agents put their session into Anthropic's user id.
_IN_USER_ID = re.compile(r"_session_([\w-]{8,})$")
_LOOKED_AT = 1000  # characters at the end of a user id


@dataclass(frozen=True)
class Naming:
    """How a conversation is known: by its name, by the answer it goes on from, or by its opening."""

    by: Literal["name", "answer", "opening"]
    value: str


def naming(header: str | None, document: Document, talk: Talk) -> Naming:
    """What tells the session: the header, the metadata, the answer before, or how it began.

    `user` names a person who may have many conversations, so it only tells alike openings apart. System
    prompts do not: many hold the time, and change from request to request.
    """
    metadata = document.value("metadata")
    said = metadata if isinstance(metadata, Mapping) else {}
    inside = _IN_USER_ID.search(_text(said.get("user_id"))[-_LOOKED_AT:])
    conversation = document.value("conversation")
    if isinstance(conversation, Mapping):
        conversation = conversation.get("id")
    given = [header, *(said.get(name) for name in _FIELDS), inside[1] if inside else None, conversation]
    if name := next((text for value in given if (text := storable(_text(value)))), ""):
        return Naming("name", name if len(name) <= NAME_CHARS else _short(name))
    if before := storable(_text(document.value("previous_response_id"))):
        return Naming("answer", before[:NAME_CHARS])
    first = next((turn.text for turn in talk.turns if turn.role == "user"), "")
    user = _text(document.value("user")) or _text(said.get("user_id"))
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
