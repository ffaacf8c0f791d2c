"""What two spaces answered, as one answer. Pure."""

from __future__ import annotations

from bethink.recall.budget import within_budget
from bethink.shapes.outcomes import RecallResult


def unite(own: RecallResult, shared: RecallResult, limit: int, budget: int | None) -> RecallResult:
    """The hits of both, best first and of equals the newer, as many as one answer may have."""
    hits = sorted(
        (*own.hits, *shared.hits), key=lambda hit: (hit.score, hit.observed_at, hit.id), reverse=True
    )
    kept = [hits[place] for place in within_budget([hit.tokens for hit in hits], limit, budget)]
    return RecallResult(
        query=own.query,
        hits=kept,
        engine=own.engine if own.hits else shared.engine,
        degraded=list(dict.fromkeys([*own.degraded, *shared.degraded])),
        tokens=sum(hit.tokens for hit in kept),
        latency_ms=max(own.latency_ms, shared.latency_ms),
    )
