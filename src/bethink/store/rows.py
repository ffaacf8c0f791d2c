"""Rows of any kind of record: what the system does with every noun in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bethink.nouns import NOUNS
from bethink.records import Record
from bethink.store.columns import Table
from bethink.store.driver import Tx

_tables: dict[type[Record], Table[Any]] = {}


def table_of(record: type[Record]) -> Table[Any]:
    """What turns records of a kind into rows, and back."""
    if (found := _tables.get(record)) is None:
        found = _tables[record] = Table(record)
    return found


def add(tx: Tx, noun: str, records: Iterable[Record]) -> None:
    kind = NOUNS[noun].record
    marks = {
        "table": NOUNS[noun].table,
        "columns": ", ".join(kind.model_fields),
        "values": ", ".join(f":{name}" for name in kind.model_fields),
    }
    tx.many("rows.insert", map(table_of(kind).columns, records), **marks)


def update(tx: Tx, noun: str, record: Record) -> None:
    """Store all fields of a record that is there."""
    kind = NOUNS[noun].record
    changes = ", ".join(f"{name} = :{name}" for name in kind.model_fields if name not in ("id", "space_id"))
    values = table_of(kind).columns(record)
    tx.run("rows.update", values, table=NOUNS[noun].table, changes=changes)


def by_ids(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> dict[str, Any]:
    if not ids:
        return {}
    values, kind = {"space_id": space_id, "ids": list(ids)}, NOUNS[noun]
    return table_of(kind.record).by("id", tx.all("rows.by_ids", values, table=kind.table))


def delete(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> int:
    values = {"space_id": space_id, "ids": list(ids)}
    return tx.run("rows.delete", values, table=NOUNS[noun].table) if ids else 0
