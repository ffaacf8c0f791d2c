"""Everything a space holds, one record at a time, in an order that is the same on both databases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

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
from bethink.store.driver import Tx
from bethink.store.queries import Dialect

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
_RECORDS: dict[Noun, Table[Any]] = {
    noun: Table(kind) for noun, kind in KINDS.items() if noun not in ("setting", "text")
}


def each(tx: Tx, space_id: str, noun: Noun) -> Iterator[Any]:
    """The records of one kind, read as they are asked for."""
    query = _QUERIES.get(noun, "archive.by_id")
    marks = {"binary": _BINARY[tx.dialect], "table": TABLES[noun]}
    for row in tx.each(query, {"space_id": space_id}, **marks):
        if noun == "setting":
            at = moment(row["updated_at"])
            yield Setting(name=row["name"], value=json.loads(row["value"]), updated_at=at)
        elif noun == "text":
            yield SpaceText(name=row["name"], content=row["content"], updated_at=moment(row["updated_at"]))
        else:
            yield _RECORDS[noun].record(row)


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
