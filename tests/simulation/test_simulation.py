"""Months of a household: what matters is still recalled, and what recall searches stays small."""

from __future__ import annotations

import asyncio
from typing import Any
from xml.etree import ElementTree

import pytest

from bethink import InvalidInput
from bethink.clock import now
from bethink.settings import Settings
from bethink.simulation import Simulation, picture, simulate
from bethink.simulation.household import KINDS, Household
from bethink.simulation.run import BEGINS
from bethink.testing import HashEmbedder

SETTINGS: dict[str, Any] = {
    "extraction": {"worth": False},
    "recall": {"tier": "fast"},
    # Years in weeks: everything fades ten times as fast.
    "lifecycle": {"short_days": 1, "mid_days": 9, "long_days": 36},
}


@pytest.fixture(scope="module")
def lived() -> Simulation:
    settings = Settings.load(environ={}, **SETTINGS)
    return asyncio.run(simulate(years=0.25, per_day=12, settings=settings, embedder=HashEmbedder(128)))


def test_what_is_pinned_or_important_is_still_recalled(lived: Simulation) -> None:
    last = lived.snapshots[-1]
    assert lived.lost == []
    for kind in ("pinned", "important"):
        assert last.recalled[kind].found == last.recalled[kind].planted >= 10


def test_what_recall_searches_is_much_less_than_what_was_said(lived: Simulation) -> None:
    last = lived.snapshots[-1]
    assert last.observed == 91 * 12 + sum(part.planted for part in last.recalled.values())
    assert lived.smaller >= 5
    assert sum(last.tiers.values()) + last.archived == last.observed, "nothing is lost"
    assert all(last.summaries[tier] > 0 for tier in last.summaries)
    assert last.database_bytes > 0


def test_the_picture_is_an_svg_with_all_lines(lived: Simulation) -> None:
    drawn = ElementTree.fromstring(picture(lived))
    lines = [one for one in drawn if one.tag.endswith("polyline")]
    assert len(lines) == 6
    assert all(one.get("points") for one in lines)
    assert "messages archived" in "".join(drawn.itertext())


def test_the_same_seed_says_the_same() -> None:
    one, other, third = (Household(seed, 5) for seed in (1, 1, 2))
    planted = one.plant(KINDS[0])
    assert planted == other.plant(KINDS[0])
    assert planted is not None
    assert list(one.day(BEGINS, [planted])) == list(other.day(BEGINS, [planted]))
    assert list(third.day(BEGINS, [])) != list(one.day(BEGINS, []))


async def test_the_clock_goes_on_afterwards_and_wrong_lengths_are_refused() -> None:
    before = now()
    settings = Settings.load(environ={}, **SETTINGS)
    found = await simulate(years=0.02, per_day=1, settings=settings, embedder=HashEmbedder())
    assert found.snapshots[-1].date.year == BEGINS.year
    assert now() >= before
    with pytest.raises(InvalidInput, match="greater than 0"):
        await simulate(years=0)
