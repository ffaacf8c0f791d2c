"""Which messages are summarised together, and what becomes of each message of a group. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import inf
from zoneinfo import ZoneInfo

from bethink.clock import local
from bethink.records import Message, MessageTier, SummaryTier

Dimensions = tuple[str, str | None, str | None, str | None]  # platform, channel, contact, bot


@dataclass(frozen=True, slots=True)
class Stage:
    """How long a tier lasts, what stays beyond it, and how the rest is grouped."""

    tier: MessageTier
    older_than: timedelta
    threshold: float
    window_days: int
    summary: SummaryTier
    weighty: float = inf  # importance from which a message stays as it is

    @property
    def following(self) -> MessageTier:
        """Where what stays goes; what is kept for good stays where it is."""
        return MessageTier.MID if self.tier is MessageTier.SHORT else MessageTier.LONG


@dataclass(frozen=True, slots=True)
class Group:
    """What becomes of the messages of a window that came the same way."""

    dimensions: Dimensions
    summarised: Sequence[Message]  # in the order of their times; none where too few are left
    moved: Sequence[Message]  # to the next tier as they are


def window(sent_at: datetime, days: int, zone: str) -> int:
    """The number of the window that a time falls into, on the clock of the space; weeks begin on Mondays."""
    day = local(sent_at, ZoneInfo(zone)).date()
    return (day.toordinal() - 1) // days


def window_start(at: datetime, days: int, zone: str) -> datetime:
    """When the window began that a time falls into."""
    try:
        first = date.fromordinal(window(at, days, zone) * days + 1)
        return datetime.combine(first, datetime.min.time(), ZoneInfo(zone)).astimezone(UTC)
    except (OverflowError, ValueError):  # the first or the last day there is
        return at


def groups(
    messages: Iterable[Message],
    stage: Stage,
    *,
    zone: str,
    least: int,
    score: Callable[[Message], float],
) -> list[Group]:
    """The groups of some whole windows. What is pinned, weighty or worth enough stays as it is.

    What a group has too little of to summarise moves on as it is: only in the last tier it stays.
    """
    apart: dict[tuple[int, Dimensions], list[Message]] = {}
    for message in sorted(messages, key=lambda one: (one.sent_at, one.id)):
        place = (window(message.sent_at, stage.window_days, zone), dimensions(message))
        apart.setdefault(place, []).append(message)
    return [_group(found, kind, stage, least, score) for (_, kind), found in apart.items()]


def dimensions(message: Message) -> Dimensions:
    return message.platform, message.channel, message.contact, message.bot_id


def named(kind: Dimensions) -> Mapping[str, str | None]:
    """Dimensions as a summary keeps them."""
    return dict(zip(("platform", "channel", "contact", "botId"), kind, strict=True))


def _group(
    found: Sequence[Message],
    kind: Dimensions,
    stage: Stage,
    least: int,
    score: Callable[[Message], float],
) -> Group:
    fading = [
        one
        for one in found
        if not one.pinned and one.importance < stage.weighty and score(one) < stage.threshold
    ]
    if len(fading) < least:
        fading = []
    gone = {one.id for one in fading}
    staying = [one for one in found if one.id not in gone and one.tier is not stage.following]
    return Group(kind, fading, staying)
