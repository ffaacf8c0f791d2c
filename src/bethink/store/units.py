"""Units: what was read in each message, sentence by sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from bethink.store.driver import Tx
from bethink.store.rows import micros, moment


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """One sentence or clause of a message: where it stands, what it is worth, whether it still holds.

    `until` is when somebody said something newer on the same thing, `until_message` where, and `replaced`
    whether that surely took its place. `memory_id` is the memory it became.
    """

    space_id: str
    message_id: str
    number: int
    first: int
    last: int
    sent_at: datetime
    worth: float
    label: str
    harm: float
    kind: str
    slot: str
    sure: float
    other: float
    replaces: float
    topic: bytes
    memory_id: str | None = None
    until: datetime | None = None
    until_message: str | None = None
    withdrawn: bool = False
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class Spoken:
    """A unit with who said it, and where its words are wanted, these."""

    unit: ReadUnit
    person_id: str | None
    name: str | None
    text: str = ""
    fact_id: str | None = None  # the fact that says the same

    @property
    def who(self) -> tuple[str | None, str | None]:
        """What tells people apart: who they are known to be, else what they are called."""
        return (self.person_id, None) if self.person_id else (None, self.name)


def put(tx: Tx, space_id: str, message_ids: Sequence[str], units: Iterable[ReadUnit]) -> None:
    """Store what was read in messages, in place of what was read there before.

    What became of a unit stays with it: whether it was withdrawn, whether it ended, which memory it was.
    """
    values = {"space_id": space_id, "message_ids": list(message_ids)}
    before = {_spot(row): row for row in tx.all("units.state", values)} if message_ids else {}
    forget(tx, space_id, message_ids)
    tx.many("units.insert", [_columns(_as_it_was(unit, before)) for unit in units])


def forget(tx: Tx, space_id: str, message_ids: Sequence[str]) -> None:
    """Drop what was read in messages, for they say something else now."""
    if message_ids:
        tx.run("units.delete", {"space_id": space_id, "message_ids": list(message_ids)})


def revive(tx: Tx, space_id: str, message_ids: Sequence[str]) -> set[tuple[str, int]]:
    """Let hold again what these messages had ended; which units, by message and number."""
    if not message_ids:
        return set()
    values = {"space_id": space_id, "message_ids": list(message_ids)}
    found = {(str(row[0]), int(row[1])) for row in tx.tuples("units.revived", values)}
    tx.run("units.revive", values)
    return found


def unlink(tx: Tx, space_id: str, gone: Sequence[str]) -> None:
    """Name no message and no memory that was erased: what became such a memory goes with it."""
    revive(tx, space_id, gone)
    if gone:
        tx.run("units.without_memories", {"space_id": space_id, "memory_ids": list(gone)})


def of_messages(tx: Tx, space_id: str, message_ids: Sequence[str]) -> dict[str, list[Spoken]]:
    """The units of messages, in order; a message in which nothing was read yet is missing."""
    values = {"space_id": space_id, "message_ids": list(message_ids)}
    return _by("message_id", tx.all("units.of_messages", values) if message_ids else ())


def of_memories(tx: Tx, space_id: str, memory_ids: Sequence[str]) -> dict[str, list[Spoken]]:
    """The units that became memories, oldest first."""
    values = {"space_id": space_id, "memory_ids": list(memory_ids)}
    return _by("memory_id", tx.all("units.of_memories", values) if memory_ids else ())


def newest(tx: Tx, space_id: str, worth: float, limit: int) -> list[Spoken]:
    """The newest units that are worth something, with who said them."""
    rows = tx.all("units.newest", {"space_id": space_id, "worth": worth, "limit": limit})
    return [Spoken(_unit(row), row["person_id"], row["name"]) for row in rows]


def recent(tx: Tx, space_id: str, worth: float, until: datetime, limit: int) -> list[Spoken]:
    """The newest units until a time that are worth something, withdrawn or not, with their words."""
    values = {"space_id": space_id, "worth": worth, "until": micros(until), "limit": limit}
    return [_spoken(row) for row in tx.all("units.recent", values)]


def withdrawn(tx: Tx, space_id: str, message_ids: Sequence[str]) -> set[str]:
    """Which of these messages have something in them that is not to be found any more."""
    values = {"space_id": space_id, "message_ids": list(message_ids)}
    return {row[0] for row in tx.tuples("units.withdrawn", values)} if message_ids else set()


def standing(tx: Tx, space_id: str, worth: float, harm: float, limit: int) -> list[Spoken]:
    """The newest units that are worth something and not in doubt, with their words.

    What became a memory that was forgotten, or is to be forgotten some day, is not among them.
    """
    values = {"space_id": space_id, "worth": worth, "harm": harm, "limit": limit}
    return [_stated(row) for row in tx.all("units.standing", values)]


def vital(
    tx: Tx, space_id: str, slots: Sequence[str], sure: float, worth: float, harm: float, limit: int
) -> list[Spoken]:
    """The same of these slots alone, however long ago it was said; what holds comes first."""
    values = {"space_id": space_id, "slots": list(slots), "sure": sure, "worth": worth, "harm": harm}
    return [_stated(row) for row in tx.all("units.vital", {**values, "limit": limit})]


def end(tx: Tx, unit: ReadUnit, by: ReadUnit, *, replaced: bool) -> None:
    """Note that something newer was said on the same thing, and whether it surely took its place."""
    values = {"until": micros(by.sent_at), "by": by.message_id, "replaced": replaced, **_place(unit)}
    tx.run("units.end", values)


def withdraw(tx: Tx, units: Iterable[ReadUnit], withdrawn: bool = True) -> None:
    """Take units out of what is shown, or put them back."""
    for unit in units:
        tx.run("units.withdraw", {"withdrawn": withdrawn, **_place(unit)})


def became(units: Iterable[ReadUnit], memories: Mapping[tuple[str, int], str]) -> list[ReadUnit]:
    """The units with the memories they became, by message and number."""
    return [replace(unit, memory_id=memories.get((unit.message_id, unit.number))) for unit in units]


def _spot(row: Mapping[str, Any]) -> tuple[str, int, int, int]:
    return row["message_id"], row["number"], row["first"], row["last"]


def _as_it_was(unit: ReadUnit, before: Mapping[tuple[str, int, int, int], Mapping[str, Any]]) -> ReadUnit:
    row = before.get((unit.message_id, unit.number, unit.first, unit.last))
    if row is None:
        return unit
    return replace(
        unit,
        memory_id=unit.memory_id or row["memory_id"],
        until=None if row["until"] is None else moment(row["until"]),
        until_message=row["until_message"],
        withdrawn=bool(row["withdrawn"]),
        replaced=bool(row["replaced"]),
    )


def _place(unit: ReadUnit) -> dict[str, Any]:
    return {"space_id": unit.space_id, "message_id": unit.message_id, "number": unit.number}


def _columns(unit: ReadUnit) -> dict[str, Any]:
    times = {"sent_at": micros(unit.sent_at), "until": None if unit.until is None else micros(unit.until)}
    return asdict(unit) | times


def _unit(row: Mapping[str, Any]) -> ReadUnit:
    values = {name: row[name] for name in ReadUnit.__slots__}
    values["sent_at"] = moment(values["sent_at"])
    values["until"] = None if values["until"] is None else moment(values["until"])
    values["topic"] = bytes(values["topic"])
    values["withdrawn"], values["replaced"] = bool(values["withdrawn"]), bool(values["replaced"])
    return ReadUnit(**values)


def _spoken(row: Mapping[str, Any]) -> Spoken:
    unit = _unit(row)
    return Spoken(unit, row["person_id"], row["name"], row["content"][unit.first : unit.last])


def _stated(row: Mapping[str, Any]) -> Spoken:
    return replace(_spoken(row), fact_id=_fact_of(row["source_ref"]))


def _by(name: str, rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Spoken]]:
    found: dict[str, list[Spoken]] = {}
    for row in rows:
        found.setdefault(row[name], []).append(_spoken(row))
    return found


def _fact_of(source_ref: Any) -> str | None:
    found = json.loads(source_ref) if isinstance(source_ref, str) else source_ref
    fact = found.get("fact") if isinstance(found, dict) else None
    return fact if isinstance(fact, str) else None
