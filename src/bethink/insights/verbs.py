"""What a space tells of the last days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from bethink.clock import now
from bethink.core import Core, Handle
from bethink.errors import InvalidInput
from bethink.insights.digest import digest
from bethink.insights.ranking import ranked
from bethink.records import Fact, Mode, Person, Space
from bethink.shapes.insights import DAY, MOST_DAYS, Digest, InsightQuery
from bethink.store import Tx, facts, persons
from bethink.text.slug import slug

_FACTS = 500  # that are looked at


class Digesting(Handle):
    """What a space tells of the last days."""

    async def digest(self, days: int = 7) -> Digest:
        """What was decided, what is due, what waits for an answer, what changed about whom, as Markdown."""
        if not 1 <= days <= MOST_DAYS:
            raise InvalidInput(f"days: must be from 1 to {MOST_DAYS}, not {days}.", field="days")
        core, space = await self.inside.here()
        return await self.inside.shown(await digest_of(core, space, days))


async def digest_of(core: Core, space: Space, days: int) -> Digest:
    """The digest of a space as it is now."""
    at = now()
    kept_since = await core.options.kept_since(space, at)
    return await core.driver.read(_digest, space, days, at, kept_since)


def _digest(tx: Tx, space: Space, days: int, at: datetime, kept_since: datetime | None) -> Digest:
    insights = [one.insight for one in ranked(tx, space, InsightQuery(), at, kept_since=kept_since)]
    return digest(insights, _changed(tx, space, at, days), at, days, ZoneInfo(space.timezone))


def _changed(tx: Tx, space: Space, at: datetime, days: int) -> list[tuple[str, Fact]]:
    """Facts that began to hold in these days, newest first, each with the name of whom it is about."""
    people = persons.everyone(tx, space.id)
    found = [
        one
        for one in facts.list_current(tx, space.id, now=at, limit=_FACTS)
        if one.valid_from >= at - days * DAY
    ]
    found.sort(key=lambda one: one.valid_from, reverse=True)
    return [_whose(one, people, single=space.mode is Mode.SINGLE) for one in found]


def _whose(fact: Fact, people: Sequence[Person], *, single: bool) -> tuple[str, Fact]:
    """Whom a fact is about. One kept for everyone may name a person in its key, such as `anna_birthday`."""
    for one in people:
        if fact.person_id == one.id:
            return one.display_name, fact
        rest = fact.key.removeprefix(f"{slug(one.display_name)}_")
        if fact.person_id is None and rest and rest != fact.key:
            return one.display_name, fact.model_copy(update={"key": rest})
    return "The user" if single else fact.category.replace("_", " ").capitalize(), fact
