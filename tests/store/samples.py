"""Records to store: with every field set, or with as few as possible."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bethink.clock import new_id
from bethink.records import (
    Context,
    Device,
    Document,
    Extraction,
    Fact,
    JournalEntry,
    Key,
    Layer,
    Memory,
    Message,
    Passage,
    Person,
    Role,
    Run,
    Session,
    Space,
    Summary,
)
from bethink.shapes.insights import Insight, InsightEvent
from bethink.store.entries import Entry
from bethink.store.units import ReadUnit

NOW = datetime(2024, 5, 17, 9, 30, 15, 123457, tzinfo=UTC)
TIMES = ("observed_at", "created_at", "updated_at")
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)

# Scripts, directions, planes, and whatever a query language might take for its own.
TEXTS = [
    "",
    " ",
    "它很喜欢在窗边晒太阳",
    "東京タワーの近くに住んでいます",
    "القطة تنام على الأريكة",
    "Кошка спит на диване",
    "e\u0301 and \u00e9 are not the same text",
    "👩‍👩‍👧‍👦 🏳️‍🌈 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \U0010fffd",
    "\u202eright to left\u202c, zero\u200bwidth, \ufeffmark",
    "line\nline\r\ntab\tquote ' double \" back \\ slash",
    "'; DROP TABLE memories; --",
    'NEAR(a b) OR "x" AND - * ^ col:',
    "100% %s %(id)s :id ::int $1 ? {where} IN_LIST(:ids)",
    "long " * 20_000,
]
JSON = {
    "text": TEXTS[2],
    "emoji 🐈": "🐈",
    "number": 12,
    "large": 2**53,
    "fraction": 0.1,
    "yes": True,
    "nothing": None,
    "list": [1, "two", [3.5], {"four": 4}],
    "empty": {},
}


def memory(space: Space, content: str = "a note", **fields: Any) -> Memory:
    known = {"id": new_id(), "space_id": space.id, "observed_at": NOW, "created_at": NOW, "updated_at": NOW}
    return Memory.model_validate({**known, "content": content, **fields})


def message(space: Space, session_id: str, position: int, **fields: Any) -> Message:
    known = {"id": new_id(), "space_id": space.id, "session_id": session_id, "position": position}
    said = {"role": "user", "content": f"turn {position}", "sent_at": NOW, "created_at": NOW}
    return Message.model_validate({**known, **said, **fields})


def summary(space: Space, **fields: Any) -> Summary:
    known: dict[str, Any] = {"id": new_id(), "space_id": space.id, "summary_tier": "L1"}
    of = {"source_tier": "short", "start_at": NOW, "end_at": NOW, "message_count": 1, "source_ids": []}
    said = {"key_points": ["Ana: turn 1."], "keywords": ["turn"], "summary_text": "Ana: turn 1."}
    rest = {"dimensions": {"platform": "chat"}, "quality_score": 1.0, "created_at": NOW, "updated_at": NOW}
    return Summary.model_validate({**known, **of, **said, **rest, **fields})


def fact(space: Space, value: str = "tea", **fields: Any) -> Fact:
    known = {"id": new_id(), "space_id": space.id, "category": "likes", "key": "drink", "value": value}
    return Fact.model_validate({**known, "valid_from": NOW, "created_at": NOW, **fields})


def person(space: Space, display_name: str = "Ana", **fields: Any) -> Person:
    known = {"id": new_id(), "space_id": space.id, "created_at": NOW, "updated_at": NOW}
    return Person.model_validate({**known, "display_name": display_name, **fields})


def device(space: Space, device_id: str = "phone", **fields: Any) -> Device:
    known = {"id": device_id, "space_id": space.id, "name": "Phone", "created_at": NOW, "updated_at": NOW}
    return Device.model_validate({**known, **fields})


def session(space: Space, session_id: str = "chat-1", **fields: Any) -> Session:
    return Session.model_validate({"id": session_id, "space_id": space.id, "created_at": NOW, **fields})


def key(space: Space, name: str = "laptop", **fields: Any) -> Key:
    known = {"id": new_id(), "space_id": space.id, "name": name, "role": Role.MEMBER, "hint": "a1b2"}
    return Key.model_validate({**known, "created_at": NOW, **fields})


def extraction(space: Space, session_id: str = "chat-1", **fields: Any) -> Extraction:
    known = {"id": new_id(), "space_id": space.id, "session_id": session_id, "extractor": "facts", "at": NOW}
    return Extraction.model_validate(
        {**known, "first_position": 1, "last_position": 2, "status": "ok", **fields}
    )


def run(space: Space, sweep: str = "tidy", **fields: Any) -> Run:
    known = {"id": new_id(), "space_id": space.id, "sweep": sweep, "started_at": NOW, "finished_at": NOW}
    return Run.model_validate({**known, "status": "done", "counts": {"tidied": 2}, **fields})


def insight(space: Space, title: str = "a thing", **fields: Any) -> Insight:
    known: dict[str, Any] = {"id": new_id(), "space_id": space.id, "kind": "task", "title": title}
    known |= {"task_label": "task", "dedupe_key": "k"} | dict.fromkeys(TIMES, NOW)
    return Insight.model_validate({**known, **fields})


def insight_event(space: Space, insight_id: str, **fields: Any) -> InsightEvent:
    known = {"id": new_id(), "space_id": space.id, "insight_id": insight_id, "kind": "viewed", "at": NOW}
    return InsightEvent.model_validate({**known, **fields})


def context(space: Space, content: str = "a text", **fields: Any) -> Context:
    known = {"id": new_id(), "space_id": space.id, "name": "notes", "content": content}
    return Context.model_validate({**known, "created_at": NOW, "updated_at": NOW, **fields})


def document(space: Space, **fields: Any) -> Document:
    known: dict[str, Any] = {
        "id": new_id(),
        "space_id": space.id,
        "name": "a.md",
        "kind": "md",
        "size_bytes": 9,
    }
    known |= {"content_hash": new_id(), "status": "embedding", "passages": 1, "characters": 9}
    return Document.model_validate({**known, "created_at": NOW, "updated_at": NOW, **fields})


def passage(space: Space, document_id: str, text: str = "black cat", **fields: Any) -> Passage:
    known = {"id": new_id(), "space_id": space.id, "document_id": document_id, "document_name": "a.md"}
    place = {"position": 0, "text": text, "first": 0, "last": len(text), "title": "Cats", "page": 1}
    return Passage.model_validate({**known, **place, "observed_at": NOW, "created_at": NOW, **fields})


def note(space: Space, record_id: str = "r1", **fields: Any) -> JournalEntry:
    known = {"id": new_id(), "space_id": space.id, "at": NOW, "actor": "ana", "action": "stored"}
    return JournalEntry.model_validate({**known, "noun": "memory", "record_id": record_id, **fields})


def unit(space: Space, message_id: str, number: int = 0, **fields: Any) -> ReadUnit:
    """A unit of the first four characters of a message, worth keeping."""
    known: dict[str, Any] = {
        "first": 0,
        "last": 4,
        "sent_at": NOW,
        "worth": 0.9,
        "label": "keep",
        "harm": 0.0,
    }
    known |= {"kind": "identity", "slot": "home", "sure": 0.8, "other": 0.1, "replaces": 0.1}
    return ReadUnit(space.id, message_id, number, **{**known, "topic": bytes(48), **fields})


def entry(record_id: str, body: str = "a note", **fields: Any) -> Entry:
    """An entry of layer `memory` whose terms are the words of `body` and `context`."""
    context: Sequence[str] = fields.pop("context", "").split()
    known = {"layer": Layer.MEMORY, "observed_at": NOW, "fingerprint": f"of {body[:50]}"}
    return Entry(record_id=record_id, body=body.split(), context=context, **{**known, **fields})
