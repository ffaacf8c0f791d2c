"""Which hits of a recall reach the prompt, and in which words. Pure.

Those that add something: they are near enough to the question, worth telling, in the user's own words, and
not said already. What ended is told as something said earlier, after what holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bethink.prompt.said import Newest, Place, is_earlier, is_fragment, place_of
from bethink.recall.plan import named
from bethink.records import Layer, Message
from bethink.shapes.outcomes import Hit
from bethink.shapes.prompts import Reason
from bethink.store.units import Spoken
from bethink.text.language import language_told
from bethink.text.secrets import Secrecy
from bethink.text.terms import query_terms

NOTHING = Newest()
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
    newer: Newest = NOTHING,
) -> Selection:
    """The hits to show, best first, what holds before what ended; and why the others are not.

    `read` has what was read in messages and what became memories, by their ids; `shown` is what the stable
    half says already, and `newer` what it says of attributes of which one holds at a time. Without a floor
    everything is near enough. `names` are those that a question may name: "What shall I cook for Anna?" is
    about Anna, and so is "Anna is allergic to peanuts".
    """
    terms = set(query_terms(query, _EVERY))
    theirs = _of_whom_it_names(hits, named(query, names))
    asks_you = any(_is_answer(hit) for hit in hits) and _asks_you(query)
    told, dropped = _Lines(), list[Dropped]()
    for hit in hits:
        if floor is not None and hit.id not in theirs and not _is_near(hit, terms, floor):
            dropped.append(Dropped(hit, "far"))
            continue
        twin, ways = None, list(_told(hit, read.get(hit.id), shown, newer, asks_you))
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
    hit: Hit,
    read: Sequence[Spoken] | None,
    shown: Collection[Place],
    newer: Newest,
    asks_you: bool,
) -> Iterator[Chosen]:
    if _is_answer(hit):
        if asks_you:
            yield Chosen(hit, hit.text)
    elif isinstance(hit.record, Message):
        yield from _of_message(hit, read, shown, newer)
    elif not (read and hit.layer is Layer.MEMORY):
        yield Chosen(hit, hit.text)
    elif not any(one.unit.withdrawn or place_of(one.unit) in shown for one in read):
        yield Chosen(hit, hit.text, all(is_earlier(one, newer) for one in read))


def _of_message(
    hit: Hit, read: Sequence[Spoken] | None, shown: Collection[Place], newer: Newest
) -> Iterator[Chosen]:
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
        and not is_fragment(one)
        and place_of(one.unit) not in shown
    ]
    for earlier in (False, True):
        if words := [one.text for one in worth if is_earlier(one, newer) is earlier]:
            yield Chosen(hit, " ".join(words), earlier)
