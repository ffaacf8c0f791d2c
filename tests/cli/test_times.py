from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.cli.times import coming_time, parse_time, past_time, shown
from bethink.testing import FrozenClock

NOON = datetime(2025, 6, 15, 12, tzinfo=UTC)
moments = st.datetimes(datetime(1975, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("30m", timedelta(minutes=30)),
        ("12h", timedelta(hours=12)),
        ("7d", timedelta(days=7)),
        (" 2 W ", timedelta(weeks=2)),
        ("1y", timedelta(days=365)),
    ],
)
def test_a_span_looks_back_or_ahead(text: str, span: timedelta) -> None:
    assert parse_time(text, NOON, ahead=False) == NOON - span
    assert parse_time(text, NOON, ahead=True) == NOON + span


def test_days_have_names_and_begin_at_local_midnight() -> None:
    today = parse_time("today", NOON, ahead=False)
    assert (today.hour, today.minute, today.date()) == (0, 0, NOON.astimezone().date())
    assert parse_time("yesterday", NOON, ahead=False).date() == today.date() - timedelta(days=1)
    assert parse_time("Tomorrow", NOON, ahead=True).date() == today.date() + timedelta(days=1)
    assert parse_time("now", NOON, ahead=True) == NOON


@given(moments)
def test_any_time_in_iso_8601_is_understood(at: datetime) -> None:
    assert parse_time(at.isoformat(), NOON, ahead=False) == at


@given(moments)
def test_what_is_shown_can_be_typed(at: datetime) -> None:
    assert parse_time(shown(at), NOON, ahead=False) == at.replace(second=0, microsecond=0)


def test_a_time_without_an_offset_is_local() -> None:
    assert parse_time("2025-05-31", NOON, ahead=False) == datetime(2025, 5, 31).astimezone()


@pytest.mark.parametrize("text", ["", "soon", "7 days", "2025-13-01", "999999y", "d", "-7d"])
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="2025-05-31"):
        parse_time(text, NOON, ahead=True)


def test_options_take_the_time_from_bethinks_clock() -> None:
    with FrozenClock(NOON):
        assert (past_time("1d"), coming_time("1d")) == (NOON - timedelta(days=1), NOON + timedelta(days=1))
