"""The one runner of every sweep: nudged by changes, on demand, by schedule, and for what others left undone.

At most one run of a sweep is under way in a space at a time, whoever began it and in whichever process.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping
from datetime import datetime
from math import inf
from typing import Any

from bethink.clock import new_id, now
from bethink.contracts import Sweep
from bethink.errors import BethinkError, Closed, ModelError, NotFound
from bethink.records import Run, RunStatus, Space
from bethink.store import Driver, leases, runs, spaces
from bethink.upkeep.attempt import LEASE, Attempt, Key, Told
from bethink.upkeep.schedule import next_start

LOST_LEASE_SECONDS = LEASE.total_seconds()  # how long a nudge waits for a lease that a dead process may hold
LONGEST_REST = 600.0  # seconds between two tries of a sweep whose model fails again and again
_log = logging.getLogger(__name__)


class Runner:
    """Runs the sweeps of an open memory. A failure of one stops no other, and is kept."""

    def __init__(self, driver: Driver, sweeps: Iterable[Sweep] = ()) -> None:
        self._driver, self._token = driver, new_id()
        self._sweeps = {sweep.name: sweep for sweep in sweeps}
        self._nudged: dict[Key, set[str | None]] = {}  # what of; None for everything
        self._tasks: dict[Key, asyncio.Task[None]] = {}  # of nudges
        self._others: set[asyncio.Task[None]] = set()  # on demand and by schedule
        self._timers: dict[tuple[Key, str], asyncio.TimerHandle] = {}
        self._locks: dict[Key, asyncio.Lock] = {}
        self._demanded: dict[Key, Attempt] = {}
        self._failures: dict[Key, tuple[str, datetime]] = {}
        self._in_vain: Counter[Key] = Counter()  # runs in a row that failed with their model
        self._closed = False

    @property
    def sweeps(self) -> Mapping[str, Sweep]:
        """Every sweep by its name."""
        return self._sweeps

    def add(self, sweep: Sweep) -> None:
        """Run a sweep from now on."""
        self._sweeps[sweep.name] = sweep

    def sweep(self, name: str) -> Sweep:
        """The sweep of this name."""
        if name not in self._sweeps:
            known = ", ".join(self._sweeps) or "none"
            raise NotFound(f"There is no sweep {name!r}; there are: {known}.", field="name")
        return self._sweeps[name]

    def nudge(self, name: str, space: Space, about: str | None = None) -> None:
        """Say that a space has work for a sweep: it runs soon, and again when nudged meanwhile.

        `about` names what the work is in, where the sweep need not look everywhere.
        """
        if self._closed:
            return
        key = (name, space.id)
        self._nudged.setdefault(key, set()).add(about)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._follow(self._sweeps[name], space))

    def nudge_later(self, name: str, space: Space, seconds: float) -> None:
        """Nudge a sweep after so long; if that is said again meanwhile, from then on."""
        self._later(name, space, seconds, {None}, "rest")

    def look(self, space: Space) -> None:
        """Let every sweep see what is due anywhere in a space, but for those that keep to a schedule."""
        for sweep in self._sweeps.values():
            if sweep.schedule is None:
                self.nudge(sweep.name, space)

    async def run(
        self, name: str, space: Space, *, dry_run: bool = False, progress: Told | None = None
    ) -> Run:
        """Run a sweep now and tell what came of it: `skipped_locked` while another run of it is under way.

        A dry run only counts.
        """
        attempt = Attempt(self.sweep(name), space, "demand", progress=progress, dry_run=dry_run)
        await self._own(attempt.count(self._driver) if dry_run else self._execute(attempt, 0))
        return attempt.run

    async def finish(self, sweep: Sweep, space: Space, *, progress: Told | None = None) -> Run:
        """Run a sweep now, after whoever is at it; raises what it fails with.

        `sweep` may be another form of the one that has its name, for this once.
        """
        attempt = Attempt(sweep, space, "demand", progress=progress)
        await self._own(self._execute(attempt, inf))
        if attempt.error:
            raise attempt.error
        return attempt.run

    def start(self, sweep: Sweep, space: Space, *, total: int) -> bool:
        """Like `finish`, in the background; False when somebody has demanded a run that is under way."""
        before = self.demanded(sweep.name, space)
        if self._closed or (before and before.finished_at is None):
            return False
        attempt = Attempt(sweep, space, "demand", total=total)
        self._demanded[attempt.key] = attempt
        self._spawn(self._execute(attempt, inf))
        return True

    def demanded(self, name: str, space: Space) -> Attempt | None:
        """The last run of a sweep that was demanded in this process."""
        return self._demanded.get((name, space.id))

    def is_running(self, name: str, space: Space) -> bool:
        """Whether a run of a sweep is under way in this process."""
        key = (name, space.id)
        lock, demanded = self._locks.get(key), self._demanded.get(key)
        waits = demanded is not None and demanded.finished_at is None
        return key in self._tasks or waits or (lock is not None and lock.locked())

    @property
    def running(self) -> int:
        """How many runs are under way."""
        return len(self._tasks) + len(self._others)

    def last_failure(self, name: str, space: Space) -> tuple[str, datetime] | None:
        """What a sweep last failed with in a space, and when."""
        return self._failures.get((name, space.id))

    def forget(self, space: Space) -> None:
        """Let go of what is kept of a space, but for runs under way: an error's words may quote a text."""
        for key in [key for key in self._failures if key[1] == space.id]:
            del self._failures[key]
        for key in [key for key in self._in_vain if key[1] == space.id]:
            del self._in_vain[key]
        for key, attempt in list(self._demanded.items()):
            if key[1] == space.id and attempt.finished_at is not None:
                del self._demanded[key]
        for key in [key for key in self._locks if key[1] == space.id]:
            # Who waits for a lock is one of these; without them nobody does.
            if key not in self._tasks and not self._others:
                del self._locks[key]

    async def history(self, space: Space, name: str | None, limit: int) -> list[Run]:
        """The newest runs in a space, of one sweep or of all."""
        return await self._driver.read(runs.newest, space.id, sweep=name, limit=limit)

    async def catch_up(self) -> None:
        """Go on with what was left undone in any space, one space after the other."""
        for space in await self._driver.read(spaces.list_all):
            self.look(space)
            await self.settle(space)

    def visit(self, name: str) -> None:
        """Nudge a sweep in every space, one after the other, in the background."""
        if not self._closed:
            self._spawn(self._visit(name))

    async def _visit(self, name: str) -> None:
        for space in await self._driver.read(spaces.list_all):
            self.nudge(name, space)
            await self.settle(space)

    async def take_over(self) -> list[Space]:
        """Go on with what a process was at that died: its leases have ended, and nobody let go of them.

        The spaces where there was something.
        """
        left = await self._driver.read(leases.abandoned, now())
        if not left:
            return []
        held = [lease.rpartition(":") for lease in left]
        ids = {space_id for _, _, space_id in held}
        owners = {space.id: space for space in await self._driver.read(spaces.list_all) if space.id in ids}
        for space in owners.values():
            self.look(space)
        for name, _, space_id in held:  # also one that keeps to a schedule
            if name in self._sweeps and space_id in owners:
                self.nudge(name, owners[space_id])
        await self._driver.write(leases.clear, left, now())
        return list(owners.values())

    async def keep_to_schedules(self) -> None:
        """Begin the runs whose time has come."""
        timed = {name: sweep for name, sweep in self._sweeps.items() if sweep.schedule}
        if not timed:
            return
        last = await self._driver.read(runs.last_starts, list(timed))
        for space in await self._driver.read(spaces.list_all):
            for name, sweep in timed.items():
                since = last.get((name, space.id), space.created_at)
                place = f"{name}:{space.id}"
                if sweep.schedule and next_start(sweep.schedule, since, space.timezone, place) <= now():
                    self._spawn(self._execute(Attempt(sweep, space, "schedule"), 0))

    async def settle(self, space: Space | None = None) -> None:
        """Wait for what is under way, and for what follows from it; of one space, or of all."""
        while tasks := self._under_way(space):
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Stop; of a batch under way nothing stays unless it was committed. Leases are let go of."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        under_way = self._under_way()
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _under_way(self, space: Space | None = None) -> list[asyncio.Task[None]]:
        of_nudges = [task for key, task in self._tasks.items() if space is None or key[1] == space.id]
        others = self._others if space is None else ()
        return [task for task in (*of_nudges, *others) if not task.done()]

    async def _follow(self, sweep: Sweep, space: Space) -> None:
        """Run a sweep while there are nudges for it."""
        key = (sweep.name, space.id)
        try:
            while nudges := self._nudged.pop(key, None):
                if not await _is_wanted(sweep, space):  # as where nothing makes vectors, after every write
                    continue
                about = None if None in nudges else frozenset(one for one in nudges if one is not None)
                attempt = Attempt(sweep, space, "nudge", about=about)
                await self._execute(attempt, LOST_LEASE_SECONDS)
                if attempt.status is RunStatus.SKIPPED_LOCKED:
                    # It may die, and nobody else may come.
                    self._later(sweep.name, space, LOST_LEASE_SECONDS, nudges, "lease")
        finally:
            del self._tasks[key]  # at once after the last look at the nudges

    async def _execute(self, attempt: Attempt, patience: float) -> None:
        lock = self._locks.setdefault(attempt.key, asyncio.Lock())
        try:
            if lock.locked() and not patience:
                await attempt.skip(self._driver)
                return
            async with lock:
                await attempt.work(self._driver, self._token, patience)
        except BethinkError as error:  # what it did is committed; that it did so could not be kept
            _log.warning("A run of %s is not in the history: %s", attempt.sweep.name, error.message)
            self._failures[attempt.key] = (error.message, now())
        if attempt.error:
            self._note(attempt, attempt.error)
        if isinstance(attempt.error, ModelError) and attempt.error.retry_after is not None:
            self._try_again(attempt, attempt.error.retry_after)
        elif attempt.status is RunStatus.DONE:
            del self._in_vain[attempt.key]

    def _try_again(self, attempt: Attempt, seconds: float) -> None:
        """Run a sweep again when its model may work again; less and less often while it does not."""
        rest = min(2.0 ** min(self._in_vain[attempt.key], 16), LONGEST_REST)
        self._in_vain[attempt.key] += 1
        self._later(attempt.sweep.name, attempt.space, max(rest, seconds), {None}, "model")

    def _note(self, attempt: Attempt, error: Exception) -> None:
        self._failures[attempt.key] = (attempt.problem or "", now())
        if not isinstance(error, BethinkError):
            _log.error("The sweep %s has a defect", attempt.sweep.name, exc_info=error)
        elif attempt.origin != "demand":  # else whoever asked for it is told
            text = "The sweep %s stopped, and goes on when it next runs: %s"
            _log.warning(text, attempt.sweep.name, error.message)

    def _later(self, name: str, space: Space, seconds: float, nudges: set[str | None], why: str) -> None:
        if self._closed:
            return
        place = ((name, space.id), why)
        if timer := self._timers.pop(place, None):
            timer.cancel()

        def begin() -> None:
            del self._timers[place]
            for about in nudges:
                self.nudge(name, space, about)

        self._timers[place] = asyncio.get_running_loop().call_later(seconds, begin)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        return task

    async def _own(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for work of this runner, which stops when the runner is closed."""
        task = self._spawn(work)
        try:
            await task
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if self._closed and waiting and not waiting.cancelling():
                raise Closed from None
            raise


async def _is_wanted(sweep: Sweep, space: Space) -> bool:
    """Whether a sweep is to run in a space; one that cannot say is run, and what it fails with is kept."""
    try:
        return await sweep.enabled(space)
    except Exception:
        return True
