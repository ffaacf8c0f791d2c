"""What still holds of what was said: a newer statement on the same thing ends an older one.

Nothing is deleted. A unit that ended is shown with its time, as something said earlier, and never as what
holds now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from bethink.models.worth import ALWAYS, Unit
from bethink.models.worth.said import unpacked
from bethink.records import Message, Space
from bethink.shapes.inputs import MemoryDraft
from bethink.shapes.outcomes import Outcome
from bethink.store import Tx, units
from bethink.store.units import ReadUnit, Spoken
from bethink.text.traces import strings_in

COUNTS = 0.5  # worth from which on a statement ends others
SHOWN = 0.2  # worth from which on one may be shown, and so must end
ALIKE = 0.56  # likeness of topics from which on two statements are on one thing
CHANGE = 0.3  # how much it counts that the newer one says that something changed
SAID_AS_CHANGE = 0.5  # chance of that without which nothing ends that is dangerous to miss
USUAL = 0.3  # chance of that in any statement
COMPARED = 2000  # newest statements of a space that a new one is compared with


def read_units(turns: Sequence[Message], read: Mapping[str, Mapping[int, Unit]]) -> list[ReadUnit]:
    """What was read in messages, as it is kept."""
    return [
        ReadUnit(
            turn.space_id,
            turn.id,
            number,
            unit.start,
            unit.end,
            turn.sent_at,
            unit.worth,
            unit.label,
            unit.harm,
            unit.kind,
            unit.slot,
            unit.sure,
            unit.other,
            unit.replaces,
            unit.topic,
        )
        for turn in turns
        for number, unit in read.get(turn.id, {}).items()
    ]


def put(
    tx: Tx, space: Space, read: Sequence[ReadUnit], stored: Iterable[tuple[MemoryDraft, Outcome]]
) -> None:
    """Store what was read, with the memories it became, and end what it takes the place of."""
    if not read:
        return
    became = {place: outcome.id for draft, outcome in stored if outcome.id for place in _places(draft)}
    ids = list(dict.fromkeys(unit.message_id for unit in read))
    units.put(tx, space.id, ids, units.became(read, became))
    fresh = {(unit.message_id, unit.number) for unit in read if unit.worth >= SHOWN}
    fresh |= units.revive(tx, space.id, ids)
    if not fresh:
        return
    said = units.newest(tx, space.id, SHOWN, COMPARED)
    for older, newer in ended(said, fresh):
        units.end(tx, older, newer.sent_at, newer.message_id)


def ended(said: Sequence[Spoken], fresh: set[tuple[str, int]]) -> Iterator[tuple[ReadUnit, ReadUnit]]:
    """Which units ended, and by which: the next one on the same thing by the same person. Pure.

    Only pairs count of which one is fresh: all others were compared when they were.
    """
    order = sorted(said, key=lambda one: (one.unit.sent_at, one.unit.message_id, one.unit.number))
    if not order:
        return
    topics = unpacked([one.unit.topic for one in order])
    changes = np.array([one.unit.replaces for one in order], np.float32) - USUAL
    counts = np.array([one.unit.worth >= COUNTS for one in order])
    is_fresh = np.array([(one.unit.message_id, one.unit.number) in fresh for one in order])
    for place, one in enumerate(order):
        if one.unit.until is not None:
            continue
        later = slice(place + 1, None)
        alike = topics[later] @ topics[place] + CHANGE * changes[later] >= ALIKE
        alike &= counts[later]
        if one.unit.slot in ALWAYS:
            alike &= changes[later] + USUAL >= SAID_AS_CHANGE
        if not is_fresh[place]:
            alike &= is_fresh[later]
        for number in np.flatnonzero(alike):
            newer = order[place + 1 + int(number)]
            if newer.who == one.who and newer.unit.message_id != one.unit.message_id:
                yield one.unit, newer.unit
                break


def _places(draft: MemoryDraft) -> Iterator[tuple[str, int]]:
    """Which units a memory was made of, by message and number."""
    number = draft.metadata.get("unit")
    sources = list(strings_in(draft.source_ref.get("messages")))
    if isinstance(number, int) and sources:
        yield sources[-1], number
