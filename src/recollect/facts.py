"""The façade's part about facts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from recollect.capture.facts import drop_fact, set_fact
from recollect.clock import now
from recollect.engine import Handle
from recollect.inputs import FactDraft, FactName, FactsQuery, checked, checked_reason
from recollect.limits import check_page, check_sizes
from recollect.outcomes import FactSet
from recollect.records import Fact
from recollect.store import facts


class AsyncFacts:
    """The facts of a space: (category, key) → value, every version kept."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def set(self, category: str, key: str, value: str, **fields: Any) -> FactSet:
        """Make a value current. `fields` are those of `FactDraft`: person_id, source, confidence, …"""
        engine, space = await self._space._here()
        draft = checked(FactDraft, {"category": category, "key": key, "value": value, **fields})
        check_sizes(engine.settings.limits, texts=[draft.value], field="value")
        check_sizes(engine.settings.limits, texts=[draft.source_context or ""], field="source_context")
        outcome = await engine.driver.write(set_fact, space, draft, now(), self._space._actor)
        engine.backfill.nudge(space)
        if outcome.fact.promoted:
            await engine.files.sync(space)
        return outcome

    async def get(self, category: str, key: str, *, person_id: str | None = None) -> Fact | None:
        """The current version, or None."""
        engine, space = await self._space._here()
        name = _named(category, key, person_id)
        fact = await engine.driver.read(facts.current, space.id, *name)
        return fact if fact and _holds(fact, now()) else None

    async def history(self, category: str, key: str, *, person_id: str | None = None) -> list[Fact]:
        """Every version, newest first."""
        engine, space = await self._space._here()
        return await engine.driver.read(facts.versions, space.id, *_named(category, key, person_id))

    async def forget(
        self, category: str, key: str, *, person_id: str | None = None, reason: str | None = None
    ) -> Fact:
        """End the current version; its history stays, and the journal keeps the `reason`."""
        engine, space = await self._space._here()
        name, why = _named(category, key, person_id), checked_reason(reason)
        dropped = await engine.driver.write(drop_fact, space, *name, now(), self._space._actor, reason=why)
        if dropped.promoted:
            await engine.files.sync(space)
        return dropped

    async def list(
        self, *, category: str | None = None, person_id: str | None = None, limit: int = 200
    ) -> list[Fact]:
        """Current facts, by category and key."""
        engine, space = await self._space._here()
        check_page(limit)
        name = checked(FactsQuery, {"category": category, "person_id": person_id})
        found = await engine.driver.read(
            facts.list_current, space.id, category=name.category, person_id=name.person_id, limit=limit
        )
        return [fact for fact in found if _holds(fact, now())]


def _named(category: str, key: str, person_id: str | None) -> tuple[str | None, str, str]:
    name = checked(FactName, {"category": category, "key": key, "person_id": person_id})
    return name.person_id, name.category, name.key


def _holds(fact: Fact, at: datetime) -> bool:
    return fact.expires_at is None or fact.expires_at > at
