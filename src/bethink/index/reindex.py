"""Making missing vectors on demand, in the background, with progress that can be looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bethink.clock import now
from bethink.errors import BethinkError, ModelError
from bethink.index.backfill import Backfill
from bethink.index.describe import Style
from bethink.index.redescribe import redescribe
from bethink.records import Space
from bethink.shapes.outcomes import Progress
from bethink.shapes.status import ReindexStarted, ReindexStatus
from bethink.store import Driver, Tx, entries


@dataclass
class _Run:
    """A reindex that was started here."""

    started_at: datetime
    progress: Progress
    finished_at: datetime | None = None
    error: str | None = None


class Reindexes:
    """The reindex of each space, at most one at a time in this process.

    What is to be made is in the rows, so one that a restart cut short goes on when it is started again, or
    bit by bit with the searches and writes that come.
    """

    def __init__(self, driver: Driver, backfill: Backfill, style: Style) -> None:
        self._driver, self._backfill, self._style = driver, backfill, style
        self._runs: dict[str, _Run] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self, space: Space, *, force: bool) -> ReindexStarted:
        """Make what is missing, or with `force` everything anew, in the background."""
        if not self._is_running(space):
            pending = await self._backfill.pending(space)  # raises while the model cannot be used
            if force:
                await self._driver.write(entries.unembed, space)
                pending = await self._backfill.pending(space)
            if not self._is_running(space):
                run = self._runs[space.id] = _Run(now(), Progress(done=0, total=pending))
                self._tasks[space.id] = asyncio.create_task(self._make(space, run, force))
                return ReindexStarted(started=True, pending=pending)
        return ReindexStarted(started=False, pending=await self._backfill.pending(space))

    async def status(self, space: Space) -> ReindexStatus:
        """How far it has come; `pending` is counted in the rows, whoever makes the vectors."""
        try:
            pending = await self._backfill.pending(space)
        except ModelError:
            pending = await self._driver.read(_all, space.id)
        run = self._runs.get(space.id)
        running = self._is_running(space) or self._backfill.is_sweeping(space)
        if run is None:
            return ReindexStatus(running=running, pending=pending)
        return ReindexStatus(
            running=running,
            pending=pending,
            done=run.progress.done,
            total=run.progress.total,
            started_at=run.started_at,
            finished_at=run.finished_at,
            error=run.error,
        )

    async def close(self) -> None:
        """Stop after the batch under way."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _is_running(self, space: Space) -> bool:
        task = self._tasks.get(space.id)
        return task is not None and not task.done()

    async def run(self, space: Space, *, force: bool, progress: Callable[[Progress], None] | None) -> int:
        """Make what is missing, or with `force` everything anew, now; how many vectors were made."""
        if force:
            await self._driver.write(entries.unembed, space)
            await redescribe(self._driver, space, self._style)
        return await self._backfill.run(space, progress)

    async def _make(self, space: Space, run: _Run, force: bool) -> None:
        def note(progress: Progress) -> None:
            run.progress = progress

        try:
            await self.run(space, force=force, progress=note)
        except BethinkError as error:
            run.error = error.message
            self._backfill.last_failure = (error.message, now())
        finally:
            run.finished_at = now()


def _all(tx: Tx, space_id: str) -> int:
    return sum(total for total, _ in entries.count(tx, space_id, "").values())
