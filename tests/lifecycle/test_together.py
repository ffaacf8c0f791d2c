"""Every sweep of this room, killed anywhere and by two at once: each due record is handled once."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.memory import AsyncSpace
from bethink.testing import FrozenClock
from tests.lifecycle.test_faults import Fuse, Killed, chosen, sweep
from tests.opened import Home

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SETTINGS = {"compact_days": 100, "purge_days": 10, "batch": 10}
SWEEPS = {
    "expire": {"ended": 3, "expired": 3},
    "compact": {"compacted": 9, "summaries": 1},
    "promote": {"promoted": 3, "facts": 1},
    "purge": {"memories": 3},
    "tiers": {"moved": 4},
}
SAME = ("We take the blue tram to work!", "We take the blue tram to work.", "we take the blue tram to work…")


async def fill(memory: AsyncBethink, space: AsyncSpace, clock: FrozenClock) -> None:
    """Something due for every sweep."""
    clock.now = NOON
    for number in range(3):
        clock.advance(DAY)
        await space.remember(
            f"The code of week {number} is on the note. It holds a day.", expires_at=clock.now + DAY
        )
        await space.facts.set("home", f"guest {number}", "Tom", expires_at=clock.now + DAY)
        await space.remember(SAME[number])
        await space.remember(
            f"Trip {number} went to the lake. It rained and we stayed in the hut until evening."
        )
        await space.remember(
            f"Parcel {number} came by post. The box was wet and the neighbour took it in for us."
        )
        gone = await space.remember(f"Old paper {number}")
        await space.update(gone.id, archived=True)
    await space.observe("mail", [{"content": "An invoice.", "platform": "mail"}, {"content": "Another."}])
    await memory.settle()
    clock.now = NOON + 120 * DAY


async def state(space: AsyncSpace) -> list[Any]:
    memories = [*await space.list(limit=1000), *await space.list(limit=1000, archived=True)]
    named = {one.id: one.content for one in memories}
    facts = await space.facts.list(limit=1000)
    history = [
        (one.key, one.valid_to) for n in range(3) for one in await space.facts.history("home", f"guest {n}")
    ]
    said = (await space.messages.list(limit=1000, original=True)).items
    return [
        sorted(
            (m.content, bool(m.archived_at), named.get(m.archived_into or "", ""), m.promoted)
            for m in memories
        ),
        sorted((fact.key, fact.value, fact.promoted, len(fact.provenance)) for fact in facts),
        sorted(history),
        sorted((one.content, one.tier, bool(one.archived_at)) for one in said),
        len((await space.index.preview("tram code lake post", limit=200, layers=["memory", "fact"])).hits),
    ]


@pytest.mark.parametrize("name", SWEEPS)
async def test_killed_anywhere_and_run_again_it_ends_in_the_same_state(
    home: Home, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with home.memory(lifecycle=SETTINGS) as memory:
        core, _ = await memory.inside.here()
        fuse = Fuse(core.driver, monkeypatch)
        with FrozenClock(NOON) as clock:
            clean = memory.space(f"{memory.name}-clean")
            await fill(memory, clean, clock)
            before = await state(clean)
            fuse.set(-1, after=False)
            await sweep(clean, name)
            steps = fuse.count
            await memory.settle()
            expected = await state(clean)
            assert expected != before
            await sweep(clean, name)
            await memory.settle()
            assert await state(clean) == expected, "twice changes nothing"
            for step in chosen(steps, 4):
                for after in (False, True):
                    space = memory.space(f"{memory.name}-{step}-{after}")
                    fuse.set(-1, after=False)
                    await fill(memory, space, clock)
                    fuse.set(step, after=after)
                    with pytest.raises(Killed):
                        await sweep(space, name)
                    fuse.set(-1, after=False)
                    await sweep(space, name)
                    await memory.settle()
                    assert await state(space) == expected, f"killed at step {step}"


@pytest.mark.parametrize("name", SWEEPS)
async def test_two_at_once_handle_each_due_record_once(home: Home, name: str) -> None:
    async with home.memory(lifecycle=SETTINGS) as one, home.memory(lifecycle=SETTINGS) as other:
        with FrozenClock(NOON) as clock:
            await fill(one, one, clock)
            runs = await asyncio.gather(*(memory.upkeep.run(name) for memory in (one, other, one, other)))
            assert {run.status for run in runs} <= {"done", "skipped_locked"}
            done: Counter[str] = Counter()
            for run in runs:
                done.update(run.counts)
            assert {kind: done[kind] for kind in SWEEPS[name]} == SWEEPS[name]
            assert (await other.upkeep.run(name)).counts == {}
