"""Insights out of the messages of a channel, without a chat model: new ones, more evidence, ends. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from bethink.insights.cues import Cues, read
from bethink.models.worth import Unit
from bethink.records import Message
from bethink.shapes.insights import (
    Importance,
    Insight,
    InsightDraft,
    InsightKind,
    Urgency,
    said,
)
from bethink.text.dates.mentions import mentioned
from bethink.text.secrets import masked
from bethink.text.terms import query_terms

TITLE_CHARS, DESCRIPTION_CHARS = 140, 2000
ALIKE = 0.5  # share of the shorter text's terms from which on two say the same
STEM, LONG_STEM = 4, 6  # letters of words that are one; of longer ones the beginning counts
LEAST_SHARED = 2  # terms that two must share to be one
ANSWER_MESSAGES, ANSWER_HOURS = 6, 48  # how long a question may wait for an answer that shares its words
NEXT_HOURS = 3  # an answer without its words is the very next thing that somebody else says
SOON = timedelta(days=2)  # due within so long: urgent
Weight = tuple[Importance, Urgency]
WEIGHTS: Mapping[InsightKind, Weight] = {
    InsightKind.INCIDENT: (Importance.CRITICAL, Urgency.IMMEDIATE),
    InsightKind.BUG_REPORT: (Importance.HIGH, Urgency.MEDIUM),
    InsightKind.DECISION: (Importance.HIGH, Urgency.LOW),
    InsightKind.TASK: (Importance.MEDIUM, Urgency.MEDIUM),
    InsightKind.QUESTION: (Importance.MEDIUM, Urgency.MEDIUM),
    InsightKind.MEETING: (Importance.MEDIUM, Urgency.MEDIUM),
    InsightKind.FEATURE_REQUEST: (Importance.MEDIUM, Urgency.LOW),
    InsightKind.RELATIONSHIP: (Importance.LOW, Urgency.LOW),
    InsightKind.PREFERENCE: (Importance.MEDIUM, Urgency.LOW),
    InsightKind.EVENT: (Importance.LOW, Urgency.LOW),
}
_EMPTY = frozenset(
    {"back", "done", "pleas", "today", "tomorrow", "new", "bitt", "neu", "hoy", "hoje"}
)  # say nothing
_BY_DOING = (InsightKind.TASK, InsightKind.INCIDENT, InsightKind.BUG_REPORT)  # what ends by being done
_RETURNING = (InsightKind.BUG_REPORT, InsightKind.INCIDENT)
_HOUR = re.compile(
    r"(?<!\d)([01]?\d|2[0-3])\s?(?::|h|\.|：)\s?([0-5]\d)?(?!\d)|\b(?:at|um|a las|à|às) (\d{1,2})\b"
    r"|\b(\d{1,2}) ?(?:uhr|h)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Closing:
    """An insight that a message ends, by its key."""

    bot_id: str
    dedupe_key: str
    because: str
    message: Message


@dataclass(frozen=True, slots=True)
class Read:
    """A message, and what the model of worth says of it."""

    message: Message
    units: Sequence[Unit] | None = None


Step = InsightDraft | Closing


@dataclass
class _Known:
    """An insight that is open, as far as messages are compared with it."""

    kind: InsightKind
    bot_id: str
    key: str
    terms: frozenset[str]
    at: datetime
    by: str | None
    waited: int = 0  # messages since


@dataclass
class _Channel:
    names: frozenset[str]
    open: list[_Known] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def generate(
    messages: Sequence[Read], open_: Iterable[Insight], known: frozenset[str] = frozenset()
) -> list[Step]:
    """What the new messages of a channel make of it, in order. `known` are messages that were read before."""
    insights = list(open_)
    names = _names(messages, insights)
    channel = _Channel(names, [_of(one, names) for one in insights])
    for one in messages:
        if one.message.id not in known and one.message.role in ("user", "contact"):
            _take(channel, one)
    return channel.steps


def _take(channel: _Channel, one: Read) -> None:
    message, cues = one.message, read(one.message.content, one.units)
    terms = terms_of(message.content, channel.names)
    if cues.meeting_over and (meeting := _newest(channel, InsightKind.MEETING, message.sent_at)):
        _close(channel, meeting, message, "past")
        cues = Cues(cues.kind if cues.kind is InsightKind.DECISION else None)
    elif cues.done and (ended := _ended(channel, terms)):
        _close(channel, ended, message, "done")
        cues = Cues(cues.kind if cues.kind is InsightKind.DECISION else None)
    elif not cues.small and (answered := _answered(channel, cues, terms, message)):
        _close(channel, answered, message, "answered")
    for waiting in channel.open:
        waiting.waited += not cues.small
    kind = _kind(channel, cues, terms)
    if kind is not None and not (cues.done and kind in _BY_DOING):
        _open(channel, kind, cues, terms, message)


def _kind(channel: _Channel, cues: Cues, terms: frozenset[str]) -> InsightKind | None:
    """The kind of a message; one that says that something is still so is of the kind of that."""
    if cues.again and cues.kind in (None, *_RETURNING):
        back = [
            one for one in channel.open if one.kind in _RETURNING and shared(one.terms, terms) >= LEAST_SHARED
        ]
        if back:
            return max(back, key=lambda one: shared(one.terms, terms)).kind
    return cues.kind


def _open(channel: _Channel, kind: InsightKind, cues: Cues, terms: frozenset[str], message: Message) -> None:
    twin = _twin(channel, kind, terms, again=cues.again)
    importance, urgency = WEIGHTS[kind]
    due = due_at(message, kind) if kind in (InsightKind.TASK, InsightKind.MEETING) else None
    if cues.urgent or (due and due - message.sent_at <= SOON):
        urgency = min(urgency, Urgency.URGENT, key=[*Urgency].index)
    key = twin.key if twin else f"{kind.value}:{message.id}"
    text = masked(" ".join(message.content.split()))
    channel.steps.append(
        InsightDraft(
            title=clipped(text, TITLE_CHARS),
            kind=kind,
            description=clipped(text, DESCRIPTION_CHARS),
            importance=importance,
            urgency=urgency,
            details=[said(message.sent_at, clipped(text, DESCRIPTION_CHARS), message.name, message.id)],
            people=_people(channel, message),
            platforms=[message.platform],
            channels=[message.channel] if message.channel else [],
            bot_id=twin.bot_id if twin else message.bot_id or "",
            dedupe_key=key,
            provenance=[message.id],
            due_at=due,
            observed_at=message.sent_at,
        )
    )
    if twin:
        twin.terms |= terms
        twin.at, twin.waited = message.sent_at, 0
    else:
        channel.open.append(_Known(kind, message.bot_id or "", key, terms, message.sent_at, message.name))


def _twin(channel: _Channel, kind: InsightKind, terms: frozenset[str], *, again: bool) -> _Known | None:
    """The open insight of a kind that says the same, the nearest of them."""
    same = [one for one in channel.open if one.kind is kind and _are_alike(one.terms, terms, again=again)]
    return max(same, key=lambda one: (shared(one.terms, terms), one.at), default=None)


def _are_alike(one: frozenset[str], other: frozenset[str], *, again: bool) -> bool:
    common = shared(one, other)
    return common >= LEAST_SHARED and (again or common >= ALIKE * min(len(one), len(other)))


def _ended(channel: _Channel, terms: frozenset[str]) -> _Known | None:
    """What a message that something is done speaks of: the one that shares most of its words."""
    meant = [one for one in channel.open if one.kind in _BY_DOING and shared(one.terms, terms)]
    return max(meant, key=lambda one: (shared(one.terms, terms), one.at), default=None)


def _answered(channel: _Channel, cues: Cues, terms: frozenset[str], message: Message) -> _Known | None:
    """The question that a message answers: one that it shares words with, or that was just asked."""
    if cues.kind is InsightKind.QUESTION:
        return None
    needed = 1 if cues.kind is None else LEAST_SHARED
    waiting = [
        one
        for one in channel.open
        if one.kind is InsightKind.QUESTION
        and one.by != message.name
        and one.waited < ANSWER_MESSAGES
        and timedelta() <= message.sent_at - one.at <= timedelta(hours=ANSWER_HOURS)
    ]
    near = [one for one in waiting if shared(one.terms, terms) >= needed]
    if near:
        return max(near, key=lambda one: (shared(one.terms, terms), one.at))
    just = [
        one for one in waiting if not one.waited and message.sent_at - one.at <= timedelta(hours=NEXT_HOURS)
    ]
    return just[-1] if just and cues.kind is None and not cues.done else None


def _newest(channel: _Channel, kind: InsightKind, before: datetime) -> _Known | None:
    of_kind = [one for one in channel.open if one.kind is kind and one.at < before]
    return max(of_kind, key=lambda one: one.at, default=None)


def _close(channel: _Channel, ended: _Known, message: Message, because: str) -> None:
    channel.open.remove(ended)
    channel.steps.append(Closing(ended.bot_id, ended.key, because, message))


def _of(insight: Insight, names: frozenset[str]) -> _Known:
    by = next((str(line["name"]) for line in insight.details if line.get("name")), None)
    text = f"{insight.title} {insight.description}"
    return _Known(
        insight.kind, insight.bot_id, insight.dedupe_key, terms_of(text, names), insight.observed_at, by
    )


def _names(messages: Sequence[Read], open_: Sequence[Insight]) -> frozenset[str]:
    """The words of the names of those who speak: whom something is said to is not what it is about."""
    spoken = {one.message.name for one in messages if one.message.name}
    spoken |= {str(line["name"]) for one in open_ for line in one.details if line.get("name")}
    return frozenset(term for name in spoken for term in query_terms(name))


def terms_of(text: str, names: frozenset[str] = frozenset()) -> frozenset[str]:
    """The words that say what a text is about."""
    return frozenset(query_terms(text, 64)) - names - _EMPTY


def shared(one: frozenset[str], other: frozenset[str]) -> int:
    """How many words two texts share, whatever their endings, and where one is part of the other."""
    return sum(any(_is_one_word(a, b) for b in other) for a in one)


def _is_one_word(a: str, b: str) -> bool:
    if a == b:
        return True
    if min(len(a), len(b)) < STEM or not (a.isalpha() and b.isalpha()):
        return False
    return a[:LONG_STEM] == b[:LONG_STEM] or a in b or b in a


def _people(channel: _Channel, message: Message) -> list[str]:
    """Who said it, and who of those who speak here is named in it."""
    people = [message.name] if message.name else []
    for word in re.findall(r"[^\W\d_]{2,}", message.content):
        if word[0].isupper() and set(query_terms(word)) & channel.names and word not in people:
            people.append(word)
    return people


def due_at(message: Message, kind: InsightKind) -> datetime | None:
    """The end of the day that a message speaks of; for a meeting, the hour."""
    ahead = timedelta(minutes=message.sent_offset)
    try:
        local = message.sent_at + ahead
    except OverflowError:  # the first or the last day there is
        return None
    days = [one.last if kind is InsightKind.TASK else one.first for one in mentioned(message.content, local)]
    day = next((one for one in days if one >= local.date()), None)
    if day is None:
        return None
    hour = time(23, 59)
    if kind is InsightKind.MEETING and (clock := _HOUR.search(message.content)):
        hours = int(next(part for part in (clock[1], clock[3], clock[4]) if part))
        hour = time(hours, int(clock[2] or 0)) if hours < 24 else hour
    try:
        return datetime.combine(day, hour, local.tzinfo) - ahead
    except OverflowError:
        return None


def clipped(text: str, limit: int) -> str:
    """A text of at most so many characters, cut at a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip() + "…"
