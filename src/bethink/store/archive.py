"""Everything a space holds, one record at a time, in an order that is the same on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, get_args

from pydantic import ValidationError

from bethink.errors import Corrupt, Damaged
from bethink.records import (
    Context,
    Device,
    Extraction,
    Fact,
    JournalEntry,
    Memory,
    Message,
    Person,
    Record,
    Session,
    SpaceText,
    Utc,
)
from bethink.store.columns import Table, moment
from bethink.store.damage import set_aside
from bethink.store.driver import Row, Tx
from bethink.store.queries import Dialect
from bethink.store.settings import value_of

Noun = Literal[
    "setting", "text", "context", "person", "device", "session", "message", "extraction", "memory", "fact",
    "journal",
]  # fmt: skip
NOUNS: tuple[Noun, ...] = get_args(Noun)  # none refers to one that comes after it

# Those whose ids are unique in a database.
NAMED: tuple[Noun, ...] = ("context", "person", "message", "extraction", "memory", "fact", "journal")

# By code points, whatever the language of the database.
_BINARY: dict[Dialect, str] = {"sqlite": "", "postgres": 'COLLATE "C"'}
TABLES: dict[Noun, str] = {
    "setting": "settings", "text": "texts", "context": "contexts", "person": "persons", "device": "devices",
    "session": "sessions", "message": "messages", "extraction": "extractions",
    "memory": "memories", "fact": "facts", "journal": "journal",
}  # fmt: skip
_QUERIES: dict[Noun, str] = {
    "setting": "archive.settings", "text": "archive.texts", "message": "archive.messages",
}  # fmt: skip
_PLACE: dict[Dialect, str] = {"sqlite": "row", "postgres": "block"}
_ORDER: dict[Noun, tuple[str, ...]] = {
    "setting": ("name",), "text": ("name",), "message": ("session_id", "position"),
}  # fmt: skip


class Setting(Record):
    """A setting of a space as it is stored."""

    name: str
    value: Any
    updated_at: Utc


KINDS: dict[Noun, type[Record]] = {
    "setting": Setting, "text": SpaceText, "context": Context, "person": Person, "device": Device,
    "session": Session, "message": Message, "extraction": Extraction, "memory": Memory, "fact": Fact,
    "journal": JournalEntry,
}  # fmt: skip
_RECORDS: dict[Noun, Table[Any]] = {noun: Table(kind) for noun, kind in KINDS.items() if noun != "setting"}


def each(
    tx: Tx, space_id: str, noun: Noun, aside: Callable[[Damaged], None] = set_aside, *, by_place: bool = False
) -> Iterator[Any]:
    """The records of one kind, read as they are asked for; `aside` is told of each that is damaged.

    Where the database itself is damaged, `Corrupt` is raised. `by_place` goes around what is: it looks at one
    row, or one block, after the other, and holds what it finds in memory to put it in order.
    """
    rows = _by_place(tx, space_id, noun, aside) if by_place else _in_order(tx, space_id, noun)
    for row in rows:
        try:
            record = _made(noun, row)
        except Damaged as error:
            aside(error)
        else:
            yield record


def _in_order(tx: Tx, space_id: str, noun: Noun) -> Iterator[Row]:
    marks = {"binary": _BINARY[tx.dialect], "table": TABLES[noun]}
    with tx.attempt():
        yield from tx.each(_QUERIES.get(noun, "archive.by_id"), {"space_id": space_id}, **marks)


def _by_place(tx: Tx, space_id: str, noun: Noun, aside: Callable[[Damaged], None]) -> list[Row]:
    found: list[Row] = []
    last = tx.one("archive.last_place", table=TABLES[noun])
    for place in range(int(last["place"]) + 1 if last and last["place"] is not None else 0):
        try:
            with tx.attempt():
                values = {"space_id": space_id, "place": place}
                found += tx.all("archive.at_place", values, table=TABLES[noun])
        except Corrupt:
            aside(Damaged.of(noun, f"at {_PLACE[tx.dialect]} {place}", "the database cannot read it"))
    keys = _ORDER.get(noun, ("id",))
    return sorted(found, key=lambda row: tuple(row[key] for key in keys))


def _made(noun: Noun, row: Row) -> Any:
    """The record of a row, checked as a whole, as an import checks it."""
    kind, name = KINDS[noun], str(row.get("id") or row.get("name"))
    try:
        if noun == "setting":
            value = value_of(name, row["value"])
            return Setting(name=row["name"], value=value, updated_at=moment(row["updated_at"]))
        record = _RECORDS[noun].record(row)
        kind.model_validate(record.__dict__)
    except ValidationError as error:
        fields = ", ".join(sorted({str(problem["loc"][0]) for problem in error.errors()}))
        raise Damaged.of(noun, name, f"{fields} cannot be read") from None
    except (TypeError, OverflowError) as error:
        raise Damaged.of(noun, name, "it cannot be read") from error
    return record


def count(tx: Tx, space_id: str, noun: Noun) -> int:
    row = tx.one("archive.count", {"space_id": space_id}, table=TABLES[noun])
    return int(row["total"]) if row else 0


def known(tx: Tx, space_id: str, noun: Noun, ids: Sequence[str]) -> set[str]:
    """Which of these ids the space has."""
    values = {"space_id": space_id, "ids": list(ids)}
    return {row[0] for row in tx.tuples("archive.known", values, table=TABLES[noun])} if ids else set()


def of_others(tx: Tx, noun: Noun, ids: Sequence[str], *, besides: str) -> set[str]:
    """Which of these ids a space has that is not the one with the id `besides`."""
    values = {"space_id": besides, "ids": list(ids)}
    return {row[0] for row in tx.tuples("archive.of_others", values, table=TABLES[noun])} if ids else set()
