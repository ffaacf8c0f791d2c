"""Search messages, and what old ones came to where too few of them answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from bethink.core import Core
from bethink.models.embed.traits import threshold
from bethink.recall.recall import find
from bethink.records import Layer, Space, Summary
from bethink.shapes.inputs import MessageSearch
from bethink.shapes.outcomes import Hit, MessageResults, RecallResult
from bethink.store import Tx, messages
from bethink.text.terms import query_terms

DEEPER = 10  # hits looked at beyond those that are wanted, since some are not near enough
MOST = 200  # hits of one recall
COVERED = 0.5  # share of the query's words by which a message answers, whatever its cosine
_EVERY = 1000
_LAST = datetime.max.replace(tzinfo=UTC)


async def search(core: Core, space: Space, asked: MessageSearch) -> MessageResults:
    """The messages that answer, best first; where they are too few, with summaries, all newest first."""
    searching = _Searching(core, space, asked)
    said = await searching.messages()
    found = searching.near(said)
    least = core.settings.recall.least_messages if asked.least is None else asked.least
    falls_back = len(found) < (asked.limit if least is None else min(least, asked.limit))
    results = MessageResults(
        query=asked.query,
        hits=found,
        fallback=falls_back,
        engine=said.engine if found else "none",
        degraded=said.degraded,
    )
    if falls_back:
        told = await searching.summaries()
        if tell := await searching.telling(told):
            both = [*found, *tell[: asked.limit - len(found)]]
            results.hits = sorted(both, key=lambda hit: (hit.observed_at, hit.id), reverse=True)
        results.engine = said.engine if found else told.engine if tell else "none"
        results.degraded = list(dict.fromkeys([*said.degraded, *told.degraded]))
    return results


class _Searching:
    """One search, in the two layers."""

    def __init__(self, core: Core, space: Space, asked: MessageSearch) -> None:
        self._core, self._space, self._asked = core, space, asked
        self._terms = frozenset(query_terms(asked.query, _EVERY))

    async def messages(self) -> RecallResult:
        asked = self._asked
        return await self._find(
            Layer.MESSAGE, asked.limit + DEEPER, until=asked.until, session_ids=asked.session_ids
        )

    def near(self, result: RecallResult) -> list[Hit]:
        """The hits that are near enough to the query, as many as are wanted."""
        least = self._threshold()
        return [hit for hit in result.hits if self._is_near(hit, least)][: self._asked.limit]

    async def summaries(self) -> RecallResult:
        """Summaries that tell of the time asked for, even if they end after it."""
        asked, tiers = self._asked, self._core.settings.lifecycle
        longest = timedelta(days=max(tiers.short_window_days, tiers.mid_window_days, tiers.long_window_days))
        until = asked.until and (asked.until + longest if asked.until < _LAST - longest else _LAST)
        limit = MOST if asked.session_ids is not None else asked.limit + DEEPER
        return await self._find(Layer.SUMMARY, limit, until=until)

    async def telling(self, result: RecallResult) -> list[Hit]:
        """The summaries that answer: near enough, of the time and of the conversations asked for."""
        asked, least = self._asked, self._threshold()
        near = [hit for hit in result.hits if self._is_near(hit, least)]
        if asked.until is not None:
            near = [hit for hit in near if _begins(hit) < asked.until]
        if asked.session_ids is None:
            return near
        return await self._core.driver.read(_of_sessions, self._space, near, frozenset(asked.session_ids))

    async def _find(self, layer: Layer, limit: int, **filters: Any) -> RecallResult:
        asked = self._asked
        given = {
            "query": asked.query,
            "layers": [layer],
            "limit": min(limit, MOST),
            "person_ids": asked.person_ids,
            "since": asked.since,
            "recency": "neutral",
            "include_global": False,
            "secrets": asked.secrets,
            **filters,
        }
        return await find(self._core, self._space, given)

    def _threshold(self) -> float | None:
        """The least cosine that answers; None where cosines say nothing. Known once something was found."""
        core, embedder = self._core, self._core.resolution.embedder
        if embedder is None or core.index.reading(self._asked.query) == "unread":
            return None
        return threshold(embedder.signature, "passages", core.settings.similarity.messages)

    def _is_near(self, hit: Hit, least: float | None) -> bool:
        """Whether it answers: in meaning, by half of the query's words, or because nothing is asked."""
        if not self._asked.query.strip():
            return True
        if least is not None and hit.vector is not None and hit.vector >= least:
            return True
        shared = self._terms.intersection(query_terms(hit.text, _EVERY))
        return bool(self._terms) and len(shared) >= COVERED * len(self._terms)


def _begins(hit: Hit) -> datetime:
    return hit.record.start_at if isinstance(hit.record, Summary) else hit.observed_at


def _of_sessions(tx: Tx, space: Space, hits: list[Hit], sessions: frozenset[str]) -> list[Hit]:
    """The summaries of messages of which some are of these conversations."""
    sources = {hit.id: hit.record.source_ids for hit in hits if isinstance(hit.record, Summary)}
    said = messages.by_ids(tx, space.id, sorted({id_ for ids in sources.values() for id_ in ids}))
    inside = {id_ for id_, message in said.items() if message.session_id in sessions}
    return [hit for hit in hits if inside.intersection(sources.get(hit.id, ()))]
