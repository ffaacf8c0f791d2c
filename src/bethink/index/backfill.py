"""Makes what is missing: a sweep over entries whose vectors are not of the current signature.

There is no queue to lose. A write only nudges the sweep of its space; a search makes the few that are
missing before it looks; a restart or another process goes on where the rows say.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from bethink.clock import new_id, now
from bethink.errors import ModelError, StoreError
from bethink.index.describe import Style
from bethink.index.makers import Maker
from bethink.nouns import NOUNS
from bethink.records import Layer, Record, Space
from bethink.shapes.outcomes import Progress
from bethink.stages import stage
from bethink.store import Driver, Tx, entries, leases, rows
from bethink.store.entries import Mark, Stale

BATCH = 256  # entries seen to per transaction: with fewer, the model waits for the database more often
LEASE = timedelta(seconds=60)  # of a sweep in the background, prolonged with every batch
Whole = dict[tuple[Layer, str], Record]  # records, by layer and id
_log = logging.getLogger(__name__)


class Backfill:
    """Keeps vectors up with their records."""

    def __init__(
        self,
        driver: Driver,
        makers: Sequence[Maker],
        *,
        style: Style,
        lazy_limit: int,
        tend: Callable[[Space, int], Awaitable[None]],
    ) -> None:
        self._driver, self._makers = driver, makers
        self._style, self._lazy_limit = style, lazy_limit
        self._token = new_id()
        self._locks: dict[tuple[str, Mark], asyncio.Lock] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._tend_index, self._tended = tend, dict[str, asyncio.Task[None]]()
        self._made: Counter[str] = Counter()  # vectors of a space that it has not been tended to for
        self._nudged: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closed = False
        self.last_failure: tuple[str, datetime] | None = None

    def nudge(self, space: Space) -> None:
        """See to what a space is missing soon, in the background."""
        if self._closed or not any(maker.enabled for maker in self._makers):
            return
        self._nudged.add(space.id)
        task = self._tasks.get(space.id)
        if task is None or task.done():
            self._tasks[space.id] = asyncio.create_task(self._sweep(space))

    def tend(self, space: Space) -> None:
        """See to what a space is missing, and to an index that someone may have left half made."""
        self._made[space.id] += 1
        self.nudge(space)

    async def catch_up(self, space: Space, maker: Maker) -> bool:
        """Before a search: make what is missing when it is little. False when much still waits."""
        current = await maker.ready()
        waiting = await self._driver.read(entries.stale, space.id, current, self._lazy_limit + 1, maker.mark)
        if len(waiting) > self._lazy_limit:
            self.nudge(space)
            return False
        if waiting:
            await self._make_some(space, maker, self._lazy_limit)
        return True

    async def run(self, space: Space, progress: Callable[[Progress], None] | None = None) -> int:
        """Make everything a space is missing; how many vectors were made. Raises when a model fails."""
        waiting = [(maker, await self.missing(space, maker)) for maker in self._makers if maker.enabled]
        total = sum(number for _, number in waiting)
        done = 0
        for maker, _ in waiting:
            while made := await self._make_some(space, maker, BATCH):
                done += made
                if progress:
                    progress(Progress(done=done, total=max(total, done)))
        return done

    async def pending(self, space: Space) -> int:
        """How much of every kind a space is missing. Raises `ModelError` while a model cannot be used."""
        return sum([await self.missing(space, maker) for maker in self._makers if maker.enabled])

    async def missing(self, space: Space, maker: Maker) -> int:
        """How many entries of a space a maker has still to see to."""
        counts = await self._driver.read(entries.count, space.id, await maker.ready(), maker.mark)
        return sum(total - made for total, made in counts.values())

    @property
    def running(self) -> int:
        """How many sweeps are under way."""
        return sum(not task.done() for task in self._tasks.values())

    def is_sweeping(self, space: Space) -> bool:
        """Whether a sweep of this space is under way in this process."""
        task = self._tasks.get(space.id)
        return task is not None and not task.done()

    async def settle(self) -> None:
        """Wait for the sweeps under way."""
        await asyncio.gather(*self._tasks.values())
        await asyncio.gather(*self._tended.values())

    async def close(self) -> None:
        """Stop after the batch under way."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        under_way = [*self._tasks.values(), *self._tended.values()]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _sweep(self, space: Space) -> None:
        while space.id in self._nudged:  # again, when a write came in after the last look
            self._nudged.discard(space.id)
            for maker in self._makers:
                try:
                    with stage("sweep.vectors"):
                        await self._sweep_with(space, maker)
                except (ModelError, StoreError) as error:
                    self.last_failure = (error.message, now())
                    _log.warning("Vectors are missing and search goes on without them: %s", error.message)
        if (task := self._tended.get(space.id)) is None or task.done():
            # Apart, since an index may take long to make, and new records must not wait for it.
            self._tended[space.id] = asyncio.create_task(self._tend_to(space))

    async def _tend_to(self, space: Space) -> None:
        try:
            while made := self._made.pop(space.id, 0):
                await self._tend_index(space, made)
        except (ModelError, StoreError) as error:
            _log.warning("The vectors of a space were not tended to: %s", error.message)

    async def _sweep_with(self, space: Space, maker: Maker) -> None:
        name = f"{maker.mark}:{space.id}"
        if not maker.enabled:
            return
        try:
            while await self._driver.write(leases.take, name, self._token, now(), LEASE):
                if not await self._make_some(space, maker, BATCH):
                    return
            await self._return_when_it_ends(space, name)
        finally:  # also when the memory is closed, so that whoever opens it next need not wait
            await self._driver.write(leases.release, name, self._token)

    async def _return_when_it_ends(self, space: Space, lease: str) -> None:
        """Look again when the lease of another process ends: it may have died, and nobody else may come."""
        ends = await self._driver.read(leases.ends_at, lease)
        wait = max(ends - now(), timedelta()) if ends else timedelta()
        if timer := self._timers.pop(space.id, None):
            timer.cancel()
        later = min(wait, LEASE).total_seconds()
        self._timers[space.id] = asyncio.get_running_loop().call_later(later, self.nudge, space)

    async def _make_some(self, space: Space, maker: Maker, limit: int) -> int:
        async with self._locks.setdefault((space.id, maker.mark), asyncio.Lock()):
            current = await maker.ready()
            waiting, texts, orphans = await self._driver.read(
                _documents, space.id, current, limit, maker.mark, self._style
            )
            if orphans:
                await self._driver.write(_drop_orphans, space, orphans)
            if not waiting:
                return len(orphans)
            made = await maker.make(texts)
            if await maker.ready() != current:
                return len(waiting)  # another model took over meanwhile: they still wait, for that one
            kept = [(item.id, item.fingerprint, data) for item, data in zip(waiting, made, strict=True)]
            await self._driver.write(maker.keep, space, current, kept)
            self._made[space.id] += len(kept)
            return len(kept)


