"""Search terms, vectors and tokens, going on with what works and saying what does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.clock import now
from recollect.errors import ModelError, StoreError
from recollect.index.backfill import Backfill
from recollect.index.late import max_sim
from recollect.index.makers import Maker, TokenMaker, VectorMaker
from recollect.index.vectors import VectorIndex
from recollect.models.embed import Resolution
from recollect.models.late import LateEncoder, Tokens
from recollect.records import Space
from recollect.stages import stage
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
    failure: tuple[str, datetime] | None = None

    def fail(self, what: str, error: StoreError) -> None:
        """Go without a list, and say why."""
        _log.warning("A recall goes on without a part: %s: %s", what, error.message)
        self.degraded.append(f"{what}: {error.message}")
        self.failure = (f"{what}: {error.message}", now())


@dataclass(frozen=True)
class Search:
    """What to look for and where."""

    space: Space
    terms: Sequence[str]
    query: str  # as it was asked, for late interaction
    dense_query: Callable[[], Awaitable[str]]  # as it is embedded, which may still have to be found out
    chosen: EntryFilter
    now: datetime
    limit: int
    late: bool = False
    vector: Vector | None = None
    catch_up: bool = True


def plainly(text: str) -> Callable[[], Awaitable[str]]:
    """A query that is embedded as it is."""

    async def told() -> str:
        return text

    return told


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
        self.last_failure: tuple[str, datetime] | None = None

    def drop(self, space: Space) -> None:
        """Let go of what this process keeps of a space: its vectors, and counts of its terms."""
        self.vectors.drop(space)
        self._counts.clear()

    async def search(self, wanted: Search) -> Found:
        """The entries that match the terms, those nearest to the query, and how both rank by their tokens.

        Terms are searched while the models read the query: they need nothing of it.
        """
        found = Found()
        if wanted.vector is None:
            lists = [self._find_terms(found, wanted), self._find_near(found, wanted)]
        else:
            lists = [self._find_both(found, wanted)]
        tokens, *_ = await asyncio.gather(self._query_tokens(found, wanted), *lists)
        if tokens is not None:
            pool = [id_ for ranked in (found.terms, found.vector) for id_, _ in (ranked or ())[:LATE_POOL]]
            await self._find_late(found, wanted.space, tokens, list(dict.fromkeys(pool)))
        self.last_failure = found.failure or self.last_failure
        return found

    async def _find_both(self, found: Found, wanted: Search) -> None:
        """Both lists in one read: with no model to wait for, two threads would be in each other's way."""
        query = await self._query_vector(found, wanted)
        if query is not None:
            try:
                found.terms, found.vector = await self._driver.read(self._both, wanted, *query)
            except StoreError as error:
                _log.warning("A search failed, trying its parts one by one: %s", error.message)
        if found.terms is None:
            await self._find_terms(found, wanted)
        if found.vector is None and query is not None:
            await self._find_near(found, wanted)

    def _both(self, tx: Tx, wanted: Search, signature: str, query: Vector) -> tuple[Ranked, Ranked | None]:
        return self.terms(tx, wanted), self._nearest_of_all(tx, wanted, signature, query)

    async def _find_terms(self, found: Found, wanted: Search) -> None:
        try:
            with stage("recall.terms"):
                found.terms = await self._driver.read(self.terms, wanted)
        except StoreError as error:
            found.fail("keyword search failed", error)

    async def _find_near(self, found: Found, wanted: Search) -> None:
        with stage("recall.embed"):
            query = await self._query_vector(found, wanted)
        if query is None:
            return
        try:
            with stage("recall.vector"):
                near = await self._driver.read(self._nearest_of_all, wanted, *query)
            if near is None:
                with stage("recall.catch_up"):
                    await self._catch_up(found, wanted, self.vector_maker)
                with stage("recall.vector"):
                    near = await self._driver.read(self.nearest, wanted, *query)
            found.vector = near
        except StoreError as error:
            found.fail("vector search failed", error)

    async def _find_late(self, found: Found, space: Space, tokens: Tokens, pool: Sequence[int]) -> None:
        try:
            with stage("recall.late"):
                found.late = await self._driver.read(_by_tokens, space, tokens, pool)
        except StoreError as error:
            found.fail("late interaction failed", error)

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

    def _nearest_of_all(self, tx: Tx, wanted: Search, signature: str, query: Vector) -> Ranked | None:
        """The same; None while some record lacks its vector."""
        if entries.stale(tx, wanted.space.id, signature, 1):
            return None
        return self.nearest(tx, wanted, signature, query)

    async def _query_vector(self, found: Found, wanted: Search) -> tuple[str, Vector] | None:
        """The current signature and the query's vector; None, and why, when there is no such thing."""
        if not self._resolution.enabled:
            found.degraded.append(f"no embedding source: {self._resolution.reason}")
            return None
        maker = self.vector_maker
        try:
            if wanted.vector is None:
                return await maker.query(await wanted.dense_query())
            return await maker.fit(wanted.vector)
        except ModelError as error:
            found.degraded.append(f"the embedding source is down: {error.message}")
            return None

    async def _query_tokens(self, found: Found, wanted: Search) -> Tokens | None:
        if not wanted.late:
            return None
        encoder = self.token_maker.encoder
        if encoder is None:
            found.degraded.append("late interaction is not available: its model is not installed")
            return None
        tokens, _ = await asyncio.gather(
            self._encoded(found, encoder, wanted.query), self._catch_up(found, wanted, self.token_maker)
        )
        return tokens

    async def _encoded(self, found: Found, encoder: LateEncoder, query: str) -> Tokens | None:
        try:
            with stage("recall.tokens"):
                return await encoder.query(query)
        except ModelError as error:
            found.degraded.append(f"late interaction is not available: {error.message}")
            return None

    async def _catch_up(self, found: Found, wanted: Search, maker: Maker) -> None:
        """Make the few vectors that are missing. Those that are there answer even if that fails."""
        if not wanted.catch_up:
            self.backfill.nudge(wanted.space)
            return
        try:
            problem = None if await self.backfill.catch_up(wanted.space, maker) else WAITING
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
