"""Read every record there is, to find those that cannot be read."""

from __future__ import annotations

from bethink.errors import Corrupt, Damaged
from bethink.nouns import NOUNS
from bethink.records import Key, Space
from bethink.store import archive
from bethink.store.driver import Tx
from bethink.store.rows import Table

_SPACES, _KEYS = Table(Space), Table(Key)


def read_everything(tx: Tx) -> tuple[int, list[Damaged]]:
    """How many records could be read, of every space, and those that could not."""
    damaged: dict[tuple[str, str], Damaged] = {}

    def aside(error: Damaged) -> None:
        damaged.setdefault((error.noun, error.record_id), error)

    read = 0
    rows = tx.all("spaces.all")
    for table, found in ((_SPACES, rows), (_KEYS, tx.all("keys.all"))):
        for row in found:
            try:
                table.record(row)
                read += 1
            except Damaged as error:
                aside(error)
    for row in rows:
        for noun in NOUNS.archived:
            try:
                read += sum(1 for _ in archive.each(tx, row["id"], noun, aside))
            except Corrupt:
                read += sum(1 for _ in archive.each(tx, row["id"], noun, aside, by_place=True))
    return read, list(damaged.values())
