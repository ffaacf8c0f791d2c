"""Memories: free-form notes, newest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from bethink.records import Memory
from bethink.store.driver import Tx
from bethink.store.filters import MemoryFilter
from bethink.store.rows import Table, micros

_BEFORE_ALL = (-(1 << 62), "")  # earlier than any time there is
_table = Table(Memory)


def add(tx: Tx, memories: Iterable[Memory]) -> None:
    tx.many("memories.insert", map(_table.columns, memories))


def update(tx: Tx, memory: Memory) -> None:
    tx.run("memories.update", _table.columns(memory))


def by_ids(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Memory]:
    rows = tx.all("memories.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return _table.by("id", rows)


def by_keys(tx: Tx, space_id: str, keys: Sequence[str]) -> dict[str, Memory]:
    rows = tx.all("memories.by_keys", {"space_id": space_id, "keys": list(keys)}) if keys else []
    return _table.by("key", rows)


def of_session(tx: Tx, space_id: str, session_id: str) -> list[Memory]:
    """The memories that came from a conversation."""
    rows = tx.all("memories.of_session", {"space_id": space_id, "session_id": session_id})
    return _table.records(rows)


def archived_into(tx: Tx, space_id: str, ids: Sequence[str]) -> list[Memory]:
    """The memories that others tell of since."""
    values = {"space_id": space_id, "ids": list(ids)}
    return _table.records(tx.all("memories.archived_into", values)) if ids else []


def aging(
    tx: Tx, space_id: str, chosen: MemoryFilter, after: tuple[datetime, str] | None, limit: int
) -> list[Memory]:
    """The memories a filter chooses that are not archived, the oldest first."""
    where, values = chosen.sql(tx.dialect)
    place = (micros(after[0]), after[1]) if after else _BEFORE_ALL
    values |= {"space_id": space_id, "after_at": place[0], "after_id": place[1], "limit": limit}
    return _table.records(tx.all("memories.aging", values, where=where))


def page(
    tx: Tx,
    space_id: str,
    chosen: MemoryFilter,
    limit: int,
    offset: int = 0,
    before: tuple[int, str] | None = None,
) -> list[Memory]:
    """The memories a filter chooses, newest first; only those before a time in microseconds and an id."""
    where, values = chosen.sql(tx.dialect)
    values |= {"space_id": space_id}
    if before is not None:
        where += " AND (memories.created_at, memories.id) < (:before_at, :before_id)"
        values["before_at"], values["before_id"] = before
    found: list[Memory] = []
    while (wanted := limit - len(found)) > 0:  # again where damaged ones were set aside
        rows = tx.all("memories.page", values | {"limit": wanted, "offset": offset}, where=where)
        found += _table.records(rows)
        offset += len(rows)
        if len(rows) < wanted:
            break
    return found


def totals(tx: Tx, space_id: str, chosen: MemoryFilter) -> tuple[int, int]:
    """How many memories a filter chooses, and about how many tokens they are: a quarter of their bytes."""
    where, values = chosen.sql(tx.dialect)
    row = tx.one("memories.totals", {"space_id": space_id, **values}, where=where)
    return (int(row["total"]), int(row["tokens"])) if row else (0, 0)


def count(tx: Tx, space_id: str, chosen: MemoryFilter) -> int:
    where, values = chosen.sql(tx.dialect)
    row = tx.one("memories.count", {"space_id": space_id, **values}, where=where)
    return int(row["total"]) if row else 0


def delete(tx: Tx, space_id: str, ids: Sequence[str]) -> int:
    return tx.run("memories.delete", {"space_id": space_id, "ids": list(ids)})
