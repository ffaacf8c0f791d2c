"""Every number of the formula, and what must hold whatever the events are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import log1p

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.insights import value
from bethink.shapes.insights import (
    Importance,
    Insight,
    InsightEvent,
    InsightEventKind,
    InsightKind,
    Urgency,
)

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
TICK = timedelta(microseconds=1)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def insight(age: timedelta = timedelta(), **fields: object) -> Insight:
    at = NOW - age
    base = {"observed_at": at, "created_at": at, "updated_at": at, "kind": InsightKind.TASK}
    return Insight(id="i", space_id="s", title="t", task_label="task", dedupe_key="k", **{**base, **fields})


def event(ago: timedelta, kind: str = "viewed", times: float = 1.0) -> InsightEvent:
    kinds = InsightEventKind(kind)
    at = NOW - ago
    return InsightEvent(
        id=f"{kind}{ago}{times}", space_id="s", insight_id="i", kind=kinds, value=times, at=at
    )


@pytest.mark.parametrize(
    ("views", "score"),
    [(0, 0.0), (1, log1p(1) / log1p(50)), (7, log1p(7) / log1p(50)), (50, 1.0), (51, 1.0), (10**6, 1.0)],
)
def test_frequency_is_logarithmic_up_to_fifty_views(views: int, score: float) -> None:
    assert value.frequency(views) == pytest.approx(score)


@pytest.mark.parametrize(
    ("age", "fresh"),
    [
        (timedelta(), 1.0), (DAY - TICK, 1.0), (DAY, 0.8), (7 * DAY - TICK, 0.8), (7 * DAY, 0.45),
        (30 * DAY - TICK, 0.45), (30 * DAY, 0.1), (900 * DAY, 0.1),
    ],
)  # fmt: skip
def test_freshness_falls_at_one_seven_and_thirty_days(age: timedelta, fresh: float) -> None:
    assert value.freshness(age) == fresh


@pytest.mark.parametrize(
    ("importance", "urgency", "relevant"),
    [
        ("critical", "immediate", 1.0), ("critical", "low", 0.7 + 0.3 * 0.25), ("high", "urgent", 0.75),
        ("medium", "medium", 0.5), ("low", "immediate", 0.7 * 0.25 + 0.3), ("low", "low", 0.25),
    ],
)  # fmt: skip
def test_relevance_is_seven_parts_importance_to_three_urgency(
    importance: str, urgency: str, relevant: float
) -> None:
    assert value.relevance(Importance(importance), Urgency(urgency)) == pytest.approx(relevant)


@pytest.mark.parametrize(
    ("signals", "score"),
    [
        ((1, 0, 0, False), 0.45), ((0, 1, 0, False), 0.25), ((0, 0, 1, False), 0.20), ((0, 0, 0, True), 0.10),
        ((1, 1, 1, True), 1.0), ((0, 0, 0, False), 0.0), ((0.5, 0.8, 0.5, True), 0.225 + 0.2 + 0.1 + 0.1),
    ],
)  # fmt: skip
def test_the_value_is_four_signals(signals: tuple[float, float, float, bool], score: float) -> None:
    assert value.value(*signals) == pytest.approx(score)


@pytest.mark.parametrize(
    ("idle", "left"),
    [
        (timedelta(), 1.0), (7 * DAY - TICK, 1.0), (7 * DAY, 0.95), (14 * DAY - TICK, 0.95), (14 * DAY, 0.85),
        (30 * DAY - TICK, 0.85), (30 * DAY, 0.7), (59 * DAY, 0.7), (60 * DAY, 0.49), (90 * DAY, 0.343),
        (120 * DAY, 0.3), (9000 * DAY, 0.3),
    ],
)  # fmt: skip
def test_decay_has_three_rates_and_a_floor(idle: timedelta, left: float) -> None:
    assert value.decay(idle) == pytest.approx(left)


@pytest.mark.parametrize(
    ("multiplier", "favoured", "viewed", "boosted"),
    [
        (1.0, None, None, 1.0), (1.0, timedelta(), None, 1.5), (1.0, 7 * DAY - TICK, None, 1.5),
        (1.0, 7 * DAY, None, 1.0), (1.0, None, timedelta(), 1.1), (1.0, None, DAY - TICK, 1.1),
        (1.0, None, DAY, 1.0), (2.0, DAY, HOUR, 3.3), (4.0, DAY, None, 5.0), (5.0, DAY, HOUR, 5.0),
    ],
)  # fmt: skip
def test_boosts_last_a_week_and_a_day_and_end_at_five(
    multiplier: float, favoured: timedelta | None, viewed: timedelta | None, boosted: float
) -> None:
    assert value.boost(multiplier, favoured, viewed) == pytest.approx(boosted)


@pytest.mark.parametrize(
    ("recent", "previous", "found"),
    [
        (0, 0, "stable"), (1, 0, "rising"), (0, 1, "falling"), (4, 4, "stable"), (5, 4, "rising"),
        (4, 5, "falling"), (9, 8, "stable"), (8, 9, "stable"), (10, 8, "rising"), (8, 10, "falling"),
    ],
)  # fmt: skip
def test_the_trend_turns_at_a_quarter(recent: int, previous: int, found: str) -> None:
    assert value.trend(recent, previous) == found


def test_a_view_boosts_only_after_more_than_a_day_without_one() -> None:
    old = insight(10 * DAY)
    assert value.weigh(old, [event(HOUR)], NOW).boost == 1.1
    assert value.weigh(insight(3 * HOUR), [event(HOUR)], NOW).boost == 1.0, "it is new"
    assert value.weigh(old, [event(25 * HOUR), event(HOUR)], NOW).boost == 1.0, "the gap is a day, no more"
    # The first view of a row of views boosts for a day, however many follow it.
    assert value.weigh(old, [event(5 * HOUR), event(4 * HOUR), event(HOUR)], NOW).boost == 1.1


def test_counts_are_of_real_views_and_favourites_of_the_last_word() -> None:
    views = [event(ago) for ago in (HOUR, 6 * DAY, 8 * DAY, 13 * DAY, 20 * DAY, 31 * DAY)]
    found = value.weigh(insight(60 * DAY), [*views, event(2 * DAY, "favourited")], NOW)
    assert (found.access_count_7d, found.previous_count_7d, found.access_count_30d) == (2, 2, 5)
    assert (found.activity, found.trend, found.favourite) == ("active", "stable", True)
    assert found.boost == pytest.approx(1.65)
    toggled = [event(3 * DAY, "favourited"), event(2 * DAY, "unfavourited"), event(DAY, "weighted", 2.5)]
    again = value.weigh(insight(60 * DAY), toggled, NOW)
    assert (again.favourite, again.custom_weight_multiplier, again.boost) == (False, 2.5, 2.5)
    assert (again.activity, again.decay, again.value_score) == ("dormant", 0.49, 0.125)


events = st.lists(
    st.builds(
        event,
        st.timedeltas(-DAY, 400 * DAY),
        st.sampled_from(["viewed", "viewed", "favourited", "unfavourited", "weighted"]),
        st.floats(0.1, 5.0),
    ),
    max_size=30,
)


@settings(max_examples=200)
@given(
    events,
    st.timedeltas(timedelta(), 400 * DAY),
    st.sampled_from(Importance),
    st.sampled_from(Urgency),
    st.randoms(use_true_random=False),
)
def test_bounds_hold_and_neither_order_nor_looking_changes_the_weights(
    done: list[InsightEvent], age: timedelta, importance: Importance, urgency: Urgency, shuffled: object
) -> None:
    one = insight(age, importance=importance, urgency=urgency)
    found = value.weigh(one, done, NOW)
    assert 0 <= found.value_score <= 1
    assert 0.1 <= found.boost <= 5.0
    assert 0.3 <= found.decay <= 1.0
    for moment in (NOW - DAY, NOW - HOUR):  # looking before changes nothing
        value.weigh(one, done, moment)
    mixed = list({each.id: each for each in done}.values())
    expected = value.weigh(one, mixed, NOW)
    shuffled.shuffle(mixed)  # type: ignore[attr-defined]
    assert value.weigh(one, mixed, NOW) == expected
