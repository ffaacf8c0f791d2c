"""Everything a space holds, one record at a time, in an order that is the same on both databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bethink.nouns import NOUNS
from bethink.store.driver import Tx
from bethink.store.queries import Dialect
from bethink.store.rows import table_of

# By code points, whatever the language of the database.
_BINARY: dict[Dialect, str] = {"sqlite": "", "postgres": 'COLLATE "C"'}


def each(tx: Tx, space_id: str, noun: str) -> Iterator[Any]:
    """The records of one kind, read as they are asked for."""
    archived = NOUNS.archived[noun]
    read = archived.read or table_of(NOUNS[noun].record).record
    marks = {"binary": _BINARY[tx.dialect], "table": NOUNS[noun].table}
    return map(read, tx.each(archived.query, {"space_id": space_id}, **marks))


def count(tx: Tx, space_id: str, noun: str) -> int:
    row = tx.one("archive.count", {"space_id": space_id}, table=NOUNS[noun].table)
    return int(row["total"]) if row else 0


def known(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> set[str]:
    """Which of these ids the space has."""
    values = {"space_id": space_id, "ids": list(ids)}
    return {row[0] for row in tx.tuples("archive.known", values, table=NOUNS[noun].table)} if ids else set()


def owners(tx: Tx, noun: str, ids: Sequence[str]) -> dict[str, str]:
    """The space, by its id, that has each of these ids, whichever that is."""
    rows = tx.tuples("archive.owners", {"ids": list(ids)}, table=NOUNS[noun].table) if ids else []
    return {str(id_): str(space_id) for id_, space_id in rows}
