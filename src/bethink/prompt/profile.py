"""What the user said that is worth knowing before anything is asked, the newest on each thing first. Pure.

What is dangerous to miss, and how the user wants to be answered, always comes first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from bethink.models.worth import ALWAYS, SLOTS
from bethink.prompt.background import say_day
from bethink.records import DEFAULT_PERSON
from bethink.store.units import ReadUnit, Spoken
from bethink.text.fence import one_line
from bethink.text.terms import estimate

SURE = 0.3  # of a slot, from which on a line is told by it; else by its kind
EARLIER = "earlier"
LONGEST = 300  # characters of what is said
SAYS_MORE = 60  # characters from which on a statement says more than the fact that was made of it
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Profile:
    """The lines, which units they show, and how many did not fit."""

    lines: Sequence[str]
    shown: frozenset[Place]
    left_out: int


def profile(
    said: Sequence[Spoken],
    names: Mapping[str, str],
    place: tzinfo | None,
    *,
    there: Collection[str],
    budget: int,
) -> Profile:
    """As much of what was said as the budget has room for; not what a fact in `there` says already."""
    wanted = [one for one in said if one.fact_id not in there or len(one.text) >= SAYS_MORE]
    lines: dict[Place, str] = {}
    spent = 0
    for one in sorted(wanted, key=_right):
        line = _line(one, names, place)
        spent += estimate(line)
        if spent > budget:
            break
        lines[place_of(one.unit)] = line
    shown = [one for one in sorted(wanted, key=_order) if place_of(one.unit) in lines]
    return Profile([lines[place_of(one.unit)] for one in shown], frozenset(lines), len(wanted) - len(lines))


def place_of(unit: ReadUnit) -> Place:
    """What tells units apart."""
    return unit.message_id, unit.number


def about(unit: ReadUnit) -> str:
    """What a unit is about, in a word."""
    return unit.slot if unit.sure >= SURE else unit.kind


def _right(one: Spoken) -> tuple[bool, bool, float]:
    """Who comes first when not all fit: what is dangerous to miss, what holds, what is new."""
    unit = one.unit
    always = unit.until is None and about(unit) in ALWAYS
    return not always, unit.until is not None, -unit.sent_at.timestamp()


def _order(one: Spoken) -> tuple[int, str, float, int]:
    """Things together, the newest of each first."""
    name = about(one.unit)
    first = ALWAYS.index(name) if name in ALWAYS else len(ALWAYS) + (name not in SLOTS)
    return first, name, -one.unit.sent_at.timestamp(), one.unit.number


def _line(one: Spoken, names: Mapping[str, str], place: tzinfo | None) -> str:
    return f"- {', '.join(_marks(one, names, place))}: {cut(one_line(one.text))}"


def _marks(one: Spoken, names: Mapping[str, str], place: tzinfo | None) -> Iterator[str]:
    who = names.get(one.person_id or "", "") or one.name or ""
    if who and who != DEFAULT_PERSON:
        yield one_line(who)
    yield about(one.unit)
    if one.unit.until is not None:
        yield EARLIER
    yield say_day(one.unit.sent_at, place)[:7]


def cut(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
