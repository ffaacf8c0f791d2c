"""What the runner gives every sweep, seen with one that is defined by the contract alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import time, timedelta
from typing import Any

import pytest

from bethink import Closed, ModelError, NotFound
from bethink.clock import new_id, now
from bethink.contracts import Schedule
from bethink.records import RunStatus, Space
from bethink.settings import StoreSettings
from bethink.shapes.outcomes import Progress
from bethink.store import Driver, connect, leases, settings, spaces
from bethink.testing import FrozenClock
from bethink.upkeep import Runner
from tests.upkeep.toys import Tidying, mess, times_tidied


class Process:
    """A runner with a connection of its own, as every process has."""

    def __init__(self, driver: Driver, space: Space, **fields: Any) -> None:
        self.driver, self.space = driver, space
        self.tidying = Tidying(driver, **fields)
        self.runner = Runner(driver, [self.tidying])

    async def run(self, **options: Any) -> Any:
        return await self.runner.run("tidy", self.space, **options)

    async def history(self) -> list[tuple[str, int]]:
        """Status and how much was done, newest first."""
        found = await self.runner.history(self.space, None, 100)
        return [(run.status.value, run.done) for run in found]

    async def tidied(self) -> list[int]:
        return await self.driver.read(times_tidied, self.space)


class Machines:
    """Processes over one database."""

    def __init__(self, url: str, closing: AsyncExitStack) -> None:
        self._url, self._closing = url, closing

    async def process(self, **fields: Any) -> Process:
        driver = await connect(self._url, StoreSettings())
        self._closing.push_async_callback(driver.close)
        process = Process(driver, await driver.write(spaces.ensure, "home", now()), **fields)
        self._closing.push_async_callback(process.runner.close)
        return process


@pytest.fixture
async def machines(database_url: str) -> AsyncIterator[Machines]:
    async with AsyncExitStack() as closing:
        yield Machines(database_url, closing)


@pytest.fixture
async def one(machines: Machines) -> Process:
    process = await machines.process()
    await process.driver.write(mess, process.space, 5)
    return process


async def test_a_run_on_demand_tells_its_progress_and_is_kept(one: Process) -> None:
    steps: list[Progress] = []
    run = await one.run(progress=steps.append)
    assert (run.status, run.done, run.counts, run.error) == ("done", 5, {"tidied": 5}, None)
    assert [(step.done, step.total) for step in steps] == [(2, 5), (4, 5), (5, 5)]
    assert await one.runner.history(one.space, "tidy", 9) == [run]
    assert run.started_at <= run.finished_at
    assert await one.tidied() == [1, 1, 1, 1, 1]


async def test_a_dry_run_counts_and_changes_nothing(one: Process) -> None:
    before = await one.driver.read(settings.of_space, one.space.id)
    run = await one.run(dry_run=True)
    assert (run.status, run.counts, run.done, run.dry_run) == ("done", {"due": 5}, 0, True)
    assert await one.driver.read(settings.of_space, one.space.id) == before
    assert [kept.dry_run for kept in await one.runner.history(one.space, None, 9)] == [True]


async def test_of_two_processes_one_runs_and_the_other_answers_that_it_is_locked(
    machines: Machines, one: Process
) -> None:
    other = await machines.process()
    one.tidying.go_on.clear()
    running = asyncio.create_task(one.run())
    await one.tidying.asked.wait()
    locked = await other.run()
    assert (locked.status, locked.done) == ("skipped_locked", 0)
    assert (await one.run()).status == "skipped_locked"
    one.tidying.go_on.set()
    assert (await running).done == 5
    assert (await other.run()).done == 0
    assert await one.tidied() == [1, 1, 1, 1, 1], "each once"
    assert sorted(await other.history()) == [
        ("done", 0), ("done", 5), ("skipped_locked", 0), ("skipped_locked", 0),
    ]  # fmt: skip


async def test_two_processes_that_are_nudged_at_once_do_everything_once(
    machines: Machines, one: Process
) -> None:
    other = await machines.process()
    for process in (one, other, one, other):
        process.runner.nudge("tidy", process.space)
    await asyncio.gather(one.runner.settle(), other.runner.settle())
    assert await one.tidied() == [1, 1, 1, 1, 1]
    assert await one.history() == [("done", 5)], "who found nothing to do leaves no row"


async def test_who_waits_for_a_run_goes_on_after_whoever_is_at_it(machines: Machines, one: Process) -> None:
    other = await machines.process()
    one.tidying.go_on.clear()
    one.runner.nudge("tidy", one.space)
    await one.tidying.asked.wait()
    waiting = asyncio.create_task(other.runner.finish(other.tidying, other.space))
    one.tidying.go_on.set()
    assert (await waiting).status is RunStatus.DONE
    assert await one.tidied() == [1, 1, 1, 1, 1]


async def test_a_nudge_while_it_runs_makes_it_look_again(one: Process) -> None:
    one.tidying.go_on.clear()
    one.runner.nudge("tidy", one.space, "kitchen")
    await one.tidying.asked.wait()
    for about in ("bath", "attic", "bath"):
        one.runner.nudge("tidy", one.space, about)
    assert one.runner.running == 1
    assert one.runner.is_running("tidy", one.space)
    one.tidying.go_on.set()
    await one.runner.settle()
    assert one.tidying.seen == [frozenset({"kitchen"}), frozenset({"bath", "attic"})]
    one.runner.nudge("tidy", one.space, "bath")
    one.runner.nudge("tidy", one.space)
    await one.runner.settle()
    assert one.tidying.seen[2:] == [None], "everything holds every part"
    assert one.runner.running == 0


@pytest.mark.parametrize("kept_open", [True, False])
async def test_what_is_cut_short_is_finished_by_the_next_run(
    machines: Machines, one: Process, kept_open: bool
) -> None:
    cut = asyncio.Event()

    def cut_after_the_first(progress: Progress) -> None:
        cut.set()
        one.tidying.asked.clear()
        one.tidying.go_on.clear()
        assert progress.done == 2

    running = asyncio.create_task(one.run(progress=cut_after_the_first))
    await cut.wait()
    await one.tidying.asked.wait()  # for the second batch
    if kept_open:
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    else:
        await one.runner.close()
        with pytest.raises(Closed):
            await running
    assert await one.history() == [("cancelled", 2)]
    assert (await one.driver.read(leases.abandoned, now() + timedelta(days=1))) == [], (
        "the lease is let go of"
    )
    other = await machines.process()
    assert (await other.run()).done == 3
    assert await one.tidied() == [1, 1, 1, 1, 1]


async def test_a_closed_runner_takes_no_nudge(one: Process) -> None:
    await one.runner.close()
    one.runner.nudge("tidy", one.space)
    one.runner.nudge_later("tidy", one.space, 0)
    await one.runner.settle()
    assert one.tidying.seen == []


async def killed(process: Process) -> None:
    """As after a kill in the middle: a lease that has ended, and that nobody let go of."""
    lease = (f"tidy:{process.space.id}", new_id(), now() - timedelta(minutes=1), timedelta(seconds=1))
    await process.driver.write(leases.take, *lease)


async def test_what_a_process_left_that_was_killed_is_taken_over(machines: Machines, one: Process) -> None:
    other = await machines.process()
    assert await other.runner.take_over() == []
    await killed(one)
    assert await other.runner.take_over() == [other.space]
    await other.runner.settle()
    assert await other.tidied() == [1, 1, 1, 1, 1]
    assert await other.runner.take_over() == []


async def test_a_scheduled_sweep_that_was_killed_is_taken_over_too(machines: Machines) -> None:
    process = await machines.process(schedule=Schedule(at=time(3)))
    await process.driver.write(mess, process.space, 1)
    await process.runner.catch_up()
    assert await process.tidied() == [0], "it waits for its time"
    await killed(process)
    await process.runner.take_over()
    await process.runner.settle()
    assert await process.tidied() == [1]


async def test_catching_up_goes_through_every_space(one: Process) -> None:
    other = await one.driver.write(spaces.ensure, "another", now())
    await one.driver.write(mess, other, 3)
    await one.runner.catch_up()
    assert await one.tidied() == [1, 1, 1, 1, 1]
    assert await one.driver.read(times_tidied, other) == [1, 1, 1]


@pytest.mark.parametrize("error", [ModelError("It said: my secret."), KeyError("my secret")])
async def test_a_failure_stops_no_other_sweep_or_space_and_is_kept_without_its_words(
    one: Process, error: Exception
) -> None:
    other = await one.driver.write(spaces.ensure, "another", now())
    well = Tidying(one.driver, "well")
    one.runner.add(well)
    one.tidying.broken = error
    await one.driver.write(mess, other, 1)
    one.runner.nudge("tidy", one.space)
    one.runner.nudge("well", other)
    await one.runner.settle()
    assert await one.driver.read(times_tidied, other) == [1]
    (failed,) = await one.runner.history(one.space, None, 9)
    assert (failed.status, failed.sweep) == ("failed", "tidy")
    assert "secret" not in str(failed.error)
    message, _ = one.runner.last_failure("tidy", one.space) or ("", None)
    assert "my secret" in message
    assert one.runner.last_failure("tidy", other) is None
    asked = await one.run()
    assert (asked.status, "my secret" in asked.error) == ("failed", True), "who asks is told"
    with pytest.raises(type(error)):
        await one.runner.finish(one.tidying, one.space)
    one.tidying.broken = None
    assert (await one.run()).done == 5


async def test_who_has_lost_the_lease_stops_after_the_batch_under_way(
    one: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def lost(*_: object) -> AsyncIterator[asyncio.Event]:
        event = asyncio.Event()
        event.set()
        yield event

    monkeypatch.setattr(leases, "renewed", lost)
    run = await one.run()
    assert (run.status, run.done) == ("cancelled", 2)
    monkeypatch.undo()
    assert (await one.run()).done == 3
    assert await one.tidied() == [1, 1, 1, 1, 1]


async def test_a_sweep_runs_by_its_schedule_and_not_before(machines: Machines) -> None:
    with FrozenClock() as clock:
        process = await machines.process(schedule=Schedule(every=timedelta(hours=1)))
        for minutes, history in ((59, []), (1, [("done", 0)]), (30, [("done", 0)]), (31, [("done", 0)] * 2)):
            clock.advance(timedelta(minutes=minutes))
            await process.runner.keep_to_schedules()
            await process.runner.settle()
            assert await process.history() == history


async def test_a_scheduled_run_that_takes_long_is_not_begun_twice(machines: Machines) -> None:
    with FrozenClock() as clock:
        process = await machines.process(schedule=Schedule(every=timedelta(hours=1)))
        await process.driver.write(mess, process.space, 1)
        process.tidying.go_on.clear()
        clock.advance(timedelta(hours=2))
        await process.runner.keep_to_schedules()
        await process.tidying.asked.wait()
        await process.runner.keep_to_schedules()
        process.tidying.go_on.set()
        await process.runner.settle()
        assert await process.history() == [("done", 1)]


async def test_an_unknown_sweep_is_not_found(one: Process) -> None:
    with pytest.raises(NotFound, match="there are: tidy"):
        await one.runner.run("dust", one.space)
