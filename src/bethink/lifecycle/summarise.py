"""Make a summary of some messages by rules: the sentences that tell most, in their order. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

import numpy as np

from bethink.lifecycle.keywords import keywords
from bethink.lifecycle.score import clamp01
from bethink.lifecycle.sentences import ROLES, Sentence, sentences_of, settles, told
from bethink.records import Message
from bethink.store.units import Spoken
from bethink.store.vectors import Vector
from bethink.text.secrets import masked

MOST_POINTS = 8
LEAST_WORTH = 0.1  # of what is told, unless nothing has more
CENTRAL = 0.3  # what it counts to be near to what all say
_BETWEEN_CHINESE = re.compile("(?<=[。！？]) ")
LOOKED_AT = 4  # times as many sentences as are chosen are read for what they settle
ALIKE = 0.6  # share of terms from which two sentences say the same


@dataclass(frozen=True, slots=True)
class Written:
    """What a summary says."""

    text: str
    key_points: Sequence[str]
    keywords: Sequence[str]
    quality: float


def summarise(
    messages: Sequence[Message],
    units: Mapping[str, Sequence[Spoken]],
    vectors: Mapping[str, Vector],
    *,
    most: int = MOST_POINTS,
) -> Written:
    """The summary of messages that are in the order of their times.

    `units` are what was read in them, `vectors` those of whole messages, each by the message's id; where
    there are none, words stand in for both.
    """
    said = [one for place, message in enumerate(messages) for one in _said_in(message, place, units)]
    central = _centrality(messages, said, vectors)
    chosen = _chosen(messages, said, central, min(most, 2 + math.ceil(math.sqrt(len(messages)))))
    points = [(_who(messages[one.place]), told(messages[one.place], one.text)) for one in chosen]
    return Written(
        f"{_heading(messages)}: {_in_turn(points)}" if points else _heading(messages),
        [f"{who}: {text}" for who, text in points],
        keywords((one.text, one.terms) for one in said),
        _quality(said, chosen),
    )


def _in_turn(points: Sequence[tuple[str, str]]) -> str:
    """What was said, with the name of each speaker once in a row."""
    spoken = [(who, [text for _, text in some]) for who, some in groupby(points, lambda one: one[0])]
    return " ".join(f"{who}: {_BETWEEN_CHINESE.sub('', ' '.join(texts))}" for who, texts in spoken)


def _said_in(message: Message, place: int, units: Mapping[str, Sequence[Spoken]]) -> Iterator[Sentence]:
    return sentences_of(message, place, units.get(message.id, ()))


def _centrality(
    messages: Sequence[Message], said: Sequence[Sentence], vectors: Mapping[str, Vector]
) -> list[float]:
    """How near each sentence is to what all of them say: by the vectors of messages, and by words."""
    held = Counter(term for one in said for term in one.terms)
    most = max(held.values(), default=1)
    by_words = [
        sum(math.log1p(held[term]) for term in one.terms) / (math.log1p(most) * max(len(one.terms), 4))
        for one in said
    ]
    known = [vectors[message.id] for message in messages if message.id in vectors]
    if len(known) < len(messages) or not known:
        return by_words
    centre = np.mean(np.stack(known), axis=0)
    near = [clamp01(float(vectors[message.id] @ centre)) for message in messages]
    return [(near[one.place] + words) / 2 for one, words in zip(said, by_words, strict=True)]


def _chosen(
    messages: Sequence[Message], said: Sequence[Sentence], central: Sequence[float], room: int
) -> list[Sentence]:
    """The best that do not say the same, in the order in which they were said."""
    worth = [one.worth for one in said]

    def turn(at: int) -> tuple[bool, float, int]:
        return not said[at].must, -(worth[at] + CENTRAL * central[at]), at

    order = sorted(range(len(said)), key=turn)
    for at in order[: LOOKED_AT * room]:
        worth[at] += settles(messages[said[at].place], said[at].text)
    order.sort(key=turn)
    kept: list[Sentence] = []
    for at in order:
        one = said[at]
        if one.must:
            is_said = any(one.terms == other.terms for other in kept)
        else:
            is_enough = len(kept) >= room or (bool(kept) and worth[at] < LEAST_WORTH)
            is_said = is_enough or any(_alike(one.terms, other.terms) for other in kept)
        if not is_said:
            kept.append(one)
    return sorted(kept, key=lambda one: (one.place, one.number))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter > 0 and len(one & other) / shorter >= ALIKE


def _who(message: Message) -> str:
    return masked(message.name or message.contact or "") or message.role


def _heading(messages: Sequence[Message]) -> str:
    """When and where it was, and who spoke: in signs that every language reads."""
    first, last = _day(messages[0]), _day(messages[-1])
    days = first if first == last else f"{first} – {last}"
    one = messages[0]
    place = "/".join(masked(part) for part in (one.platform, one.channel) if part)
    spoke = {(one.name or one.contact or "", one.role): one for one in messages if one.role in ROLES}
    people = list(dict.fromkeys(map(_who, spoke.values())))[:6]
    return f"{days} · {place} · {', '.join(people)} ({len(messages)})"


def _day(message: Message) -> str:
    try:
        return (message.sent_at + timedelta(minutes=message.sent_offset)).date().isoformat()
    except OverflowError:  # the first or the last day there is
        return message.sent_at.date().isoformat()


def _quality(said: Sequence[Sentence], chosen: Sequence[Sentence]) -> float:
    """What share of what was said, weighed by its worth, the chosen sentences cover; 0 for nothing."""
    total = sum(one.worth * len(one.terms) for one in said)
    if not total:
        return 0.0
    covered = frozenset[str]().union(*(one.terms for one in chosen))
    kept = sum(one.worth * len(one.terms & covered) for one in said)
    return round(clamp01(kept / total), 4)
