"""What still holds of what was said: a newer statement on the same thing takes the place of an older one.

Nothing is deleted. What probably has a newer one is told with its time, as something said earlier; what
surely has is `replaced`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bethink.models.worth import ALWAYS, Unit
from bethink.models.worth.said import unpacked
from bethink.records import Message, Space
from bethink.shapes.inputs import MemoryDraft
from bethink.shapes.outcomes import Outcome
from bethink.store import Tx, units
from bethink.store.units import ReadUnit, Spoken
from bethink.text.terms import query_terms
from bethink.text.traces import strings_in

COUNTS = 0.5  # worth from which on a statement ends others
SHOWN = 0.2  # worth from which on one may be shown, and so must end
COMPARED = 2000  # newest statements of a space that a new one is compared with
SAID_AS_CHANGE = 0.5  # chance of that without which nothing ends that is dangerous to miss

# How likely a newer statement takes the place of an older one: the likeness of their topics, and for
PROBABLY, SURELY = 0.8, 1.12
CHANGE = 0.3  # that the newer one says that something changed
WORD, WORDS = 0.1, 3  # each word that both have, and at most so many
SAME_PERSON = 0.1  # both are of the user, or both of somebody else
SEVERAL = -0.2  # there may be several of such things
_SEVERAL = frozenset({"answer-style", "allergy", "condition", "pet", "child", "parent", "sibling", "friend"})
_SURE = 0.3  # of the slot
# Of these a person has one at a time, so another statement of the same slot is likely instead.
_SINGLE = frozenset(
    {
        "home",
        "employer",
        "role",
        "partner",
        "relationship",
        "name",
        "car",
        "phone",
        "school",
        "birthday",
        "diet",
    }
    | {"pronouns", "age", "smoking", "alcohol"}
)
SAME_SLOT, SAME_SURE = 0.2, 0.8
_OTHER = 0.5
_EVERY = 1000


@dataclass(frozen=True, slots=True)
class Ending:
    """An older statement, the one that takes its place, and whether it surely does."""

    older: ReadUnit
    newer: ReadUnit
    surely: bool


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
    pairs = list(likely(units.newest(tx, space.id, SHOWN, COMPARED), fresh))
    for one in endings(pairs, _words(tx, space, pairs)):
        units.end(tx, one.older, one.newer, replaced=one.surely)


Pair = tuple[ReadUnit, ReadUnit, float, float]
Words = Mapping[tuple[str, int], frozenset[str]]


def likely(said: Sequence[Spoken], fresh: set[tuple[str, int]]) -> Iterator[Pair]:
    """Older and newer statements of one person that may be on one thing, by all but their words. Pure.

    Only pairs count of which one is fresh: all others were compared when they were.
    """
    order = sorted(said, key=lambda one: (one.unit.sent_at, one.unit.message_id, one.unit.number))
    if not order:
        return
    topics = unpacked([one.unit.topic for one in order])
    changes = np.array([one.unit.replaces for one in order], np.float32)
    counts = np.array([one.unit.worth >= COUNTS for one in order])
    others = np.array([one.unit.other > _OTHER for one in order])
    slots = np.array([one.unit.slot if one.unit.sure >= SAME_SURE else "" for one in order])
    is_fresh = np.array([(one.unit.message_id, one.unit.number) in fresh for one in order])
    for place, one in enumerate(order):
        if one.unit.replaced:
            continue
        later = slice(place + 1, None)
        alike = topics[later] @ topics[place] + CHANGE * changes[later]
        alike += SAME_PERSON * (others[later] == others[place])
        alike += SEVERAL * (one.unit.slot in _SEVERAL and one.unit.sure >= _SURE)
        is_single = one.unit.slot in _SINGLE and one.unit.sure >= SAME_SURE
        same_slot = SAME_SLOT * ((slots[later] == one.unit.slot) & is_single)
        chosen = counts[later] & (alike + same_slot >= PROBABLY - WORD * WORDS)
        if one.unit.slot in ALWAYS:
            chosen &= changes[later] >= SAID_AS_CHANGE
        if not is_fresh[place]:
            chosen &= is_fresh[later]
        for number in np.flatnonzero(chosen):
            newer = order[place + 1 + int(number)]
            if newer.who == one.who and newer.unit.message_id != one.unit.message_id:
                yield one.unit, newer.unit, float(alike[number]), float(same_slot[number])


def endings(pairs: Iterable[Pair], words: Words) -> list[Ending]:
    """Which statements ended: by the first that surely is instead, else by the first that may be. Pure."""
    found: dict[tuple[str, int], Ending] = {}
    for older, newer, alike, same_slot in pairs:
        shared = words.get(_spot(older), frozenset()) & words.get(_spot(newer), frozenset())
        score = alike + WORD * min(len(shared), WORDS)
        before = found.get(_spot(older))
        surely = score >= SURELY
        if (surely and not (before and before.surely)) or (
            score + same_slot >= PROBABLY and not before and older.until is None
        ):
            found[_spot(older)] = Ending(older, newer, surely)
    return list(found.values())


def _words(tx: Tx, space: Space, pairs: Sequence[Pair]) -> dict[tuple[str, int], frozenset[str]]:
    ids = sorted({unit.message_id for older, newer, *_ in pairs for unit in (older, newer)})
    return {
        _spot(one.unit): frozenset(query_terms(one.text, _EVERY))
        for read in units.of_messages(tx, space.id, ids).values()
        for one in read
    }


def _spot(unit: ReadUnit) -> tuple[str, int]:
    return unit.message_id, unit.number


def _places(draft: MemoryDraft) -> Iterator[tuple[str, int]]:
    """Which units a memory was made of, by message and number."""
    number, count = draft.metadata.get("unit"), draft.metadata.get("units", 1)
    sources = list(strings_in(draft.source_ref.get("messages")))
    if isinstance(number, int) and isinstance(count, int) and sources:
        yield from ((sources[-1], number + place) for place in range(count))
