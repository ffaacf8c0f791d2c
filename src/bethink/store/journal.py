"""The journal: who changed what, when, and because of what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.nouns import NOUNS
from bethink.records import JournalEntry, Record, Space
from bethink.store.driver import Tx
from bethink.store.rows import Table, micros, moment

EXTRACTOR = "extractor:"  # actors whose names begin so are no people
_table = Table(JournalEntry)
_UNDO = "undo of "
MOST_TOLD = 100  # of what was withdrawn


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
        noun=NOUNS.by_record[type(record)].name,
        record_id=record.id,  # type: ignore[attr-defined]  # every noun has an id
        reason=reason,
        before=before,
        after=after,
    )


def values_of(record: Record, names: set[str] | None = None) -> dict[str, Any]:
    """Some or all fields of a record as plain JSON values."""
    return record.model_dump(mode="json", include=names)


def undo_reason(entry: JournalEntry) -> str:
    """The reason of what undoes a change."""
    return f"{_UNDO}{entry.id}"


def is_undo(entry: JournalEntry) -> bool:
    """Whether a change was made by undoing another."""
    return (entry.reason or "").startswith(_UNDO)


def add(tx: Tx, entries: Iterable[JournalEntry]) -> None:
    tx.many("journal.insert", map(_table.columns, entries))


def find(tx: Tx, space_id: str, entry_id: str) -> JournalEntry | None:
    row = tx.one("journal.by_id", {"space_id": space_id, "id": entry_id})
    return _table.record(row) if row else None


def newest(
    tx: Tx,
    space_id: str,
    *,
    record_id: str | None = None,
    noun: str | None = None,
    action: str | None = None,
    actor: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: tuple[int, str] | None = None,
    limit: int,
) -> list[JournalEntry]:
    """The newest lines that a filter lets through, those before a time (in microseconds) and id if given."""
    given = {"record_id": record_id, "noun": noun, "action": action, "actor": actor}
    values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    where = "".join(f" AND {name} = :{name}" for name in values)
    if since is not None:
        where, values["since"] = where + " AND at >= :since", micros(since)
    if until is not None:
        where, values["until"] = where + " AND at < :until", micros(until)
    if before is not None:
        where += " AND (at < :before_at OR (at = :before_at AND id < :before_id))"
        values["before_at"], values["before_id"] = before
    rows = tx.all("journal.newest", {**values, "space_id": space_id, "limit": limit}, where=where)
    return _table.records(rows)


def forgotten(tx: Tx, space_id: str, since: datetime) -> list[JournalEntry]:
    """The lines of memories and facts that were forgotten after a time, newest first."""
    rows = tx.all("journal.forgotten", {"space_id": space_id, "since": micros(since)})
    return _table.records(rows)


def withdrawn(tx: Tx, space_id: str, session_id: str | None = None) -> int:
    """How many messages something was taken from, as the user asked, since the last turn was taken in.

    Of a session, since the last turn of that.
    """
    last = newest(tx, space_id, record_id=session_id, noun="session", action="observed", limit=1)
    if not last:
        return 0
    return len(newest(tx, space_id, noun="message", action="withdrawn", since=last[0].at, limit=MOST_TOLD))


def by_hand(tx: Tx, space_id: str, record_ids: Sequence[str], since: datetime) -> list[JournalEntry]:
    """What somebody, and no extractor, did to these records after a time, newest first."""
    values = {"space_id": space_id, "ids": list(record_ids), "since": micros(since), "extractor": EXTRACTOR}
    lines = _table.records(tx.all("journal.by_hand", values)) if record_ids else []
    return sorted(lines, key=lambda line: (line.at, line.id), reverse=True)


def edited_at(tx: Tx, space_id: str, message_ids: Sequence[str]) -> dict[str, datetime]:
    """When those of these messages that were edited were last edited."""
    rows = tx.all("journal.edited_at", {"space_id": space_id, "ids": list(message_ids)})
    return {row["record_id"]: moment(row["at"]) for row in rows}
