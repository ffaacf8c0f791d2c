"""What stands in every prompt of a space: its soul, the facts chosen, the people, the narrative."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bethink.clock import local
from bethink.facts.doubts import confirmed_at, is_old
from bethink.models.worth import SLOTS
from bethink.records import Fact, Person, Space
from bethink.store import Tx, facts, persons, spaces, units
from bethink.store.units import ReadUnit, Spoken
from bethink.text.secrets import masked, masked_record, masked_value, name_of
from bethink.text.slots import comes_first, kind_of

# Not strftime: its names follow the locale of the process.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def zone(name: str) -> tzinfo | None:
    """A timezone by name; None when this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def say_time(moment: datetime, place: tzinfo | None) -> str:
    """Date, time and offset: `Sunday, 9 March 2025, 03:30 (America/New_York, UTC-04:00)`."""
    there = local(moment, place or UTC)
    day = f"{_DAYS[there.weekday()]}, {there.day} {_MONTHS[there.month - 1]} {there.year:04}"
    offset = _offset(there.utcoffset() or timedelta())
    return f"{day}, {there:%H:%M} ({'UTC' if str(place or UTC) == 'UTC' else f'{place}, {offset}'})"


def say_day(moment: datetime, place: tzinfo | None) -> str:
    """The day it was there: `2025-03-09`."""
    return local(moment, place or UTC).date().isoformat()


def say_month(moment: datetime) -> str:
    """The month it was: `March 2026`."""
    return f"{_MONTHS[moment.month - 1]} {moment.year:04}"


