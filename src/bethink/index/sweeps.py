"""The sweeps over the index: `vectors` makes what is missing, or, for once, the whole index anew;
`vector-store` keeps a store beside the database up with the rows."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing

from bethink.contracts import Batch, Sweep
from bethink.index.backfill import Backfill
from bethink.index.describe import Style
from bethink.index.redescribe import redescribe
from bethink.index.search import Index
from bethink.records import Space
from bethink.store import Driver

VECTORS = "vectors"
VECTOR_STORE = "vector-store"


class MissingVectors(Sweep):
    """Makes vectors and token vectors that are missing or of another model."""

    name = VECTORS

    def __init__(self, backfill: Backfill, begin: Callable[[], Awaitable[None]] | None = None) -> None:
        self._backfill, self._begin = backfill, begin  # what to do first, since texts have come

    async def enabled(self, _space: Space) -> bool:
        return self._backfill.enabled

    async def due(self, space: Space) -> int:
        return sum((await self._backfill.pending(space)).values())

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        return await self._backfill.pending(space)

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        if self._begin:
            await self._begin()
        async with aclosing(self._backfill.batches(space)) as batches:
            async for batch in batches:
                yield batch


class WholeIndex(MissingVectors):
    """Describes every record anew, then makes the vectors, once they were taken away."""

    def __init__(self, backfill: Backfill, driver: Driver, style: Style) -> None:
        super().__init__(backfill)
        self._driver, self._style = driver, style

    async def batches(self, space: Space, about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        async for described in redescribe(self._driver, space, self._style):
            yield Batch(0, {"described": described})
        async with aclosing(super().batches(space, about)) as batches:
            async for batch in batches:
                yield batch


class VectorStores(Sweep):
    """Fills the store that was chosen, compares it with the rows both ways, and empties those of before."""

    name = VECTOR_STORE

    def __init__(self, index: Index) -> None:
        self._index = index

    async def enabled(self, _space: Space) -> bool:
        return bool(self._index.ladder.rungs)

    async def due(self, space: Space) -> int:
        return sum((await self.dry_run(space)).values())

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        ladder, counts = self._index.ladder, dict[str, int]()
        if ladder.chosen and self._index.vector_maker.enabled:
            signature = await self._index.vector_maker.ready()
            counts["told"] = await ladder.chosen.feed.untold(space.number, signature)
        counts["emptied"] = len([rung for rung in ladder.rungs if rung is not ladder.chosen])
        return counts

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        ladder = self._index.ladder
        if ladder.chosen and self._index.vector_maker.enabled:
            signature, feed = await self._index.vector_maker.ready(), ladder.chosen.feed
            async with aclosing(feed.fill(space.number, signature)) as filling:
                async for told in filling:
                    yield Batch(told, {"told": told})
            untold = await feed.untold(space.number, signature)
            mended = await feed.reconcile(space.number, signature)
            counts = {"told": untold, "added": mended.added, "removed": mended.removed}
            yield Batch(sum(counts.values()), counts)
        for rung in [rung for rung in ladder.rungs if rung is not ladder.chosen]:
            yield Batch(1, {"emptied": int(await ladder.retire(rung, space.number))})
