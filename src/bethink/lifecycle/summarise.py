"""Make a summary of some messages by rules: the sentences that say most, in their order. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from bethink.lifecycle.score import clamp01
from bethink.records import Message
from bethink.store.units import Spoken
from bethink.store.vectors import Vector
from bethink.text.dates.mentions import mentioned
from bethink.text.secrets import masked
from bethink.text.terms import analyse, query_terms

MOST_POINTS, MOST_KEYWORDS = 8, 12
SENTENCE_CHARS = 280
ALIKE = 0.6  # share of terms from which two sentences say the same
WEIGHTY = 0.75  # importance from which a message is named in any case
_WORTH = {"user": 0.4, "contact": 0.4, "assistant": 0.15}  # of a sentence that nobody has read
_ASKING = ("?", "？", "؟")
_SENTENCE = re.compile(
    r"[^.!?…。！？\n]++(?:[.!?…。！？]++(?=\s|$|[^\x00-\x7f])|[.!?…]++(?=\S)[^.!?…。！？\n]*+)*"
)
_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}")
_EVERY = 200  # terms of a sentence
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Written:
    """What a summary says."""

    text: str
    key_points: Sequence[str]
    keywords: Sequence[str]
    quality: float


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    terms: frozenset[str]
    place: int  # of its message
    number: int
    worth: float
    must: bool


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
    said = [one for place, message in enumerate(messages) for one in _sentences(message, place, units)]
    central = _centrality(messages, said, vectors)
    chosen = _chosen(said, central, min(most, 1 + math.ceil(math.sqrt(len(messages)))))
    points = [_point(messages[one.place], one.text) for one in chosen]
    return Written(
        f"{_heading(messages)}: {' '.join(points)}" if points else _heading(messages),
        points,
        keywords(said_texts(messages)),
        _quality(said, chosen),
    )


def said_texts(messages: Sequence[Message]) -> list[str]:
    """The texts of messages without secrets, but for what tools said."""
    return [masked(one.content) for one in messages if one.role in _WORTH]


def keywords(texts: Sequence[str]) -> list[str]:
    """The words that texts turn on, as they are written, the most frequent first."""
    written: dict[str, Counter[str]] = {}
    held: Counter[str] = Counter()
    for text in texts:
        wanted = set(query_terms(text, 200))
        seen = set()
        for word in _WORD.findall(text):
            for term in analyse(word):
                if term in wanted:
                    written.setdefault(term, Counter())[word] += 1
                    seen.add(term)
        held.update(seen)
    best = sorted(held, key=lambda term: (-held[term], -len(term), term))
    return list(dict.fromkeys(written[term].most_common(1)[0][0] for term in best))[:MOST_KEYWORDS]


def _sentences(message: Message, place: int, units: Mapping[str, Sequence[Spoken]]) -> Iterator[_Sentence]:
    if message.role not in _WORTH:
        return
    read = units.get(message.id, ())
    must = message.importance >= WEIGHTY
    if read:
        best = max((one.unit.worth for one in read), default=0.0)
        parts = [
            (_dated(message, one.unit.first, one.unit.last), one.unit.worth, must and one.unit.worth == best)
            for one in read
            if not one.unit.withdrawn
        ]
    else:
        worth = _WORTH[message.role]
        spans = [found.span() for found in _SENTENCE.finditer(message.content)]
        parts = [
            (_dated(message, start, end), worth, must and number == 0)
            for number, (start, end) in enumerate(spans)
        ]
    for number, (text, worth, needed) in enumerate(parts):
        if _LETTER.search(text):
            asked = 0.5 if text.endswith(_ASKING) else 1.0
            terms = frozenset(query_terms(text, _EVERY)) or frozenset(analyse(text))
            yield _Sentence(text, terms, place, number, worth * asked, needed)


def _dated(message: Message, start: int, end: int) -> str:
    """A piece of a message without secrets, with the day that "yesterday" was."""
    piece = message.content[start:end]
    parts, last = [], 0
    for mention in mentioned(piece, _local(message)):
        if any(map(str.isdigit, mention.text)):
            continue
        parts += [piece[last : mention.end], f" ({mention.first.isoformat()})"]
        last = mention.end
    text = " ".join(masked("".join([*parts, piece[last:]])).split())
    return text if len(text) <= SENTENCE_CHARS else text[: SENTENCE_CHARS - 1].rstrip() + "…"


def _centrality(
    messages: Sequence[Message], said: Sequence[_Sentence], vectors: Mapping[str, Vector]
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


def _chosen(said: Sequence[_Sentence], central: Sequence[float], room: int) -> list[_Sentence]:
    """The best that do not say the same, in the order in which they were said."""
    order = sorted(
        range(len(said)),
        key=lambda at: (not said[at].must, -(said[at].worth + 0.5 * central[at]), at),
    )
    kept: list[_Sentence] = []
    for at in order:
        one = said[at]
        if one.must:
            is_said = any(one.terms == other.terms for other in kept)
        else:
            is_said = len(kept) >= room or any(_alike(one.terms, other.terms) for other in kept)
        if not is_said:
            kept.append(one)
    return sorted(kept, key=lambda one: (one.place, one.number))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter > 0 and len(one & other) / shorter >= ALIKE


def _point(message: Message, text: str) -> str:
    """A sentence with who said it."""
    ended = text if text.endswith((".", "!", "?", "…", "。", "！", "？")) else text + "."
    return f"{_who(message)}: {ended}"


def _who(message: Message) -> str:
    return masked(message.name or message.contact or "") or message.role


def _heading(messages: Sequence[Message]) -> str:
    """When and where it was, and who spoke: in signs that every language reads."""
    first, last = _day(messages[0]), _day(messages[-1])
    days = first if first == last else f"{first} – {last}"
    one = messages[0]
    place = "/".join(masked(part) for part in (one.platform, one.channel) if part)
    spoke = {(one.name or one.contact or "", one.role): one for one in messages if one.role in _WORTH}
    people = list(dict.fromkeys(map(_who, spoke.values())))[:6]
    return f"{days} · {place} · {', '.join(people)} ({len(messages)})"


def _day(message: Message) -> str:
    return _local(message).date().isoformat()


def _local(message: Message) -> datetime:
    """When it was where the message was sent from."""
    try:
        return message.sent_at + timedelta(minutes=message.sent_offset)
    except OverflowError:  # the first or the last day there is
        return message.sent_at


def _quality(said: Sequence[_Sentence], chosen: Sequence[_Sentence]) -> float:
    """What share of what was said, weighed by its worth, the chosen sentences cover; 0 for nothing."""
    total = sum(one.worth * len(one.terms) for one in said)
    if not total:
        return 0.0
    covered = frozenset[str]().union(*(one.terms for one in chosen))
    kept = sum(one.worth * len(one.terms & covered) for one in said)
    return round(clamp01(kept / total), 4)
