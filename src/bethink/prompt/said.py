"""What the user said that stands in every prompt: in which words, in which order. Pure.

What is dangerous to miss and how to answer come first, then the newest on each thing. What ended is told as
something said earlier.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from bethink.models.worth import ALWAYS, SLOTS
from bethink.prompt.background import WHO, WORTH, say_day
from bethink.records import DEFAULT_PERSON, Fact
from bethink.store.units import ReadUnit, Spoken
from bethink.text.fence import one_line
from bethink.text.secrets import Secrecy
from bethink.text.slots import named
from bethink.text.terms import estimate

SURE = 0.3  # of a slot, from which on a line is told by it; else by its kind
EARLIER = "earlier"
LONGEST = 300  # characters of what is said
OF_EACH = 3  # newest on one thing that come before what is of no such slot
FRAGMENT, CLEAR = 2, 0.5  # words of a fragment; of a slot, from which on so few say something
_CLEAR = frozenset({"identity", "answer-style", "health"})  # kinds: "its Odalys"
_WORD = re.compile(r"\w+")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’][A-Za-zÀ-ɏ]+)*")
SAYS_MORE = 60  # characters from which on a statement says more than the fact that was made of it
ONE_AT_A_TIME = frozenset(SLOTS) - {
    "answer-style", "allergy", "condition", "pet", "child", "parent", "sibling", "friend", "colleague",
    "hobby", "project", "tool", "food", "language",
}  # fmt: skip
Place = tuple[str, int]
About = tuple[tuple[str | None, str | None], str, bool]  # who said it, of what, and whether of somebody else


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
    facts: Sequence[Fact],
    budget: int,
    secrecy: Secrecy,
) -> Profile:
    """As much of what was said as the budget has room for; not what one of these facts says already."""
    there = {fact.id: fact.value for fact in facts}
    wanted = [one for one in said if _says_more(one.text, there.get(one.fact_id or ""))]
    newer = newest(facts, wanted)
    lines: dict[Place, str] = {}
    spent = 0
    for one in _right([one for one in wanted if not is_fragment(one)]):
        line = _line(one, secrecy.shown(one.text), names, place, is_earlier(one, newer))
        spent += estimate(line)
        if spent > budget:
            break
        lines[place_of(one.unit)] = line
    shown = [one for one in sorted(wanted, key=_order) if place_of(one.unit) in lines]
    return Profile([lines[place_of(one.unit)] for one in shown], frozenset(lines), len(wanted) - len(lines))


def _says_more(text: str, value: str | None) -> bool:
    """Whether a statement says more than the fact that was made of it, if one was, has for its value: it is
    long, or has a name or a number that the value lacks.
    """
    if value is None:
        return True
    known = value.casefold()
    names = [word for word in _WORD.findall(text)[1:] if word[0].isupper() or word[0].isdigit()]
    return len(text) >= SAYS_MORE or any(name.casefold() not in known for name in names)


@dataclass(frozen=True, slots=True)
class Newest:
    """What a prompt says of attributes of which one holds at a time: facts, and when the newest was said."""

    facts: Mapping[About, Fact] = field(default_factory=dict)
    said: Mapping[About, datetime] = field(default_factory=dict)


def newest(facts: Iterable[Fact], said: Iterable[Spoken]) -> Newest:
    """What these facts and statements say of attributes of which one holds at a time."""
    known, times = dict[About, Fact](), dict[About, datetime]()
    for fact in facts:
        told = named(fact.category, fact.key, fact.value)
        if told and told.subject is None and not told.slot.many:
            known[(fact.person_id, None), told.slot.name, False] = fact
    for one in said:
        if one.unit.slot in ONE_AT_A_TIME and one.unit.sure >= CLEAR and one.unit.until is None:
            times[_about(one)] = max(one.unit.sent_at, times.get(_about(one), one.unit.sent_at))
    return Newest(known, times)


def is_earlier(one: Spoken, newer: Newest) -> bool:
    """Whether something newer was said on the same thing, or a newer fact has another value; of what is of
    less worth, as something that a question takes for known, whether something newer on it is told.
    """
    if one.unit.until is not None or one.unit.sure < CLEAR:
        return one.unit.until is not None
    fact, at = newer.facts.get(_about(one)), one.unit.sent_at
    if fact is not None and at < fact.valid_from and fact.value.casefold() not in one.text.casefold():
        return True
    return one.unit.worth < WORTH and at < newer.said.get(_about(one), at)


def _about(one: Spoken) -> About:
    return one.who, one.unit.slot, one.unit.other >= CLEAR


def is_fragment(one: Spoken) -> bool:
    """Whether it says nothing without the sentence before it, as "For Malte." """
    words = _LATIN_WORD.findall(one.text)
    told = one.unit.sure >= CLEAR or one.unit.kind in _CLEAR or about(one.unit) in ALWAYS
    return 0 < len(words) <= FRAGMENT and not told


def place_of(unit: ReadUnit) -> Place:
    """What tells units apart."""
    return unit.message_id, unit.number


def about(unit: ReadUnit) -> str:
    """What a unit is about, in a word."""
    return unit.slot if unit.sure >= SURE else unit.kind


def _right(said: Sequence[Spoken]) -> Iterator[Spoken]:
    """In the order in which they may stay where not all fit: what is dangerous to miss, who somebody is and
    whom they live with, what else holds, what ended; each with the newest first.
    """
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, Spoken]] = []
    for one in sorted(said, key=lambda one: -one.unit.sent_at.timestamp()):
        name = about(one.unit)
        if one.unit.until is not None:
            turn = 3 + one.unit.replaced
        elif name in ALWAYS:
            turn = 0
        else:
            turns[name] += 1
            turn = 1 if name in WHO and turns[name] <= OF_EACH else 2
        ranked.append((turn, one))
    yield from (one for _, one in sorted(ranked, key=lambda pair: pair[0]))


def _order(one: Spoken) -> tuple[int, str, float, int]:
    """Things together, the newest of each first."""
    name = about(one.unit)
    first = ALWAYS.index(name) if name in ALWAYS else len(ALWAYS) + (name not in SLOTS)
    return first, name, -one.unit.sent_at.timestamp(), one.unit.number


def _line(one: Spoken, text: str, names: Mapping[str, str], place: tzinfo | None, earlier: bool) -> str:
    return f"- {', '.join(_marks(one, names, place, earlier))}: {cut(one_line(text))}"


def _marks(one: Spoken, names: Mapping[str, str], place: tzinfo | None, earlier: bool) -> Iterator[str]:
    who = names.get(one.person_id or "", "") or one.name or ""
    if who and who != DEFAULT_PERSON:
        yield one_line(who)
    yield about(one.unit)
    if earlier:
        yield EARLIER
    yield say_day(one.unit.sent_at, place)[:7]


def cut(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
