"""Memories: free-form notes, newest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.records import Memory
from recollect.store.columns import Table
from recollect.store.driver import Tx
from recollect.store.filters import MemoryFilter

_table = Table(Memory)


def add(tx: Tx, memories: Iterable[Memory]) -> None:
    tx.many("memories.insert", map(_table.columns, memories))


def update(tx: Tx, memory: Memory) -> None:
    tx.run("memories.update", _table.columns(memory))


def by_ids(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Memory]:
    rows = tx.all("memories.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return {row["id"]: _table.record(row) for row in rows}


def by_keys(tx: Tx, space_id: str, keys: Sequence[str]) -> dict[str, Memory]:
    rows = tx.all("memories.by_keys", {"space_id": space_id, "keys": list(keys)}) if keys else []
    return {row["key"]: _table.record(row) for row in rows}


def page(tx: Tx, space_id: str, chosen: MemoryFilter, limit: int, offset: int) -> list[Memory]:
    """The memories a filter chooses, newest first."""
    where, values = chosen.sql(tx.dialect)
    rows = tx.all(
        "memories.page", {"space_id": space_id, "limit": limit, "offset": offset, **values}, where=where
    )
    return [_table.record(row) for row in rows]


def count(tx: Tx, space_id: str, chosen: MemoryFilter) -> int:
    where, values = chosen.sql(tx.dialect)
    row = tx.one("memories.count", {"space_id": space_id, **values}, where=where)
    return int(row["total"]) if row else 0


def delete(tx: Tx, space_id: str, ids: Sequence[str]) -> int:
    return tx.run("memories.delete", {"space_id": space_id, "ids": list(ids)})
