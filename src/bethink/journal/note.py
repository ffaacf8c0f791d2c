"""The journal's line for a change."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.nouns import NOUNS
from bethink.records import JournalEntry, Record, Space

_UNDO = "undo of "


def undo_reason(entry: JournalEntry) -> str:
    """The reason of what undoes a change."""
    return f"{_UNDO}{entry.id}"


def is_undo(entry: JournalEntry) -> bool:
    """Whether a change was made by undoing another."""
    return (entry.reason or "").startswith(_UNDO)


def note(
    space: Space,
    now: datetime,
    actor: str,
    action: str,
    record: Record,
    *,
    reason: str | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> JournalEntry:
    """What `actor` did to a record. `before` holds the values that were overwritten, `after` the new."""
    return JournalEntry(
        id=new_id(),
        space_id=space.id,
        at=now,
        actor=actor,
        action=action,
        noun=NOUNS.of(record).name,
        record_id=record.id,  # type: ignore[attr-defined]  # every noun has an id
        reason=reason,
        before=before,
        after=after,
    )


def values_of(record: Record, names: set[str] | None = None) -> dict[str, Any]:
    """Some or all fields of a record as plain JSON values."""
    return record.model_dump(mode="json", include=names)
