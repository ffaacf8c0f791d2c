"""Everything a space holds, one record at a time, in an order that is the same on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from bethink.errors import Corrupt, Damaged
from bethink.nouns import NOUNS
from bethink.store.damage import set_aside
from bethink.store.driver import Row, Tx
from bethink.store.queries import Dialect
from bethink.store.rows import table_of

# By code points, whatever the language of the database.
_BINARY: dict[Dialect, str] = {"sqlite": "", "postgres": 'COLLATE "C"'}
_PLACE: dict[Dialect, str] = {"sqlite": "row", "postgres": "block"}


def has_own_ids(noun: str) -> bool:
    """Whether the ids of an archived noun are unique in a database."""
    return noun in NOUNS.archived and NOUNS.by_name[noun].ids == "database"


def each(
    tx: Tx, space_id: str, noun: str, aside: Callable[[Damaged], None] = set_aside, *, by_place: bool = False
) -> Iterator[Any]:
    """The records of one kind, read as they are asked for; `aside` is told of each that is damaged.

    Where the database itself is damaged, `Corrupt` is raised. `by_place` goes around what is: it looks at one
    row, or one block, after the other, and holds what it finds in memory to put it in order.
    """
    rows = _by_place(tx, space_id, noun, aside) if by_place else _in_order(tx, space_id, noun)
    for row in rows:
        try:
            record = checked(noun, row)
        except Damaged as error:
            aside(error)
        else:
            yield record


def _in_order(tx: Tx, space_id: str, noun: str) -> Iterator[Row]:
    marks = {"binary": _BINARY[tx.dialect], "table": NOUNS.by_name[noun].table}
    with tx.attempt():
        yield from tx.each(NOUNS.archived[noun].query, {"space_id": space_id}, **marks)


def _by_place(tx: Tx, space_id: str, noun: str, aside: Callable[[Damaged], None]) -> list[Row]:
    found: list[Row] = []
    last = tx.one("archive.last_place", table=NOUNS.by_name[noun].table)
    for place in range(int(last["place"]) + 1 if last and last["place"] is not None else 0):
        try:
            with tx.attempt():
                values = {"space_id": space_id, "place": place}
                found += tx.all("archive.at_place", values, table=NOUNS.by_name[noun].table)
        except Corrupt:
            aside(Damaged.of(noun, f"at {_PLACE[tx.dialect]} {place}", "the database cannot read it"))
    order = NOUNS.archived[noun].order
    return sorted(found, key=lambda row: tuple(row[column] for column in order))


def checked(noun: str, row: Row) -> Any:
    """The record of a row, checked as a whole, as an import checks it."""
    kind, name = NOUNS.by_name[noun].record, str(row.get("id") or row.get("name"))
    try:
        if (archived := NOUNS.archived.get(noun)) and archived.read:
            return archived.read(row)
        record = table_of(kind).record(row)
        kind.model_validate(record.__dict__)
    except ValidationError as error:
        fields = ", ".join(sorted({str(problem["loc"][0]) for problem in error.errors()}))
        raise Damaged.of(noun, name, f"{fields} cannot be read") from None
    except (TypeError, OverflowError) as error:
        raise Damaged.of(noun, name, "it cannot be read") from error
    return record


def count(tx: Tx, space_id: str, noun: str) -> int:
    row = tx.one("archive.count", {"space_id": space_id}, table=NOUNS.by_name[noun].table)
    return int(row["total"]) if row else 0


def known(tx: Tx, space_id: str, noun: str, ids: Sequence[str]) -> set[str]:
    """Which of these ids the space has."""
    values = {"space_id": space_id, "ids": list(ids)}
    return (
        {row[0] for row in tx.tuples("archive.known", values, table=NOUNS.by_name[noun].table)}
        if ids
        else set()
    )


def of_others(tx: Tx, noun: str, ids: Sequence[str], *, besides: str) -> set[str]:
    """Which of these ids a space has that is not the one with the id `besides`."""
    values = {"space_id": besides, "ids": list(ids)}
    return (
        {row[0] for row in tx.tuples("archive.of_others", values, table=NOUNS.by_name[noun].table)}
        if ids
        else set()
    )
