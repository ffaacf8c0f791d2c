"""Runs: what is kept of each sweep, and for how long."""

from __future__ import annotations

from datetime import timedelta

from bethink.records import Space
from bethink.store import Driver, runs, spaces
from bethink.store.runs import KEPT
from tests.store import samples
from tests.store.samples import NOW

SECOND = timedelta(seconds=1)


async def test_a_run_comes_back_as_it_was(store: Driver, space: Space) -> None:
    full = samples.run(
        space,
        started_at=NOW - SECOND,
        status="failed",
        done=3,
        error="It broke.",
        counts={"a": 1},
        dry_run=True,
    )
    await store.write(runs.add, full)
    assert await store.read(runs.newest, space.id, limit=9) == [full]


async def test_the_newest_of_each_status_are_kept_and_a_failure_outlives_what_went_well(
    store: Driver, space: Space
) -> None:
    failed = samples.run(space, status="failed", started_at=NOW - SECOND)
    await store.write(runs.add, failed)
    for number in range(KEPT + 3):
        await store.write(runs.add, samples.run(space, started_at=NOW + number * SECOND, done=number))
    await store.write(runs.add, samples.run(space, "other"))
    found = await store.read(runs.newest, space.id, sweep="tidy", limit=1000)
    assert [run.done for run in found[:-1]] == list(range(KEPT + 2, 2, -1))
    assert found[-1] == failed
    assert len(await store.read(runs.newest, space.id, limit=1000)) == KEPT + 2


async def test_when_a_sweep_last_began_is_told_of_every_space_without_its_dry_runs(
    store: Driver, space: Space, other: Space
) -> None:
    for number in range(3):
        await store.write(runs.add, samples.run(space, started_at=NOW + number * SECOND, status="failed"))
    await store.write(runs.add, samples.run(other, started_at=NOW + 9 * SECOND, dry_run=True))
    await store.write(runs.add, samples.run(other, started_at=NOW))
    await store.write(runs.add, samples.run(other, "another"))
    assert await store.read(runs.last_starts, ["tidy"]) == {
        ("tidy", space.id): NOW + 2 * SECOND,
        ("tidy", other.id): NOW,
    }


async def test_a_run_of_a_space_that_is_gone_is_not_kept(store: Driver, other: Space) -> None:
    await store.write(runs.add, samples.run(other))
    await store.write(spaces.remove, other, NOW)
    await store.write(runs.add, samples.run(other))
    assert await store.read(runs.newest, other.id, limit=9) == []
