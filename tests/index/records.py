"""Records made by hand, for tests of what is worked out from them alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from bethink.records import Fact, Layer, Memory, Message
from bethink.store.rows import Brief, brief_of

NOW = datetime(2024, 3, 5, 9, 30, tzinfo=UTC)


def message(content: str = "a turn", position: int = 1, **fields: Any) -> Message:
    known = {"id": f"message {position}", "space_id": "home", "session_id": "chat", "position": position}
    said = {"role": "user", "content": content, "sent_at": NOW, "created_at": NOW}
    return Message.model_validate({**known, **said, **fields})


def memory(content: str = "a note", **fields: Any) -> Memory:
    known = {"id": "memory 1", "space_id": "home", "content": content, "observed_at": NOW}
    return Memory.model_validate({**known, "created_at": NOW, "updated_at": NOW, **fields})


def fact(value: str = "tea", **fields: Any) -> Fact:
    known = {"id": "fact 1", "space_id": "home", "category": "likes", "key": "hot_drink", "value": value}
    return Fact.model_validate({**known, "valid_from": NOW, "created_at": NOW, **fields})


def brief(record: Memory | Message | Fact, *, age: timedelta = timedelta()) -> Brief:
    """A record as ranking sees it."""
    if isinstance(record, Message):
        return brief_of(record)._replace(observed_at=NOW - age)
    text, pinned = (record.value, False) if isinstance(record, Fact) else (record.content, record.pinned)
    layer = Layer.FACT if isinstance(record, Fact) else Layer.MEMORY
    return Brief(layer, record.id, text, NOW - age, pinned, person_id=record.person_id)
