"""Recall, step by step: see who might be meant, search, fuse, weigh, cut to the budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from bethink.clock import now
from bethink.core import Core, shown
from bethink.errors import ModelError, StoreError
from bethink.index.search import Found, Index, Search
from bethink.index.vectors.nearest import Ranked
from bethink.models.rerank import Reranker
from bethink.recall import superseded
from bethink.recall.gather import Participants, Ranking, candidates, in_order, participants
from bethink.recall.plan import Plan, dense, expand, filled, first_name, is_greeting, named, plan
from bethink.recall.rank import (
    Asked,
    Candidate,
    Parts,
    asked_when,
    best_of,
    fused_parts,
    on_one_scale,
    parts_of,
    rerank,
    summed,
    unite,
    weights,
    within_budget,
)
from bethink.records import Layer, Record, Space
from bethink.settings import Settings, Tier
from bethink.shapes.accounts import GLOBAL_SPACE
from bethink.shapes.fields import check_query, checked, numbers_of
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.options import SpaceOptions
from bethink.shapes.outcomes import Hit, MentionedAt, RecallResult
from bethink.stages import stage
from bethink.store import Driver, Tx, entries, keyword_search
from bethink.store.entries import unpacked
from bethink.store.rows import LAYER_CODES, Whole, layer_code, records
from bethink.store.vectors import Vector
from bethink.text.secrets import masked
from bethink.text.terms import estimate, query_terms

POOL = 60  # best of the fused that are looked at further
AHEAD = 40  # best by their terms that are looked up while the model reads: few of the pool are further down
FALLBACK = 10  # most recent records that stand in when nothing matches


@dataclass
class Gathered:
    """What a search came to: the candidates that are kept and the records behind them."""

    found: Found
    engine: str
    kept: list[Candidate]
    parts: Parts
    whole: Whole = field(default_factory=dict)


class Recall:
    """Answers recall requests over one index."""

    def __init__(
        self,
        driver: Driver,
        index: Index,
        reranker: Reranker,
        settings: Settings,
        tier: Tier,
    ) -> None:
        self._driver, self._index, self._reranker = driver, index, reranker
        self._settings, self._reranking, self._tier = settings.recall, settings.rerank, tier

    async def __call__(
        self,
        space: Space,
        request: RecallRequest,
        now: datetime,
        vector: Vector | None = None,
        kept_since: datetime | None = None,
    ) -> RecallResult:
        """The records that answer a request, best first; what is older than `kept_since` only if it stays."""
        started = time.perf_counter()
        if request.first_turn and is_greeting(request.query):
            return RecallResult(query=request.query, hits=[], engine="none")
        wanted = plan(request, self._settings, now, self._tier, kept_since)
        with stage("recall.people"):
            known = await self._driver.peek_once(participants, space.id)
        asked = Asked(
            wanted.at,
            wanted.person_hints,
            _speaker(wanted.query, known),
            wanted.age_counts,
            await wanted.read(asked_when, wanted.query, wanted.at, space.timezone),
        )
        gather = partial(self._gather, space, wanted, asked)
        with stage("recall.search"):
            if wanted.searches:
                search = await wanted.read(self._search, space, wanted, known, vector)
                gathered = await self._index.search(search, gather)
            else:
                gathered = await self._driver.read(gather, Found([], []))
        if wanted.reranks:
            await self._rerank(space, wanted, gathered)
        degraded = gathered.found.degraded
        hits = [
            _hit(space, candidate, gathered, gathered.whole[name])
            for candidate in gathered.kept
            if (name := (candidate.brief.layer, candidate.brief.id)) in gathered.whole  # else just deleted
        ]
        return RecallResult(
            query=wanted.query,
            hits=hits,
            engine=gathered.engine if hits else "none",
            degraded=degraded,
            strategy=wanted.strategy,
            tier=wanted.tier,
            tokens=sum(hit.tokens for hit in hits),
            latency_ms=round((time.perf_counter() - started) * 1000, 3),
        )

    async def compare(self, wanted: Plan, *found: tuple[Space, RecallResult]) -> None:
        """Give what was found in several spaces scores that can be compared, and rerank it where asked to."""
        query = expand(masked(wanted.query), self._settings.expand_terms)
        terms = await wanted.read(query_terms, query)
        every, problem = [hit for _, result in found for hit in result.hits], ""
        by_term: Mapping[str, float] = {}
        try:
            by_term = await self._driver.read(keyword_search.weights, [space for space, _ in found], terms)
        except StoreError as error:
            problem = f"the words of hits in two spaces are not compared: {error.message}"
        give = partial(self._parts, wanted)
        hits = await asyncio.to_thread(on_one_scale, every, by_term, give)
        if wanted.reranks:
            hits, failure = await self._reranked_hits(wanted, hits)
            problem = problem or failure
        for space, result in found:
            result.hits = [hit for hit in hits if hit.record.space_id == space.id]
            result.degraded += [problem] if problem else []

    async def _reranked_hits(self, wanted: Plan, hits: list[Hit]) -> tuple[list[Hit], str]:
        """The hits with the cross-encoder's rating of the first; and what went wrong."""
        ranked = sorted(hits, key=lambda hit: hit.score, reverse=True)
        read = [hit.model_copy() for hit in ranked[: self._reranking.candidates]]
        names = [getattr(hit.record, "name", None) for hit in read]
        texts = [f"{name}: {hit.text}" if name else hit.text for name, hit in zip(names, read, strict=True)]
        try:
            with stage("recall.rerank"):
                ratings = await self._reranker.score(masked(wanted.query), [masked(text) for text in texts])
        except ModelError as error:
            return hits, f"the order stands without reranking: {error.message}"
        rerank(read, ratings.tolist(), self._reranking.weight)
        for hit in read:
            hit.score += hit.rerank
        return [*read, *ranked[len(read) :]], ""

    def _search(self, space: Space, wanted: Plan, known: Participants, vector: Vector | None) -> Search:
        query = expand(masked(wanted.query), self._settings.expand_terms)
        return Search(
            space=space,
            terms=query_terms(query),
            query=query,
            dense_query=dense(wanted.query, self._settings.expand_terms, known.names),
            chosen=wanted.chosen,
            now=wanted.at,
            limit=max(self._settings.candidates, wanted.limit),
            late=wanted.tier != "fast" and wanted.strategy == "hybrid",
            vector=vector,
            catch_up=wanted.catch_up,
            briefs=AHEAD,
            whole=0 if wanted.reranks else wanted.limit,
        )

    def _gather(self, space: Space, wanted: Plan, asked: Asked, tx: Tx, found: Found) -> Gathered:
        """What is kept of what was found, and the whole records behind it; all of it before reranking."""
        with stage("recall.rank"):
            ranking, engine = self._ranked(tx, space, wanted, found)
        with stage("recall.gather"):
            ranked = candidates(tx, space, wanted, ranking, asked, self._settings)
            if wanted.reranks:
                return Gathered(found, engine, ranked, ranking.parts)
            kept = _kept(ranked, wanted)
            unchanged = found.state is not None and found.state == tx.state  # else one of them may be gone
            whole = _load(tx, space, kept, found.whole if unchanged else {})
            return Gathered(found, engine, kept, ranking.parts, whole)

    def _ranked(self, tx: Tx, space: Space, wanted: Plan, found: Found) -> tuple[Ranking, str]:
        """The fused scores and the name of what made them."""
        terms, vector = found.terms, found.vector
        read = self._index.reading(wanted.query)
        if vector and wanted.min_similarity is not None and read != "unread":  # else cosines say nothing
            vector = [(id_, near) for id_, near in vector if near >= wanted.min_similarity]
        if wanted.strategy == "semantic" and vector is not None:
            terms = None
        parts = self._parts(wanted, terms, vector, found.late)
        fused = best_of(summed(parts.values()), max(POOL, 3 * wanted.limit))
        engine = (
            "hybrid" if terms is not None and vector is not None else "vector" if terms is None else "terms"
        )
        failed = terms is None and vector is None  # then the newest are all there is to offer
        if not failed and (few := self._few(tx, space, wanted, fused)):
            engine, fused = "few", fused | {id_: 0.0 for id_ in few if id_ not in fused}
        elif failed or not wanted.searches or (not fused and wanted.fallback):
            depth = FALLBACK if wanted.searches else max(FALLBACK, wanted.limit)
            newest = entries.newest(tx, space.id, wanted.chosen, wanted.at, depth)
            engine, fused, parts = "recent", dict.fromkeys(newest, 0.0), {}
        late = dict(found.late or ())
        return Ranking(fused, parts, dict(terms or ()), dict(vector or ()), late, found.briefs), engine

    def _few(self, tx: Tx, space: Space, wanted: Plan, fused: dict[int, float]) -> list[int]:
        """All memories in scope, if they are few; other records do not count."""
        most, layers = self._settings.few_memories, wanted.chosen.layers
        if not wanted.searches or not most or (layers is not None and Layer.MEMORY not in layers):
            return []
        memories = (id_ for id_ in fused if layer_code(id_) == LAYER_CODES[Layer.MEMORY])
        if len([*islice(memories, most + 1)]) > most:
            return []
        scope = replace(wanted.chosen, layers=[Layer.MEMORY])
        found = entries.newest(tx, space.id, scope, wanted.at, most + 1)
        return found if len(found) <= most else []

    def _parts(
        self, wanted: Plan, terms: Ranked | None, vector: Ranked | None, late: Ranked | None
    ) -> dict[str, dict[int, float]]:
        """What each list that there is gives of the fused scores."""
        settings, lists = self._settings, {"terms": terms, "vector": vector, "late": late}
        read, documents = self._index.reading(wanted.query), wanted.chosen.layers == [Layer.PASSAGE]
        weighing = weights(settings, read, late=late is not None, documents=documents)
        weighed = zip(lists, weighing, strict=True)
        there = {name: (weight, ranked) for name, weight in weighed if (ranked := lists[name]) is not None}
        parts = fused_parts([*there.values()], settings.rrf_k, settings.score_share)
        return dict(zip(there, parts, strict=True))

    async def _rerank(self, space: Space, wanted: Plan, gathered: Gathered) -> None:
        """Keep the best by the order after the cross-encoder has read the first of them."""
        gathered.kept = _kept(await self._reranked(wanted, gathered.kept, gathered.found), wanted)
        gathered.whole = await self._driver.read(_load, space, gathered.kept, {})

    async def _reranked(self, wanted: Plan, ranked: list[Candidate], found: Found) -> list[Candidate]:
        """The order after the cross-encoder has read the first hits; the order as it was if it cannot."""
        read = ranked[: self._reranking.candidates]
        texts = [_spoken(candidate) for candidate in read]
        try:
            with stage("recall.rerank"):
                ratings = await self._reranker.score(masked(wanted.query), texts)
        except ModelError as error:
            found.degraded.append(f"the order stands without reranking: {error.message}")
            return ranked
        rerank(read, ratings.tolist(), self._reranking.weight)
        return in_order(ranked)


