"""Makes what is missing: vectors of entries that have none of the current signature.

There is no queue to lose. A write only nudges the sweep of its space; a search makes the few that are
missing before it looks; a restart or another process goes on where the rows say.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from typing import NamedTuple

from bethink.contracts import Batch
from bethink.errors import ModelBusy, ModelError, StoreError
from bethink.index.describe import Style
from bethink.index.makers import Maker
from bethink.nouns import NOUNS
from bethink.records import Layer, Space
from bethink.store import Driver, Tx, entries
from bethink.store.entries import Mark, Stale
from bethink.store.rows import present, records

BATCH = 256  # entries seen to per transaction: with fewer, the model waits for the database more often
KINDS: Mapping[Mark, str] = {"signature": "vectors", "late": "token_vectors"}  # what a mark stands for
WAITS, LONGEST_WAIT = 10, 60.0  # how often a run waits for a host that is busy, and how many seconds at most
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
        self._locks: dict[tuple[str, Mark], asyncio.Lock] = {}
        self._tend_index, self._tended = tend, dict[str, asyncio.Task[None]]()
        self._made: Counter[str] = Counter()  # vectors of a space that it has not been tended to for
        self._closed = False
        self.when_missing: Callable[[Space], None] = lambda _: None  # who sees to it that they are made

    def nudge(self, space: Space) -> None:
        """See to what a space is missing soon, in the background."""
        if self.enabled:
            self.when_missing(space)

    def tend(self, space: Space) -> None:
        """See to what a space is missing, and to an index that someone may have left half made."""
        self._made[space.id] += 1
        self.nudge(space)

    @property
    def enabled(self) -> bool:
        """Whether there is anything that makes vectors."""
        return any(maker.enabled for maker in self._makers)

    async def catch_up(self, space: Space, maker: Maker) -> bool:
        """Before a search: make what is missing when it is little. False when much still waits."""
        current = await maker.ready()
        waiting = await self._driver.read(entries.stale, space.id, current, self._lazy_limit + 1, maker.mark)
        if len(waiting) > self._lazy_limit:
            self.nudge(space)
            return False
        left, damaged = len(waiting), set[int]()
        while left > 0 and (made := await self._make_some(space, maker, left, damaged)).number:
            left -= made.number
        return True

    async def batches(self, space: Space) -> AsyncGenerator[Batch, None]:
        """Make everything a space is missing. When one model fails the others go on, then it is told."""
        failure: ModelError | StoreError | None = None
        try:
            for maker in self._makers:
                try:
                    async with aclosing(self._all_of(space, maker)) as batches:
                        async for batch in batches:
                            yield batch
                except (ModelError, StoreError) as error:
                    failure = failure or error
        finally:
            self._tend_soon(space)
        if failure:
            raise failure

    async def _all_of(self, space: Space, maker: Maker) -> AsyncGenerator[Batch, None]:
        """Make all of one kind that a space is missing; a host that is busy is waited for some times."""
        damaged, waits = set[int](), 0
        while maker.enabled:
            try:
                made = await self._make_some(space, maker, BATCH, damaged)
            except ModelBusy as error:
                if waits == WAITS or error.retry_after is None or error.retry_after > LONGEST_WAIT:
                    raise
                waits += 1
                await asyncio.sleep(error.retry_after)
                continue
            waits = 0
            if made.number:
                yield Batch(made.number, {KINDS[maker.mark]: made.number})
            if not made.more:
                return
            await asyncio.sleep(maker.pause)

    async def pending(self, space: Space) -> dict[str, int]:
        """How much of each kind a space is missing. Raises `ModelError` while a model cannot be used."""
        enabled = [maker for maker in self._makers if maker.enabled]
        return {KINDS[maker.mark]: await self._missing(space, maker) for maker in enabled}

    async def settle(self) -> None:
        """Wait until every space that has grown has been tended to."""
        if under_way := [task for task in self._tended.values() if not task.done()]:
            await asyncio.wait(under_way)

    async def close(self) -> None:
        """Stop tending."""
        self._closed = True
        for task in self._tended.values():
            task.cancel()
        await asyncio.gather(*self._tended.values(), return_exceptions=True)

    async def _missing(self, space: Space, maker: Maker) -> int:
        counts = await self._driver.read(entries.count, space.id, await maker.ready(), maker.mark)
        return sum(total - made for total, made in counts.values())

    def _tend_soon(self, space: Space) -> None:
        """Apart, since an index may take long to make, and new records must not wait for it."""
        task = self._tended.get(space.id)
        if not self._closed and (task is None or task.done()):
            self._tended[space.id] = asyncio.create_task(self._tend_to(space))

    async def _tend_to(self, space: Space) -> None:
        try:
            while made := self._made.pop(space.id, 0):
                await self._tend_index(space, made)
        except (ModelError, StoreError) as error:
            _log.warning("The vectors of a space were not tended to: %s", error.message)

    async def _make_some(self, space: Space, maker: Maker, limit: int, damaged: set[int]) -> _Made:
        """Make some of what is missing. What turns out `damaged` is passed over from then on."""
        async with self._locks.setdefault((space.id, maker.mark), asyncio.Lock()):
            current = await maker.ready()
            limit = min(limit, maker.at_once or limit)  # what was made is kept when the next cannot be
            due = await self._due(space, current, limit, maker.mark, damaged)
            if due.orphans:
                await self._driver.write(_drop_orphans, space, due.orphans)
            more = len(due.waiting) + len(due.orphans) + len(due.damaged) >= limit
            if not due.waiting:
                return _Made(len(due.orphans), more)
            made = await maker.make(due.texts)
            if await maker.ready() != current:
                return _Made(len(due.waiting), True)  # another model took over: they still wait, for that one
            kept = [(item.id, item.fingerprint, data) for item, data in zip(due.waiting, made, strict=True)]
            await self._driver.write(maker.keep, space, current, kept)
            self._made[space.id] += len(kept)
            return _Made(len(kept), more)

    async def _due(self, space: Space, current: str, limit: int, mark: Mark, damaged: set[int]) -> _Due:
        """What can be seen to next, behind however many entries whose records cannot be read."""
        while True:
            due = await self._driver.read(_look, space.id, current, limit, mark, self._style, damaged)
            damaged.update(due.damaged)
            if due.waiting or due.orphans or not due.damaged:
                return due


class _Made(NamedTuple):
    """How many entries were seen to, and whether more may wait; who writes meanwhile nudges the sweep."""

    number: int
    more: bool


class _Due(NamedTuple):
    """Entries that something is to be made for, and from which texts; those without a record; and the ids of
    those whose records are damaged: they wait until the row is repaired.
    """

    waiting: Sequence[Stale]
    texts: Sequence[str]
    orphans: Sequence[Stale]
    damaged: Sequence[int]


def _look(
    tx: Tx, space_id: str, current: str, limit: int, mark: Mark, style: Style, besides: Collection[int]
) -> _Due:
    stale = entries.stale(tx, space_id, current, limit, mark, besides)
    found = records(tx, space_id, map(_record, stale))
    waiting = [item for item in stale if _record(item) in found]
    texts = [NOUNS.indexed[item.layer].embedded(found[_record(item)], style) for item in waiting]
    missing = [item for item in stale if _record(item) not in found]
    there = present(tx, space_id, map(_record, missing))
    orphans = [item for item in missing if _record(item) not in there]
    return _Due(waiting, texts, orphans, [item.id for item in missing if _record(item) in there])


def _drop_orphans(tx: Tx, space: Space, orphans: Sequence[Stale]) -> None:
    """Take entries whose records are gone out of the index, which would be waited for for ever."""
    there = present(tx, space.id, map(_record, orphans))
    for item in orphans:
        if _record(item) not in there:
            entries.remove(tx, space, item.layer, [item.record_id])


def _record(item: Stale) -> tuple[Layer, str]:
    return item.layer, item.record_id
