"""What failed rests, longer each time it fails again, and as short as at first once it has worked."""

from __future__ import annotations

from bethink.index.vectors.breaker import LONGEST_REST_SECONDS, Breaker


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_a_rest_doubles_up_to_a_bound_and_begins_anew_after_success() -> None:
    clock = Clock()
    breaker = Breaker(15, clock)
    assert (breaker.is_open, breaker.seconds_left) == (False, 0)
    rests = []
    for _ in range(8):
        breaker.failed("it is down")
        rests.append(breaker.seconds_left)
        clock.at += breaker.seconds_left
        assert breaker.seconds_left == 0
        assert breaker.is_open, "until a try works"
    assert rests == [15, 30, 60, 120, 240, 480, LONGEST_REST_SECONDS, LONGEST_REST_SECONDS]
    breaker.worked()
    assert (breaker.is_open, breaker.problem, breaker.since) == (False, None, None)
    breaker.failed("again")
    assert breaker.seconds_left == 15


def test_failures_of_calls_under_way_count_once() -> None:
    clock = Clock()
    breaker = Breaker(10, clock)
    breaker.failed("first")
    since = breaker.since
    clock.at += 4
    breaker.failed("second")
    assert (breaker.seconds_left, breaker.problem, breaker.since) == (6, "first", since)
