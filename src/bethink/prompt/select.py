"""What of all that was said reaches the prompt, and in which words. Pure.

Before anything is asked: what the user said that is worth knowing. What is dangerous to miss and how to
answer come first, then the newest on each thing. Of the hits of a recall: those that add something. They are
near enough to the question, worth telling, in the user's own words, and not said already. What ended is told
as something said earlier, after what holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from bethink.models.worth import ALWAYS, SLOTS
from bethink.prompt.background import say_day
from bethink.recall.plan import named
from bethink.records import DEFAULT_PERSON, Layer, Message
from bethink.shapes.outcomes import Hit
from bethink.shapes.prompts import Reason
from bethink.store.units import ReadUnit, Spoken
from bethink.text.fence import one_line
from bethink.text.language import language_told
from bethink.text.secrets import Secrecy
from bethink.text.terms import estimate, query_terms

SURE = 0.3  # of a slot, from which on a line is told by it; else by its kind
EARLIER = "earlier"
LONGEST = 300  # characters of what is said
OF_EACH = 3  # newest on one thing that come before what is of no such slot
_WHO = frozenset(SLOTS) - {
    "appointment",
    "deadline",
    "trip",
    "schedule",
    "project",
    "goal",
    "food",
    "friend",
    "colleague",
}
FRAGMENT, CLEAR = 2, 0.5  # words of a fragment; of a slot, from which on so few say something
_CLEAR = frozenset({"identity", "answer-style", "health"})  # kinds: "its Odalys"
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’][A-Za-zÀ-ɏ]+)*")
SAYS_MORE = 60  # characters from which on a statement says more than the fact that was made of it
Place = tuple[str, int]

WORTH_TELLING = 0.2  # of a sentence; far less than what makes it a memory, since somebody asks
DOUBT = 0.3  # chance from which on words may be a play's, a quotation's, a secret
COVERED = 0.34  # share of the question's words that a line without a vector must have
ALIKE = 0.8  # share of words from which on two lines say the same
OF_THEM = 3  # memories of somebody the question names that are told however far they are from its words
# By language: "du" is you in German, and "of the" in French.
_YOU = {
    language: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
    for language, words in (
        ("English", "you|your|yours|u|ur"),
        ("German", r"du|dir|dich|dein\w*|ihr|ihnen|sie|euch"),
        ("Spanish", "tú|tu|tus|te|ti|vos|usted|ustedes"),
        ("French", "tu|te|toi|ton|ta|tes|vous|votre|vos"),
        ("Portuguese", "você|vocês|vc|tu|te|ti|teu|tua|teus|tuas"),
    )
}
_YOU_IN_CHINESE = re.compile("你|您")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A hit that reaches the prompt, the words it is told in, and whether it ended."""

    hit: Hit
    text: str
    earlier: bool = False

    def shown(self, secrecy: Secrecy) -> Chosen:
        """The same as it may be shown."""
        hit = secrecy.shown(self.hit)
        text = hit.text if self.text == self.hit.text else secrecy.shown(self.text)
        return Chosen(hit, text, self.earlier)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A hit that does not reach the prompt, why, and the record that says it instead if one does."""

    hit: Hit
    reason: Reason
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What of the hits is told, in order, and what is not."""

    chosen: Sequence[Chosen]
    dropped: Sequence[Dropped]


@dataclass(frozen=True, slots=True)
class Floor:
    """The least cosine that a hit must have with the question; None where the model does not read it, and
    only words can tell.
    """

    cosine: float | None


def select(
    query: str,
    hits: Sequence[Hit],
    read: Mapping[str, Sequence[Spoken]],
    shown: Collection[Place],
    floor: Floor | None,
    names: Collection[str] = (),
) -> Selection:
    """The hits to show, best first, what holds before what ended; and why the others are not.

    `read` has what was read in messages and what became memories, by their ids; `shown` is what the stable
    half says already. Without a floor everything is near enough. `names` are those that a question may name:
    "What shall I cook for Anna?" is about Anna, and so is "Anna is allergic to peanuts".
    """
    terms = set(query_terms(query, _EVERY))
    theirs = _of_whom_it_names(hits, named(query, names))
    asks_you = any(_is_answer(hit) for hit in hits) and _asks_you(query)
    told, dropped = _Lines(), list[Dropped]()
    for hit in hits:
        if floor is not None and hit.id not in theirs and not _is_near(hit, terms, floor):
            dropped.append(Dropped(hit, "far"))
            continue
        twin, ways = None, list(_told(hit, read.get(hit.id), shown, asks_you))
        for one in ways:
            twin = told.add(one)
        if not ways:
            dropped.append(Dropped(hit, _why_nothing(hit, read.get(hit.id), shown)))
        elif twin is not None and all(one.hit is not hit for one in told.lines):
            dropped.append(Dropped(hit, "duplicate", twin))
    return Selection(sorted(told.lines, key=lambda one: one.earlier), dropped)