def _offset(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


_EVERY = 1_000_000  # more facts than anyone has
_HALF_YEAR = timedelta(days=180)
WORTH = 0.75  # of what stands in every prompt: a memory has more, but nobody asks for it then
# Who somebody is needs less, and so does what was said instead of something that stands there: the prompt
# would have the old value alone.
LESS_WORTH, OF_SLOT = 0.5, 0.5
WHO = frozenset(SLOTS) - {
    "appointment", "deadline", "trip", "schedule", "project", "goal", "food", "friend", "colleague",
}  # fmt: skip
DOUBT = 0.3  # chance from which on words may be a play's, a quotation's, a secret
# What is dangerous to miss stands there at far less: a line too many does no harm.
DANGEROUS = ("allergy", "medicine", "condition")
DANGEROUS_SURE, DANGEROUS_WORTH, DANGEROUS_DOUBT = 0.8, 0.2, 0.5
SAID = 300  # newest statements that a prompt may hold
RECENT_DAYS = 14  # for which a prompt says what a fact of identity was before
_MUCH_USED = 50  # recalls after which more make no difference
CONFIDENCE_WEIGHT, USE_WEIGHT, RECENCY_WEIGHT, PROMOTED_WEIGHT = 0.5, 0.3, 0.2, 0.2


@dataclass(frozen=True)
class Background:
    """What is known before anything is asked. `facts` are in the order in which they are to be kept."""

    space: Space
    persons: Sequence[Person]
    names: Mapping[str, str]  # of everyone ever known, by id
    soul: str
    narrative: str
    facts: Sequence[Fact]
    fact_count: int
    revision: str  # a name for this state of the facts
    replaced: Mapping[str, str] = field(default_factory=dict)  # what facts of identity were before, by id
    said: Sequence[Spoken] = ()  # what was said and is worth knowing, newest first
    old: Mapping[str, str] = field(default_factory=dict)  # since when nobody has confirmed facts, by id
    ended: frozenset[str] = frozenset()  # facts after whose statement something newer was said

    def at(self, now: datetime, kept_since: datetime | None = None) -> Background:
        """The same without what has expired by now or is over the retention time, in copies to be given away.

        What a fact was before is told for some days only, and those begin when they do where the space is.
        """
        alive = [fact for fact in self.facts if fact.expires_at is None or fact.expires_at > now]
        return replace(
            self,
            persons=[
                person.model_copy(update={"aliases": [*person.aliases], "voice_ids": [*person.voice_ids]})
                for person in self.persons
            ],
            facts=[fact.model_copy(update={"provenance": [*fact.provenance]}) for fact in alive],
            replaced={
                fact.id: self.replaced[fact.id]
                for fact in alive
                if fact.id in self.replaced and self._is_recent(fact, now)
            },
            said=[one for one in self.said if kept_since is None or one.unit.sent_at >= kept_since],
            old={fact.id: say_month(confirmed_at(fact)) for fact in alive if is_old(fact, now)},
        )

    def _is_recent(self, fact: Fact, now: datetime) -> bool:
        place = zone(self.space.timezone)
        since, today = (date.fromisoformat(say_day(moment, place)) for moment in (fact.valid_from, now))
        return (today - since).days < RECENT_DAYS


def read(tx: Tx, space_id: str, limit: int, masks: bool) -> Background | None:
    """The background of a space, at any time; None when the facts have to be chosen first.

    With `masks` every secret in it is masked.
    """
    count, revision = facts.revision(tx, space_id)
    if count <= limit:
        chosen = sorted(facts.list_current(tx, space_id, limit=max(limit, 1)), key=_unused_order)
    elif (ids := facts.standing(tx, space_id, f"{limit}:{revision}")) is not None:
        found = facts.by_ids(tx, space_id, ids)
        chosen = [found[id_] for id_ in ids if id_ in found]
    else:
        return None
    everyone = persons.everyone(tx, space_id)
    known = Background(
        space=spaces.get(tx, space_id),
        persons=[person for person in everyone if person.left_at is None],
        names={person.id: person.display_name for person in everyone},
        soul=spaces.text(tx, space_id, "soul"),
        narrative=spaces.text(tx, space_id, "narrative"),
        facts=chosen,
        fact_count=count,
        revision=revision,
        replaced=_replaced(tx, space_id, chosen),
        ended=_ended(tx, space_id, chosen),
        said=_said(tx, space_id),
    )
    return _masked(known) if masks else known


def _said(tx: Tx, space_id: str) -> list[Spoken]:
    """What the user said that may stand in every prompt, each unit once."""
    vital = units.vital(tx, space_id, DANGEROUS, DANGEROUS_SURE, DANGEROUS_WORTH, DANGEROUS_DOUBT, SAID)
    said = units.standing(tx, space_id, LESS_WORTH, DOUBT, SAID)
    sure = [*vital, *(one for one in said if _is_sure(one.unit))]
    newer = {one.unit.until_message for one in sure}
    instead = [one for one in said if one.unit.message_id in newer]
    return list({(one.unit.message_id, one.unit.number): one for one in [*sure, *instead]}.values())


def _is_sure(unit: ReadUnit) -> bool:
    return unit.worth >= WORTH or (unit.slot in WHO and unit.sure >= OF_SLOT)


def _masked(known: Background) -> Background:
    names = {fact.id: name_of(fact) for fact in known.facts}
    return replace(
        known,
        persons=[masked_record(person) for person in known.persons],
        soul=masked(known.soul),
        narrative=masked(known.narrative),
        facts=[masked_record(fact) for fact in known.facts],
        replaced={id_: masked_value(names[id_], value) for id_, value in known.replaced.items()},
    )


def _replaced(tx: Tx, space_id: str, chosen: Sequence[Fact]) -> dict[str, str]:
    """What the facts of identity among these were before, where they were something else."""
    values = {fact.id: fact.value for fact in chosen if kind_of(fact.category, fact.key)}
    old = facts.superseded_by(tx, space_id, list(values))
    return {id_: value for id_, value in old.items() if value != values[id_]}


def _ended(tx: Tx, space_id: str, chosen: Sequence[Fact]) -> frozenset[str]:
    """The facts taken from a statement after which something newer was said on the same thing."""
    read = units.of_messages(tx, space_id, sorted({id_ for fact in chosen for id_ in fact.provenance}))
    found = set()
    for fact in chosen:
        said = [one for id_ in fact.provenance for one in read.get(id_, ()) if fact.value in one.text]
        if said and all(one.unit.until is not None for one in said):
            found.add(fact.id)
    return frozenset(found)


def choose(tx: Tx, space_id: str, limit: int, now: datetime) -> None:
    """Choose the facts that stand in the prompt, and keep the choice until a fact changes.

    How often a fact is used changes with every turn; the stable half of the prompt must not.
    """
    _, revision = facts.revision(tx, space_id)
    ranked = rank(facts.list_current(tx, space_id, now=now, limit=_EVERY), now)
    facts.keep_standing(tx, space_id, f"{limit}:{revision}", [fact.id for fact in ranked[:limit]])


def rank(current: Sequence[Fact], now: datetime) -> list[Fact]:
    """Facts by how sure, how much used and how recent they are; promoted ones first among equals.

    How to answer and what is dangerous to miss come before all others: they never wait for a place.
    """
    alive = [fact for fact in current if fact.expires_at is None or fact.expires_at > now]
    return sorted(alive, key=lambda fact: (_turn(fact), -_worth(fact, now), fact.id))


def _worth(fact: Fact, now: datetime) -> float:
    age = max(now - (fact.last_verified_at or fact.valid_from), timedelta())
    used = math.log1p(min(fact.access_count, _MUCH_USED)) / math.log1p(_MUCH_USED)
    return (
        CONFIDENCE_WEIGHT * fact.confidence / 100
        + USE_WEIGHT * used
        + RECENCY_WEIGHT * math.exp(-math.log(2) * (age / _HALF_YEAR))
        + PROMOTED_WEIGHT * fact.promoted
    )


def _turn(fact: Fact) -> int:
    return comes_first(fact.category, fact.key, fact.value)


def _unused_order(fact: Fact) -> tuple[int, bool, int, datetime, str]:
    """An order that changes only with the facts, for when the budget is short."""
    return (_turn(fact), not fact.promoted, -fact.confidence, fact.valid_from, fact.id)
