"""A sweep that is killed anywhere and run again ends where one clean run ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.memory import AsyncSpace
from bethink.testing import FrozenClock
from bethink.upkeep import Runner
from tests.opened import Home

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def chosen(steps: int, many: int) -> range:
    """The steps at which a run is killed: some, or with BETHINK_TEST_EVERY_STEP all of them."""
    if os.environ.get("BETHINK_TEST_EVERY_STEP"):
        return range(1, steps + 1)
    return range(2, steps + 1, max(1, steps // many))


class Killed(Exception):
    """What stands for the end of the process."""


class Fuse:
    """Lets a driver fail at one of its operations, before it or, of a write, when it is committed."""

    def __init__(self, driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left, self.after, self.count = -1, False, 0
        for name in ("read", "write"):
            monkeypatch.setattr(driver, name, self._watched(getattr(driver, name)))

    def set(self, left: int, *, after: bool) -> None:
        self.left, self.after, self.count = left, after, 0

    def _watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        async def watched(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            burns = self.count == self.left
            if burns and not self.after:
                raise Killed
            answer = await call(*args, **kwargs)
            if burns:
                raise Killed
            return answer

        return watched


async def fill(memory: AsyncBethink, space: AsyncSpace, clock: FrozenClock) -> None:
    """Days of talk: much that fades, something pinned, something that came another way."""
    for day in range(6):
        lines = [f"Day {day}: the {word} is late." for word in ("train", "bus", "plane")]
        turns = [{"content": line, "pinned": line == "Day 3: the bus is late."} for line in lines]
        await space.observe("home", turns)
        await space.observe("mail", [{"content": f"Invoice {day}", "platform": "mail"}])
        clock.advance(DAY)
    await memory.settle()


async def state(space: AsyncSpace) -> list[Any]:
    summaries = (await space.summaries.list(limit=1000)).items
    named = {one.id: one.summary_text for one in summaries}
    said = (await space.messages.list(limit=1000, original=True)).items
    lines = [(one.content, one.tier, bool(one.archived_at), named.get(one.summary_id or "")) for one in said]
    told = [(one.summary_text, one.summary_tier, one.message_count, one.key_points) for one in summaries]
    found = [(hit.layer, hit.text) for hit in (await space.index.preview("train", limit=200)).hits]
    return [sorted(lines, key=str), sorted(told, key=str), sorted(found)]


async def sweep(space: AsyncSpace, name: str) -> None:
    """Run it without what the runner does around it."""
    core, record = await space.inside.here()
    async for _ in core.part(Runner).sweep(name).batches(record, None):
        pass


async def test_killed_anywhere_and_run_again_it_ends_in_the_same_state(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with home.memory(lifecycle={"batch": 10}) as memory:
        core, _ = await memory.inside.here()
        with FrozenClock(NOON) as clock:
            clean = memory.space(f"{memory.name}-clean")
            await fill(memory, clean, clock)
            start = clock.now
            clock.advance(120 * DAY)
            fuse = Fuse(core.driver, monkeypatch)
            fuse.set(-1, after=False)
            await sweep(clean, "tiers")
            steps = fuse.count
            await memory.settle()
            expected = await state(clean)
            assert steps > 10
            await sweep(clean, "tiers")
            assert await state(clean) == expected, "twice changes nothing"
            for step in chosen(steps, 3):
                for after in (False, True):
                    clock.now = NOON
                    space = memory.space(f"{memory.name}-{step}-{after}")
                    fuse.set(-1, after=False)
                    await fill(memory, space, clock)
                    clock.now = start + 120 * DAY
                    fuse.set(step, after=after)
                    with pytest.raises(Killed):
                        await sweep(space, "tiers")
                    fuse.set(-1, after=False)
                    await sweep(space, "tiers")
                    await memory.settle()
                    assert await state(space) == expected, f"killed at step {step}"
