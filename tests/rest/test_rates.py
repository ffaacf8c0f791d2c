from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bethink.rest.admission import KEYS_KEPT, Bucket, Rates, take
from tests.rest.serving import new_space, running
from tests.rest.test_problems import problem

times = st.lists(st.floats(0, 600), max_size=60).map(sorted)
per_minute = st.integers(1, 6000)
burst = st.integers(1, 50)


@given(times, per_minute, burst)
def test_never_more_than_the_burst_and_the_rate(moments: list[float], rate: int, burst: int) -> None:
    bucket: Bucket | None = None
    let_through: list[float] = []
    for now in moments:
        bucket, early = take(bucket, now, rate / 60, burst)
        if not early:
            let_through.append(now)
    for place, start in enumerate(let_through):
        for count, end in enumerate(let_through[place:], 1):
            assert count <= burst + (end - start) * rate / 60 + 1e-6


@given(times, per_minute, burst)
def test_who_waits_as_told_is_let_through(moments: list[float], rate: int, burst: int) -> None:
    bucket: Bucket | None = None
    for now in moments:
        bucket, early = take(bucket, now, rate / 60, burst)
        if early:
            assert 0 < early <= 60 / rate + 1e-9
            assert take(bucket, now + early + 1e-6, rate / 60, burst)[1] == 0


@given(st.floats(0, 600), st.floats(0, 600), per_minute, burst)
def test_a_clock_that_goes_back_fills_nothing(first: float, second: float, rate: int, burst: int) -> None:
    bucket, _ = take(Bucket(0.0, max(first, second)), min(first, second), rate / 60, burst)
    assert bucket.left == 0.0


def test_keys_do_not_count_for_each_other_and_are_not_kept_for_ever() -> None:
    rates = Rates(60, 1)
    assert rates.seconds_to_wait("a", 0.0) == 0
    assert rates.seconds_to_wait("b", 0.0) == 0
    assert rates.seconds_to_wait("a", 0.0) == 1
    for number in range(KEYS_KEPT + 5):
        rates.seconds_to_wait(str(number), 0.0)
    assert len(rates._buckets) == KEYS_KEPT


def test_without_a_limit_nobody_waits() -> None:
    rates = Rates(0, 1)
    assert not any(rates.seconds_to_wait("a", 0.0) for _ in range(1000))


def test_a_key_that_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    settings = {"requests_per_minute": 1, "request_burst": 3}
    with running(str(tmp_path / "memory.db"), server=settings) as server:
        space = new_space()
        with server.client(server.key(space)) as busy, server.client(server.key(space)) as calm:
            assert [busy.get("/api/memory").status_code for _ in range(3)] == [200] * 3
            response = busy.get("/api/memory")
            assert "server.requests_per_minute" in problem(response, 429).detail
            assert 1 <= int(response.headers["retry-after"]) <= 60
            assert calm.get("/api/memory").status_code == 200
            assert busy.get("/healthz").status_code == 200
