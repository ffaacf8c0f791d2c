"""How much an insight counts, from what it says and from what was done with it. Pure.

Every weight is computed from the times of events, so neither the order in which they are given nor how often
somebody looks changes it. What the formula leaves open is fixed here: the numbers of importance and urgency,
`STALE`, `MOST_VIEWS`, a trend that begins at nothing (`rising`), and that decay goes on by months.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import log1p

from bethink.shapes.insights import (
    DAY,
    Importance,
    Insight,
    InsightEvent,
    InsightEventKind,
    InsightWeights,
    Trend,
    Urgency,
)

FREQUENCY, FRESHNESS, RELEVANCE, FAVOURITE = 0.45, 0.25, 0.20, 0.10  # shares of the value
IMPORTANCE_SHARE, URGENCY_SHARE = 0.7, 0.3  # of the relevance
IMPORTANCE = {Importance.CRITICAL: 1.0, Importance.HIGH: 0.75, Importance.MEDIUM: 0.5, Importance.LOW: 0.25}
URGENCY = {Urgency.IMMEDIATE: 1.0, Urgency.URGENT: 0.75, Urgency.MEDIUM: 0.5, Urgency.LOW: 0.25}
FRESH = ((DAY, 1.0), (7 * DAY, 0.8), (30 * DAY, 0.45))  # younger than this: so fresh
STALE = 0.1  # freshness from thirty days on
MOST_VIEWS = 50  # in thirty days; more make no difference
MOST = 5.0  # of a multiplier with its boosts
FAVOURITE_BOOST, FAVOURITE_LASTS = 1.5, 7 * DAY
VIEW_BOOST, VIEW_LASTS, VIEW_AFTER = 1.1, DAY, DAY  # a view boosts only after more than a day without one
DECAY = ((7 * DAY, 1.0), (14 * DAY, 0.95), (30 * DAY, 0.85))  # idle for less than this: so much is left
MONTH, MONTHLY, LEAST_DECAY = 30 * DAY, 0.7, 0.3  # idle for longer: 0.7 for each whole month, at least 0.3
TREND_SHARE = 0.25


def frequency(views: int) -> float:
    """On a logarithmic scale from 0 to `MOST_VIEWS`."""
    return min(log1p(max(views, 0)) / log1p(MOST_VIEWS), 1.0)


def freshness(age: timedelta) -> float:
    """How fresh what was last said still is."""
    return next((fresh for limit, fresh in FRESH if age < limit), STALE)


def relevance(importance: Importance, urgency: Urgency) -> float:
    return IMPORTANCE_SHARE * IMPORTANCE[importance] + URGENCY_SHARE * URGENCY[urgency]


def value(frequent: float, fresh: float, relevant: float, favourite: bool) -> float:
    """The four signals made one, from 0 to 1."""
    total = FREQUENCY * frequent + FRESHNESS * fresh + RELEVANCE * relevant + FAVOURITE * favourite
    return min(total, 1.0)


def trend(recent: int, previous: int) -> Trend:
    """Views of the last seven days against those of the seven before. Nothing against nothing is stable."""
    if recent == previous:
        return "stable"
    if recent >= previous * (1 + TREND_SHARE):
        return "rising"
    return "falling" if previous >= recent * (1 + TREND_SHARE) else "stable"


def decay(idle: timedelta) -> float:
    """What is left after so long without a view."""
    if idle < MONTH:
        return next(left for limit, left in DECAY if idle < limit)
    return max(MONTHLY ** min(idle // MONTH, 100), LEAST_DECAY)


def boost(multiplier: float, favoured: timedelta | None, viewed: timedelta | None) -> float:
    """A multiplier with the boosts that still last; each is said to have begun so long ago."""
    for began, factor, lasts in (
        (favoured, FAVOURITE_BOOST, FAVOURITE_LASTS),
        (viewed, VIEW_BOOST, VIEW_LASTS),
    ):
        if began is not None and timedelta() <= began < lasts:
            multiplier = min(MOST, multiplier * factor)
    return min(MOST, multiplier)


def weigh(insight: Insight, events: Iterable[InsightEvent], now: datetime) -> InsightWeights:
    """How much an insight counts at a moment, by what one person did with it before."""
    past = sorted((one for one in events if one.at <= now), key=lambda one: (one.at, one.id))
    views = [one.at for one in past if one.kind is InsightEventKind.VIEWED]
    liked = _favoured_at(past)
    multiplier = next((one.value for one in reversed(past) if one.kind is InsightEventKind.WEIGHTED), 1.0)
    week, month = _within(views, now, 7 * DAY), _within(views, now, 30 * DAY)
    before = _within(views, now, 14 * DAY) - week
    frequent, fresh = frequency(month), freshness(now - insight.observed_at)
    relevant = relevance(insight.importance, insight.urgency)
    worth = value(frequent, fresh, relevant, liked is not None)
    boosting = _boosting_view(views, insight.created_at)
    boosted = boost(multiplier, _since(liked, now), _since(boosting, now))
    left = decay(now - (views[-1] if views else insight.created_at))
    return InsightWeights(
        value_score=round(worth, 6),
        frequency_score=round(frequent, 6),
        freshness_score=fresh,
        relevance_score=round(relevant, 6),
        favourite_score=float(liked is not None),
        access_count_7d=week,
        access_count_30d=month,
        previous_count_7d=before,
        favourite=liked is not None,
        custom_weight_multiplier=multiplier,
        boost=round(boosted, 6),
        decay=round(left, 6),
        rank_score=round(worth * boosted * left, 6),
        activity="active" if month else "dormant",
        trend=trend(week, before),
        last_viewed_at=views[-1] if views else None,
    )


def _since(at: datetime | None, now: datetime) -> timedelta | None:
    return None if at is None else now - at


def _within(views: Sequence[datetime], now: datetime, span: timedelta) -> int:
    return sum(now - at < span for at in views)


def _favoured_at(past: Sequence[InsightEvent]) -> datetime | None:
    """Since when it has been a favourite; None when it is none."""
    since: datetime | None = None
    for one in past:
        if one.kind is InsightEventKind.FAVOURITED:
            since = since or one.at
        elif one.kind is InsightEventKind.UNFAVOURITED:
            since = None
    return since


def _boosting_view(views: Sequence[datetime], created_at: datetime) -> datetime | None:
    """The last view that came after more than a day without one."""
    before = [created_at, *views]
    gaps = zip(before, views, strict=False)
    return next((at for last, at in reversed([*gaps]) if at - last > VIEW_AFTER), None)
