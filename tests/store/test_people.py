"""Who lives in a space, through what they speak, and what is said of them in every prompt."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bethink.errors import NotFound
from bethink.records import Space
from bethink.store import Driver, Tx, devices, facts, persons, spaces
from tests.store import samples
from tests.store.samples import DAY, JSON, NOW, SECOND, TEXTS


async def test_persons_are_listed_in_the_order_they_came(store: Driver, space: Space) -> None:
    late = samples.person(space, "Ana", created_at=NOW + SECOND)
    early = samples.person(space, "Zoë")
    for person in (late, early):
        await store.write(persons.add, person)
    assert await store.read(persons.list_all, space.id) == [early, late]
    assert await store.write(persons.delete, space.id, early.id) is True
    assert await store.write(persons.delete, space.id, early.id) is False
    assert await store.read(persons.find, space.id, early.id) is None


async def test_who_has_left_is_known_but_lives_elsewhere(store: Driver, space: Space) -> None:
    ana, ben = samples.person(space, "Ana"), samples.person(space, "Ben")
    for person in (ana, ben):
        await store.write(persons.add, person)
    changed = {
        "display_name": "Anna",
        "aliases": ["An"],
        "role": "guest",
        "notes": TEXTS[4],
        "voice_ids": ["v"],
    }
    left = ana.model_copy(update={**changed, "left_at": NOW + DAY, "updated_at": NOW + DAY})
    await store.write(persons.update, left)
    assert await store.read(persons.list_all, space.id) == [ben]
    assert await store.read(persons.everyone, space.id) == [left, ben]
    assert await store.read(persons.find, space.id, ana.id) == left


async def test_a_device_is_added_or_changed_by_its_id(store: Driver, space: Space, other: Space) -> None:
    ana = samples.person(space)
    await store.write(persons.add, ana)
    phone = samples.device(space, primary_person_id=ana.id)
    speaker = samples.device(space, "speaker", created_at=NOW - DAY)
    for device in (phone, speaker, samples.device(other)):
        await store.write(devices.put, device)
    changed = {"name": "Old phone", "primary_person_id": None, "updated_at": NOW + DAY}
    await store.write(devices.put, phone.model_copy(update={**changed, "created_at": NOW + DAY}))
    assert await store.read(devices.list_all, space.id) == [speaker, phone.model_copy(update=changed)]
    assert await store.write(devices.delete, space.id, "phone") is True
    assert await store.write(devices.delete, space.id, "phone") is False
    assert await store.read(devices.find, space.id, "phone") is None


async def test_the_devices_of_someone_who_is_deleted_are_nobodys(store: Driver, space: Space) -> None:
    ana, ben = samples.person(space, "Ana"), samples.person(space, "Ben")
    for person in (ana, ben):
        await store.write(persons.add, person)
    owners = {"phone": ana.id, "tablet": ben.id, "speaker": None}
    for name, owner in owners.items():
        await store.write(devices.put, samples.device(space, name, primary_person_id=owner))
    await store.write(persons.delete, space.id, ben.id)
    found = await store.read(devices.list_all, space.id)
    assert {device.id: device.primary_person_id for device in found} == {**owners, "tablet": None}


async def test_a_space_is_read_and_changed_by_its_id(store: Driver, space: Space, other: Space) -> None:
    changed = space.model_copy(
        update={
            "display_name": TEXTS[3],
            "mode": "multi",
            "timezone": "Asia/Tokyo",
            "locale": "ja-JP",
            "settings": JSON,
            "updated_at": NOW + DAY,
        }
    )
    await store.write(spaces.update, changed.model_copy(update={"name": "stays", "number": 99}))
    assert await store.read(spaces.get, space.id) == changed
    assert await store.read(spaces.get, other.id) == other
    with pytest.raises(NotFound):
        await store.read(spaces.get, "unknown")


async def test_a_claimed_space_is_changed_by_one_at_a_time(store: Driver, space: Space) -> None:
    def rename(tx: Tx, letter: str) -> None:
        claimed = spaces.claim(tx, space.id, NOW + DAY)
        spaces.update(tx, claimed.model_copy(update={"display_name": claimed.display_name + letter}))

    await asyncio.gather(*(store.write(rename, letter) for letter in "abcdefghij"))
    found = await store.read(spaces.get, space.id)
    assert sorted(found.display_name.removeprefix("home")) == list("abcdefghij")
    assert found.updated_at == NOW + DAY
    with pytest.raises(NotFound):
        await store.write(spaces.claim, "unknown", NOW)


async def test_the_surest_promoted_facts_come_first(store: Driver, space: Space) -> None:
    def add(tx: Tx) -> None:
        known: dict[str, dict[str, Any]] = {
            "sure": {"confidence": 95},
            "newer": {"confidence": 80, "valid_from": NOW + SECOND},
            "older": {"confidence": 80},
            "plain": {"promoted": False},
            "closed": {"valid_to": NOW},
            "ended": {"expires_at": NOW + DAY},
        }
        for value, fields in known.items():
            facts.add(tx, samples.fact(space, value, key=value, **{"promoted": True, **fields}))

    await store.write(add)

    async def promoted(at: int = 0, limit: int = 100) -> list[str]:
        found = await store.read(facts.promoted, space.id, NOW + at * DAY, limit)
        return [fact.value for fact in found]

    assert await promoted() == ["sure", "ended", "newer", "older"]
    assert await promoted(at=1) == ["sure", "newer", "older"]
    assert await promoted(limit=2) == ["sure", "ended"]
    plain = await store.read(facts.current, space.id, None, "likes", "plain")
    assert plain is not None
    await store.write(facts.assess, plain.model_copy(update={"promoted": True}))
    assert "plain" in await promoted()


async def test_the_facts_dropped_with_a_person_are_those_of_that_moment(store: Driver, space: Space) -> None:
    ana, ben = samples.person(space, "Ana"), samples.person(space, "Ben")

    def add(tx: Tx) -> None:
        persons.add(tx, ana)
        persons.add(tx, ben)
        known: dict[str, dict[str, Any]] = {
            "dropped": {"person_id": ana.id, "valid_to": NOW},
            "superseded": {"person_id": ana.id, "valid_to": NOW, "superseded_by": "another"},
            "before": {"person_id": ana.id, "valid_to": NOW - SECOND},
            "current": {"person_id": ana.id},
            "his": {"person_id": ben.id, "valid_to": NOW},
            "nobody's": {"valid_to": NOW},
        }
        for key, fields in known.items():
            facts.add(tx, samples.fact(space, key=key, **fields))

    await store.write(add)
    found = await store.read(facts.dropped_at, space.id, ana.id, NOW)
    assert [fact.key for fact in found] == ["dropped"]


async def test_the_standing_facts_hold_for_one_state_of_the_facts(store: Driver, space: Space) -> None:
    async def state() -> tuple[int, str]:
        return await store.read(facts.revision, space.id)

    first, second = samples.fact(space, key="a"), samples.fact(space, key="b")
    states = [await state()]
    await store.write(facts.add, first)
    states.append(await state())
    await store.write(facts.close, first, NOW, None)
    states.append(await state())
    await store.write(facts.add, second)
    states.append(await state())
    assert [count for count, _ in states] == [0, 1, 0, 1]
    assert len({name for _, name in states}) == 4
    await store.write(facts.assess, second.model_copy(update={"confidence": 99}))
    assert await state() == states[-1]

    assert await store.read(facts.standing, space.id, "one") is None
    await store.write(facts.keep_standing, space.id, "one", ["f1", "f2"])
    await store.write(facts.keep_standing, space.id, "one", ["too late"])
    assert await store.read(facts.standing, space.id, "one") == ["f1", "f2"]
    await store.write(facts.keep_standing, space.id, "two", [])
    assert await store.read(facts.standing, space.id, "one") is None
    assert await store.read(facts.standing, space.id, "two") == []


async def test_a_text_of_the_space_is_replaced_and_removed(store: Driver, space: Space) -> None:
    assert await store.read(spaces.text, space.id, "soul") == ""
    for text in TEXTS:
        await store.write(spaces.set_text, space.id, "soul", "before", NOW)
        await store.write(spaces.set_text, space.id, "soul", text, NOW)
        assert await store.read(spaces.text, space.id, "soul") == text
    assert await store.read(spaces.text, space.id, "narrative") == ""
