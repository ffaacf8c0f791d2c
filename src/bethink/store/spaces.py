"""Spaces: isolated pools of memory, and the texts of their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bethink.clock import new_id
from bethink.errors import Damaged, NotFound
from bethink.nouns import NOUNS
from bethink.records import Mode, Space
from bethink.store.damage import set_aside
from bethink.store.driver import Row, Tx
from bethink.store.rows import Table, micros

TextName = Literal["soul", "narrative"]  # how the assistant is to be; what is remembered, told
_table = Table(Space)
_MODES = frozenset(mode.value for mode in Mode)


def find(tx: Tx, name: str) -> Space | None:
    row = tx.one("spaces.by_name", {"name": name})
    return _usable(_table.record(row)) if row else None


def ensure(tx: Tx, name: str, now: datetime) -> Space:
    """The space called `name`, made now if there is none."""
    if space := find(tx, name):
        return space
    number = (tx.one("spaces.next_number") or {})["number"]
    space = Space(id=new_id(), number=number, name=name, display_name=name, created_at=now, updated_at=now)
    tx.run("spaces.insert", _table.columns(space))
    return space


def get(tx: Tx, space_id: str) -> Space:
    """The space as it is now: what a process keeps of it may be older."""
    row = tx.one("spaces.by_id", {"id": space_id})
    if row is None:
        raise NotFound("This space was removed.", field="space")
    return _usable(_table.record(row))


def _usable(space: Space) -> Space:
    """The space; where its mode or timezone is damaged, one that presumes nothing, so that it can be used."""
    for name, stand_in in _stand_ins(space):
        set_aside(Damaged.of("space", space.id, f"{name} cannot be read; it counts as {stand_in}"))
        space = space.model_copy(update={name: stand_in})
    return space


def _stand_ins(space: Space) -> Iterator[tuple[str, str]]:
    """The fields that hold what cannot be, and what they count as."""
    if space.mode not in _MODES:
        yield "mode", Mode.MULTI.value
    try:
        ZoneInfo(space.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        yield "timezone", "UTC"


def problems(row: Row) -> Iterator[Damaged]:
    """What is damaged in the row of a space without its being set aside: such a space can be used."""
    try:
        space = _table.record(row)
    except Damaged:
        return
    for name, stand_in in _stand_ins(space):
        yield Damaged.of("space", space.id, f"{name} cannot be read; it counts as {stand_in}")


def claim(tx: Tx, space_id: str, now: datetime) -> Space:
    """The space, held until the transaction ends: no two changes of who lives in it are made at once."""
    tx.run("spaces.touch", {"id": space_id, "at": micros(now)})
    return get(tx, space_id)


def hold(tx: Tx, space_id: str) -> None:
    """Until the transaction ends nobody claims the space; who did since it began makes it start again."""
    tx.run("spaces.hold", {"id": space_id})


def update(tx: Tx, space: Space) -> None:
    tx.run("spaces.update", _table.columns(space))


def restore(tx: Tx, space: Space) -> None:
    """Make a space what it once was, also in when it was made and changed."""
    tx.run("spaces.restore", _table.columns(space))


def list_all(tx: Tx) -> list[Space]:
    return list(map(_usable, _table.records(tx.all("spaces.all"))))


def rename(tx: Tx, space: Space) -> None:
    """Store the names of a space."""
    tx.run("spaces.rename", _table.columns(space))


def remove(tx: Tx, space: Space, now: datetime) -> None:
    """Delete a space and its keys; its number is never given again, because ids of the index lead with it."""
    tx.run("spaces.retire", {"number": space.number, "at": micros(now)})
    tx.run("spaces.delete", {"id": space.id})


def counts(tx: Tx) -> dict[str, dict[str, int]]:
    """How much there is of each noun, by the id of the space."""
    found: dict[str, dict[str, int]] = {}
    counted = " UNION ALL ".join(_counted("space_id, ", " GROUP BY space_id"))
    for row in tx.all("spaces.counts", counted=counted):
        found.setdefault(row["space_id"], {})[row["noun"]] = int(row["total"])
    return found


def counts_of(tx: Tx, space_id: str) -> dict[str, int]:
    """How much there is of each noun in one space."""
    counted = " UNION ALL ".join(_counted("", "", " AND space_id = :space_id"))
    rows = tx.all("spaces.counts", {"space_id": space_id}, counted=counted)
    return {row["noun"]: int(row["total"]) for row in rows}


def _counted(first: str, last: str, scope: str = "") -> list[str]:
    """A query for each noun that is counted."""
    return [
        f"SELECT {first}'{noun.counted_as}' AS noun, COUNT(*) AS total FROM {noun.table}"
        f" WHERE {f'{noun.ended_by} IS NULL' if noun.ended_by else 'TRUE'}{scope}{last}"
        for noun in NOUNS
        if noun.counted_as
    ]


def text(tx: Tx, space_id: str, name: TextName) -> str:
    """A text of the space's own; empty when there is none."""
    row = tx.one("texts.get", {"space_id": space_id, "name": name})
    return str(row["content"]) if row else ""


def set_text(tx: Tx, space_id: str, name: TextName, content: str, now: datetime) -> None:
    """Replace the text; an empty one is removed."""
    values = {"space_id": space_id, "name": name}
    if content:
        tx.run("texts.put", {**values, "content": content, "at": micros(now)})
    else:
        tx.run("texts.delete", values)
