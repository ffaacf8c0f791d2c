"""What somebody asks to have forgotten: which of the things they said is meant. Pure.

"Forget what I said about Lachie and the money" names it; "don't keep that" means what was said just before.
The model of worth and the words must agree that it is a request, and what it names must be found: to forget
the wrong thing would be worse than to forget nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bethink.extraction.asked_to_forget import LABEL, asks, core_of, named_in, words_of
from bethink.store.units import ReadUnit, Spoken
from bethink.store.vectors import Vector

TOLD = 0.02  # worth from which on something may be meant: what is to be forgotten need not be worth much
CONSIDERED = 60  # things said that a request is compared with
NEAR = 0.1  # as good as the best but for so much is meant too, in the same message
LEAST = 0.2  # part of what a request names that must be found in what is meant
SAME = 0.85  # so near to what is meant, it says the same
HERE = 0.05  # how much it counts to be of the same conversation


@dataclass(frozen=True, slots=True)
class Request:
    """A request to forget: its words, the unit it is, and the messages of its conversation."""

    text: str
    unit: ReadUnit
    session: frozenset[str]

    @property
    def names(self) -> set[str]:
        """What it says besides being a request."""
        return named_in(self.text)


def requests(said: Sequence[Spoken]) -> list[Spoken]:
    """What asks to have something forgotten, each request as its first unit with the words of all.

    "What I told you about my father and 2003, forget it, delete it" may have been read as two units: one that
    does not ask by itself belongs to the one beside it that does.
    """
    found: list[list[Spoken]] = []
    for one in said:
        if one.unit.label != LABEL:
            continue
        if found and _next_to(found[-1][-1], one) and not (_asks(found[-1]) and asks(one.text)):
            found[-1].append(one)
        else:
            found.append([one])
    return [replace(run[0], text=" ".join(one.text for one in run)) for run in found if _asks(run)]


def _asks(run: Sequence[Spoken]) -> bool:
    return any(asks(one.text) for one in run)


def _next_to(one: Spoken, other: Spoken) -> bool:
    return (one.unit.message_id, one.unit.number + 1) == (other.unit.message_id, other.unit.number)


def considered(request: Request, said: Sequence[Spoken]) -> list[Spoken]:
    """What may be meant, newest first: what has a word of the request, or was said in its conversation."""
    names = request.names
    before = [
        one
        for one in said
        if one.unit.worth >= TOLD
        and one.unit.label != LABEL
        and _time(one.unit) < _time(request.unit)
        and (one.unit.message_id in request.session or names & words_of(one.text))
    ]
    return sorted(before, key=lambda one: _time(one.unit), reverse=True)[:CONSIDERED]


def meant(request: Request, said: Sequence[Spoken], vectors: Mapping[str, Vector]) -> list[Spoken]:
    """What is meant, of what is considered; nothing where it is named and not found.

    `vectors` are of texts that the model reads; of others, nearness means nothing.
    """
    names = request.names
    if not names:
        return _just_before(request, said)
    core = core_of(request.text)
    words = [names & words_of(one.text) for one in said]
    words = [each if each & core else set[str]() for each in words]
    rarity = Counter(name for each in words for name in each)
    weights = {name: math.log(1 + len(said) / count) for name, count in rarity.items()}
    scores = [_score(request, weights, each, one, vectors) for one, each in zip(said, words, strict=True)]
    best = max(range(len(said)), key=scores.__getitem__, default=None)
    if best is None or scores[best] < 0:
        return []
    chosen, of_best = said[best], words[best]
    return [
        one
        for one, each, score in zip(said, words, scores, strict=True)
        if one is chosen
        or (one.unit.message_id == chosen.unit.message_id and score >= scores[best] - NEAR)
        or (each & of_best and _alike(one.text, chosen.text, vectors) >= SAME)
    ]


def _just_before(request: Request, said: Sequence[Spoken]) -> list[Spoken]:
    here = [one for one in said if one.unit.message_id in request.session]
    return [one for one in here if one.unit.message_id == here[0].unit.message_id]


def _score(
    request: Request,
    weights: Mapping[str, float],
    shared: set[str],
    one: Spoken,
    vectors: Mapping[str, Vector],
) -> float:
    """How well a unit fits what is named; less than nothing where too little of that is there."""
    part = sum(weights[name] for name in shared) / max(sum(weights.values()), 1e-6)
    if part < LEAST:
        return -1.0
    here = HERE * (one.unit.message_id in request.session)
    return part + _alike(request.text, one.text, vectors) + here


def _alike(one: str, other: str, vectors: Mapping[str, Vector]) -> float:
    ours, theirs = vectors.get(one), vectors.get(other)
    return float(ours @ theirs) if ours is not None and theirs is not None else 0.0


def _time(unit: ReadUnit) -> tuple[float, str, int]:
    return unit.sent_at.timestamp(), unit.message_id, unit.number