def _load(tx: Tx, space: Space, kept: Sequence[Candidate], known: Whole) -> Whole:
    wanted = [(candidate.brief.layer, candidate.brief.id) for candidate in kept]
    return known | records(tx, space.id, [name for name in wanted if name not in known])


def _kept(ranked: Sequence[Candidate], wanted: Plan) -> list[Candidate]:
    costs = (estimate(candidate.brief.text) for candidate in ranked)
    return [ranked[place] for place in within_budget(costs, wanted.limit, wanted.budget)]


def _hit(space: Space, candidate: Candidate, gathered: Gathered, record: Record) -> Hit:
    brief = candidate.brief
    lists = ["terms"] * (candidate.terms is not None) + ["vector"] * (candidate.vector is not None)
    mentions = unpacked(brief.mentioned_at, brief.text) if brief.mentioned_at else []
    return Hit.made(
        layer=brief.layer,
        id=brief.id,
        space=space.name,
        text=brief.text,
        tokens=estimate(brief.text),
        engine="+".join(lists) or ("answer" if candidate.answer else gathered.engine),
        degraded=bool(gathered.found.degraded),
        archived=getattr(record, "archived_at", None) is not None,
        observed_at=brief.observed_at,
        mentioned_at=[
            MentionedAt(text=mention.text, first=mention.first, last=mention.last) for mention in mentions
        ],
        record=record,
        score=candidate.score,
        fused=candidate.fused,
        fused_by=parts_of(candidate.entry, gathered.parts),
        vector=candidate.vector,
        terms=candidate.terms,
        late=candidate.late,
        pinned=candidate.pinned,
        person=candidate.person,
        speaker=candidate.speaker,
        time=candidate.time,
        answer=candidate.answer,
        recency=candidate.recency,
        rerank=candidate.rerank,
    )


