"""Facts that nobody has confirmed for long are shown with their time, and can be asked about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import AsyncBethink
from bethink.facts.doubts import confirmed_at, doubts, is_old
from bethink.records import Fact
from bethink.testing import FrozenClock
from bethink.text.slots import half_life

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def fact(category: str = "identity", key: str = "home", value: str = "Lisbon", **fields: object) -> Fact:
    known = {"id": f"{category}/{key}", "space_id": "s", "valid_from": NOON, "created_at": NOON}
    return Fact.model_validate({**known, "category": category, "key": key, "value": value, **fields})


@pytest.mark.parametrize(
    ("one", "days"),
    [
        (fact(), 1095),
        (fact(key="birthday", value="3 May 1990"), None),
        (fact("work", "project_boat", "boat"), 180),
        (fact("quirks", "whistles", "always in the lift"), 1095),
    ],
)
def test_each_slot_has_its_half_life(one: Fact, days: int | None) -> None:
    lasts = half_life(one.category, one.key, one.value)
    assert lasts == (timedelta(days=days) if days else None)
    assert not is_old(one, NOON + timedelta(days=(days or 100_000) - 1))
    assert is_old(one, NOON + timedelta(days=days or 100_000)) is (days is not None)


def test_what_was_confirmed_since_counts_from_then() -> None:
    assert confirmed_at(fact(last_verified_at=NOON)) == NOON
    late = fact(created_at=NOON + 900 * DAY, last_verified_at=NOON + 900 * DAY)
    assert confirmed_at(late) == NOON, "it was said long before it was taken in"
    assert confirmed_at(fact(last_verified_at=NOON + 9 * DAY)) == NOON + 9 * DAY


@given(st.integers(0, 100), st.integers(0, 20_000), st.integers(0, 20_000))
def test_doubt_grows_with_time_and_shrinks_with_confidence(confidence: int, days: int, more: int) -> None:
    (first,) = doubts([fact(confidence=confidence)], NOON + timedelta(days=1095 + days))
    (later,) = doubts([fact(confidence=confidence)], NOON + timedelta(days=1095 + days + more))
    (surer,) = doubts([fact(confidence=100)], NOON + timedelta(days=1095 + days))
    assert 0 <= surer.doubt <= first.doubt <= later.doubt <= 1


async def test_old_facts_are_shown_with_their_month_until_confirmed(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await memory.facts.set("identity", "home", "Lisbon")
        await memory.facts.set("identity", "birthday", "3 May 1990")
        assert await memory.doubts() == []
        fresh = await memory.prompt("where do I live?")
        assert "as of" not in fresh.stable
        clock.advance(1200 * DAY)
        (doubt,) = await memory.doubts()
        assert (doubt.fact.value, doubt.confirmed_at) == ("Lisbon", NOON)
        assert "home (as of March 2026): Lisbon" in (await memory.prompt("where do I live?")).stable
        await memory.facts.set("identity", "home", "Lisbon")
        assert await memory.doubts() == []
        assert (await memory.prompt("where do I live?")).stable == fresh.stable


async def test_dangerous_ones_come_first(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await memory.facts.set("work", "project_boat", "boat")
        await memory.facts.set("health", "medicine_aspirin", "aspirin")
        clock.advance(400 * DAY)
        assert [one.fact.value for one in await memory.doubts()] == ["aspirin", "boat"]
        assert len(await memory.doubts(limit=1)) == 1
