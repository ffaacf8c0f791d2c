"""The sweep over the index: `vectors` makes what is missing, or, for once, the whole index anew."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing

from bethink.contracts import Batch, Sweep
from bethink.index.backfill import Backfill
from bethink.index.describe import Style
from bethink.index.redescribe import redescribe
from bethink.records import Space
from bethink.store import Driver

VECTORS = "vectors"


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
