"""Which insights are meant, and in which order they count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from bethink.insights.value import weigh
from bethink.records import Space
from bethink.shapes.insights import (
    Insight,
    InsightQuery,
    InsightStatus,
    InsightUsage,
    RankedInsight,
)
from bethink.store import Tx, insights
from bethink.text.fold import fold
from bethink.text.secrets import masked_record

MOST_VIEWED = 10


def ranked(
    tx: Tx, space: Space, wanted: InsightQuery, now: datetime, *, kept_since: datetime | None = None
) -> list[RankedInsight]:
    """The insights that are wanted, those that count most for a person first; older ones are left out."""
    found = insights.chosen(
        tx,
        space.id,
        status=wanted.status,
        since=max((at for at in (wanted.since, kept_since) if at), default=None),
        until=wanted.until,
        due_before=wanted.due_before,
    )
    return ranked_of(tx, space, [one for one in found if _is_wanted(one, wanted)], wanted, now)


def ranked_of(
    tx: Tx, space: Space, found: Sequence[Insight], wanted: InsightQuery, now: datetime
) -> list[RankedInsight]:
    """These insights with their weights, in order, without those that the weights rule out."""
    done = insights.events(tx, space.id, [one.id for one in found], wanted.person_id)
    weighed = [RankedInsight(insight=one, weights=weigh(one, done.get(one.id, ()), now)) for one in found]
    kept = [one for one in weighed if _counts(one, wanted)]
    kept.sort(key=lambda one: (-one.weights.rank_score, -one.insight.observed_at.timestamp(), one.insight.id))
    for place, one in enumerate(kept, 1):
        one.weights.current_event_rank = place
    return kept


def _is_wanted(one: Insight, wanted: InsightQuery) -> bool:
    return (
        _is_in(one.kind, wanted.kinds)
        and _is_in(one.importance, wanted.importances)
        and _is_in(one.urgency, wanted.urgencies)
        and _is_in(one.task_label, wanted.task_labels)
        and _meet(one.people, wanted.people)
        and _meet(one.platforms, wanted.platforms)
        and _meet(one.channels, wanted.channels)
        and (wanted.query is None or _holds(one, wanted.query))
    )


def _counts(one: RankedInsight, wanted: InsightQuery) -> bool:
    weights = one.weights
    return (
        wanted.favourite in (None, weights.favourite)
        and wanted.activity in (None, weights.activity)
        and wanted.trend in (None, weights.trend)
    )


def _is_in(value: str, wanted: Sequence[str] | None) -> bool:
    return wanted is None or value in wanted


def _meet(values: Iterable[str], wanted: Iterable[str] | None) -> bool:
    return wanted is None or not {plain(one) for one in values}.isdisjoint(map(plain, wanted))


def _holds(insight: Insight, query: str) -> bool:
    shown = masked_record(insight)
    return plain(query) in plain("\n".join([shown.title, shown.description, *shown.people]))


def plain(text: str) -> str:
    """A text in one case and without accents."""
    return " ".join(fold(text).casefold().split())


def usage(ranked: Sequence[RankedInsight]) -> InsightUsage:
    """How insights are used."""
    weights = [one.weights for one in ranked]
    closed = sum(one.insight.status is InsightStatus.CLOSED for one in ranked)
    trends = Counter(one.trend for one in weights)
    active = sum(one.activity == "active" for one in weights)
    viewed = sorted(ranked, key=lambda one: -one.weights.access_count_30d)
    return InsightUsage(
        total=len(ranked),
        open=len(ranked) - closed,
        closed=closed,
        active=active,
        dormant=len(ranked) - active,
        rising=trends["rising"],
        falling=trends["falling"],
        favourites=sum(one.favourite for one in weights),
        views_7d=sum(one.access_count_7d for one in weights),
        views_30d=sum(one.access_count_30d for one in weights),
        by_kind=dict(sorted(Counter(one.insight.kind.value for one in ranked).items())),
        most_viewed=[one for one in viewed if one.weights.access_count_30d][:MOST_VIEWED],
    )
