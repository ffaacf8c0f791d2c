"""Time as it is where the household lives."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.prompt.background import say_day, say_time, zone


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("moment", "place", "said", "offset"),
    [
        ("2025-03-05T08:20:00Z", "Asia/Kathmandu", "Wednesday, 5 March 2025, 14:05", "UTC+05:45"),
        ("2024-12-31T18:14:59Z", "Asia/Kathmandu", "Tuesday, 31 December 2024, 23:59", "UTC+05:45"),
        ("2024-12-31T18:15:00Z", "Asia/Kathmandu", "Wednesday, 1 January 2025, 00:00", "UTC+05:45"),
        # Clocks go forward at 02:00 on 9 March 2025, and back at 02:00 on 2 November 2025.
        ("2025-03-09T06:59:59Z", "America/New_York", "Sunday, 9 March 2025, 01:59", "UTC-05:00"),
        ("2025-03-09T07:00:00Z", "America/New_York", "Sunday, 9 March 2025, 03:00", "UTC-04:00"),
        ("2025-11-02T05:30:00Z", "America/New_York", "Sunday, 2 November 2025, 01:30", "UTC-04:00"),
        ("2025-11-02T06:30:00Z", "America/New_York", "Sunday, 2 November 2025, 01:30", "UTC-05:00"),
        ("2025-01-01T00:00:00Z", "UTC", "Wednesday, 1 January 2025, 00:00", ""),
        ("2025-01-01T10:00:00Z", "Pacific/Kiritimati", "Thursday, 2 January 2025, 00:00", "UTC+14:00"),
    ],
)
def test_the_time_is_what_a_clock_on_the_wall_there_shows(
    moment: str, place: str, said: str, offset: str
) -> None:
    where = f"{place}, {offset}" if offset else place
    assert say_time(at(moment), zone(place)) == f"{said} ({where})"


def test_the_day_is_the_day_there() -> None:
    moment = at("2025-03-05T18:30:00Z")
    assert say_day(moment, zone("Asia/Kathmandu")) == "2025-03-06"
    assert say_day(moment, zone("America/New_York")) == "2025-03-05"
    assert say_day(moment, None) == "2025-03-05"


@pytest.mark.parametrize("name", ["Nowhere/City", "", "../../etc/passwd", "a\0b"])
def test_an_unknown_place_is_none_and_its_time_is_utc(name: str) -> None:
    assert zone(name) is None
    assert say_time(at("2025-03-05T08:20:00Z"), zone(name)).endswith("08:20 (UTC)")


@given(st.datetimes(timezones=st.just(UTC)), st.sampled_from(["Asia/Kathmandu", "America/New_York", "UTC"]))
def test_every_moment_has_a_day_everywhere(moment: datetime, place: str) -> None:
    assert len(say_day(moment, zone(place))) == 10
