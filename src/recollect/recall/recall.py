"""Recall, step by step: survey the scope, search, fuse, weigh, cut to the budget."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

from recollect.index.fuse import fuse
from recollect.index.search import Found, Index
from recollect.inputs import RecallRequest
from recollect.outcomes import Hit, RecallResult
from recollect.recall.budget import within_budget
from recollect.recall.expand import expand, named, without_names
from recollect.recall.gate import is_greeting
from recollect.recall.gather import Ranking, Scope, candidates, survey
from recollect.recall.plan import Plan, plan
from recollect.recall.score import Asked, Candidate
from recollect.records import Fact, Space
from recollect.settings import RecallSettings
from recollect.store import Driver
from recollect.store.vectors import Vector
from recollect.text.terms import query_terms
from recollect.text.tokens import estimate

FALLBACK = 10  # most recent records that stand in when nothing matches


class Recall:
    """Answers recall requests over one index."""

    def __init__(self, driver: Driver, index: Index, settings: RecallSettings) -> None:
        self._driver, self._index, self._settings = driver, index, settings

    async def __call__(
        self, space: Space, request: RecallRequest, now: datetime, vector: Vector | None = None
    ) -> RecallResult:
        """The records that answer a request, best first."""
        started = time.perf_counter()
        if request.first_turn and is_greeting(request.query):
            return RecallResult(query=request.query, hits=[], engine="none")
        wanted = plan(request, self._settings, now)
        depth = max(FALLBACK, self._settings.few_memories + 1, 0 if wanted.searches else wanted.limit)
        scope = await self._driver.read(survey, space, wanted, depth)
        found = await self._search(space, wanted, scope, vector) if wanted.searches else Found([], [])
        ranking, engine = self._rank(wanted, scope, found)
        asked = Asked(
            wanted.at, wanted.person_hints, _one_of(named(wanted.query, scope.names)), wanted.age_counts
        )
        ranked = await self._driver.read(candidates, space, wanted, ranking, asked, self._settings)
        hits = _hits(ranked, wanted, engine, found.degraded)
        return RecallResult(
            query=wanted.query,
            hits=hits,
            engine=engine if hits else "none",
            degraded=found.degraded,
            tokens=sum(hit.tokens for hit in hits),
            latency_ms=round((time.perf_counter() - started) * 1000, 3),
        )

    async def _search(self, space: Space, wanted: Plan, scope: Scope, vector: Vector | None) -> Found:
        query = expand(wanted.query, self._settings.expand_terms)
        found = await self._index.search(
            space,
            terms=query_terms(query),
            query=without_names(query, scope.names),
            chosen=wanted.chosen,
            now=wanted.at,
            limit=max(self._settings.candidates, wanted.limit),
            vector=vector,
        )
        if found.vector and wanted.min_similarity is not None:
            found.vector = [(id_, near) for id_, near in found.vector if near >= wanted.min_similarity]
        return found

    def _rank(self, wanted: Plan, scope: Scope, found: Found) -> tuple[Ranking, str]:
        """The fused scores and the name of what made them."""
        terms, vector = found.terms, found.vector
        if wanted.strategy == "semantic" and vector is not None:
            terms = None
        weights = ((self._settings.terms_weight, terms), (self._settings.vector_weight, vector))
        lists = [(weight, [id_ for id_, _ in ranked]) for weight, ranked in weights if ranked is not None]
        fused = fuse(lists, self._settings.rrf_k)
        engine = (
            "hybrid" if terms is not None and vector is not None else "vector" if terms is None else "terms"
        )
        few = len(scope.newest) <= self._settings.few_memories
        if not wanted.searches or (terms is None and vector is None) or (not fused and wanted.fallback):
            engine, fused = "recent", {}
        elif few:
            engine = "few"
        if engine in ("recent", "few"):
            fused |= {id_: 0.0 for id_ in scope.newest if id_ not in fused}
        return Ranking(fused, dict(terms or ()), dict(vector or ())), engine


def _hits(ranked: Sequence[Candidate], wanted: Plan, engine: str, degraded: Sequence[str]) -> list[Hit]:
    texts = [_text(candidate) for candidate in ranked]
    costs = [estimate(text) for text in texts]
    return [
        _hit(ranked[place], texts[place], costs[place], engine, bool(degraded))
        for place in within_budget(costs, wanted.limit, wanted.budget)
    ]


def _hit(candidate: Candidate, text: str, tokens: int, engine: str, degraded: bool) -> Hit:
    lists = [name for name in ("terms", "vector") if getattr(candidate, name) is not None]
    parts = (
        "score",
        "fused",
        "vector",
        "terms",
        "pinned",
        "person",
        "speaker",
        "answer",
        "recency",
        "rerank",
    )
    return Hit.model_construct(
        layer=candidate.layer,
        id=candidate.record.id,
        text=text,
        tokens=tokens,
        engine="+".join(lists) or ("answer" if candidate.answer else engine),
        degraded=degraded,
        archived=getattr(candidate.record, "archived_at", None) is not None,
        observed_at=candidate.observed_at,
        record=candidate.record,
        **{name: getattr(candidate, name) for name in parts},
    )


def _text(candidate: Candidate) -> str:
    record = candidate.record
    return f"{record.category} / {record.key}: {record.value}" if isinstance(record, Fact) else record.content


def _one_of(names: set[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None
