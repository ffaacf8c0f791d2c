"""Makes the vectors that are missing: a sweep over entries whose signature is not the current one.

There is no queue to lose. A write only nudges the sweep of its space; a search makes the few that are
missing before it looks; a restart or another process goes on where the rows say.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

from recollect.clock import new_id, now
from recollect.errors import ModelError
from recollect.index.describe import Style, document
from recollect.models.embed import Embedder, Resolution, signature
from recollect.outcomes import Progress
from recollect.records import Fact, Layer, Memory, Message, Space
from recollect.store import Driver, Tx, entries, facts, leases, memories, messages, vectors
from recollect.store.entries import Stale

BATCH = 128  # vectors stored per transaction
LEASE = timedelta(seconds=60)  # of a sweep in the background, prolonged with every batch
_log = logging.getLogger(__name__)


class Backfill:
    """Keeps vectors up with their records."""

    def __init__(self, driver: Driver, resolution: Resolution, *, style: Style, lazy_limit: int) -> None:
        self._driver, self._resolution = driver, resolution
        self._style, self._lazy_limit = style, lazy_limit
        self._token = new_id()
        self._locks: dict[str, asyncio.Lock] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def current_signature(self, embedder: Embedder) -> str:
        """What marks a vector as current: the model, and the form of the text when it is not the usual."""
        return signature(embedder) + ("" if self._style == "lean" else f":{self._style}")

    def nudge(self, space: Space) -> None:
        """See to the missing vectors of a space soon, in the background."""
        task = self._tasks.get(space.id)
        if self._resolution.enabled and (task is None or task.done()):
            self._tasks[space.id] = asyncio.create_task(self._sweep(space))

    async def catch_up(self, space: Space, embedder: Embedder) -> bool:
        """Before a search: make the missing vectors when they are few. False when many still wait."""
        wanted = self.current_signature(embedder)
        waiting = await self._driver.read(entries.stale, space.id, wanted, self._lazy_limit + 1)
        if not waiting:
            return True
        if len(waiting) > self._lazy_limit:
            self.nudge(space)
            return False
        async with self._lock(space):
            await self._embed_some(space, embedder, self._lazy_limit)
        return True

    async def run(self, space: Space, progress: Callable[[Progress], None] | None = None) -> int:
        """Make every missing vector of a space; how many were made. Raises when the source fails."""
        embedder = await self._resolution.ready()
        counts = await self._driver.read(entries.count, space.id, self.current_signature(embedder))
        total = sum(all_ - embedded for all_, embedded in counts.values())
        done = 0
        while made := await self._embed_locked(space, embedder):
            done += made
            if progress:
                progress(Progress(done=done, total=max(total, done)))
        return done

    async def settle(self) -> None:
        """Wait for the sweeps under way."""
        await asyncio.gather(*self._tasks.values())

    async def close(self) -> None:
        """Stop after the batch under way."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _sweep(self, space: Space) -> None:
        name = f"embed:{space.id}"
        try:
            embedder = await self._resolution.ready()
            while await self._driver.write(leases.take, name, self._token, now(), LEASE):
                if not await self._embed_locked(space, embedder):
                    break
            await self._driver.write(leases.release, name, self._token)
        except ModelError as error:
            _log.warning("Vectors are missing and keyword search goes on without them: %s", error.message)

    async def _embed_locked(self, space: Space, embedder: Embedder) -> int:
        async with self._lock(space):
            return await self._embed_some(space, embedder, BATCH)

    async def _embed_some(self, space: Space, embedder: Embedder, limit: int) -> int:
        wanted = self.current_signature(embedder)
        waiting, texts = await self._driver.read(_documents, space.id, wanted, limit, self._style)
        if not waiting:
            return 0
        made = await embedder.embed(texts, "document")
        rows = [(item.id, item.fingerprint, vector) for item, vector in zip(waiting, made, strict=True)]
        await self._driver.write(vectors.put, space, wanted, rows)
        return len(rows)

    def _lock(self, space: Space) -> asyncio.Lock:
        return self._locks.setdefault(space.id, asyncio.Lock())


def _documents(
    tx: Tx, space_id: str, signature: str, limit: int, style: Style
) -> tuple[Sequence[Stale], Sequence[str]]:
    """Entries that need a vector, and the text to make each from."""
    waiting = entries.stale(tx, space_id, signature, limit)
    found = records(tx, space_id, [(item.layer, item.record_id) for item in waiting])
    present = [item for item in waiting if (item.layer, item.record_id) in found]
    return present, [document(found[item.layer, item.record_id], style) for item in present]


def records(
    tx: Tx, space_id: str, wanted: Sequence[tuple[Layer, str]]
) -> dict[tuple[Layer, str], Memory | Message | Fact]:
    """The records behind entries, by layer and id."""
    found: dict[tuple[Layer, str], Memory | Message | Fact] = {}
    for layer, load in (
        (Layer.MEMORY, memories.by_ids),
        (Layer.MESSAGE, messages.by_ids),
        (Layer.FACT, facts.by_ids),
    ):
        ids = [id_ for kind, id_ in wanted if kind == layer]
        found.update({(layer, id_): record for id_, record in load(tx, space_id, ids).items()})
    return found
