"""What of a message is kept, by what the model of worth says of its units and what the rules find. Pure.

The model decides whether something is worth keeping, the rules know values, keys and polarity: where both
speak of one unit, the memory has the user's own words and the rule's key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bethink.extraction.noise import has_injected
from bethink.extraction.patterns import Found
from bethink.extraction.patterns.mask import MASK
from bethink.extraction.patterns.material import own
from bethink.models.worth import Unit
from bethink.records import MemoryType
from bethink.text.fold import HAN, KANA
from bethink.text.secrets import find_secrets

DOUBT = 0.3  # chance from which on words may be a play's, a quotation's, a secret
# A rule finds plain statements, of which the model has read few: it needs far less to be believed.
RULED_WORTH, RULED_DOUBT = 0.01, 0.7
AMONG, AMONG_WORTH = 2, 0.05  # among more units than that, a rule's find is less likely plain, and needs more
VITAL_DOUBT = 0.9  # of what is dangerous to miss
_VITAL = frozenset({"allergy", "intolerance", "medicine"})  # attributes
WISHED = 0.95  # worth of how to answer from now on, which the model may take for a request of the moment
_SURELY_A_WISH = 0.6  # that the slot is how to answer
_FROM_NOW_ON = re.compile(
    r"(?<!\w)(?:from now on|from here on|going forward|in (?:the )?future|always|never|whenever|every time"
    r"|each time"
    r"|ab (?:jetzt|sofort|heute)|von nun an|künftig|in zukunft|immer|nie(?:mals)?|jedes mal"
    r"|désormais|dorénavant|à (?:partir de maintenant|l['’]avenir)|toujours|jamais|à chaque fois"
    r"|a partir de ahora|de ahora en adelante|en (?:el )?futuro|siempre|nunca|cada vez"
    r"|a partir de (?:agora|hoje)|daqui (?:pra|para a) frente|de agora em diante"
    r"|no futuro|sempre)(?!\w)"
    r"|以后|以後|今后|今後|从现在|從現在|从今|每次|一直|永远|永遠|总是|總是",
    re.IGNORECASE,
)
LONGEST, SHORTEST = 500, 3  # characters of a memory
# So few words say little without the sentence before them: they join it, or need more to be kept.
FEW, FEW_UNSPACED, FEW_WORTH = 3, 6, 0.97
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(f"[{HAN}{KANA}]")
_EDGES = " \n\t,;:.…-–—。，；：、"
_MOMENTS = frozenset({"plan", "decision", "event"})  # kinds that belong to their time
TOLD_IN_CONFIDENCE = "secret"  # the label
UNWORTHY = "the model does not take it for worth keeping"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a unit: its words, and what a rule found in it, if one did."""

    number: int
    unit: Unit
    content: str
    found: Found | None = None
    units: int = 1  # how many, from this one on

    @property
    def type(self) -> MemoryType:
        """Which type of memory it makes."""
        if self.found is not None:
            return self.found.type
        return MemoryType.EPISODIC if self.unit.kind in _MOMENTS else MemoryType.FACTUAL


@dataclass(frozen=True, slots=True)
class Judged:
    """What is kept of a message, which of the rules' finds may be facts, and why the rest is left out."""

    kept: Sequence[Kept]
    facts: Sequence[Found]
    left_out: Sequence[str]


def without_secrets(text: str, units: Sequence[Unit]) -> list[Unit]:
    """The units, those with a secret in them marked as such whatever the model says."""
    secrets = [secret.span for secret in find_secrets(text)]
    return [
        replace(unit, label=TOLD_IN_CONFIDENCE, harm=1.0)
        if any(start < unit.end and end > unit.start for start, end in secrets)
        else unit
        for unit in units
    ]


def without_material(text: str, units: Sequence[Unit]) -> list[Unit]:
    """The units, those marked that stand in what was handed over with a request."""
    flat = own(text)
    hidden = {place for place, word in zip(flat.places, flat.words, strict=True) if word == MASK}
    if not hidden:
        return list(units)
    return [
        replace(unit, label="pasted", harm=1.0)
        if 2 * sum(place in hidden for place in range(unit.start, unit.end)) > unit.end - unit.start
        else unit
        for unit in units
    ]


def with_wishes(text: str, units: Sequence[Unit]) -> list[Unit]:
    """The units, those marked as worth keeping that say how to answer from now on: "always in German"."""
    return [
        replace(unit, label="keep", worth=max(unit.worth, WISHED))
        if unit.slot == "answer-style"
        and unit.sure >= _SURELY_A_WISH
        and unit.harm < DOUBT
        and _FROM_NOW_ON.search(text[unit.start : unit.end])
        else unit
        for unit in units
    ]