class _Lines:
    """Lines of which no two say the same. Their words are bits of a number: many are compared quickly."""

    def __init__(self) -> None:
        self.lines: list[Chosen] = []
        self._words: list[tuple[int, float]] = []  # of each line, and how many another must have of them
        self._bits: dict[str, int] = {}

    def add(self, line: Chosen) -> str | None:
        """Take a line unless one says the same already: then the id of the record that does."""
        words = 0
        for word in _WORD.findall(line.text.casefold()):
            words |= 1 << self._bits.setdefault(word, len(self._bits))
        enough = ALIKE * words.bit_count()
        for place, (others, enough_for_it) in enumerate(self._words):
            shared = (words & others).bit_count()
            if shared >= enough or shared >= enough_for_it:
                return self.lines[place].hit.id
        self.lines.append(line)
        self._words.append((words, enough))
        return None


def _is_answer(hit: Hit) -> bool:
    return isinstance(hit.record, Message) and hit.record.role == "assistant"


def _of_whom_it_names(hits: Sequence[Hit], whom: Collection[str]) -> set[str]:
    """The ids of the first memories that name somebody the question names too."""
    of_them = [hit.id for hit in hits if hit.layer is Layer.MEMORY and whom and named(hit.text, whom)]
    return set(of_them[:OF_THEM])


def _asks_you(query: str) -> bool:
    """Whether somebody speaks to the assistant of itself: then what it said counts too."""
    if not any(you.search(query) for you in (*_YOU.values(), _YOU_IN_CHINESE)):
        return False
    told = language_told(query)
    asked = [_YOU[told]] if told in _YOU else _YOU.values()
    return any(you.search(query) for you in (*asked, _YOU_IN_CHINESE))


def _why_nothing(hit: Hit, read: Sequence[Spoken] | None, shown: Collection[Place]) -> Reason:
    """Why nothing of a hit is told that is near enough."""
    if _is_answer(hit):
        return "assistant"
    units = [one.unit for one in read or ()]
    if any(unit.withdrawn for unit in units):
        return "withdrawn"
    if any(place_of(unit) in shown for unit in units):
        return "present"
    return "doubtful" if any(unit.harm >= DOUBT for unit in units) else "small_talk"


_EVERY = 1_000


def _is_near(hit: Hit, terms: set[str], floor: Floor) -> bool:
    if hit.pinned:
        return True
    if hit.vector is not None and floor.cosine is not None:
        return hit.vector >= floor.cosine
    if hit.terms is None:  # it only follows a question that was found, which may be far itself
        return False
    return bool(terms) and len(terms.intersection(query_terms(hit.text, _EVERY))) >= COVERED * len(terms)


def _told(
    hit: Hit, read: Sequence[Spoken] | None, shown: Collection[Place], asks_you: bool
) -> Iterator[Chosen]:
    if _is_answer(hit):
        if asks_you:
            yield Chosen(hit, hit.text)
    elif isinstance(hit.record, Message):
        yield from _of_message(hit, read, shown)
    elif not (read and hit.layer is Layer.MEMORY):
        yield Chosen(hit, hit.text)
    elif not any(one.unit.withdrawn or place_of(one.unit) in shown for one in read):
        yield Chosen(hit, hit.text, all(one.unit.until is not None for one in read))


def _of_message(hit: Hit, read: Sequence[Spoken] | None, shown: Collection[Place]) -> Iterator[Chosen]:
    """The sentences of a message that are worth telling and not told yet, what holds apart from what ended.

    A message that nobody has read yet is told whole.
    """
    if read is None:
        yield Chosen(hit, hit.text)
        return
    worth = [
        one
        for one in read
        if one.unit.worth >= WORTH_TELLING
        and one.unit.harm < DOUBT
        and not one.unit.withdrawn
        and not _is_fragment(one)
        and place_of(one.unit) not in shown
    ]
    for earlier in (False, True):
        if words := [one.text for one in worth if (one.unit.until is not None) is earlier]:
            yield Chosen(hit, " ".join(words), earlier)


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
    secrecy: Secrecy,
) -> Profile:
    """As much of what was said as the budget has room for; not what a fact in `there` says already."""
    wanted = [one for one in said if one.fact_id not in there or len(one.text) >= SAYS_MORE]
    lines: dict[Place, str] = {}
    spent = 0
    for one in _right([one for one in wanted if not _is_fragment(one)]):
        line = _line(one, secrecy.shown(one.text), names, place)
        spent += estimate(line)
        if spent > budget:
            break
        lines[place_of(one.unit)] = line
    shown = [one for one in sorted(wanted, key=_order) if place_of(one.unit) in lines]
    return Profile([lines[place_of(one.unit)] for one in shown], frozenset(lines), len(wanted) - len(lines))


def _is_fragment(one: Spoken) -> bool:
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
            turn = 3
        elif name in ALWAYS:
            turn = 0
        else:
            turns[name] += 1
            turn = 1 if name in _WHO and turns[name] <= OF_EACH else 2
        ranked.append((turn, one))
    yield from (one for _, one in sorted(ranked, key=lambda pair: pair[0]))


def _order(one: Spoken) -> tuple[int, str, float, int]:
    """Things together, the newest of each first."""
    name = about(one.unit)
    first = ALWAYS.index(name) if name in ALWAYS else len(ALWAYS) + (name not in SLOTS)
    return first, name, -one.unit.sent_at.timestamp(), one.unit.number


def _line(one: Spoken, text: str, names: Mapping[str, str], place: tzinfo | None) -> str:
    return f"- {', '.join(_marks(one, names, place))}: {cut(one_line(text))}"


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
