"""The journal: who changed what, when, and because of what."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.records import JournalEntry
from recollect.store.columns import Table
from recollect.store.driver import Tx

_table = Table(JournalEntry)


def add(tx: Tx, entries: Iterable[JournalEntry]) -> None:
    tx.many("journal.insert", map(_table.columns, entries))


def newest(tx: Tx, space_id: str, *, record_id: str | None = None, limit: int) -> list[JournalEntry]:
    where = "AND record_id = :record_id" if record_id is not None else ""
    values = {"space_id": space_id, "record_id": record_id, "limit": limit}
    return [_table.record(row) for row in tx.all("journal.newest", values, where=where)]
