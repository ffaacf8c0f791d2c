"""Facts: one current version each, and every version there was."""

from __future__ import annotations

from typing import Any

import pytest

from bethink.clock import new_id
from bethink.errors import StoreError
from bethink.records import Fact, Space
from bethink.store import Driver, Tx, facts, persons
from tests.store import samples
from tests.store.samples import DAY, NOW

DRINK = ("likes", "drink")


def supersede(tx: Tx, space: Space, values: list[str]) -> list[Fact]:
    """One version a day, each closing the one before."""
    versions: list[Fact] = []
    for number, value in enumerate(values):
        at = NOW + number * DAY
        version = samples.fact(space, value, valid_from=at)
        if versions:
            facts.close(tx, versions[-1], at, version.id)
            versions[-1] = versions[-1].model_copy(update={"valid_to": at, "superseded_by": version.id})
        facts.add(tx, version)
        versions.append(version)
    return versions


async def test_the_current_version_is_the_one_not_closed(store: Driver, space: Space) -> None:
    versions = await store.write(supersede, space, ["tea", "coffee", "maté"])
    assert await store.read(facts.current, space.id, None, *DRINK) == versions[-1]
    assert await store.read(facts.current, space.id, None, "likes", "food") is None


async def test_versions_are_listed_from_the_newest(store: Driver, space: Space) -> None:
    versions = await store.write(supersede, space, ["tea", "coffee", "maté"])
    assert await store.read(facts.versions, space.id, None, *DRINK) == versions[::-1]
    # Of two versions of one moment, the one made later is newer.
    duplicate = versions[0].model_copy(update={"id": new_id()})
    await store.write(facts.add, duplicate)
    found = await store.read(facts.versions, space.id, None, *DRINK)
    assert [version.id for version in found[-2:]] == [duplicate.id, versions[0].id]


async def test_there_is_only_one_current_version(store: Driver, space: Space) -> None:
    await store.write(supersede, space, ["tea", "coffee"])
    with pytest.raises(StoreError):
        await store.write(facts.add, samples.fact(space, "maté"))
    # Closed versions do not stand in one another's way.
    await store.write(facts.add, samples.fact(space, "milk", valid_to=NOW))


async def test_a_fact_without_a_person_is_its_own(store: Driver, space: Space) -> None:
    ana, ben = samples.person(space), samples.person(space)
    for person in (ana, ben):
        await store.write(persons.add, person)
    known = {who: samples.fact(space, str(who), person_id=who) for who in (None, ana.id, ben.id)}
    for fact in known.values():
        await store.write(facts.add, fact)
    for who, fact in known.items():
        assert await store.read(facts.current, space.id, who, *DRINK) == fact
        assert await store.read(facts.versions, space.id, who, *DRINK) == [fact]


async def test_a_closed_version_stays_as_it_was_closed(store: Driver, space: Space) -> None:
    fact = samples.fact(space)
    await store.write(facts.add, fact)
    await store.write(facts.close, fact, NOW + DAY, None)
    await store.write(facts.close, fact, NOW + 2 * DAY, "another")
    found = await store.read(facts.by_ids, space.id, [fact.id])
    assert found == {fact.id: fact.model_copy(update={"valid_to": NOW + DAY})}
    assert await store.read(facts.current, space.id, None, *DRINK) is None


async def test_assessing_keeps_when_it_was_seen_and_how_sure_it_is(store: Driver, space: Space) -> None:
    fact = samples.fact(space)
    await store.write(facts.add, fact)
    expected = fact.model_copy(update={"last_verified_at": NOW + DAY, "confidence": 97, "promoted": True})
    await store.write(facts.assess, expected)
    assert await store.read(facts.current, space.id, None, *DRINK) == expected


async def test_the_current_facts_of_a_space_are_grouped_by_category(store: Driver, space: Space) -> None:
    ana = samples.person(space)
    await store.write(persons.add, ana)
    await store.write(supersede, space, ["tea", "coffee"])

    def add(tx: Tx) -> None:
        facts.add(tx, samples.fact(space, "blue", category="car", key="colour"))
        facts.add(tx, samples.fact(space, "fast", category="car", key="speed", person_id=ana.id))
        facts.add(tx, samples.fact(space, "rice", key="dish", person_id=ana.id))

    await store.write(add)

    async def values(**chosen: Any) -> list[str]:
        found = await store.read(facts.list_current, space.id, limit=100, **chosen)
        return [fact.value for fact in found]

    assert await values() == ["blue", "fast", "rice", "coffee"]
    assert await values(category="likes") == ["rice", "coffee"]
    assert await values(person_id=ana.id) == ["fast", "rice"]
    assert await values(category="likes", person_id=ana.id) == ["rice"]
    assert await values(category="unknown") == []
    assert [fact.value for fact in await store.read(facts.list_current, space.id, limit=1)] == ["blue"]


async def test_what_has_expired_is_left_out_when_a_time_is_given(store: Driver, space: Space) -> None:
    def add(tx: Tx) -> None:
        facts.add(tx, samples.fact(space, "soon over", key="a", expires_at=NOW + DAY))
        facts.add(tx, samples.fact(space, "lasts", key="b", promoted=True))

    await store.write(add)

    async def values(**chosen: Any) -> list[str]:
        found = await store.read(facts.list_current, space.id, limit=100, **chosen)
        return [fact.value for fact in found]

    assert await values() == ["soon over", "lasts"]
    assert await values(now=NOW) == ["soon over", "lasts"]
    assert await values(now=NOW + DAY) == ["lasts"]
    assert await values(promoted=True) == ["lasts"]
    assert await values(promoted=False) == ["soon over"]


async def test_at_a_time_the_versions_of_that_time_hold(store: Driver, space: Space) -> None:
    def add(tx: Tx) -> None:
        first = samples.fact(space, "tea", valid_from=NOW)
        facts.add(tx, first)
        facts.close(tx, first, NOW + 2 * DAY, None)
        facts.add(tx, samples.fact(space, "coffee", valid_from=NOW + 2 * DAY, expires_at=NOW + 3 * DAY))

    await store.write(add)
    held = [
        [fact.value for fact in await store.read(facts.list_at, space.id, NOW + days * DAY, limit=10)]
        for days in (-1, 0, 1, 2, 3)
    ]
    assert held == [[], ["tea"], ["tea"], ["coffee"], []]


async def test_nothing_asked_for_is_nothing_found(store: Driver, space: Space) -> None:
    await store.write(facts.add, samples.fact(space))
    assert await store.read(facts.by_ids, space.id, []) == {}


async def test_a_person_takes_their_facts_along(store: Driver, space: Space) -> None:
    ana = samples.person(space)
    fact = samples.fact(space, person_id=ana.id)
    await store.write(persons.add, ana)
    await store.write(facts.add, fact)
    await store.write(persons.delete, space.id, ana.id)
    assert await store.read(facts.by_ids, space.id, [fact.id]) == {}
