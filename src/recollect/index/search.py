"""Search terms, vectors and tokens, going on with what works and saying what does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.errors import ModelError, StoreError
from recollect.index.backfill import Backfill
from recollect.index.late import max_sim
from recollect.index.makers import Maker, TokenMaker, VectorMaker
from recollect.index.vectors import VectorIndex
from recollect.models.embed import Resolution
from recollect.models.late import LateEncoder, Tokens
from recollect.records import Space
from recollect.store import Driver, Tx, entries, keyword_search, token_vectors
from recollect.store.filters import EntryFilter
from recollect.store.vectors import Vector

Ranked = list[tuple[int, float]]
WAITING = "some records still await their vectors and are found by keywords only"
LATE_POOL = 100  # best of each list that late interaction looks at
_log = logging.getLogger(__name__)


@dataclass
class Found:
    """Ranked lists of entries; None for a list that was not asked for or could not be made."""

    terms: Ranked | None = None
    vector: Ranked | None = None
    late: Ranked | None = None
    degraded: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Search:
    """What to look for and where."""

    space: Space
    terms: Sequence[str]
    query: str  # as it was asked, for late interaction
    dense_query: str  # as it is embedded
    chosen: EntryFilter
    now: datetime
    limit: int
    late: bool = False
    vector: Vector | None = None


class Index:
    """The one index over every layer."""

    def __init__(
        self,
        driver: Driver,
        resolution: Resolution,
        vectors: VectorIndex,
        vector_maker: VectorMaker,
        token_maker: TokenMaker,
        backfill: Backfill,
    ) -> None:
        self.vectors, self.backfill, self.vector_maker, self.token_maker = (
            vectors, backfill, vector_maker, token_maker
        )  # fmt: skip
        self._driver, self._resolution = driver, resolution
        self._counts = keyword_search.Counts()

    def drop(self, space: Space) -> None:
        """Let go of what this process keeps of a space: its vectors, and counts of its terms."""
        self.vectors.drop(space)
        self._counts.clear()

    async def search(self, wanted: Search) -> Found:
        """The entries that match the terms, those nearest to the query, and how both rank by their tokens."""
        found = Found()
        asked = asyncio.create_task(self._query_tokens(found, wanted)) if wanted.late else None
        query = await self._query_vector(found, wanted)
        tokens = await asked if asked else None
        try:
            lists = await self._driver.read(self._find, wanted, query, tokens, whole=True)
            if lists is None:
                await self._catch_up(found, wanted.space, self.vector_maker)
                lists = await self._driver.read(self._find, wanted, query, tokens)
            if lists is not None:
                found.terms, found.vector, found.late = lists
        except StoreError as error:
            _log.warning("A search failed, trying its parts one by one: %s", error.message)
            await self._search_apart(found, wanted, query)
        return found

    def _find(
        self,
        tx: Tx,
        wanted: Search,
        query: tuple[str, Vector] | None,
        tokens: Tokens | None,
        whole: bool = False,
    ) -> tuple[Ranked, Ranked | None, Ranked | None] | None:
        """All lists in one read: SQLite's threads would only get into each other's way.

        None when they shall be `whole` and some record still lacks its vector.
        """
        if whole and query and entries.stale(tx, wanted.space.id, query[0], 1):
            return None
        terms = self.terms(tx, wanted)
        vector = self.nearest(tx, wanted, *query) if query else None
        pool = [id_ for ranked in (terms, vector) for id_, _ in (ranked or ())[:LATE_POOL]]
        late = None if tokens is None else _by_tokens(tx, wanted.space, tokens, list(dict.fromkeys(pool)))
        return terms, vector, late

    def terms(self, tx: Tx, wanted: Search) -> Ranked:
        """The entries that hold the terms, best first."""
        if not wanted.terms:
            return []
        return keyword_search.search(
            tx, wanted.space, wanted.terms, wanted.chosen, wanted.now, wanted.limit, self._counts
        )

    def nearest(self, tx: Tx, wanted: Search, signature: str, query: Vector) -> Ranked:
        """The entries nearest to a vector, best first."""
        if not query.any():  # the model knows no word of the query: nothing is near to it
            return []
        return self.vectors.nearest(
            tx, wanted.space, signature, query, wanted.chosen, wanted.now, wanted.limit
        )

    async def _search_apart(self, found: Found, wanted: Search, query: tuple[str, Vector] | None) -> None:
        """Make the lists that can be made, and say which cannot."""
        try:
            found.terms = await self._driver.read(self.terms, wanted)
        except StoreError as error:
            found.degraded.append(f"keyword search failed: {error.message}")
        try:
            found.vector = await self._driver.read(self.nearest, wanted, *query) if query else None
        except StoreError as error:
            found.degraded.append(f"vector search failed: {error.message}")

    async def _query_vector(self, found: Found, wanted: Search) -> tuple[str, Vector] | None:
        """The current signature and the query's vector; None, and why, when there is no such thing."""
        if not self._resolution.enabled:
            found.degraded.append(f"no embedding source: {self._resolution.reason}")
            return None
        maker = self.vector_maker
        try:
            if wanted.vector is None:
                return await maker.query(wanted.dense_query)
            return await maker.fit(wanted.vector)
        except ModelError as error:
            found.degraded.append(f"the embedding source is down: {error.message}")
            return None

    async def _query_tokens(self, found: Found, wanted: Search) -> Tokens | None:
        encoder = self.token_maker.encoder
        if encoder is None:
            found.degraded.append("late interaction is not available: its model is not installed")
            return None
        await self._catch_up(found, wanted.space, self.token_maker)
        try:
            return await encoder.query(wanted.query)
        except ModelError as error:
            found.degraded.append(f"late interaction is not available: {error.message}")
            return None

    async def _catch_up(self, found: Found, space: Space, maker: Maker) -> None:
        """Make the few vectors that are missing. Those that are there answer even if that fails."""
        try:
            problem = None if await self.backfill.catch_up(space, maker) else WAITING
        except ModelError as error:
            problem = f"new records could not be embedded: {error.message}"
        if problem and problem not in found.degraded:
            found.degraded.append(problem)


def _by_tokens(tx: Tx, space: Space, query: Tokens, pool: Sequence[int]) -> Ranked:
    """The pool by late interaction, best first; neighbouring turns count as context."""
    near = token_vectors.neighbours(tx, space.id, pool)
    wanted = dict.fromkeys([*pool, *(id_ for ids in near.values() for id_ in ids)])
    packed = token_vectors.load(tx, list(wanted), LateEncoder.signature)
    scores = max_sim(query, packed, near)
    return sorted(((id_, scores[id_]) for id_ in pool if id_ in scores), key=lambda item: (-item[1], item[0]))
