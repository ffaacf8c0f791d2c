"""Read every record there is, to find those that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bethink.errors import Corrupt, Damaged
from bethink.nouns import NOUNS
from bethink.store import archive, spaces
from bethink.store.driver import Tx


def read_everything(tx: Tx) -> tuple[int, list[Damaged]]:
    """How many records could be read, of every space, and those that could not."""
    damaged: dict[tuple[str, str], Damaged] = {}

    def aside(error: Damaged) -> None:
        damaged.setdefault((error.noun, error.record_id), error)

    read = sum(_read_all(tx, noun.name, aside) for noun in NOUNS if noun.name not in NOUNS.archived)
    for row in tx.all("spaces.all"):
        for problem in spaces.problems(row):
            aside(problem)
        for noun in NOUNS.archived:
            try:
                read += sum(1 for _ in archive.each(tx, row["id"], noun, aside))
            except Corrupt:
                read += sum(1 for _ in archive.each(tx, row["id"], noun, aside, by_place=True))
    for stray in _strays(tx):
        aside(stray)
    return read, list(damaged.values())


def _read_all(tx: Tx, noun: str, aside: Callable[[Damaged], None]) -> int:
    """How many records of a noun can be read that no archive holds."""
    read = 0
    for row in tx.each("survey.all_rows", columns="*", table=NOUNS.by_name[noun].table):
        try:
            archive.checked(noun, row)
            read += 1
        except Damaged as error:
            aside(error)
    return read


def _strays(tx: Tx) -> Iterator[Damaged]:
    """Records that belong to no space there is: whoever reads a space does not come upon them."""
    for noun in NOUNS:
        if {"id", "space_id"} <= noun.record.model_fields.keys():
            for (id_,) in _stray_ids(tx, noun.table):
                yield Damaged.of(noun.name, str(id_), "its space_id names no space")


def _stray_ids(tx: Tx, table: str) -> list[tuple[object, ...]]:
    """None where a page of the table cannot be read: whoever looks at each record names that."""
    try:
        with tx.attempt():
            return list(tx.tuples("survey.strays", table=table))
    except Corrupt:
        return []
