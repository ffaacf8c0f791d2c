"""The façade's part about the index: how it is doing, what it is made of, and making it anew."""

from __future__ import annotations

import time
from typing import Unpack

from bethink.clock import now
from bethink.core import Core, Handle
from bethink.errors import ModelError, StoreError
from bethink.index.repair import REPAIR, Comparing
from bethink.index.round_trip import RoundTrip
from bethink.index.search import WAITING, Search
from bethink.index.sweeps import VECTORS
from bethink.models.embed.survey import survey
from bethink.models.embed.traits import is_measured
from bethink.models.late import NAME as LATE_MODEL
from bethink.models.weights import MODELS
from bethink.models.worth import Worth
from bethink.recall.recall import find
from bethink.records import Space
from bethink.shapes.keywords import RecallOptions
from bethink.shapes.outcomes import CacheStats, Growth
from bethink.shapes.status import (
    ChatHealth,
    EmbeddingSource,
    EmbeddingStatus,
    EngineStatus,
    Health,
    LateStatus,
    PartError,
    PassedOverSource,
    Preview,
    ReindexStarted,
    ReindexStatus,
    RerankStatus,
    SpaceMap,
    TermsStatus,
    WorthStatus,
)
from bethink.stages import timed
from bethink.status.map import map_of
from bethink.status.stores import vector_store
from bethink.status.vitals import cache_stats, growth_of, kept_searches, space_stats
from bethink.store import entries
from bethink.store.filters import EntryFilter
from bethink.upkeep import Runner, reindex_status, start_reindex


