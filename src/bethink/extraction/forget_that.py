"""What somebody asks to have forgotten: which of the things they said is meant. Pure.

"Forget what I said about Lachie and the money" names it; "don't keep that" means what was said just before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bethink.extraction.asked_to_forget import LABEL, named_in
from bethink.store.units import ReadUnit, Spoken
from bethink.store.vectors import Vector
from bethink.text.terms import query_terms

SURE = 0.6  # chance from which on a request is obeyed
TOLD = 0.1  # worth from which on something may be meant: what is to be forgotten need not be worth much
CONSIDERED = 60  # things said that a request is compared with
NEAR = 0.04  # as near as the nearest but for so much is meant too, in the same message
SAME = 0.8  # so near to what is meant, it says the same
HERE = 0.05  # how much it counts to be of the same conversation
NAMED = 0.3  # how much it counts to have the words of the request
_EVERY = 1_000


@dataclass(frozen=True, slots=True)
class Request:
    """A request to forget: its words, the unit it is, and its conversation."""

    text: str
    unit: ReadUnit
    session: frozenset[str]  # the messages of its conversation


def is_request(unit: ReadUnit) -> bool:
    """Whether a unit asks to have something forgotten."""
    return unit.label == LABEL and unit.harm >= SURE


def considered(request: Request, said: Sequence[Spoken]) -> list[Spoken]:
    """What may be meant, newest first: what has a word of the request, or was said in its conversation."""
    words = named_in(request.text)
    before = [
        one
        for one in said
        if one.unit.worth >= TOLD
        and one.unit.label != LABEL
        and _time(one.unit) < _time(request.unit)
        and (one.unit.message_id in request.session or words & _words(one.text))
    ]
    return sorted(before, key=lambda one: _time(one.unit), reverse=True)[:CONSIDERED]


def meant(request: Request, said: Sequence[Spoken], vectors: Mapping[str, Vector]) -> list[Spoken]:
    """What is meant, of what is considered; what was said just before where the request names nothing."""
    words = named_in(request.text)
    if not any(words & _words(one.text) for one in said):
        return _just_before(request, said)
    scores = {id(one): _score(request, words, one, vectors) for one in said}
    best = max(said, key=lambda one: scores[id(one)])
    return [
        one
        for one in said
        if one is best
        or (one.unit.message_id == best.unit.message_id and scores[id(one)] >= scores[id(best)] - NEAR)
        or _alike(one.text, best.text, vectors) >= SAME
    ]


def _just_before(request: Request, said: Sequence[Spoken]) -> list[Spoken]:
    here = [one for one in said if one.unit.message_id in request.session]
    return [one for one in here if one.unit.message_id == here[0].unit.message_id]


def _score(request: Request, words: set[str], one: Spoken, vectors: Mapping[str, Vector]) -> float:
    shared = len(words & _words(one.text)) / max(len(words), 1)
    here = HERE * (one.unit.message_id in request.session)
    return _alike(request.text, one.text, vectors) + NAMED * shared + here


def _alike(one: str, other: str, vectors: Mapping[str, Vector]) -> float:
    ours, theirs = vectors.get(one), vectors.get(other)
    return float(ours @ theirs) if ours is not None and theirs is not None else 0.0


def _words(text: str) -> set[str]:
    return set(query_terms(text, _EVERY))


def _time(unit: ReadUnit) -> tuple[float, str, int]:
    return unit.sent_at.timestamp(), unit.message_id, unit.number
