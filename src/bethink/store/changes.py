"""The log of changes in the vectors: which entries to look at again, in the order they were committed.

It says that something changed, never what: whoever reads it looks at the rows. An entry that is listed and
has no row was deleted. A copy in this process remembers by itself how far it has read; an index elsewhere is
a reader that the database knows of, and what it has not read stays in the log, up to a limit. Past that limit
all that is known of the reader is that it holds something, and it has to be built anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from bethink.records import Space
from bethink.store.driver import Tx
from bethink.store.rows import id_range, micros, moment

KEPT = 500_000  # whoever has missed more than the log still knows is built anew
KEPT_FOR = timedelta(days=30)  # for a reader that does not come back
_PRUNE_EVERY = 10_000


class Reader(NamedTuple):
    """How far an index elsewhere has read, and which vectors it has; none while it is being built."""

    signature: str
    seq: int


def note(tx: Tx, space_number: int, entry_ids: Sequence[int]) -> None:
    """Say that the vectors of entries changed, or what filters look at, or that they are gone."""
    if not entry_ids:
        return
    if tx.dialect == "postgres":
        tx.run("changes.note", {"space_number": space_number, "entry_ids": list(entry_ids)})
        return
    tx.many("changes.note", [{"space_number": space_number, "entry_id": id_} for id_ in entry_ids])
    newest = last(tx, space_number)
    if newest // _PRUNE_EVERY != (newest - len(entry_ids)) // _PRUNE_EVERY:
        _cut(tx, newest - KEPT)


def note_whole(tx: Tx, space_number: int) -> None:
    """Say that nothing a reader knows of a space holds any more."""
    note(tx, space_number, [whole(space_number)])


def whole(space_number: int) -> int:
    """What stands in the log for all entries of a space; no entry has this id."""
    return id_range(space_number)[0]


def last(tx: Tx, space_number: int) -> int:
    """The newest change of a space: a copy that has seen it is fresh."""
    row = tx.one("changes.last", {"space_number": space_number})
    return int(row["seq"]) if row else 0


def since(tx: Tx, space_number: int, seq: int) -> list[int] | None:
    """The entries that changed after `seq`; None when the whole space did, or the log was cut since."""
    oldest = tx.one("changes.oldest")
    if oldest and int(oldest["seq"]) > seq + 1:
        return None
    return unread(tx, space_number, seq)


def unread(tx: Tx, space_number: int, seq: int) -> list[int] | None:
    """The entries that changed after `seq`, which the log still knows; None when the whole space did."""
    values = {"space_number": space_number, "seq": seq}
    changed = [row[0] for row in tx.tuples("changes.since", values)]
    return None if whole(space_number) in changed else changed


class Standing(NamedTuple):
    """How far the log of changes has come in a space, and when something there ends."""

    last: int  # the newest change of the space
    newest: int  # and of all spaces
    oldest: int  # that the log still knows
    is_settled: bool  # no change of the space is without a number
    ends_at: int | None  # when the next of its entries ends, in microseconds

    def is_same(self, later: Standing) -> bool:
        """Whether surely no entry that has a vector has changed until a later look."""
        is_known = later.oldest <= self.newest + 1  # else the log was cut between them
        return self.is_settled and later.is_settled and self.last == later.last and is_known


def standing(tx: Tx, space: Space, now: datetime) -> Standing:
    """How the index of a space stands at a moment."""
    values = {"space_number": space.number, "space_id": space.id, "now": micros(now)}
    row = tx.one("changes.standing", values) or {}
    return Standing(row["last"], row["newest"], row["oldest"], not row["waiting"], row["ends_at"])


def waiting(tx: Tx) -> bool:
    """Whether there are changes without a number, which no reader can see yet."""
    return tx.dialect == "postgres" and tx.one("changes.without_number") is not None


def number(tx: Tx) -> None:
    """Give what was committed its number; only one transaction may do so at a time."""
    tx.run("changes.number")


def reader(tx: Tx, name: str, space_number: int) -> Reader | None:
    """How far a reader has come in a space; None when it is new."""
    row = tx.one("changes.reader", {"name": name, "space_number": space_number})
    return Reader(row["signature"], int(row["seq"])) if row else None


def filled_at(tx: Tx, name: str, space_number: int) -> datetime | None:
    """When a reader was last built anew in a space."""
    row = tx.one("changes.filled_at", {"name": name, "space_number": space_number})
    return moment(row["filled_at"]) if row and row["filled_at"] is not None else None


def readings(tx: Tx, name: str) -> list[tuple[int, str]]:
    """The spaces that a reader holds something of, and of which signature; none while it is being built."""
    return [(int(space), str(of)) for space, of in tx.tuples("changes.readings", {"name": name})]


def readers(tx: Tx) -> list[str]:
    """Every reader that holds something, or may."""
    return [row[0] for row in tx.tuples("changes.readers")]


def begin(tx: Tx, name: str, space_number: int, now: datetime) -> int:
    """Make a reader known that is built from the rows as they are from now on; from where it reads."""
    seq = last(tx, space_number)
    tx.run("changes.begin", {"name": name, "space_number": space_number, "seq": seq, "now": micros(now)})
    return seq


def finish(tx: Tx, name: str, space_number: int, signature: str, seq: int, now: datetime) -> bool:
    """Say that a reader that began at `seq` is built; False when it has to be built anew."""
    values = {"name": name, "space_number": space_number, "signature": signature, "seq": seq}
    return tx.run("changes.finish", values | {"now": micros(now)}) > 0


def advance(tx: Tx, name: str, space_number: int, was: Reader, seq: int, now: datetime) -> bool:
    """Say how far a reader has come; False when someone else has moved it meanwhile."""
    values = {"name": name, "space_number": space_number, "signature": was.signature, "was": was.seq}
    return tx.run("changes.advance", values | {"seq": seq, "now": micros(now)}) > 0


def left_behind(tx: Tx, name: str) -> list[int]:
    """The spaces that were removed and that a reader has not been told to let go of."""
    return [row[0] for row in tx.tuples("changes.left_behind", {"name": name})]


def leave(tx: Tx, name: str, space_number: int) -> None:
    """Forget a reader in a space."""
    tx.run("changes.leave", {"name": name, "space_number": space_number})


def newest_id(tx: Tx) -> int:
    """The newest change, with a number or without, in the order they were made; 0 for none (PostgreSQL)."""
    row = tx.one("changes.newest_id")
    return int(row["id"]) if row else 0


def prune(tx: Tx, now: datetime) -> None:
    """Cut off what every reader has read, and what waits for one too far behind or gone (PostgreSQL).

    What has no number yet stays.
    """
    newest = tx.one("changes.newest")
    tx.run("changes.forget_lost", {"before": micros(now - KEPT_FOR)})
    _cut(tx, (int(newest["seq"]) if newest else 0) - KEPT)
    tx.run("changes.drop_read")


def _cut(tx: Tx, seq: int) -> None:
    tx.run("changes.forget_cut", {"seq": seq})
    tx.run("changes.cut", {"seq": seq})
