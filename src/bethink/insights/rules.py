"""Insights out of the messages of a channel, without a chat model: new ones, more evidence, ends. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bethink.insights.cues import Cues, read
from bethink.insights.drafts import Closing, Step, draft_of
from bethink.insights.words import names_of, shared, speakers_of, terms_of
from bethink.records import Message
from bethink.shapes.insights import Insight, InsightKind

ALIKE = 0.5  # share of the shorter text's terms from which on two say the same
LEAST_SHARED = 2  # terms that two must share to be one
ANSWER_MESSAGES, ANSWER_HOURS = 6, 48  # how long a question may wait for an answer that shares its words
NEXT_HOURS = 3  # an answer without its words is the very next thing that somebody else says
_BY_DOING = (InsightKind.TASK, InsightKind.INCIDENT, InsightKind.BUG_REPORT)  # what ends by being done
_RETURNING = (InsightKind.BUG_REPORT, InsightKind.INCIDENT)


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
    messages: Sequence[Message], open_: Iterable[Insight], known: frozenset[str] = frozenset()
) -> list[Step]:
    """What the new messages of a channel make of it, in order. `known` are messages that were read before."""
    insights = list(open_)
    names = names_of(speakers_of(messages, insights))
    channel = _Channel(names, [_of(one, names) for one in insights])
    for one in messages:
        if one.id not in known and one.role in ("user", "contact"):
            _take(channel, one)
    return channel.steps


def _take(channel: _Channel, message: Message) -> None:
    cues = read(message.content)
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
    bot = message.bot_id or ""
    key = (twin.bot_id, twin.key) if twin else (bot, f"{kind.value}:{message.id}")
    channel.steps.append(draft_of(message, kind, key, channel.names, urgent=cues.urgent))
    if twin:
        twin.terms |= terms
        twin.at, twin.waited = message.sent_at, 0
    else:
        channel.open.append(_Known(kind, bot, key[1], terms, message.sent_at, message.name))


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
