"""Wrong keys are slowed by their address; a right key is not, wherever it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink.rest.wrong_keys import ADDRESSES_KEPT, BURST, HELD, LONGEST_SECONDS, WrongKeys, network_of
from tests.rest.serving import new_space, running


class Time:
    """A clock that stands still, and sleeps that are only noted."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def test_the_first_are_answered_at_once_and_then_ever_later() -> None:
    time = Time()
    wrong = WrongKeys(60, clock=time.clock, sleep=time.sleep)
    for _ in range(BURST):
        await wrong.slow_down("192.0.2.1")
    assert time.slept == []
    for _ in range(30):
        await wrong.slow_down("192.0.2.1")
    assert time.slept[0] > 0
    assert time.slept == sorted(time.slept)
    assert time.slept[-1] == LONGEST_SECONDS
    await wrong.slow_down("192.0.2.2")
    assert len(time.slept) == 30, "another address is not slowed"
    time.now += 3600
    await wrong.slow_down("192.0.2.1")
    assert len(time.slept) == 30, "who has stopped is forgiven"


async def test_neither_addresses_nor_answers_are_kept_without_end() -> None:
    time = Time()
    wrong = WrongKeys(60, clock=time.clock, sleep=time.sleep)
    for number in range(ADDRESSES_KEPT + 5):
        await wrong.slow_down(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(wrong._buckets) == ADDRESSES_KEPT
    wrong._held = HELD
    for _ in range(3 * BURST):
        await wrong.slow_down("192.0.2.1")
    assert time.slept == []


async def test_without_a_limit_nobody_is_slowed() -> None:
    time = Time()
    wrong = WrongKeys(0, clock=time.clock, sleep=time.sleep)
    for _ in range(100):
        await wrong.slow_down("192.0.2.1")
    assert time.slept == []


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        (None, "elsewhere"),
        ("unix socket", "elsewhere"),
    ],
)
def test_who_has_a_network_of_addresses_counts_as_one(address: str | None, network: str) -> None:
    assert network_of(address) == network


def test_a_right_key_is_not_kept_waiting_by_wrong_ones_of_its_address(tmp_path: Path) -> None:
    time = Time()
    with running(str(tmp_path / "memory.db")) as server:
        wrong = WrongKeys(1, clock=time.clock, sleep=time.sleep)
        server.app.state.wrong_keys = server.gateway.wrong_keys = wrong
        with server.client("rk_wrong") as thief, server.client(server.key(new_space())) as owner:
            for _ in range(BURST):
                assert thief.get("/api/memory").status_code == 401
            assert thief.get("/v1/models").status_code == 401
            assert thief.get("/api/memory").status_code == 401
            assert len(time.slept) == 2
            assert owner.get("/api/memory").status_code == 200
            assert owner.get("/v1/models").status_code == 200
            with server.client() as nobody:
                assert nobody.get("/api/memory").status_code == 401
            assert len(time.slept) == 2, "neither a right key nor none is slowed"
