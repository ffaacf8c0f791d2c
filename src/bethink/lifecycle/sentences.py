"""The sentences of a message, and how much each tells: things, names, numbers, times, decisions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bethink.extraction.patterns.flatten import flatten
from bethink.extraction.patterns.languages import language_for, languages
from bethink.extraction.patterns.sentences import sentences
from bethink.insights.cues import decides, gives_task, is_small
from bethink.records import Message
from bethink.store.units import Spoken
from bethink.text.dates.mentions import Mention, mentioned
from bethink.text.fold import HAN, KANA
from bethink.text.secrets import Secret, find_secrets
from bethink.text.terms import analyse, query_terms

SENTENCE_CHARS = 280
WEIGHTY = 0.75  # importance from which a message is named in any case
ROLES = {"user": 1.0, "contact": 1.0, "assistant": 0.3}  # how much what somebody says counts
KEPT, UNREAD = 0.8, 0.4  # worth of what became a memory or a fact, and of what nobody has read
ENOUGH = 6  # words that tell something, from which on more make no difference
SHORTEST_MONTH = 28
LINKED = 0.5  # share of a sentence from which on it is but a link
_THINGS, _TIME, _NUMBER, _NAME, _DECISION, _TASK = 0.45, 0.2, 0.1, 0.1, 0.35, 0.2
_ASKING = ("?", "？", "؟")
_ENDS = (".", "!", "…", "。", "！", *_ASKING)
_MARKS = re.compile(r"(?:[ \u00a0\u202f][!?]+)?[.!?…。！？؟\"”’»)\]]*")
_LETTER = re.compile(r"[^\W\d_]")
_NAMED = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-ÖØ-ÞА-Я][^\W\d_]{2,}")
_DIGIT = re.compile(r"\d")
_LINK = re.compile(r"\bhttps?://\S+|\bwww\.\S+")
_UNSPACED = re.compile(f"[{HAN}{KANA}]")
_EVERY = 200  # terms of a sentence


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message: its words, and how much it is worth being told."""

    text: str
    terms: frozenset[str]
    place: int  # of its message
    number: int
    worth: float
    must: bool


def sentences_of(message: Message, place: int, read: Sequence[Spoken]) -> Iterator[Sentence]:
    """What somebody said in a message; `read` are the units that were read in it, if any were."""
    if message.role not in ROLES:
        return
    must = message.importance >= WEIGHTY
    best = max((one.unit.worth for one in read), default=0.0)
    secrets = list(find_secrets(message.content))
    for number, (start, end, known) in enumerate(_parts(message.content, read)):
        said = _shown(message.content, start, end, secrets)
        if not _LETTER.search(said):
            continue
        terms = frozenset(query_terms(said, _EVERY)) or frozenset(analyse(said))
        found = _tells(said, terms)
        worth = known if known is not None else UNREAD if found else 0.0
        needed = must and (known == best if read else number == 0)
        yield Sentence(said, terms, place, number, ROLES[message.role] * (worth + found) / 2, needed)


def _tells(text: str, terms: frozenset[str]) -> float:
    """How much a sentence tells by its things, names and numbers."""
    if is_small(text) or sum(map(len, _LINK.findall(text))) > LINKED * len(text):
        return 0.0
    found = _THINGS * min(sum(0.5 if _UNSPACED.match(term) else 1.0 for term in terms) / ENOUGH, 1.0)
    if _DIGIT.search(text):
        found += _NUMBER
    if _NAMED.search(text):
        found += _NAME
    return found / 2 if text.endswith(_ASKING) else found


def settles(message: Message, text: str) -> float:
    """How much more a sentence of a message is worth that says when, what was decided, what is to be done."""
    is_asked = text.endswith(_ASKING)
    found = _TIME / (1 + is_asked) if mentioned(text, _local(message)) else 0.0
    if decides(text):
        found += _DECISION
    elif not is_asked and gives_task(text):
        found += _TASK
    return ROLES[message.role] * found / 2


def told(message: Message, text: str) -> str:
    """A sentence with the day that "yesterday" was, cut where it is very long, and ended."""
    parts, last = [], 0
    for mention in mentioned(text, _local(message)):
        if any(map(str.isdigit, mention.text)):
            continue
        space = "" if _UNSPACED.match(mention.text[-1:]) else " "
        parts += [text[last : mention.end], f"{space}({_days(mention)})"]
        last = mention.end
    said = " ".join("".join([*parts, text[last:]]).split())
    if len(said) > SENTENCE_CHARS:
        return said[: SENTENCE_CHARS - 1].rstrip() + "…"
    if said.endswith(_ENDS) or _LINK.match(said.rpartition(" ")[2]):
        return said
    return said + ("。" if _UNSPACED.match(said[-1:]) else ".")


def _parts(text: str, read: Sequence[Spoken]) -> Iterator[tuple[int, int, float | None]]:
    """Where sentences stand, and what they are worth where somebody has read them."""
    if read:
        for one in read:
            if not one.unit.withdrawn:
                kept = KEPT if one.unit.memory_id or one.fact_id else 0.0
                yield one.unit.first, one.unit.last, max(one.unit.worth, kept)
        return
    flat = flatten(text)
    for sentence in sentences(flat.words, language_for(flat.words) or languages()["en"]):
        start, end = flat.span(sentence.start, sentence.end)
        marks = _MARKS.match(text, end)
        yield start, marks.end() if marks else end, None


def _shown(text: str, start: int, end: int, secrets: Sequence[Secret]) -> str:
    """A piece of a text, with marks for what is secret in it."""
    parts, place = [], start
    for secret in secrets:
        first, last = secret.span
        if first < end and last > place:
            parts += [text[place : max(first, place)], secret.mark]
            place = min(last, end)
    return " ".join("".join([*parts, text[place:end]]).split())


def _days(mention: Mention) -> str:
    """A day, a month, a year, or the first and the last day."""
    first, last = mention.first, mention.last
    if first == last:
        return first.isoformat()
    if (first.day, first.month, first.year) == (1, last.month, last.year) and last.day >= SHORTEST_MONTH:
        return first.isoformat()[:7]
    if (first.year, first.month, first.day, last.month, last.day) == (last.year, 1, 1, 12, 31):
        return first.isoformat()[:4]
    return f"{first.isoformat()} – {last.isoformat()}"


def _local(message: Message) -> datetime:
    """When it was where the message was sent from."""
    try:
        return message.sent_at + timedelta(minutes=message.sent_offset)
    except OverflowError:  # the first or the last day there is
        return message.sent_at
