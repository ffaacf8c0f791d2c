"""Feeds a vector index that lives elsewhere from the log of changes in the database.

What is to be told is state and no queue: the rows say what is so, the log says where to look, and the
database keeps how far the index has been told. After a crash something is told twice, which does no harm.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta
from typing import NamedTuple

from bethink.clock import new_id, now
from bethink.contracts import VectorIndex
from bethink.errors import BethinkError, StoreError
from bethink.store import Driver, Tx, changes, leases, vectors
from bethink.store.changes import Reader

BATCH = 500  # entries told at once
COMPARED = 5_000  # ids that are compared at once
TRIES = 8  # of telling, while other processes tell as well
LEASE = timedelta(minutes=5)  # of filling an index anew, prolonged with every batch
NUMBERING = "vector changes"
_log = logging.getLogger(__name__)


class Filling(StoreError):
    """The vector index is being filled, or was left meanwhile; another answers."""


class _Seen(NamedTuple):
    """What the database says of an index: how far it has been told, and what is new since."""

    reader: Reader | None
    newest: int
    changed: Sequence[int] | None  # None when the index must be filled anew


class Mended(NamedTuple):
    """What of an index was not as the rows say: entries it had lost, and entries it should not have had."""

    added: int
    removed: int


class Feed:
    """Keeps one index up with the rows."""

    def __init__(self, driver: Driver, index: VectorIndex) -> None:
        self._driver, self._index = driver, index
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._compared: set[tuple[int, str]] = set()  # known since this process began to hold what it should
        self._filled: dict[int, int] = {}  # how many entries it was told of while it is being filled
        self._tasks: set[asyncio.Task[int]] = set()
        self._slow: dict[int, asyncio.Task[int]] = {}  # which somebody had no patience for
        self._is_left = False

    async def catch_up(self, space: int, signature: str, patience: float | None = None) -> int:
        """Tell the index all that is committed; the newest change it knows of.

        Who has no patience goes without the index when that takes long, and it goes on by itself.
        """
        if self._is_left:
            raise self._left()
        slow = self._slow.get(space)
        if patience is not None and (space in self._filled or (slow and not slow.done())):
            raise self._busy()
        task = asyncio.create_task(self._catch_up(space, signature))
        self._tasks.add(task)
        task.add_done_callback(self._let_go)
        done, _ = await asyncio.wait({task}, timeout=patience)
        if not done:
            self._slow[space] = task
            task.add_done_callback(self._report)
            raise self._busy()
        if task.cancelled():
            raise self._left()
        return task.result()

    async def is_filled(self, space: int, signature: str) -> bool:
        """Whether it holds the space, but perhaps for what is new."""
        reader = await self._driver.read(changes.reader, self._index.reader, space)
        return reader is not None and reader.signature == signature

    async def untold(self, space: int, signature: str) -> int:
        """How many entries it has to be told of."""
        seen = await self._driver.read(_look, self._index.reader, space, signature, None)
        if seen.changed is None:
            count = await self._driver.read(vectors.count, space, signature)
            return max(0, count - self._filled.get(space, 0))
        return len(seen.changed)

    async def fill(self, space: int, signature: str) -> AsyncGenerator[int, None]:
        """Fill the index of a space, unless it is filled: so many entries told, one batch after the other."""
        async with self._locks[space]:
            if not await self.is_filled(space, signature):
                async with aclosing(self._batches(space, signature)) as batches:
                    async for told in batches:
                        yield told

    async def reconcile(self, space: int, signature: str) -> Mended:
        """Compare what the index holds with the rows, both ways, and mend what differs."""
        await self.catch_up(space, signature)
        async with self._locks[space]:
            before = await self._driver.read(changes.reader, self._index.reader, space)
            missing, foreign = await self._differences(space, signature)
            if missing or foreign:
                _log.warning("The vector index %s differed from the rows and is mended", self._index.name)
                await self._tell(space, signature, [*missing, *foreign])
                # What changed meanwhile is told again, in its order.
                await self._follow(space, signature, before.seq if before else None)
        return Mended(len(missing), len(foreign))

    async def forget(self, space: int) -> None:
        """Let the index go of what was erased in a space, or of the space itself where it was removed."""
        reader = await self._driver.read(changes.reader, self._index.reader, space)
        if reader and reader.signature and space not in await self._removed():
            await self.catch_up(space, reader.signature)
        else:
            await self.leave(space)

    async def forget_removed(self) -> None:
        """Let the index go of removed spaces that it could not be told of at the time."""
        for space in await self._removed():
            await self.leave(space)

    async def leave(self, space: int) -> None:
        """Let the index go of all of a space, and stop telling it of that."""
        async with self._locks[space]:
            await self._index.wipe(space)
            await self._driver.write(changes.leave, self._index.reader, space)

    def doubt(self) -> None:
        """Look anew whether the index holds what it should: it may have lost something."""
        self._compared.clear()

    async def close(self) -> None:
        """Stop; what was not told is told by whoever comes next."""
        self._is_left = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _catch_up(self, space: int, signature: str) -> int:
        async with self._locks[space]:
            seq = await self._follow(space, signature)
            if (space, signature) not in self._compared:
                if not await self._agrees(space, signature):
                    seq = await self._follow(space, signature)  # perhaps it only had changed meanwhile
                    if not await self._agrees(space, signature):
                        _log.warning("The vector index %s lost vectors and is filled anew", self._index.name)
                        await self._fill(space, signature)
                        seq = await self._follow(space, signature)
                self._compared.add((space, signature))
            return seq

    async def _differences(self, space: int, signature: str) -> tuple[list[int], list[int]]:
        """The entries that the index lacks, and those it holds that are no longer in the rows."""
        missing, foreign = list[int](), list[int]()
        after, last = 0, False
        while not last:
            held = await self._index.ids(space, signature, after, COMPARED)
            last = len(held) < COMPARED
            end = None if last else held[-1]
            there = set(await self._driver.read(vectors.ids, space, signature, after, end))
            missing += sorted(there.difference(held))
            foreign += sorted(set(held) - there)
            after = after if end is None else end
        return missing, foreign

    async def _follow(self, space: int, signature: str, start: int | None = None) -> int:
        if await self._driver.read(changes.waiting):
            await self._driver.write_in_turn([NUMBERING], changes.number)
        for _ in range(TRIES):
            seen = await self._driver.read(_look, self._index.reader, space, signature, start)
            if seen.reader is None or seen.changed is None:
                start = None
                await self._fill(space, signature)
                continue
            if not seen.changed:
                return seen.reader.seq
            await self._tell(space, signature, seen.changed)
            name = self._index.reader
            if await self._driver.write(changes.advance, name, space, seen.reader, seen.newest, now()):
                return seen.newest
            # Another process told it something meanwhile, perhaps newer than what was told here: once more.
            start = seen.reader.seq if start is None else min(start, seen.reader.seq)
        raise self._busy()

    async def _tell(self, space: int, signature: str, changed: Sequence[int]) -> None:
        for first in range(0, len(changed), BATCH):
            part = changed[first : first + BATCH]
            there = await self._driver.read(vectors.whole, part, signature)
            known = {entry.id for entry in there}
            if gone := [id_ for id_ in part if id_ not in known]:
                await self._index.delete(space, gone)
            if there:
                await self._index.put(space, signature, there)

    async def _fill(self, space: int, signature: str) -> None:
        """Empty the index of a space and tell it everything."""
        async for _ in self._batches(space, signature):
            pass

    async def _batches(self, space: int, signature: str) -> AsyncGenerator[int, None]:
        """Empty the index of a space and tell it everything, a batch at a time; how many it was told of."""
        name, lease, token = self._index.reader, f"fill:{self._index.reader}:{space}", new_id()
        if not await self._driver.write(leases.take, lease, token, now(), LEASE):
            raise self._busy()
        self._filled[space] = 0
        try:
            seq = await self._driver.write(changes.begin, name, space, now())
            await self._index.wipe(space)
            last = 0
            while page := await self._driver.read(vectors.whole_space, space, signature, last, BATCH):
                await self._index.put(space, signature, page)
                last = page[-1].id
                self._filled[space] += len(page)
                yield len(page)
                await self._driver.write(leases.take, lease, token, now(), LEASE)
            await self._driver.write(changes.finish, name, space, signature, seq, now())
        finally:
            self._filled.pop(space, None)
            await self._driver.write(leases.release, lease, token)

    async def _agrees(self, space: int, signature: str) -> bool:
        """Whether the index holds as many entries as it should."""
        held = await self._index.count(space, signature)
        return held == await self._driver.read(vectors.count, space, signature)

    async def _removed(self) -> list[int]:
        return await self._driver.read(changes.left_behind, self._index.reader)

    def _left(self) -> Filling:
        return Filling(f"The vector index {self._index.name} is not used any more.")

    def _busy(self) -> Filling:
        return Filling(f"The vector index {self._index.name} is being filled; it answers when it is done.")

    def _let_go(self, task: asyncio.Task[int]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # which is known to whoever waited, or told by `_report`

    def _report(self, task: asyncio.Task[int]) -> None:
        """Tell what became of the work that nobody waited for."""
        if not task.cancelled() and (error := task.exception()):
            told = error.message if isinstance(error, BethinkError) else repr(error)
            _log.warning("The vector index %s is behind: %s", self._index.name, told)


def _look(tx: Tx, name: str, space: int, signature: str, start: int | None) -> _Seen:
    reader, newest = changes.reader(tx, name, space), changes.last(tx, space)
    if reader is None or reader.signature != signature:
        return _Seen(reader, newest, None)
    if newest <= reader.seq and start is None:  # below it where what was read is no longer in the log
        return _Seen(reader, newest, ())
    changed = changes.unread(tx, space, reader.seq if start is None else start)
    return _Seen(reader, max(newest, reader.seq), changed)
