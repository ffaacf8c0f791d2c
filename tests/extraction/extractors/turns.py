"""Turns of a conversation, and an extractor with a scripted chat model."""

from __future__ import annotations

from typing import Any

from bethink.extraction.extractors import Extractor, extractors_for
from bethink.extraction.templates import Templates
from bethink.records import Message
from bethink.settings.sections import ExtractionSettings
from bethink.testing import ScriptedChat

AT = "2025-05-01T10:00:00Z"


def said(position: int, content: str, **fields: Any) -> Message:
    known = {"id": f"m{position}", "space_id": "s", "session_id": "chat", "position": position}
    return Message.model_validate(
        {**known, "role": "user", "content": content, "sent_at": AT, "created_at": AT, **fields}
    )


def reply(position: int, content: str = "I see.", **fields: Any) -> Message:
    return said(position, content, role="assistant", **fields)


def extractor(name: str, chat: ScriptedChat | None = None, **settings: Any) -> Extractor:
    made = extractors_for(
        [name, "patterns"], chat or ScriptedChat("NOTHING"), ExtractionSettings(**settings), Templates()
    )
    assert [one.name for one in made] == [name]
    return made[0]
