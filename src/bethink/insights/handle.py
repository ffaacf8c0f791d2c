"""The façade's part about insights."""

from __future__ import annotations

import builtins
from typing import Any, Unpack

from bethink.clock import now
from bethink.core import Core, Handle
from bethink.insights import changes
from bethink.insights.ranking import ranked, ranked_of, usage
from bethink.insights.sweep import GENERATE
from bethink.records import Run, Space
from bethink.shapes.fields import check_page, check_sizes, checked, checked_reason
from bethink.shapes.insights import (
    Insight,
    InsightChange,
    InsightDraft,
    InsightEventKind,
    InsightPage,
    InsightQuery,
    InsightUsage,
    RankedInsight,
    Weighed,
)
from bethink.shapes.keywords import InsightChanges, InsightFields, InsightFilters
from bethink.shapes.outcomes import InsightSet
from bethink.store import Tx
from bethink.upkeep import Runner


class AsyncInsights:
    """The insights of a space: what is going on in its channels, those that count most first."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def add(self, title: str, **fields: Unpack[InsightFields]) -> InsightSet:
        """Add an insight; one with its key is extended: `await memory.insights.add("Renew the lease")`."""
        core, space = await self._space.inside.here()
        (draft,) = core.secrecy.to_store([checked(InsightDraft, {"title": title, **fields})])
        check_sizes(core.settings.limits, texts=[draft.title, draft.description])
        outcome = await core.driver.write(changes.add, space, draft, *self._acting(core))
        await core.changed("insight", space)
        return await self._space.inside.shown(outcome)

    async def list(
        self, *, limit: int = 50, offset: int = 0, **filters: Unpack[InsightFilters]
    ) -> InsightPage:
        """Insights, those that count most first: `memory.insights.list(kinds=["task"], status="open")`."""
        core, space = await self._space.inside.here()
        check_page(limit, offset)
        found = await self._ranked(core, space, filters)
        page = InsightPage(items=found[offset : offset + limit], total=len(found))
        return await self._space.inside.shown(page)

    async def get(
        self, insight_id: str, *, person_id: str | None = None, secrets: bool = False
    ) -> RankedInsight:
        """One insight and how much it counts; that it was looked at is not noted."""
        core, space = await self._space.inside.here()
        found = await core.driver.read(_weighed, space, insight_id, _whose(person_id))
        return await self._space.inside.shown(found, secrets=secrets)

    async def view(self, insight_id: str, *, person_id: str | None = None) -> RankedInsight:
        """The same, and note that somebody looked at it."""
        return await self._happen(insight_id, InsightEventKind.VIEWED, person_id)

    async def favourite(
        self, insight_id: str, favourite: bool = True, *, person_id: str | None = None
    ) -> RankedInsight:
        """Make it a favourite, or no longer."""
        known = await self.get(insight_id, person_id=person_id)
        if known.weights.favourite == favourite:
            return known
        kind = InsightEventKind.FAVOURITED if favourite else InsightEventKind.UNFAVOURITED
        return await self._happen(insight_id, kind, person_id)

    async def weigh(
        self, insight_id: str, multiplier: float, *, person_id: str | None = None
    ) -> RankedInsight:
        """Let it count so many times as much, from 0.1 to 5; 1 is as usual."""
        wanted = checked(Weighed, {"multiplier": multiplier})
        return await self._happen(insight_id, InsightEventKind.WEIGHTED, person_id, wanted.multiplier)

    async def update(self, insight_id: str, **fields: Unpack[InsightChanges]) -> Insight:
        """Change what is given of it; the rest stays."""
        core, _ = await self._space.inside.here()
        (change,) = core.secrecy.to_store([checked(InsightChange, fields)])
        return await self._changed(changes.change, insight_id, change)

    async def resolve(
        self, insight_id: str, because: str = "done", *, message_id: str | None = None
    ) -> Insight:
        """Close it, in your own words why, and with the message that closes it."""
        return await self._changed(changes.resolve, insight_id, checked_reason(because) or "done", message_id)

    async def reopen(self, insight_id: str) -> Insight:
        """Open it again."""
        return await self._changed(changes.reopen, insight_id)

    async def merge(self, into: str, *others: str) -> Insight:
        """Make several one: what was said of the others, and done with them, goes to the first."""
        return await self._changed(changes.merge, into, others)

    async def forget(self, *insight_ids: str, reason: str | None = None) -> builtins.list[Insight]:
        """Delete insights; the journal keeps what they were."""
        core, space = await self._space.inside.here()
        why, actor = checked_reason(reason), self._space.inside.actor
        gone = await core.driver.write(changes.forget, space, insight_ids, now(), actor, reason=why)
        await core.changed("insight", space)
        return await self._space.inside.shown(gone)

    async def usage(self, **filters: Unpack[InsightFilters]) -> InsightUsage:
        """How insights are used: views, activity and trend over all of them, or over those chosen."""
        core, space = await self._space.inside.here()
        found = usage(await self._ranked(core, space, filters))
        return await self._space.inside.shown(found)

    async def generate(self) -> Run:
        """Read what is new in the channels now; a sweep does so by itself on a server."""
        core, space = await self._space.inside.here()
        runner = core.part(Runner)
        return await runner.finish(runner.sweep(GENERATE), space)

    async def _ranked(
        self, core: Core, space: Space, filters: InsightFilters
    ) -> builtins.list[RankedInsight]:
        """The insights that filters choose, within the retention time."""
        at, wanted = now(), checked(InsightQuery, filters)
        kept_since = await core.options.kept_since(space, at)
        return await core.driver.read(ranked, space, wanted, at, kept_since=kept_since)

    async def _happen(
        self, insight_id: str, kind: InsightEventKind, person_id: str | None, value: float = 1.0
    ) -> RankedInsight:
        core, space = await self._space.inside.here()
        wanted = _whose(person_id)
        await core.driver.write(changes.happen, space, insight_id, kind, wanted.person_id, now(), value)
        return await self.get(insight_id, person_id=person_id)

    async def _changed(self, work: Any, insight_id: str, *args: Any) -> Insight:
        core, space = await self._space.inside.here()
        changed: Insight = await core.driver.write(work, space, insight_id, *args, *self._acting(core))
        await core.changed("insight", space)
        return await self._space.inside.shown(changed)

    def _acting(self, core: Core) -> tuple[Any, ...]:
        return core.settings.index.text_form, now(), self._space.inside.actor


def _whose(person_id: str | None) -> InsightQuery:
    return checked(InsightQuery, {"person_id": person_id})


def _weighed(tx: Tx, space: Space, insight_id: str, wanted: InsightQuery) -> RankedInsight:
    at = now()
    for one in ranked(tx, space, wanted, at):
        if one.insight.id == insight_id:
            return one
    (alone,) = ranked_of(tx, space, [changes.get(tx, space, insight_id)], wanted, at)
    alone.weights.current_event_rank = 0  # it is older than all that are compared
    return alone
