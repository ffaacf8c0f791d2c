from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest

from bethink.contracts import Schedule
from bethink.upkeep.schedule import next_start

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_every_so_often_counts_from_the_last_start() -> None:
    assert next_start(Schedule(every=6 * HOUR), NOON, "UTC", "a") == NOON + 6 * HOUR


@pytest.mark.parametrize(
    ("zone", "last", "expected"),
    [
        ("UTC", NOON, "2026-03-29T03:30:00+00:00"),
        ("Asia/Tokyo", NOON, "2026-03-28T18:30:00+00:00"),  # where it is evening already
        ("Europe/Berlin", NOON - 11 * HOUR, "2026-03-28T02:30:00+00:00"),  # today, still to come
        ("Europe/Berlin", NOON - 9 * HOUR, "2026-03-29T01:30:00+00:00"),  # the clocks go forward
        ("America/New_York", NOON, "2026-03-29T07:30:00+00:00"),
    ],
)
def test_a_daily_sweep_keeps_to_the_clock_of_the_space(zone: str, last: datetime, expected: str) -> None:
    assert next_start(Schedule(at=time(3, 30)), last, zone, "a") == datetime.fromisoformat(expected)


def test_having_run_at_its_time_it_runs_again_a_day_later() -> None:
    daily = Schedule(at=time(3, 30), jitter=HOUR)
    first = next_start(daily, NOON, "UTC", "tidy:red")
    assert next_start(daily, first, "UTC", "tidy:red") == first + timedelta(days=1)


def test_spaces_are_spread_over_the_jitter_each_at_its_own_moment() -> None:
    daily = Schedule(at=time(3, 30), jitter=HOUR)
    earliest = datetime(2026, 3, 29, 3, 30, tzinfo=UTC)
    starts = [next_start(daily, NOON, "UTC", f"tidy:{number}") for number in range(50)]
    assert starts == [next_start(daily, NOON, "UTC", f"tidy:{number}") for number in range(50)]
    assert len(set(starts)) == 50
    assert all(earliest <= start < earliest + HOUR for start in starts)


@pytest.mark.parametrize("wrong", [{}, {"every": HOUR, "at": time(3)}])
def test_a_schedule_says_one_thing(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="either"):
        Schedule(**wrong)  # type: ignore[arg-type]  # what is wrong with it is the point