def _documents(
    tx: Tx, space_id: str, current: str, limit: int, mark: Mark, style: Style
) -> tuple[Sequence[Stale], Sequence[str], Sequence[Stale]]:
    """Entries that something is to be made for, the text to make it from, and entries without a record."""
    waiting = entries.stale(tx, space_id, current, limit, mark)
    found = records(tx, space_id, [(item.layer, item.record_id) for item in waiting])
    present = [item for item in waiting if (item.layer, item.record_id) in found]
    texts = [NOUNS.indexed[item.layer].document(found[item.layer, item.record_id], style) for item in present]
    return present, texts, [item for item in waiting if item not in present]


def _drop_orphans(tx: Tx, space: Space, orphans: Sequence[Stale]) -> None:
    """Take entries whose records are gone out of the index, which would be waited for for ever."""
    found = records(tx, space.id, [(item.layer, item.record_id) for item in orphans])
    for item in orphans:
        if (item.layer, item.record_id) not in found:
            entries.remove(tx, space, item.layer, [item.record_id])


def records(tx: Tx, space_id: str, wanted: Sequence[tuple[Layer, str]]) -> Whole:
    """The records behind entries, by layer and id."""
    ids: dict[Layer, list[str]] = {}
    for layer, id_ in wanted:
        ids.setdefault(layer, []).append(id_)
    return {
        (layer, id_): record
        for layer, of_layer in ids.items()
        for id_, record in rows.by_ids(tx, space_id, layer, of_layer).items()
    }
