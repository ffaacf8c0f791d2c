"""People, their devices and the household's settings: what is refused, and what comes back together."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import AsyncBethink, Conflict
from bethink.records import Person
from tests.undo.changes import Room, furnish, newest


@pytest.fixture
async def room(memory: AsyncBethink) -> Room:
    return await furnish(memory)


async def refused(room: Room, why: str, **line: Any) -> None:
    """Undoing the newest such change is refused, and nothing happens."""
    before = await newest(room.space)
    with pytest.raises(Conflict, match=f"because .*{why}.* Nothing was changed"):
        await room.space.undo((await newest(room.space, **line)).id)
    assert await newest(room.space) == before


async def test_what_is_known_of_someone_comes_back_with_them(room: Room) -> None:
    space = room.space
    await space.remember("Sarah plays chess", person_id=room.sarah)
    await space.devices.put("watch", name="Watch", primary_person_id=room.sarah)
    await space.facts.set("likes", "food", "dumplings", person_id=room.sarah)
    await space.people.remove(room.sarah)
    released = [line for line in (await space.journal(noun="device")).items if line.action == "updated"]
    assert {line.record_id for line in released} == {"tv", "watch"}
    assert {line.reason for line in released} == {"Sarah left the household"}
    await space.facts.set("likes", "drink", "mint tea", person_id=room.sarah)
    await space.devices.put("watch", name="Watch", primary_person_id=room.tom)
    undone = await space.undo((await newest(space, noun="person")).id)
    assert isinstance(undone.record, Person)
    assert (undone.record.display_name, undone.record.left_at) == ("Sarah", None)
    assert undone.entry.action == "returned"
    known = {fact.key: fact.value for fact in await space.facts.list(person_id=room.sarah)}
    assert known == {"food": "dumplings", "drink": "mint tea"}, "what was set meanwhile stays"
    owners = {device.id: device.primary_person_id for device in await space.devices.list()}
    assert owners == {"tv": room.sarah, "watch": room.tom}, "what is another's meanwhile stays theirs"
    assert [one.content for one in await space.list(person_ids=[room.sarah])] == ["Sarah plays chess"]


async def test_who_comes_back_keeps_to_the_rules(room: Room) -> None:
    space = room.space
    await space.people.remove(room.sarah)
    other = await space.people.add("Sára", voice_ids=["v2"])
    await space.people.update(other.id, display_name="Sarah")
    await refused(room, "has the same name", noun="person", action="left")
    await space.people.update(other.id, display_name="Sally", voice_ids=["v1"])
    await refused(room, "has the same voice", noun="person", action="left")
    await space.people.remove(other.id)
    await space.household.update(mode="single")
    await refused(room, "in single mode has one person", record_id=room.sarah, action="left")


async def test_an_old_name_that_another_has_now_is_not_taken(room: Room) -> None:
    await room.space.people.update(room.sarah, display_name="Sally")
    await room.space.people.add("Sarah")
    await refused(room, "has the same name", record_id=room.sarah)


async def test_there_is_one_primary_person(room: Room) -> None:
    await room.space.people.update(room.tom, role="spouse")
    await room.space.people.update(room.sarah, role="primary")
    await refused(room, "already primary", record_id=room.tom)


async def test_someone_who_changed_since_is_left_alone(room: Room) -> None:
    space = room.space
    await space.people.update(room.sarah, notes="Sings")
    line = await newest(space)
    await space.people.update(room.sarah, pronouns="she/her")
    await space.undo(line.id)
    sarah = await space.people.get(room.sarah)
    assert (sarah.notes, sarah.pronouns) == (None, "she/her"), "other fields stay"
    await space.people.update(room.sarah, notes="Dances")
    await space.people.update(room.sarah, notes="Paints")
    second = (await space.journal(record_id=room.sarah, limit=2)).items[1]
    with pytest.raises(Conflict, match="has changed since"):
        await space.undo(second.id)
    await space.people.remove(room.sarah)
    await refused(room, "Sarah has left; undo that first", record_id=room.sarah, action="updated")


async def test_the_last_one_does_not_leave_again(room: Room) -> None:
    await room.space.people.remove(room.sarah)
    await room.space.people.add("Sarah")
    back = await newest(room.space, noun="person", action="returned")
    await room.space.people.remove(room.tom)
    with pytest.raises(Conflict, match="Sarah is the only person here"):
        await room.space.undo(back.id)


async def test_a_leaving_is_not_undone_twice(room: Room) -> None:
    await room.space.people.remove(room.sarah)
    first = await newest(room.space, noun="person")
    await room.space.people.add("Sarah")
    await room.space.people.remove(room.sarah)
    with pytest.raises(Conflict, match="has changed since"):
        await room.space.undo(first.id)


async def test_a_household_with_two_people_is_not_made_single(memory: AsyncBethink) -> None:
    await memory.household.update(mode="multi")
    line = await newest(memory, noun="space")
    guest = await memory.people.add("Bo")
    with pytest.raises(Conflict, match="You, Bo live there"):
        await memory.undo(line.id)
    await memory.people.remove(guest.id)
    await memory.undo(line.id)
    assert (await memory.household.get()).mode == "single"
    await memory.undo((await newest(memory, noun="space")).id)
    assert [(one.display_name, one.role) for one in await memory.people.list()] == [("You", "primary")]


async def test_settings_that_others_changed_stay(room: Room) -> None:
    await room.space.household.update(timezone="Asia/Tokyo")
    line = await newest(room.space)
    await room.space.household.update(locale="ja-JP")
    await room.space.undo(line.id)
    found = await room.space.household.get()
    assert (found.timezone, found.locale) == ("UTC", "ja-JP")
    await room.space.household.update(timezone="Asia/Seoul")
    with pytest.raises(Conflict, match="has changed since"):
        await room.space.undo(line.id)


async def test_devices_are_left_alone_when_they_changed(room: Room) -> None:
    space = room.space
    await space.devices.put("tv", name="Telly", primary_person_id=room.sarah)
    renamed = await newest(space)
    assert (renamed.before, renamed.after) == ({"name": "Television"}, {"name": "Telly"})
    await space.devices.put("tv", name="Telly", primary_person_id=room.sarah)
    assert await newest(space) == renamed, "the same again is no change"
    await space.devices.remove("tv")
    with pytest.raises(Conflict, match="'tv' was removed; undo that first"):
        await space.undo(renamed.id)
    removed = await newest(space)
    await space.devices.put("tv", name="Another")
    with pytest.raises(Conflict, match="there is a device 'tv' again"):
        await space.undo(removed.id)


async def test_a_device_of_someone_who_left_does_not_come_back_as_theirs(room: Room) -> None:
    await room.space.devices.remove("tv")
    await room.space.people.remove(room.sarah)
    await refused(room, "no longer lives here", noun="device", action="forgotten")


async def test_what_was_of_someone_who_is_erased_cannot_come_back(room: Room) -> None:
    await room.space.people.remove(room.sarah)
    line = await newest(room.space, noun="device")
    receipt = await room.space.erase(person_id=room.sarah)
    assert receipt.complete, receipt
    assert (await room.space.journal(record_id=room.sarah)).items == []
    with pytest.raises(Conflict, match="no longer kept"):
        await room.space.undo(line.id)
    assert "Sarah" not in repr(await room.space.journal(limit=1000))
