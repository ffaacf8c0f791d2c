"""What was stored, held against what its writer says of every unit. Pure.

A text is laid beside the messages word by word (Chinese: character by character), in order. It stands on a
unit with as many words as the two share there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from bench.worth.units import Turn, Unit
from bethink.models.worth.said import LABELS
from bethink.records import Fact
from bethink.text.slots import named

RIGHT, MIXED, UNSAID = "keep", "mixed", "unsaid"
NEAR = 0.92  # cosine from which on two memories of one slot say the same
SHORTEST = 3  # characters of a secret's value
_WORD = re.compile("[\u3400-\u9fff]|[^\\W\u3400-\u9fff]+")
_CODE = re.compile(r"[\w#!@.$%&*+/:-]*\d[\w#!@.$%&*+/:-]*", re.ASCII)
_DIGITS = (
    "zero oh one two three four five six seven eight nine"
    "|null eins zwei drei vier fünf sechs sieben acht neun"
    "|cero uno dos tres cuatro cinco seis siete ocho nueve|zéro un deux trois quatre cinq six sept huit neuf"
    "|um dois três quatro sete oito nove|零 一 二 三 四 五 六 七 八 九"
)
_SPELLED = frozenset(_DIGITS.replace("|", " ").split())
_LONG_SPELLED = 3  # digits in words that are a code


@dataclass(frozen=True)
class Kept:
    """A stored memory: `ended` once a newer one took its place, `withdrawn` when it was to be forgotten."""

    text: str
    slot: str | None = None
    ended: bool = False
    withdrawn: bool = False
    vector: NDArray[np.float32] | None = None  # none where the model does not read the language

    @property
    def active(self) -> bool:
        """Whether it may be shown as what holds."""
        return not (self.ended or self.withdrawn)


@dataclass(frozen=True)
class Stand:
    """A text beside one message: how many of its words stand on each of the message's units."""

    turn: Turn
    on: tuple[int, ...]

    @property
    def main(self) -> Unit | None:
        """The unit that most of it stands on."""
        best = max(range(len(self.on)), key=self.on.__getitem__, default=None)
        return None if best is None else self.turn.units[best]

    @property
    def labels(self) -> Counter[str]:
        """Its words by the label of their unit."""
        counts: Counter[str] = Counter()
        for unit, count in zip(self.turn.units, self.on, strict=True):
            counts[LABELS[unit.label]] += count
        return counts


def words(text: str) -> list[str]:
    """Words, and single characters of Chinese."""
    return [word.casefold() for word in _WORD.findall(text)]


def beside(text: str, turn: Turn) -> Stand:
    """How a text stands on the units of a message."""
    found = list(_WORD.finditer(turn.text))
    matcher = SequenceMatcher(None, words(text), [one[0].casefold() for one in found], autojunk=False)
    blocks = [found[block.b : block.b + block.size] for block in matcher.get_matching_blocks()]
    places = [one.start() for block in blocks for one in block]
    return Stand(turn, tuple(sum(unit.start <= place < unit.end for place in places) for unit in turn.units))


def verdict(text: str, turns: Sequence[Turn]) -> tuple[str, Stand | None]:
    """What most of a text stands on: `keep`, or the label that it is instead, and beside which message.

    It is `mixed` when neither has the most of it, and `unsaid` when the user did not say most of its words.
    """
    stand = max((beside(text, turn) for turn in turns), key=lambda one: sum(one.on), default=None)
    most = len(words(text)) / 2
    if stand is None or sum(stand.on) <= most:
        return UNSAID, stand
    labels = stand.labels
    kept = labels.pop(RIGHT, 0)
    if kept > most:
        return RIGHT, stand
    return (labels.most_common(1)[0][0] if labels.total() > most else MIXED), stand


def holds(text: str, turn: Turn, unit: Unit) -> bool:
    """Whether a text holds the most part of a unit."""
    size = len(words(turn.text[unit.start : unit.end]))
    return beside(text, turn).on[turn.units.index(unit)] > size / 2


def secret_values(text: str) -> list[str]:
    """What must not be stored of a secret: runs with a digit, and digits in words."""
    codes = [code.strip(".:-") for code in _CODE.findall(text.casefold())]
    return [code for code in codes if len(code) >= SHORTEST] + list(_spelled(words(text)))


def _spelled(said: Sequence[str]) -> Iterator[str]:
    run: list[str] = []
    for word in [*said, ""]:
        if word in _SPELLED:
            run.append(word)
            continue
        if len(run) >= _LONG_SPELLED:
            yield " ".join(run)
        run = []


def tells_secret(text: str, turns: Sequence[Turn]) -> bool:
    """Whether a text stands on a secret and holds a value of it."""
    said, plain = text.casefold(), " ".join(words(text))
    for turn in turns:
        secrets = [unit for unit in turn.units if LABELS[unit.label] == "secret"]
        stand = beside(text, turn) if secrets else None
        for unit in secrets:
            values = secret_values(turn.text[unit.start : unit.end])
            if (
                stand
                and stand.on[turn.units.index(unit)]
                and any(one in said or one in plain for one in values)
            ):
                return True
    return False


def repeated(kept: Sequence[Kept]) -> list[tuple[Kept, Kept]]:
    """Pairs of active memories that say nearly the same: in the same words, or by the model in one slot."""
    active = [one for one in kept if one.active]
    said = [words(one.text) for one in active]
    return [
        (one, other)
        for place, one in enumerate(active)
        for number, other in enumerate(active[:place])
        if said[place] == said[number] or _near(one, other)
    ]


def _near(one: Kept, other: Kept) -> bool:
    if one.slot != other.slot or one.vector is None or other.vector is None:
        return False
    return float(one.vector @ other.vector) >= NEAR


def two_values(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Current facts that give several values to what has only one."""
    groups: dict[tuple[str | None, str | None, str], list[Fact]] = {}
    for fact in facts:
        about = named(fact.category, fact.key, fact.value)
        if about and about.object is None and fact.valid_to is None:
            groups.setdefault((fact.person_id, about.subject, about.slot.name), []).append(fact)
    return [group for group in groups.values() if len({tuple(words(one.value)) for one in group}) > 1]
