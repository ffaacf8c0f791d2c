from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import RFC_4122, UUID

import pytest

from bethink import clock


@pytest.fixture(autouse=True)
def fresh_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No id made before counts, and whatever a test does to the clock is undone."""
    monkeypatch.setattr(clock, "_last_id", 0)
    yield
    clock.set_source(None)


def milliseconds(made: str) -> int:
    """The time an id says it was made."""
    return UUID(made).int >> 80


def test_now_is_the_system_time_in_utc() -> None:
    before, told, after = datetime.now(UTC), clock.now(), datetime.now(UTC)
    assert before <= told <= after
    assert told.utcoffset() == timedelta(0)


def test_a_source_tells_the_time_until_it_is_taken_away() -> None:
    moment = datetime(2001, 2, 3, 4, 5, 6, 789, tzinfo=UTC)
    clock.set_source(lambda: moment)
    assert clock.now() == moment
    clock.set_source(None)
    assert clock.now() > moment


def test_an_id_is_a_uuid_of_version_seven_with_its_time_in_front() -> None:
    before = int(datetime.now(UTC).timestamp() * 1000)
    made = clock.new_id()
    after = int(datetime.now(UTC).timestamp() * 1000)
    assert str(UUID(made)) == made
    assert UUID(made).version == 7
    assert UUID(made).variant == RFC_4122
    assert before <= milliseconds(made) <= after


def test_ids_of_a_future_source_carry_its_time() -> None:
    moment = clock.now() + timedelta(seconds=1)
    clock.set_source(lambda: moment)
    assert milliseconds(clock.new_id()) == int(moment.timestamp() * 1000)


def test_ids_sort_in_the_order_they_were_made() -> None:
    made = [clock.new_id() for _ in range(20_000)]
    assert made == sorted(set(made))


@pytest.mark.parametrize("back", [timedelta(milliseconds=1), timedelta(days=20_000), timedelta(days=400_000)])
def test_ids_keep_their_order_when_the_clock_is_set_back(back: timedelta) -> None:
    first = clock.new_id()
    past = clock.now() - back
    clock.set_source(lambda: past)
    second, third = clock.new_id(), clock.new_id()
    assert first < second < third
    assert UUID(third).version == 7


def test_ids_made_in_many_threads_are_unique_and_ordered_in_each() -> None:
    def make(_: int) -> list[str]:
        return [clock.new_id() for _ in range(2_000)]

    with ThreadPoolExecutor(8) as threads:
        batches = list(threads.map(make, range(8)))
    assert len({made for batch in batches for made in batch}) == 8 * 2_000
    assert all(batch == sorted(batch) for batch in batches)


def test_ids_of_two_processes_at_the_same_moment_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = clock.now()
    clock.set_source(lambda: moment)
    made = set()
    for _ in range(100):
        monkeypatch.setattr(clock, "_last_id", 0)  # as in a process that has made none yet
        made.add(clock.new_id())
    assert len(made) == 100