def _spoken(candidate: Candidate) -> str:
    """The text as a reader would want it: with who said it."""
    brief = candidate.brief
    text = masked(brief.text)  # the model that reads it may be another's
    return f"{brief.speaker}: {text}" if brief.speaker else text


def _speaker(query: str, known: Participants) -> str | None:
    """The one participant a query names, if they have spoken; a full name and a short one may be the same."""
    meant = named(query, known.names)
    spoken = meant.intersection(known.speakers)
    one_person = len({first_name(name).casefold() for name in meant}) == 1
    return next(iter(spoken)) if one_person and len(spoken) == 1 else None


async def recall_for(
    core: Core,
    space: Space,
    request: RecallRequest,
    options: SpaceOptions,
    moment: datetime,
    vector: Vector | None = None,
) -> RecallResult:
    """Recall in a space, and in the global one too where the request or the space's options say so."""
    recall, wanted = core.part(Recall), filled(request, options)
    kept = await core.options.kept_since(space, moment)
    included = options.include_global if request.include_global is None else request.include_global
    shared = await core.spaces.known(GLOBAL_SPACE) if included and space.name != GLOBAL_SPACE else None
    if shared is None:
        found = await recall(space, wanted, moment, vector, kept)
        found.hits = found.hits if request.secrets else await shown(core.secrecy, found.hits)
        return found
    planned = plan(wanted, core.settings.recall, moment, core.tier)
    unranked = wanted.model_copy(update={"rerank": False})  # the model reads the first of both, below
    own, theirs = await asyncio.gather(
        recall(space, unranked, moment, vector, kept),
        recall(shared, unranked.model_copy(update={"fallback": False}), moment, vector, kept),
    )
    await recall.compare(planned, (space, own), (shared, theirs))
    own.hits = own.hits if request.secrets else await shown(core.secrecy, own.hits)
    theirs.hits = await shown(core.secrecy, theirs.hits)
    return unite(own, theirs, planned.limit, planned.budget)


async def find(
    core: Core, space: Space, asked: Mapping[str, Any], vector: Sequence[float] | None = None
) -> RecallResult:
    """The records that answer, best first. Nothing is counted as used."""
    request = checked(RecallRequest, asked)
    check_query(core.settings.limits, request.query)
    given = None if vector is None else numbers_of(vector)
    found = await recall_for(core, space, request, await core.options.of(space), now(), given)
    if own := [hit for hit in found.hits if hit.space == space.name]:
        await core.driver.peek(superseded.mark, space.id, own)
    return found