def judge(text: str, units: Sequence[Unit], found: Sequence[Found], least: float) -> Judged:
    """Decide over a message. `least` is the worth from which on a unit is kept in which no rule finds one."""
    kept: list[Kept] = []
    facts: list[Found] = []
    left_out: list[str] = []
    waiting = list(found)
    for number, unit in enumerate(units):
        inside = [one for one in waiting if _is_in(one, unit)]
        waiting = [one for one in waiting if one not in inside]
        asked = [one for one in inside if one.explicit]
        believed = _is_believed(unit, least, inside, len(units))
        facts += [one for one in inside if one.explicit or believed]
        if has_injected(text[unit.start : unit.end]) or unit.label == TOLD_IN_CONFIDENCE:
            continue  # the patterns leave these out too, and say so
        if not (asked or believed):
            left_out += [UNWORTHY] * bool(inside)
            continue
        kept += _of_unit(text, number, unit, asked or inside)
    return Judged(kept if len(units) == 1 else _joined(text, kept), facts, left_out)


def _joined(text: str, kept: Sequence[Kept]) -> list[Kept]:
    """The memories, those of few words with the sentence before them if that is kept too: "My sister is in
    Leeds" and "Since June". Beside other units and alone, few words need more worth.
    """
    made: list[Kept] = []
    for one in kept:
        if one.found is not None or not _says_little(one.content):
            made.append(one)
        elif made and _goes_on(made[-1], one):
            made[-1] = _both(text, made[-1], one)
        elif one.unit.worth >= FEW_WORTH:
            made.append(one)
    return made


def _both(text: str, one: Kept, other: Kept) -> Kept:
    content = " ".join(text[one.unit.start : other.unit.end].strip(_EDGES).split())
    return replace(one, content=content, units=one.units + 1)


def _goes_on(one: Kept, other: Kept) -> bool:
    """Whether the second is of the unit after the first, and both together are no longer than a memory."""
    is_whole = one.found is None or not one.found.explicit
    return is_whole and one.number + one.units == other.number and other.unit.end - one.unit.start <= LONGEST


def _says_little(content: str) -> bool:
    if _UNSPACED.search(content):
        return len(content) <= FEW_UNSPACED
    return len(content.split()) <= FEW


def _of_unit(text: str, number: int, unit: Unit, inside: Sequence[Found]) -> Iterator[Kept]:
    """One memory of a unit; where the rules part it into several statements, one for each."""
    if len(inside) > 1:
        yield from (Kept(number, unit, one.content, one) for one in inside)
        return
    one = inside[0] if inside else None
    content = text[unit.start : unit.end].strip(_EDGES)
    if one is not None and (one.explicit or len(content) > LONGEST):
        content = one.content
    if SHORTEST <= len(content) <= LONGEST and (one is not None or _says_something(content)):
        yield Kept(number, unit, " ".join(content.split()), one)


def _says_something(content: str) -> bool:
    """Whether there are two words, or one that is not of plain Latin letters, as "我是老师".

    "said 21" means nothing by itself, whatever the model takes it for.
    """
    words = _WORD.findall(content)
    return len(words) > 1 or any(len(word) > 2 and not word.isascii() for word in words)


def _is_believed(unit: Unit, least: float, inside: Sequence[Found], among: int) -> bool:
    """Whether the model lets a unit be kept, `among` so many. Where a rule found something, only its veto
    counts.
    """
    if any(one.attribute in _VITAL for one in inside) and unit.harm < VITAL_DOUBT:
        return True
    ruled = AMONG_WORTH if among > AMONG else RULED_WORTH
    if inside and unit.worth >= min(ruled, least) and unit.harm < RULED_DOUBT:
        return True
    return unit.worth >= least and unit.harm < DOUBT


def _is_in(found: Found, unit: Unit) -> bool:
    """Whether most of what a rule found stands in a unit."""
    start, end = found.span
    return 2 * (min(end, unit.end) - max(start, unit.start)) > end - start


def moved(units: Sequence[Unit], text: str, whole: str) -> dict[int, Unit]:
    """The units of a text that is part of a whole, at their places there, by their numbers in the text.

    Those that do not stand in the whole as they do in the text are not among them.
    """
    if text == whole:
        return dict(enumerate(units))
    found, place = {}, 0
    for number, unit in enumerate(units):
        words = text[unit.start : unit.end]
        at = whole.find(words, place)
        if at >= 0:
            place = at + len(words)
            found[number] = replace(unit, start=at, end=place)
    return found
