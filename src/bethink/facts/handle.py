"""The façade's part about facts."""

from __future__ import annotations

import builtins
from datetime import date, datetime
from typing import Unpack

from bethink.clock import now
from bethink.core import Handle
from bethink.facts.doubts import doubts
from bethink.facts.find import find_facts, list_facts
from bethink.facts.versions import drop_fact, restore_fact, set_fact
from bethink.records import Fact
from bethink.shapes.fields import check_page, check_query, check_sizes, checked, checked_reason
from bethink.shapes.inputs import FactDraft, FactName, FactsQuery
from bethink.shapes.keywords import FactFields, FactFilters
from bethink.shapes.outcomes import Doubt, FactSet, FactsFound
from bethink.store import facts

_EVERY = 1_000_000  # more facts than anyone has


class AsyncFacts:
    """The facts of a space: (category, key) → value, every version kept."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def set(self, category: str, key: str, value: str, **fields: Unpack[FactFields]) -> FactSet:
        """Make a value current: `await memory.facts.set("home", "city", "Lisbon")`."""
        core, space = await self._space.inside.here()
        draft = checked(FactDraft, {"category": category, "key": key, "value": value, **fields})
        check_sizes(core.settings.limits, texts=[draft.value], field="value")
        check_sizes(core.settings.limits, texts=[draft.source_context or ""], field="source_context")
        (draft,) = core.secrecy.to_store([draft])
        outcome = await core.driver.write(set_fact, space, draft, now(), self._space.inside.actor)
        await core.changed("fact", space, record=outcome.fact)
        return await self._space.inside.shown(outcome)

    async def get(
        self,
        category: str,
        key: str,
        *,
        person_id: str | None = None,
        as_of: datetime | date | str | None = None,
        secrets: bool = False,
    ) -> Fact | None:
        """The version that holds now, or held at a time; None when there is none.

        With `secrets`, with those in it, which the journal notes.
        """
        core, space = await self._space.inside.here()
        name = _named(category, key, person_id)
        at = checked(FactsQuery, {"as_of": as_of}).as_of
        if at is None:
            fact = await core.driver.read(facts.current, space.id, *name)
            found = fact if fact and _holds(fact, now()) else None
        else:
            versions = await core.driver.read(facts.versions, space.id, *name)
            found = next((fact for fact in versions if _holds(fact, at)), None)
        return await self._space.inside.shown(found, secrets=secrets)

    async def history(
        self, category: str, key: str, *, person_id: str | None = None, secrets: bool = False
    ) -> list[Fact]:
        """Every version, newest first; with `secrets`, with those in them."""
        core, space = await self._space.inside.here()
        found = await core.driver.read(facts.versions, space.id, *_named(category, key, person_id))
        return await self._space.inside.shown(found, secrets=secrets)

    async def forget(
        self, category: str, key: str, *, person_id: str | None = None, reason: str | None = None
    ) -> Fact:
        """End the current version; its history stays, and the journal keeps the `reason`."""
        core, space = await self._space.inside.here()
        name, why = _named(category, key, person_id), checked_reason(reason)
        dropped = await core.driver.write(
            drop_fact, space, *name, now(), self._space.inside.actor, reason=why
        )
        await core.changed("fact", space, record=dropped)
        return await self._space.inside.shown(dropped)

    async def restore(self, fact_id: str, *, reason: str | None = None) -> FactSet:
        """Make an earlier version current again, as a new one; `history` has the ids of the versions."""
        core, space = await self._space.inside.here()
        why = checked_reason(reason)
        outcome = await core.driver.write(
            restore_fact, space, fact_id, now(), self._space.inside.actor, reason=why
        )
        await core.changed("fact", space, record=outcome.fact)
        return await self._space.inside.shown(outcome)

    async def search(
        self, query: str, *, limit: int = 15, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> FactsFound:
        """The facts near to a query in meaning, nearest first; when none are, those that hold its text.

        How near is near enough says the setting `similarity.facts_distance`.
        """
        core, space = await self._space.inside.here()
        check_page(limit)
        check_query(core.settings.limits, query)
        wanted = checked(FactsQuery, filters)
        farthest = core.settings.similarity.facts_distance
        found = await find_facts(core.driver, core.index, space, query, wanted, limit, farthest, now())
        return await self._space.inside.shown(found, secrets=secrets)

    async def doubts(self, *, limit: int = 5, secrets: bool = False) -> builtins.list[Doubt]:
        """A few facts that nobody has confirmed for long, most worth asking about first.

        Setting the same value again confirms one.
        """
        core, space = await self._space.inside.here()
        check_page(limit)
        moment = now()
        current = await core.driver.read(facts.list_current, space.id, now=moment, limit=_EVERY)
        return await self._space.inside.shown(doubts(current, moment)[:limit], secrets=secrets)

    async def list(
        self, *, limit: int = 200, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> list[Fact]:
        """The facts that hold now, or held at a time, by category and key; with `secrets`, with those."""
        core, space = await self._space.inside.here()
        check_page(limit)
        wanted = checked(FactsQuery, filters)
        found = await core.driver.read(list_facts, space.id, wanted, now(), limit)
        return await self._space.inside.shown(found, secrets=secrets)


def _named(category: str, key: str, person_id: str | None) -> tuple[str | None, str, str]:
    name = checked(FactName, {"category": category, "key": key, "person_id": person_id})
    return name.person_id, name.category, name.key


def _holds(fact: Fact, at: datetime) -> bool:
    ends = (fact.valid_to, fact.expires_at)
    return fact.valid_from <= at and all(end is None or end > at for end in ends)
