"""Search terms and vectors side by side, going on with what works and saying what does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.errors import ModelError, StoreError
from recollect.index.backfill import Backfill
from recollect.index.vectors import VectorIndex
from recollect.models.embed import Embedder, Resolution
from recollect.records import Space
from recollect.store import Driver, keyword_search
from recollect.store.filters import EntryFilter
from recollect.store.vectors import Vector

Ranked = list[tuple[int, float]]
_log = logging.getLogger(__name__)


@dataclass
class Found:
    """Two ranked lists of entries; None for a list that could not be made."""

    terms: Ranked | None = None
    vector: Ranked | None = None
    degraded: list[str] = field(default_factory=list)


class Index:
    """The one index over every layer."""

    def __init__(
        self, driver: Driver, resolution: Resolution, vectors: VectorIndex, backfill: Backfill
    ) -> None:
        self.resolution, self.vectors, self.backfill = resolution, vectors, backfill
        self._driver = driver
        self._counts = keyword_search.Counts()

    async def search(
        self,
        space: Space,
        *,
        terms: Sequence[str],
        query: str,
        chosen: EntryFilter,
        now: datetime,
        limit: int,
        vector: Vector | None = None,
    ) -> Found:
        """The entries that match the terms, and those nearest to the query (or to its vector, if given)."""
        found = Found()
        await asyncio.gather(
            self._by_terms(found, space, terms, chosen, now, limit),
            self._by_vector(found, space, query, chosen, now, limit, vector),
        )
        return found

    async def _by_terms(
        self, found: Found, space: Space, terms: Sequence[str], chosen: EntryFilter, now: datetime, limit: int
    ) -> None:
        if not terms:
            found.terms = []
            return
        try:
            found.terms = await self._driver.read(
                keyword_search.search, space, terms, chosen, now, limit, self._counts
            )
        except StoreError as error:
            _log.warning("Keyword search failed: %s", error.message)
            found.degraded.append(f"keyword search failed: {error.message}")

    async def _by_vector(
        self,
        found: Found,
        space: Space,
        query: str,
        chosen: EntryFilter,
        now: datetime,
        limit: int,
        vector: Vector | None,
    ) -> None:
        if not self.resolution.enabled:
            found.degraded.append(f"no embedding source: {self.resolution.reason}")
            return
        try:
            embedder = await self.resolution.ready()
            if vector is None:
                vector = (await embedder.embed([query], "query"))[0]
            await self._catch_up(found, space, embedder)
        except ModelError as error:
            found.degraded.append(f"the embedding source is down: {error.message}")
            return
        signature = self.backfill.current_signature(embedder)
        try:
            found.vector = await self._driver.read(
                self.vectors.nearest, space, signature, vector, chosen, now, limit
            )
        except StoreError as error:
            _log.warning("Vector search failed: %s", error.message)
            found.degraded.append(f"vector search failed: {error.message}")

    async def _catch_up(self, found: Found, space: Space, embedder: Embedder) -> None:
        if not await self.backfill.catch_up(space, embedder):
            found.degraded.append("some records still await their vectors and are found by keywords only")