class AsyncIndex:
    """The index of a space, and the models behind it."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def cache(self) -> CacheStats:
        """How the cache of embeddings is doing."""
        core, _ = await self._space.inside.here()
        return cache_stats(core)

    async def preview(self, query: str, **options: Unpack[RecallOptions]) -> Preview:
        """What `recall` would bring back, and with what. Nothing is counted as used; secrets stay masked."""
        core, space = await self._space.inside.here()
        times: dict[str, float] = {}
        with timed(times):
            result = await find(core, space, {"query": query, **options, "secrets": False})
        compared = any(hit.vector is not None for hit in result.hits)
        reranking = core.reranking
        return Preview(
            **dict(result),
            times={name.removeprefix("recall."): round(took, 3) for name, took in times.items()},
            signature=await core.signature() if compared else None,
            vector_store=core.index.ladder.name,
            embedding_source=core.resolution.source,
            reranker=(reranking.model or reranking.source) if "recall.rerank" in times else None,
        )

    async def growth(self, *, days: int = 90) -> Growth:
        """How many records each of the last `days` has brought, and how many are older."""
        core, space = await self._space.inside.here()
        return await growth_of(core, space, days, now())

    async def map(self, *, limit: int = 1000) -> SpaceMap:
        """The newest records on a plane, by their vectors: those that mean the like lie near each other."""
        core, space = await self._space.inside.here()
        return await map_of(core, space, limit, now())

    async def check_chat(self) -> ChatHealth:
        """Ask the chat model for one word, which costs a few tokens, and see whether it answers."""
        core, _ = await self._space.inside.here()
        started = time.perf_counter()
        problem, model = None, core.chat.model
        try:
            reply = await core.chat.extraction.complete(
                [{"role": "user", "content": "Answer with the word ready."}], max_tokens=16
            )
            model = reply.model
        except ModelError as error:
            problem = error.message
        return ChatHealth(
            working=problem is None,
            source=core.chat.source,
            model=model,
            latency_ms=round((time.perf_counter() - started) * 1000, 3),
            error=problem,
        )

    async def start_reindex(self, *, force: bool = False) -> ReindexStarted:
        """Make what is missing, or with `force` the whole index anew, in the background."""
        core, space = await self._space.inside.here()
        if force:
            core.resolution.clear_cache()  # anew means by the model, not from memory
        return await start_reindex(core, space, force=force)

    async def reindex_status(self) -> ReindexStatus:
        """How far making vectors has come."""
        core, space = await self._space.inside.here()
        return await reindex_status(core, space)

    async def sources(self) -> list[EmbeddingSource]:
        """Every embedding source: whether it could be chosen, why not, and its model."""
        core, _ = await self._space.inside.here()
        current, embedder = core.resolution.source, core.resolution.embedder
        found = []
        for one in await survey(core.options.applied):
            mine = embedder if one.source == current else None
            found.append(
                EmbeddingSource(
                    source=one.source,
                    in_use=one.source == current,
                    available=one.available,
                    reason=one.reason,
                    needs_key=one.needs_key,
                    has_key=one.has_key,
                    model=mine.model if mine else one.model,
                    dimensions=mine.dimensions if mine else one.dimensions,
                )
            )
        return found

    async def compare(self) -> dict[str, int]:
        """Compare records and index both ways: how many of each kind do not agree; `{}` where all do.

        Changes nothing: `memory.upkeep.run("repair")` mends it.
        """
        core, space = await self._space.inside.here()
        return await core.part(Comparing).anew(space)

    async def check(self) -> Health:
        """Write something, find it by its words and by its vector, delete it. No trace of it stays."""
        core, space = await self._space.inside.here()
        started = time.perf_counter()
        steps = await RoundTrip(core.driver, core.index, space).run()
        reasons = [f"{step.name}: {step.problem}" for step in steps if step.problem]
        status = await self.status()
        reasons += [reason for reason in status.degraded if not any(reason in known for known in reasons)]
        return Health(
            working=not reasons,
            latency_ms=round((time.perf_counter() - started) * 1000, 3),
            error="; ".join(reasons) or None,
            reasons=reasons,
            steps=steps,
        )

    async def status(self) -> EngineStatus:
        """How the space is searched, with what, and what is wrong."""
        core, space = await self._space.inside.here()
        stats = await space_stats(core, space)
        terms, late = await _terms(core, space), await _late(core, space)
        reranker = await _reranker(core, space)
        degraded = list(stats.degraded)
        if stats.awaiting_vectors > core.settings.index.lazy_limit and stats.signature:
            degraded.append(WAITING)
        vectors = await vector_store(core, space, stats.signature)
        if vectors.problem and not vectors.stores:
            degraded.append(f"vector search failed: {vectors.problem}")
        resting = [one for one in vectors.stores if one.problem]
        degraded += [f"vector search by {one.name} failed: {one.problem}" for one in resting]
        behind = "may still hold vectors and cannot be reached: see its setting, or empty it by hand"
        degraded += [f"the vector store {reader} {behind}" for reader in vectors.left_behind]
        astray = await core.part(Comparing).of(space)
        if astray:
            told = ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in astray.items())
            degraded.append(f"records and index do not agree ({told}): the sweep 'repair' mends it")
            core.part(Runner).nudge(REPAIR, space)
        if terms.problem:
            degraded.append(f"keyword search failed: {terms.problem}")
        if late.state == "missing":
            degraded.append("late interaction is not available: its model is not installed")
        if reranker.enabled and reranker.problem:
            degraded.append(f"reranking is not available: {reranker.problem}")
        return EngineStatus(
            space=space.name,
            tier=core.tier,
            terms=terms,
            embedding=_embedding(core, stats.signature),
            vector_store=vectors,
            kept_searches=kept_searches(core),
            layers=stats.layers,
            awaiting_vectors=stats.awaiting_vectors,
            astray=astray,
            late=late,
            reranker=reranker,
            worth=_worth(core),
            reindex=await reindex_status(core, space),
            degraded=degraded,
            last_errors=_last_errors(core, space),
        )


async def _terms(core: Core, space: Space) -> TermsStatus:
    """Search for a word, to see that searching works."""
    kind = "fts5" if core.driver.dialect == "sqlite" else "gin"
    search = Search(space, ["bethink"], "bethink", "bethink", EntryFilter(), now(), 1)
    try:
        await core.driver.read(core.index.terms, search)
    except StoreError as error:
        return TermsStatus(engine=kind, state="failing", problem=error.message)
    return TermsStatus(engine=kind, state="ready")


def _embedding(core: Core, signature: str | None) -> EmbeddingStatus:
    resolution = core.resolution
    embedder = resolution.embedder
    return EmbeddingStatus(
        source=resolution.source,
        state=resolution.state,
        reason=resolution.reason,
        problem=resolution.problem,
        advice=core.options.advice,
        model=embedder.model if embedder else None,
        dimensions=embedder.dimensions if embedder else None,
        signature=signature,
        calibrated=bool(signature and is_measured(signature)),
        passed_over=[
            PassedOverSource(source=other.source, reason=other.reason) for other in resolution.passed_over
        ],
        cache=cache_stats(core),
    )


async def _late(core: Core, space: Space) -> LateStatus:
    maker = core.index.token_maker
    if not maker.enabled:
        return LateStatus(state="off" if core.tier == "fast" else "missing")
    counts = await core.driver.read(entries.count, space.id, await maker.ready(), maker.mark)
    waiting = sum(total - made for total, made in counts.values())
    return LateStatus(state="ready", model=LATE_MODEL, awaiting=waiting)


async def _reranker(core: Core, space: Space) -> RerankStatus:
    reranking, settings = core.reranking, core.options.applied.rerank
    return RerankStatus(
        enabled=(await core.options.of(space)).rerank_enabled,
        source=reranking.source,
        model=reranking.model,
        state=reranking.state,
        problem=reranking.problem,
        candidates=settings.candidates,
        seconds=settings.seconds,
    )


def _worth(core: Core) -> WorthStatus:
    worth = core.part(Worth)
    problem = worth.problem if worth.enabled else None
    return WorthStatus(state=worth.state, model=MODELS["worth"].name, problem=problem)


def _last_errors(core: Core, space: Space) -> list[PartError]:
    """The last failure of each part, the newest first."""
    parts = {
        "embedding": core.resolution.last_failure,
        "vectors": core.part(Runner).last_failure(VECTORS, space),
        "search": core.index.last_failure,
        "reranking": core.reranking.rest.last,
    }
    found = [PartError(part=part, message=last[0], at=last[1]) for part, last in parts.items() if last]
    return sorted(found, key=lambda error: error.at, reverse=True)
