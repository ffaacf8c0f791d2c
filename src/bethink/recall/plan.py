"""What a request asks for, with the settings filled in. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bethink.settings import RecallSettings, Tier
from bethink.shapes.inputs import RecallRequest
from bethink.store.filters import EntryFilter

LONG = 2_000  # characters of a query that takes longer to read than to hand to a thread


@dataclass(frozen=True, slots=True)
class Plan:
    """A request made definite."""

    query: str
    chosen: EntryFilter
    at: datetime  # the time for which the answer holds
    limit: int
    budget: int | None
    strategy: str
    tier: Tier
    rerank: bool
    min_similarity: float | None
    fallback: bool
    person_hints: frozenset[str]
    age_counts: bool
    catch_up: bool

    @property
    def is_long(self) -> bool:
        """Whether the query is read off the event loop."""
        return len(self.query) > LONG

    @property
    def searches(self) -> bool:
        """Whether anything is looked for, rather than the newest being taken."""
        return self.strategy != "recent" and bool(self.query.strip())

    @property
    def reranks(self) -> bool:
        """Whether a model reads the first hits again."""
        return self.rerank and self.searches


def plan(request: RecallRequest, settings: RecallSettings, now: datetime, tier: Tier = "fast") -> Plan:
    """The plan of a request. Who names a limit and no token budget gets the limit."""
    budget = settings.max_tokens if request.max_tokens is None else request.max_tokens
    unlimited = request.limit is not None and request.max_tokens is None
    return Plan(
        query=request.query,
        chosen=EntryFilter(
            layers=request.layers,
            types=request.types,
            person_ids=request.person_ids,
            session_ids=request.session_ids,
            tags=request.tags,
            categories=request.categories,
            sources=request.sources,
            pinned=request.pinned,
            since=request.since,
            until=request.until,
            as_of=request.as_of,
        ),
        at=request.as_of or now,
        limit=request.limit or settings.limit,
        budget=None if unlimited else budget,
        strategy=request.strategy or settings.strategy,
        tier=request.tier or tier,
        rerank=(request.tier or tier) == "best" if request.rerank is None else request.rerank,
        min_similarity=settings.min_similarity if request.min_similarity is None else request.min_similarity,
        fallback=request.fallback,
        person_hints=frozenset(request.person_hints),
        age_counts=request.recency != "neutral",
        catch_up=request.catch_up,
    )
