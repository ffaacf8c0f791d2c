"""One run of a sweep in a space: under its lease, batch by batch, and then into the history."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Literal

from bethink.clock import new_id, now
from bethink.contracts import Sweep
from bethink.errors import BethinkError
from bethink.records import Run, RunStatus, Space
from bethink.shapes.outcomes import Progress
from bethink.stages import stage
from bethink.store import Driver, Tx, leases, runs

LEASE = timedelta(seconds=10)  # what a process that was killed keeps others waiting
WAIT_SECONDS = 0.2  # before asking again for a lease that another process holds
LOST = "another process has taken over, since this one stood still for too long"
# Who began it: a change of the space, the schedule, or somebody who waits for what comes of it.
Origin = Literal["nudge", "schedule", "demand"]
Told = Callable[[Progress], None]
Key = tuple[str, str]  # the name of a sweep and the id of a space


class Attempt:
    """A run that is to be, is under way or has ended. Whoever holds it sees how far it is."""

    def __init__(
        self,
        sweep: Sweep,
        space: Space,
        origin: Origin,
        *,
        about: frozenset[str] | None = None,
        progress: Told | None = None,
        total: int | None = None,
        dry_run: bool = False,
    ) -> None:
        self.sweep, self.space, self.origin, self.dry_run = sweep, space, origin, dry_run
        self._about, self._tell, self._total = about, progress, total
        self._id, self._counts = new_id(), Counter[str]()
        self.started_at = now()
        self.finished_at: datetime | None = None
        self.progress = Progress(done=0, total=total or 0)
        self.status = RunStatus.DONE
        self.error: Exception | None = None
        self.problem: str | None = None

    @property
    def key(self) -> Key:
        """Of all runs with this key, one at a time is under way."""
        return self.sweep.name, self.space.id

    @property
    def run(self) -> Run:
        """What it did, for whoever asked for it."""
        return Run.made(
            id=self._id,
            space_id=self.space.id,
            sweep=self.sweep.name,
            started_at=self.started_at,
            finished_at=self.finished_at or now(),
            status=self.status,
            done=self.progress.done,
            counts={kind: number for kind, number in sorted(self._counts.items()) if number},
            error=self.problem,
            dry_run=self.dry_run,
        )

    async def work(self, driver: Driver, token: str, patience: float) -> None:
        """Run it, once the lease is there, which is waited for so many seconds; failures are kept in it."""
        lease: str | None = None
        try:
            if self.origin != "demand" and not await self.sweep.enabled(self.space):
                return
            lease = f"{self.sweep.name}:{self.space.id}"
            if await _take(driver, lease, token, patience):
                async with leases.renewed(driver, lease, token, LEASE) as lost:
                    await self._do(lost)
            else:
                self.status = RunStatus.SKIPPED_LOCKED
        except asyncio.CancelledError:
            self.status = RunStatus.CANCELLED
            raise
        except Exception as error:  # of whatever kind: no sweep may keep the others from running
            self._fail(error)
        finally:  # also when the memory is closed, so that whoever opens it next need not wait
            await self._end(driver, lease, token)

    async def count(self, driver: Driver) -> None:
        """Only count what it would do. No lease is needed for that."""
        try:
            self._counts.update(await self.sweep.dry_run(self.space))
        except Exception as error:
            self._fail(error)
        await self._end(driver)

    async def skip(self, driver: Driver) -> None:
        """Do not run: another run of it is under way in this process."""
        self.status = RunStatus.SKIPPED_LOCKED
        await self._end(driver)

    async def _do(self, lost: asyncio.Event) -> None:
        if self._total is None and self._tell:
            self._total = await self.sweep.due(self.space)
            self.progress = Progress(done=0, total=self._total)
        kind = self.sweep.name.partition(":")[0]
        with stage(f"sweep.{kind}"):
            async with aclosing(self.sweep.batches(self.space, self._about)) as batches:
                async for batch in batches:
                    self._counts.update(batch.counts)
                    if batch.done:
                        done = self.progress.done + batch.done
                        self.progress = Progress(done=done, total=max(self._total or 0, done))
                        if self._tell:
                            self._tell(self.progress)
                    if lost.is_set():
                        self.status, self.problem = RunStatus.CANCELLED, LOST
                        return

    def _fail(self, error: Exception) -> None:
        self.status, self.error = RunStatus.FAILED, error
        self.problem = (
            error.message if isinstance(error, BethinkError) else f"{type(error).__name__}: {error}"
        )

    async def _end(self, driver: Driver, lease: str | None = None, token: str = "") -> None:
        self.finished_at = now()
        row = None
        if self._is_worth_a_row(began=lease is not None):
            row = self.run.model_copy(update={"error": _kind(self.error)})
        if lease or row:
            await driver.write(_close, lease, token, row)

    def _is_worth_a_row(self, *, began: bool) -> bool:
        """Whatever was asked for is; of what ran by itself, what did something or failed."""
        if self.origin == "demand" or self.error:
            return True
        if self.status is RunStatus.SKIPPED_LOCKED or not began:
            return False
        return self.origin == "schedule" or any(self._counts.values())


def _close(tx: Tx, lease: str | None, token: str, row: Run | None) -> None:
    if lease:
        leases.release(tx, lease, token)
    if row:
        runs.add(tx, row)


def _kind(error: Exception | None) -> str | None:
    """What can be kept of an error: its words may quote a text, as hosts of models do in theirs."""
    if isinstance(error, BethinkError):
        return (type(error).__doc__ or type(error).__name__).strip()
    return type(error).__name__ if error else None


async def _take(driver: Driver, lease: str, token: str, patience: float) -> bool:
    clock = asyncio.get_running_loop().time
    until = clock() + patience
    while not await driver.write(leases.take, lease, token, now(), LEASE):
        if clock() >= until:
            return False
        await asyncio.sleep(WAIT_SECONDS)
    return True
