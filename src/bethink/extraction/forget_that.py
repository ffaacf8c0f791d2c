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

from bethink.extraction.asked_to_forget import (
    LABEL,
    SURELY,
    asks,
    cores_of,
    in_confidence,
    named_in,
    speaks_of_told,
    words_of,
)
from bethink.extraction.called import called
from bethink.store.units import ReadUnit, Spoken
from bethink.store.vectors import Vector

TOLD = 0.02  # worth from which on something may be meant: what is to be forgotten need not be worth much
CONSIDERED = 100  # things said that a request is compared with
NEAR = 0.1  # as good as the best but for so much is meant too, in the same message
BESIDES = 0.3  # what a word counts that does not stand next to the asking
LEAST = 0.2  # part of what a request names that must be found in what is meant
SAME = 0.85  # so near to what is meant, it says the same
HERE, CONFIDED = 0.1, 0.2  # how much it counts to be of the same conversation, and to be told in confidence


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
        if found and _next_to(found[-1][-1], one) and not (_has_words(found[-1]) and asks(one.text)):
            found[-1].append(one)
        else:
            found.append([one])
    return [replace(run[0], text=" ".join(one.text for one in run)) for run in found if _asks(run)]


def _asks(run: Sequence[Spoken]) -> bool:
    """Whether it has the words of a request, or the model is sure of one on something told before."""
    surely = any(one.unit.harm >= SURELY for one in run)
    return _has_words(run) or (surely and any(speaks_of_told(one.text) for one in run))


def _has_words(run: Sequence[Spoken]) -> bool:
    return any(asks(one.text) for one in run)


def _next_to(one: Spoken, other: Spoken) -> bool:
    return (one.unit.message_id, one.unit.number + 1) == (other.unit.message_id, other.unit.number)


def considered(request: Request, said: Sequence[Spoken]) -> list[Spoken]:
    """What may be meant, newest first: what has a word of the request, was said in its conversation, or was
    told in confidence.
    """
    before = [one for one in said if one.unit.label != LABEL and _time(one.unit) < _time(request.unit)]
    words = _words_of_messages(before)
    worth = {one.unit.message_id for one in before if one.unit.worth >= TOLD}
    named = {message for message in worth if words[message] & request.names}
    meant = worth & (request.session | _confided(before) | named)
    found = [one for one in before if one.unit.message_id in meant]
    return sorted(found, key=lambda one: _time(one.unit), reverse=True)[:CONSIDERED]


def meant(request: Request, said: Sequence[Spoken], vectors: Mapping[str, Vector]) -> list[Spoken]:
    """What is meant, of what is considered. Where it is named in words that nobody used: the one thing told
    in confidence, if there is just one; else nothing.

    `vectors` are of texts that the model reads; of others, nearness means nothing.
    """
    names = request.names
    if not names:
        return _just_before(request, said)
    told = {message: words & names for message, words in _words_of_messages(said).items()}
    for core in cores_of(request.text):
        fitting = {message: words for message, words in told.items() if words & core}
        if chosen := _fitting(request, said, fitting, core, vectors):
            return chosen
    open_still = {one.unit.message_id for one in said if not one.unit.withdrawn} & _confided(said)
    return [one for one in said if one.unit.message_id in open_still] if len(open_still) == 1 else []


def _words_of_messages(said: Sequence[Spoken]) -> dict[str, set[str]]:
    """The words of each message: what is asked to be forgotten may stand in several of its units."""
    found: dict[str, set[str]] = {}
    for one in said:
        found.setdefault(one.unit.message_id, set()).update(_words_of(one))
    return found


def _words_of(one: Spoken) -> set[str]:
    return words_of(one.text) | called(one)


def _confided(said: Sequence[Spoken]) -> set[str]:
    return {one.unit.message_id for one in said if in_confidence(one.text)}


def _fitting(
    request: Request,
    said: Sequence[Spoken],
    told: Mapping[str, set[str]],
    core: set[str],
    vectors: Mapping[str, Vector],
) -> list[Spoken]:
    """What is meant, of messages that have words of what is named: the best, and what says the same."""
    rarity = Counter(name for words in told.values() for name in words)
    weights = {
        name: math.log(1 + len(said) / count) * (1.0 if name in core else BESIDES)
        for name, count in rarity.items()
    }
    words = [_words_of(one) & told.get(one.unit.message_id, set()) for one in said]
    confided = _confided(said)
    scores = [
        _score(request, weights, told[one.unit.message_id], each, one, vectors)
        + CONFIDED * (one.unit.message_id in confided)
        if each
        else -1.0
        for one, each in zip(said, words, strict=True)
    ]
    best = max(range(len(said)), key=scores.__getitem__, default=None)
    if best is None or scores[best] < 0:
        return []
    chosen, of_best = said[best], told[said[best].unit.message_id]
    near = (
        NEAR if chosen.unit.worth >= TOLD else math.inf
    )  # "don't tell her, but on Friday", and then it comes
    return [
        one
        for one, each, score in zip(said, words, scores, strict=True)
        if one is chosen
        or (one.unit.message_id == chosen.unit.message_id and each and score >= scores[best] - near)
        or (each & of_best and _alike(one.text, chosen.text, vectors) >= SAME)
    ]


def _just_before(request: Request, said: Sequence[Spoken]) -> list[Spoken]:
    here = [one for one in said if one.unit.message_id in request.session]
    return [one for one in here if one.unit.message_id == here[0].unit.message_id]


def _score(
    request: Request,
    weights: Mapping[str, float],
    shared: set[str],
    own: set[str],
    one: Spoken,
    vectors: Mapping[str, Vector],
) -> float:
    """How well a unit fits what is named, by the words of its message and its own; less than nothing where
    too little of that is there.
    """
    part, of_own = (
        sum(weights[name] for name in words) / max(sum(weights.values()), 1e-6) for words in (shared, own)
    )
    if part < LEAST:
        return -1.0
    here = HERE * (one.unit.message_id in request.session)
    return (part + of_own) / 2 + _alike(request.text, one.text, vectors) + here


def _alike(one: str, other: str, vectors: Mapping[str, Vector]) -> float:
    ours, theirs = vectors.get(one), vectors.get(other)
    return float(ours @ theirs) if ours is not None and theirs is not None else 0.0


def _time(unit: ReadUnit) -> tuple[float, str, int]:
    return unit.sent_at.timestamp(), unit.message_id, unit.number
