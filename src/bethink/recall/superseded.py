"""Which records say what has been replaced since, until when, and by what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bethink.models.worth.said import likeness
from bethink.records import Layer
from bethink.shapes.outcomes import Hit
from bethink.store import Tx, units
from bethink.store.units import ReadUnit, Spoken

COUNTS = 0.5  # worth from which on a sentence of a message must be replaced for the message to be


@dataclass(frozen=True, slots=True)
class Successor:
    """Since when something newer holds, and the memory, or else the message, that says it."""

    since: datetime
    id: str


def of_memories(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Successor]:
    """The successors of memories all of whose sentences were replaced."""
    return _successors(tx, space_id, units.of_memories(tx, space_id, ids))


def of_messages(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Successor]:
    """The successors of messages of which nothing holds that was worth keeping."""
    read = units.of_messages(tx, space_id, ids)
    worthy = {id_: [one for one in said if one.unit.worth >= COUNTS] for id_, said in read.items()}
    return _successors(tx, space_id, worthy)


def mark(tx: Tx, space_id: str, hits: Iterable[Hit]) -> None:
    """Say of each hit that was replaced since when, and by what."""
    by_layer: dict[Layer, list[Hit]] = {}
    for hit in hits:
        by_layer.setdefault(hit.layer, []).append(hit)
    for layer, find in ((Layer.MEMORY, of_memories), (Layer.MESSAGE, of_messages)):
        some = by_layer.get(layer, [])
        found = find(tx, space_id, [hit.id for hit in some]) if some else {}
        for hit in some:
            if successor := found.get(hit.id):
                hit.until, hit.superseded_by = successor.since, successor.id


def _successors(tx: Tx, space_id: str, read: Mapping[str, Sequence[Spoken]]) -> dict[str, Successor]:
    over = {id_: said for id_, said in read.items() if said and all(one.unit.replaced for one in said)}
    last = {id_: max(said, key=_ended).unit for id_, said in over.items()}
    newer = units.of_messages(tx, space_id, sorted({unit.until_message or "" for unit in last.values()}))
    return {id_: _successor(unit, newer.get(unit.until_message or "", ())) for id_, unit in last.items()}


def _ended(one: Spoken) -> float:
    return one.unit.until.timestamp() if one.unit.until else 0.0


def _successor(unit: ReadUnit, newer: Sequence[Spoken]) -> Successor:
    """The sentence of the newer message that is most alike, as the memory it became."""
    nearest = max(newer, key=lambda one: likeness(unit.topic, one.unit.topic), default=None)
    known = nearest.unit.memory_id if nearest else None
    return Successor(unit.until or unit.sent_at, known or unit.until_message or "")
