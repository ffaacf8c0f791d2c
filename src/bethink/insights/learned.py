"""Insights out of the messages of a channel, by the learned heads: new ones, more evidence, ends. Pure.

What is not likely enough to be told yet stays a guess, until another message speaks of it or ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from bethink.insights.drafts import Closing, Step, draft_of
from bethink.insights.linking import KINDS, Heard, Standing, pairs
from bethink.models.worth.said import Floats
from bethink.shapes.insights import InsightKind

STAYS = timedelta(days=45)  # after so long without a word nothing is compared with it
MOST = 40  # of what is open, the newest
CLOSED_BY = {
    InsightKind.TASK: "done",
    InsightKind.INCIDENT: "done",
    InsightKind.BUG_REPORT: "done",
    InsightKind.QUESTION: "answered",
    InsightKind.MEETING: "past",
}  # what a message can end, and how that is called


class Links(Protocol):
    """Which of the open ones a message ends, and of which it speaks: chances, row by row of `pairs`."""

    def ending(self, rows: Floats) -> Floats: ...

    def speaking(self, rows: Floats) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Bounds:
    """From which chance on something holds.

    Chosen on tuning files left out of the training in turn; `ends` also by the channel `wiebke`.
    """

    told: float = 0.55  # something is an insight
    cued: float = 0.36  # the same, where its words tell that kind, too
    guessed: float = 0.2  # it may become one
    same: float = 0.25  # a message speaks of what is open
    ends: float = 0.3  # it ends it
    ends_guess: float = 0.4  # it ends what was a guess


BOUNDS = Bounds()


@dataclass
class _Channel:
    names: frozenset[str]
    open: list[Standing]
    bounds: Bounds
    steps: list[Step] = field(default_factory=list)


def follow(
    messages: Sequence[Heard], open_: Iterable[Standing], links: Links, names: frozenset[str],
    known: frozenset[str] = frozenset(), bounds: Bounds = BOUNDS,
) -> list[Step]:  # fmt: skip
    """What the messages of a channel make of it, in order. `known` are those that were read before: they
    only say what may be guessed."""
    channel = _Channel(names, list(open_), bounds)
    for heard in messages:
        _take(channel, heard, links, heard.message.id in known)
    return channel.steps


def _take(channel: _Channel, heard: Heard, links: Links, known: bool) -> None:
    at = heard.message.sent_at
    channel.open = [one for one in channel.open if at - one.at < STAYS][-MOST:]
    speaking: dict[int, float] = {}
    if channel.open:
        rows = pairs(heard, channel.open)
        speaking = {
            id(one): float(chance) for one, chance in zip(channel.open, links.speaking(rows), strict=True)
        }
        if not known:
            _end(channel, heard, links.ending(rows))
    for one in channel.open:
        one.ago = 0 if heard.message.id in one.ids else one.ago + 1
    for kind, chance in zip(KINDS, heard.chances, strict=False):
        if chance > channel.bounds.guessed:
            _hear(channel, heard, kind, float(chance), speaking, known)


def _end(channel: _Channel, heard: Heard, chances: Floats) -> None:
    """End what the message ends, be it one thing or two."""
    for one, chance in list(zip(channel.open, chances, strict=True)):
        least = channel.bounds.ends if one.told else channel.bounds.ends_guess
        if one.kind in CLOSED_BY and chance > least:
            _tell(channel, one)
            channel.open.remove(one)
            channel.steps.append(Closing(one.bot_id, one.key, CLOSED_BY[one.kind], heard.message))


def _hear(
    channel: _Channel, heard: Heard, kind: InsightKind, chance: float, speaking: dict[int, float], known: bool
) -> None:
    """A message that may be evidence of a kind: of what is open, or of something new."""
    same = [one for one in channel.open if one.kind is kind and id(one) in speaking]
    one = max(same, key=lambda other: speaking[id(other)], default=None)
    if one is not None and speaking[id(one)] > channel.bounds.same:
        if known and one.told:
            return  # that was heard when it was new
        one.extend(heard)
        one.sure = 1 - (1 - one.sure) * (1 - chance)
        one.untold.append(heard)
    elif (known and chance > channel.bounds.told) or any(
        other.key == _key(kind, heard) for other in channel.open
    ):
        return
    else:
        one = guess(kind, heard)
        channel.open.append(one)
    least = channel.bounds.cued if heard.cue is kind else channel.bounds.told
    if not known and one.sure > least:
        _tell(channel, one)


def _tell(channel: _Channel, one: Standing) -> None:
    """What was only guessed, or is new of what is known, becomes part of the insight."""
    for heard in one.untold:
        draft = draft_of(
            heard.message, one.kind, (one.bot_id, one.key), channel.names, title=heard.titles.get(one.kind)
        )
        channel.steps.append(draft)
    one.untold, one.told = [], True


def guess(kind: InsightKind, heard: Heard) -> Standing:
    """Something new that a message may be evidence of."""
    message = heard.message
    return Standing(
        kind=kind,
        bot_id=message.bot_id or "",
        key=_key(kind, heard),
        at=message.sent_at,
        points=[heard.points],
        terms=heard.terms,
        names=[message.name] if message.name else [],
        texts=[message.content],
        ids={message.id},
        ago=0,
        sure=float(heard.chances[KINDS.index(kind)]),
        told=False,
        untold=[heard],
    )


def _key(kind: InsightKind, heard: Heard) -> str:
    return f"{kind.value}:{heard.message.id}"
