"""Keeps every extractor up with the conversations: nudged by new messages, and run on demand.

What is due is in the rows. So a crash loses nothing, a process that was not running catches up when it is,
and two processes that share a database take turns by a lease.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from bethink.clock import new_id, now
from bethink.core import Core
from bethink.errors import BethinkError
from bethink.extraction.reader import Reader
from bethink.records import Space
from bethink.shapes.outcomes import ExtractRun
from bethink.stages import stage
from bethink.store import extractions, leases

STALE = "stale"  # the extractor after which the narrative is written anew
SESSIONS = 1000  # looked at in one round
RETRIES = 1000  # failed readings tried again in one run
FULL_LOOK_SECONDS = 60.0  # how often a nudge also looks for what other sessions have left unread
LEASE = timedelta(seconds=10)  # what a process that was killed keeps others waiting
WAIT_SECONDS = 0.2  # before asking again for a lease that another process holds
_log = logging.getLogger(__name__)


class Readings:
    """The readers of every extractor that can be used, and what they have to do."""

    def __init__(
        self,
        core: Core,
        readers: Mapping[str, Reader],
        narrate: Callable[[Space], Awaitable[str | None]],
        rest: timedelta,
    ) -> None:
        self._core, self._readers = core, readers
        self._driver, self._options = core.driver, core.options
        self._narrate, self._rest = narrate, rest
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._token = new_id()
        self._nudged: dict[tuple[str, str], set[str]] = {}
        self._looked: dict[tuple[str, str], float] = {}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._closed = False

    def nudge(self, space: Space, session_id: str) -> None:
        """Read what is new in a session soon, in the background; and once more when it has rested."""
        for name in self._readers:
            self._start(space, name, {session_id})
        if STALE in self._readers and not self._closed:
            self._look_later(space)

    def can(self, name: str) -> bool:
        """Whether an extractor can be used."""
        return name in self._readers

    def look(self, space: Space) -> None:
        """Read soon what is due anywhere in a space."""
        for name in self._readers:
            self._looked.pop((space.id, name), None)
            self._start(space, name, set())

    def _start(self, space: Space, name: str, sessions: set[str]) -> None:
        if self._closed:
            return
        self._nudged.setdefault((space.id, name), set()).update(sessions)
        task = self._tasks.get((space.id, name))
        if task is None or task.done():
            self._tasks[space.id, name] = asyncio.create_task(self._sweep(space, name))

    def _look_later(self, space: Space) -> None:
        if timer := self._timers.pop(space.id, None):
            timer.cancel()
        later = self._rest.total_seconds() + 1
        self._timers[space.id] = asyncio.get_running_loop().call_later(later, self.look, space)

    async def run(self, space: Space, *, retry: bool = False) -> ExtractRun:
        """Read everything that is due now; with `retry` also what failed before."""
        done = ExtractRun()
        options = await self._options.look(space)
        for name in options.extractors:
            if name not in self._readers:
                done.unavailable.append(name)
                continue
            async with self._lease(space, name):
                if retry:
                    await self._retry(space, name, done)
                unread = await self._driver.read(extractions.behind, space.id, name, SESSIONS)
                await self._read(space, name, unread, done)
            await self._after(space, name, done)
        return done

    @property
    def running(self) -> int:
        """How many sweeps are under way."""
        return sum(not task.done() for task in self._tasks.values())

    async def settle(self) -> None:
        """Wait for what is under way."""
        await asyncio.gather(*self._tasks.values())

    async def close(self) -> None:
        """Stop; what was not read yet is read when the memory is next open."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _sweep(self, space: Space, name: str) -> None:
        try:
            while (due := self._nudged.pop((space.id, name), None)) is not None:
                if name not in (await self._options.of(space)).extractors:
                    return
                async with self._lease(space, name):
                    done = ExtractRun()
                    with stage("sweep.extract"):
                        await self._read(space, name, due | await self._left_behind(space, name), done)
                await self._after(space, name, done)
        except BethinkError as error:
            _log.warning("Reading by %s stopped and goes on with the next message: %s", name, error.message)

    async def _after(self, space: Space, name: str, done: ExtractRun) -> None:
        """What follows from something new: its vectors, and another narrative."""
        if not (done.stored or done.merged):
            return
        await self._core.changed("memory", space)
        if name == STALE and (problem := await self._narrate(space)):
            _log.warning("The narrative: %s", problem)

    async def _left_behind(self, space: Space, name: str) -> set[str]:
        """Sessions that nobody nudges any more, looked for now and then."""
        last = self._looked.get((space.id, name))
        if last is not None and time.monotonic() - last < FULL_LOOK_SECONDS:
            return set()
        self._looked[space.id, name] = time.monotonic()
        return set(await self._driver.read(extractions.behind, space.id, name, SESSIONS))

    async def _read(self, space: Space, name: str, sessions: Iterable[str], done: ExtractRun) -> None:
        for session_id in sorted(sessions):
            done.sessions += 1
            outcomes, failed = await self._readers[name].read_session(space, session_id)
            done.count(outcomes)
            done.failed += failed
            if failed:
                return  # who was asked may be down; the rest stays unread and is tried with the next look

    async def _retry(self, space: Space, name: str, done: ExtractRun) -> None:
        for failed in await self._driver.read(extractions.failed, space.id, now(), RETRIES):
            if failed.extractor != name:
                continue
            done.retried += 1
            outcomes, still = await self._readers[name].retry(space, failed)
            done.count(outcomes)
            done.failed += still

    @asynccontextmanager
    async def _lease(self, space: Space, name: str) -> AsyncIterator[None]:
        lease = _lease_name(space, name)
        async with self._locks.setdefault(lease, asyncio.Lock()):
            await self._take(lease)
            async with leases.prolonged(self._driver, lease, self._token, LEASE):
                yield

    async def _take(self, lease: str) -> None:
        while True:
            if await self._driver.write(leases.take, lease, self._token, now(), LEASE):
                return
            await asyncio.sleep(WAIT_SECONDS)


def _lease_name(space: Space, name: str) -> str:
    return f"extract:{name}:{space.id}"
