"""Search terms, vectors and tokens, going on with what works and saying what does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from bethink.clock import now
from bethink.contracts import VectorIndex, VectorQuery
from bethink.errors import ModelError, StoreError
from bethink.index.backfill import Backfill
from bethink.index.kept import Kept, KeptSearches
from bethink.index.late import max_sim
from bethink.index.makers import Maker, TokenMaker, VectorMaker
from bethink.index.vectors.ladder import Ladder
from bethink.index.vectors.nearest import Near, Ranked
from bethink.models.embed import Resolution
from bethink.models.embed.traits import Reading, languages_read, reading
from bethink.models.late import LateEncoder, Tokens
from bethink.records import Space
from bethink.stages import stage
from bethink.store import Driver, Tx, entries, keyword_search, token_vectors
from bethink.store.changes import Standing
from bethink.store.filters import EntryFilter
from bethink.store.rows import Brief, Whole, by_entries, records
from bethink.store.vectors import Vector
from bethink.text.language import Spoken

T = TypeVar("T")
WAITING = "some records still await their vectors and are found by keywords only"
FEW_TERMS = 50  # of a query that is searched for on the event loop, in a space at hand; more take too long
LATE_POOL = 100  # best of each list that late interaction looks at
_log = logging.getLogger(__name__)


@dataclass
class Found:
    """Ranked lists of entries; None for a list that was not asked for or could not be made."""

    terms: Ranked | None = None
    vector: Ranked | None = None
    late: Ranked | None = None
    briefs: dict[int, Brief] = field(default_factory=dict)  # of the best by their terms, read while waiting
    whole: Whole = field(default_factory=dict)  # the records of the very best of them, likewise
    state: Hashable | None = None  # of the transaction that read them
    outside: Near | None = None  # what an index elsewhere answered, before the transaction that checks it
    standing: tuple[Standing, Standing] | None = None  # of the space, before and after; to keep this by
    embedded: str | None = None  # the signature of which every record has a vector, as was seen while waiting
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
    catch_up: bool = True
    briefs: int = 0  # how many of the best by their terms are read in advance
    whole: int = 0  # and of how many of these the records


@dataclass(frozen=True)
class _Rest:
    """What is left to search for, once the models have read the query."""

    wanted: Search
    terms: bool
    near: tuple[str, Vector] | None
    tokens: Tokens | None
    waits: bool = True  # until no record lacks its vector
    asked: bool = False  # the stores beside the database


@dataclass
class _At:
    """Which part of a search is under way, and what is left to do without it."""

    part: str = ""
    left: _Rest | None = None


class Index:
    """The one index over every layer."""

    def __init__(
        self,
        driver: Driver,
        resolution: Resolution,
        ground: VectorIndex,
        vector_maker: VectorMaker,
        token_maker: TokenMaker,
        backfill: Backfill,
        spoken: Callable[[], Spoken] = Spoken,
        top_k: int | None = None,
        kept_searches: int = 0,
    ) -> None:
        self.ladder, self.backfill = Ladder(driver, ground), backfill
        self.vector_maker, self.token_maker = vector_maker, token_maker
        self._driver, self._resolution, self._spoken = driver, resolution, spoken
        self._counts, self._top_k = keyword_search.Counts(), top_k
        self.kept = KeptSearches(kept_searches, resolution, vector_maker, self.ladder)
        self.last_failure: tuple[str, datetime] | None = None

    def reading(self, text: str) -> Reading:
        """How a text goes together with the model that makes the vectors."""
        embedder = self._resolution.embedder
        if embedder is None or languages_read(embedder.model) is None:
            return "usual"
        return reading(embedder.model, text, self._spoken())

    async def forget(self, space: Space) -> None:
        """Let go of what was erased in a space: counts of its terms, and its vectors, wherever they are kept.

        What failed last is forgotten too, since it may quote a text.

        A store that cannot be reached is told when it can be; until then it does not pass `traces`.
        """
        self._counts.clear()
        self.kept.clear()
        self.last_failure = None
        await self.ladder.forget(space)

    async def traces(
        self, space: Space, entry_ids: Sequence[int] | None
    ) -> dict[str, list[int] | StoreError]:
        """Which of these entries each vector index still holds, or of the space; or why it cannot say."""
        return await self.ladder.traces(space, entry_ids)

    async def tend(self, space: Space, signature: str, dimensions: int, made: int) -> None:
        """See to what the vector index of a space needs that has grown by the vectors `made`."""
        await self.ladder.tend(space, signature, dimensions, made)

    async def prune(self) -> None:
        """Cut off what nobody reads any more of the log of changes; often there is nothing to do."""
        await self.ladder.prune()

    async def close(self) -> None:
        """Let go of the vector index."""
        await self.kept.close()
        await self.ladder.close()

    async def search(self, wanted: Search, finish: Callable[[Tx, Found], T]) -> T:
        """Search by terms, by nearness to the query and by tokens, and make something of what was found.

        What needs nothing of the models is done while they read the query. All that needs them is searched in
        one transaction, and `finish` is called in it: every change of threads costs time. Only a vector index
        that lives elsewhere is asked before, and what it found is checked in that transaction.
        """
        said = (wanted.terms, wanted.query, wanted.dense_query, wanted.limit, wanted.late)
        asked = None if wanted.vector is not None else self.kept.asked(wanted.space, wanted.chosen, said)
        if asked and (known := self.kept.get(asked)) and (again := await self._again(known, wanted, finish)):
            self.kept.hits += 1
            return again[0]
        self.kept.misses += 1
        found = Found()
        early = wanted.vector is None
        terms = asyncio.create_task(self._look_ahead(found, wanted)) if early else None
        tokens = asyncio.create_task(self._query_tokens(found, wanted)) if wanted.late else None
        beside = [task for task in (terms, tokens) if task]
        try:
            near = await self._query_vector(found, wanted)
            for task in beside:
                await task
        finally:
            for task in beside:
                task.cancel()
        result = await self._finish(
            found, _Rest(wanted, not early, near, tokens.result() if tokens else None), finish
        )
        if asked and found.standing and not found.degraded:
            lists = (found.terms, found.vector, found.late)
            self.kept.set(asked, Kept(lists, found.standing[0], wanted.now), found.standing[1])
        return result

    async def _again(self, known: Kept, wanted: Search, finish: Callable[[Tx, Found], T]) -> tuple[T] | None:
        """What `finish` makes of what the same search found before; None where that holds no more."""
        read = self._driver.peek if self._at_hand(wanted.space) else self._driver.read
        try:
            return await read(self._finish_known, known, wanted, finish)
        except StoreError:  # which the search meets again, and tells
            return None

    def _finish_known(
        self, tx: Tx, known: Kept, wanted: Search, finish: Callable[[Tx, Found], T]
    ) -> tuple[T] | None:
        standing = self.kept.standing(tx, wanted.space, wanted.now, late=wanted.late)
        if standing is None or not known.holds(standing, wanted.now):
            return None
        terms, vector, late = (None if ranked is None else list(ranked) for ranked in known.lists)
        return (finish(tx, Found(terms, vector, late)),)

    async def _look_ahead(self, found: Found, wanted: Search) -> None:
        """Search by terms, and get the vectors ready to be searched, all in one transaction."""
        quick = len(wanted.terms) <= FEW_TERMS and self._at_hand(wanted.space)
        read = self._driver.peek if quick else self._driver.read
        try:
            await read(self._terms_and_vectors, found, wanted, wanted.whole if quick else 0)
        except StoreError as error:
            if found.terms is None:  # else it is the vectors, and the search meets that again
                self._go_without(found, "keyword search", error)

    def _terms_and_vectors(self, tx: Tx, found: Found, wanted: Search, whole: int) -> None:
        with stage("recall.terms"):
            terms = self.terms(tx, wanted)
            best = [id_ for id_, _ in terms[: wanted.briefs]]
            found.briefs = by_entries(tx, wanted.space.id, best, wanted.now)
            first = [found.briefs[id_] for id_ in best[:whole] if id_ in found.briefs]
            found.whole = records(tx, wanted.space.id, [(brief.layer, brief.id) for brief in first])
            found.terms, found.state = terms, tx.state
        if embedder := self._resolution.embedder:
            with stage("recall.prepare"):
                signature = self.vector_maker.signature_of(embedder)
                if (rows := self.ladder.ground.rows) and not self.ladder.rungs:
                    rows.prepare(tx, wanted.space, signature, embedder.dimensions)
                if not entries.stale(tx, wanted.space.id, signature, 1):
                    found.embedded = signature
                    standing = self.kept.standing(tx, wanted.space, wanted.now, late=wanted.late)
                    found.standing = standing and (standing, standing)

    async def _finish(self, found: Found, rest: _Rest, finish: Callable[[Tx, Found], T]) -> T:
        """The rest of a search; a part that fails is left out, and the others are tried again without it."""
        if rest.near and self.ladder.rungs and not rest.asked:
            rest = await self._ask_outside(found, replace(rest, asked=True), *rest.near)
        at = _At()
        quick = rest.tokens is None and self._at_hand(rest.wanted.space)
        read = self._driver.peek if quick else self._driver.read
        try:
            result = await read(self._search_rest, found, rest, at, finish)
        except StoreError as error:
            if at.left is None:
                raise
            self._go_without(found, at.part, error)
            return await self._finish(found, at.left, finish)
        if result is not None:
            return result[0]
        with stage("recall.catch_up"):
            await self._catch_up(found, rest.wanted, self.vector_maker)
        return await self._finish(found, replace(rest, waits=False), finish)

    def _at_hand(self, space: Space) -> bool:
        rows = self.ladder.ground.rows
        return rows is not None and not self.ladder.rungs and rows.at_hand(space)

    async def _ask_outside(self, found: Found, rest: _Rest, signature: str, query: Vector) -> _Rest:
        """Ask a store beside the database, outside of any transaction; what is left to do."""
        wanted, problems = rest.wanted, list[str]()
        try:
            waiting = []
            if rest.waits and found.embedded != signature:
                waiting = await self._driver.read(entries.stale, wanted.space.id, signature, 1)
            if waiting:
                with stage("recall.catch_up"):
                    await self._catch_up(found, wanted, self.vector_maker)
            with stage("recall.vector"):
                near = await self.ladder.nearest([self._nearby(wanted, signature, query)], problems)
        except StoreError as error:
            self._go_without(found, "vector search", error)
            return replace(rest, near=None)
        for problem in problems:
            self._note_problem(found, problem)
        if near is None:  # the rows are searched instead
            return replace(rest, waits=False)
        (found.outside,) = near
        return replace(rest, near=None)

    def _search_rest(
        self, tx: Tx, found: Found, rest: _Rest, at: _At, finish: Callable[[Tx, Found], T]
    ) -> tuple[T] | None:
        """What `finish` makes of the search; None while some record lacks its vector."""
        wanted = rest.wanted
        if rest.terms:
            at.part, at.left = "keyword search", replace(rest, terms=False)
            with stage("recall.terms"):
                found.terms = self.terms(tx, wanted)
        if rest.near:
            at.part, at.left = "vector search", replace(rest, near=None)
            with stage("recall.vector"):
                unsure = rest.waits and found.embedded != rest.near[0]
                if unsure and entries.stale(tx, wanted.space.id, rest.near[0], 1):
                    return None
                found.vector = self._nearest_in(tx, wanted, *rest.near)
        if found.outside:
            found.vector = self.ladder.current(tx, wanted.space, found.outside)
        if rest.tokens is not None:
            at.part, at.left = "late interaction", replace(rest, tokens=None)
            with stage("recall.late"):
                found.late = _by_tokens(tx, wanted.space, rest.tokens, found)
        at.left = None
        if found.standing:
            after = self.kept.standing(tx, wanted.space, wanted.now, late=wanted.late)
            found.standing = after and (found.standing[0], after)
        return (finish(tx, found),)

    def _go_without(self, found: Found, what: str, error: StoreError) -> None:
        """Go without a list, and say why."""
        self._note_problem(found, f"{what} failed: {error.message}")

    def _note_problem(self, found: Found, problem: str) -> None:
        _log.warning("A recall goes on without a part: %s", problem)
        found.degraded.append(problem)
        self.last_failure = (problem, now())

    def terms(self, tx: Tx, wanted: Search) -> Ranked:
        """The entries that hold the terms, best first."""
        if not wanted.terms:
            return []
        return keyword_search.search(
            tx, wanted.space, wanted.terms, wanted.chosen, wanted.now, wanted.limit, self._counts
        )

    async def nearest(self, searches: Sequence[tuple[Search, Vector]], signature: str) -> list[Near]:
        """The entries nearest to each vector, best first; all of them in one space."""
        return await self.ladder.nearest_each([_query(one, signature, vector) for one, vector in searches])

    def current(self, tx: Tx, space: Space, near: Near) -> Ranked:
        """What still holds of what `nearest` found, in the transaction that reads the records."""
        return self.ladder.current(tx, space, near)

    def _nearest_in(self, tx: Tx, wanted: Search, signature: str, query: Vector) -> Ranked:
        rows = self.ladder.ground.rows
        if rows is None or not query.any():  # the model knows no word of the query: nothing is near to it
            return []
        return rows.nearest_in(tx, self._nearby(wanted, signature, query))

    def _nearby(self, wanted: Search, signature: str, query: Vector) -> VectorQuery:
        return replace(_query(wanted, signature, query), limit=self._top_k or wanted.limit)

    async def _query_vector(self, found: Found, wanted: Search) -> tuple[str, Vector] | None:
        """The current signature and the query's vector; None, and why, when there is no such thing."""
        if not self._resolution.enabled:
            found.degraded.append(f"no embedding source: {self._resolution.reason}")
            return None
        maker = self.vector_maker
        try:
            with stage("recall.embed"):
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


def _query(wanted: Search, signature: str, vector: Vector) -> VectorQuery:
    return VectorQuery(wanted.space, signature, vector, wanted.chosen, wanted.now, wanted.limit)


def _by_tokens(tx: Tx, space: Space, query: Tokens, found: Found) -> Ranked:
    """The best of both lists by late interaction, best first; neighbouring turns count as context."""
    lists = (found.terms or (), found.vector or ())
    pool = list(dict.fromkeys(id_ for ranked in lists for id_, _ in ranked[:LATE_POOL]))
    near = token_vectors.neighbours(tx, space.id, pool)
    wanted = dict.fromkeys([*pool, *(id_ for ids in near.values() for id_ in ids)])
    packed = token_vectors.load(tx, list(wanted), LateEncoder.signature)
    scores = max_sim(query, packed, near)
    return sorted(((id_, scores[id_]) for id_ in pool if id_ in scores), key=lambda item: (-item[1], item[0]))
