"""Households, people and devices through the façade, on both databases."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink, Conflict, InvalidInput, NotFound, SettingsError
from bethink.records import JournalEntry
from bethink.settings.keywords import HouseholdOverrides
from bethink.store import journal
from bethink.testing import FrozenClock
from tests import opened
from tests.opened import Home, about, texts

spaces_postgres_url = opened.spaces_postgres_url
home = opened.home
memory = opened.memory

SMITHS: dict[str, Any] = {
    "display_name": "The Smiths",
    "mode": "multi",
    "timezone": "America/New_York",
    "locale": "en-US",
    "persons": [
        {"display_name": "Tom", "role": "primary", "pronouns": "he/him"},
        {"display_name": "Sarah", "role": "spouse", "aliases": ["mom"], "birth_date": "1985-03-02"},
    ],
}


async def names(memory: AsyncBethink) -> list[str]:
    return [person.display_name for person in await memory.people.list()]


def write_settings(folder: Path) -> None:
    (folder / "bethink.toml").write_text(
        """
        [household]
        display_name = "The Smiths"
        timezone = "Asia/Kathmandu"
        [[household.members]]
        display_name = "Tom"
        role = "primary"
        [[household.members]]
        display_name = "Sarah"
        aliases = ["mom"]
        """
    )


async def notes(memory: AsyncBethink) -> list[JournalEntry]:
    core, space = await memory.inside.here()
    return await core.driver.read(journal.newest, space.id, limit=1000)


# The beginning


async def test_you_live_in_a_new_space(memory: AsyncBethink) -> None:
    found = await memory.household.get()
    assert (found.mode, found.timezone, found.locale) == ("single", "UTC", "en-US")
    assert [(person.display_name, person.role) for person in found.persons] == [("You", "primary")]
    other = await memory.space(f"{memory.name}-other").household.get()
    assert other.persons[0].id != found.persons[0].id


async def test_the_settings_say_who_lives_there_until_the_database_does(home: Home) -> None:
    seed = {name: value for name, value in SMITHS.items() if name != "persons"}
    seed["members"] = SMITHS["persons"]
    async with home.memory(household=seed) as memory:
        found = await memory.household.get()
        assert (found.display_name, found.mode, found.timezone) == ("The Smiths", "multi", "America/New_York")
        assert [(p.display_name, p.role, p.aliases) for p in found.persons] == [
            ("Tom", "primary", []),
            ("Sarah", "spouse", ["mom"]),
        ]
        assert (await memory.space(f"{home.space}-2").household.get()).display_name == f"{home.space}-2"
        await memory.household.update(display_name="Us")
    async with home.memory(
        household={"display_name": "Them", "members": [{"display_name": "Zed"}]}
    ) as memory:
        again = await memory.household.get()
        assert (again.display_name, [p.display_name for p in again.persons]) == ("Us", ["Tom", "Sarah"])


async def test_the_settings_file_and_the_environment_can_say_who_lives_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BETHINK_CONFIG", str(tmp_path / "bethink.toml"))
    write_settings(tmp_path)
    async with AsyncBethink(":memory:", embed={"source": "none"}) as memory:
        found = await memory.household.get()
    assert (found.mode, found.timezone, found.persons[1].aliases) == ("multi", "Asia/Kathmandu", ["mom"])
    monkeypatch.setenv("BETHINK_HOUSEHOLD_MEMBERS", '[{"displayName": "Zoë"}]')
    async with AsyncBethink(":memory:", embed={"source": "none"}) as memory:
        assert await names(memory) == ["Zoë"]


async def test_a_json_file_can_say_who_lives_there(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "household.json"
    block = {"displayName": "Flat 3", "members": [{"displayName": "Ana"}, {"displayName": "Bo"}]}
    file.write_text(json.dumps({"household": block, "port": 1}), "utf-8")
    async with home.memory(household={"file": str(file)}) as memory:
        found = await memory.household.get()
    assert (found.display_name, found.mode, [p.display_name for p in found.persons]) == (
        "Flat 3",
        "multi",
        ["Ana", "Bo"],
    )


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ({"timezone": "Mars/Olympus"}, r"household\.timezone: must be a timezone"),
        ({"locale": "xx-YY"}, r"household\.locale: must be a locale"),
        ({"members": [{"display_name": "A", "birth_date": "soon"}]}, r"household\.members\.0\.birth"),
        ({"members": [{"id": "a", "display_name": "A"}]}, r"household\.members: give everyone a name"),
        ({"file": "nowhere.json"}, r"household\.file: nowhere\.json cannot be read"),
    ],
)
async def test_a_mistake_in_the_settings_is_found_on_opening(seed: HouseholdOverrides, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        await AsyncBethink(":memory:", embed={"source": "none"}, household=seed).open()


async def test_two_that_open_a_space_at_once_make_one_household(home: Home) -> None:
    memories = [home.memory() for _ in range(4)]
    await asyncio.gather(*(memory.household.get() for memory in memories))
    assert await names(memories[0]) == ["You"]
    await asyncio.gather(*(memory.close() for memory in memories))


# Changing it as a whole


async def test_a_household_is_replaced_as_a_whole(memory: AsyncBethink) -> None:
    you = (await memory.people.list())[0]
    changed = await memory.household.update(**SMITHS)
    assert (changed.display_name, changed.mode, changed.timezone) == (
        "The Smiths",
        "multi",
        "America/New_York",
    )
    tom, sarah = changed.persons
    assert (tom.id, tom.display_name) == (you.id, "Tom"), "you are the primary one"
    assert (sarah.display_name, sarah.aliases, sarah.birth_date) == ("Sarah", ["mom"], "1985-03-02")
    assert (changed.added, changed.changed, changed.removed) == ([sarah.id], [tom.id], [])
    found = await memory.household.get()
    assert found.persons == changed.persons
    assert (found.display_name, found.mode, found.locale) == ("The Smiths", "multi", "en-US")


async def test_what_is_left_out_stays(memory: AsyncBethink) -> None:
    await memory.household.update(**SMITHS)
    before = await memory.household.get()
    after = await memory.household.update(timezone="Asia/Kathmandu")
    assert (after.timezone, after.display_name, after.persons) == (
        "Asia/Kathmandu",
        "The Smiths",
        before.persons,
    )
    sarah = before.persons[1]
    again = await memory.household.update(
        persons=[{"id": before.persons[0].id}, {"display_name": "SARAH", "notes": "Likes tea"}]
    )
    assert again.persons[1].id == sarah.id, "found by name, whatever its capitals"
    assert (again.persons[1].aliases, again.persons[1].notes) == (["mom"], "Likes tea")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"timezone": "America/Nowhere"}, "timezone"),
        ({"locale": "klingon"}, "locale"),
        ({"mode": "many"}, "mode"),
        ({"persons": []}, "persons"),
        ({"display_name": "New", "persons": [{"display_name": "Tom"}, {"display_name": " "}]}, "persons.1."),
        ({"display_name": "New", "persons": [{"display_name": "A"}, {"display_name": "á"}]}, "persons.1."),
        ({"display_name": "New", "persons": [{"id": "x"}]}, "persons.0.id"),
        (
            {"display_name": "New", "persons": [{"display_name": "A", "birth_date": "1990-02-30"}]},
            "persons.0.",
        ),
        (
            {"persons": [{"display_name": n, "role": "primary"} for n in ("A", "B")], "timezone": "UTC"},
            "persons.1.role",
        ),
        ({"persons": [{"display_name": n, "voice_ids": ["v"]} for n in ("A", "B")]}, "persons.1.voice_ids"),
        ({"persons": [{"display_name": "A", "age": 3}]}, "persons.0.age"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_bad_member_leaves_everything_as_it_was(
    memory: AsyncBethink, changes: dict[str, Any], field: str
) -> None:
    await memory.household.update(**SMITHS)
    before, journal_before = await memory.household.get(), await notes(memory)
    with pytest.raises((InvalidInput, NotFound)) as caught:
        await memory.household.update(**changes)
    assert str(caught.value.field).startswith(field)
    assert await memory.household.get() == before
    assert await notes(memory) == journal_before


async def test_a_person_of_another_space_is_not_found(memory: AsyncBethink) -> None:
    other = memory.space(f"{memory.name}-other")
    stranger = (await other.people.list())[0]
    with pytest.raises(NotFound):
        await memory.household.update(persons=[{"id": stranger.id}])
    with pytest.raises(NotFound):
        await memory.people.get(stranger.id)
    with pytest.raises(NotFound):
        await memory.people.update(stranger.id, notes="stolen")
    with pytest.raises(NotFound):
        await memory.people.remove(stranger.id)
    with pytest.raises(InvalidInput):
        await memory.devices.put("tv", name="TV", primary_person_id=stranger.id)


# Modes


async def test_from_single_to_multi_the_person_becomes_primary(memory: AsyncBethink) -> None:
    you = (await memory.household.update(persons=[{"display_name": "Ana", "role": None}])).persons[0]
    assert you.role is None
    changed = await memory.household.update(mode="multi")
    assert [(p.id, p.display_name, p.role) for p in changed.persons] == [(you.id, "Ana", "primary")]
    await memory.people.add("Bo", role="guest")
    assert await names(memory) == ["Ana", "Bo"]


async def test_the_one_person_of_a_single_space_keeps_what_is_known_of_them(memory: AsyncBethink) -> None:
    you = (await memory.people.list())[0]
    await memory.facts.set("likes", "drink", "tea", person_id=you.id)
    people = [{"display_name": "Kid", "role": "child"}, {"display_name": "Ana", "role": "primary"}]
    changed = await memory.household.update(mode="multi", persons=people)
    ana = next(person for person in changed.persons if person.display_name == "Ana")
    assert ana.id == you.id
    fact = await memory.facts.get("likes", "drink", person_id=ana.id)
    assert fact is not None
    assert changed.removed == []


async def test_from_multi_to_single_only_one_may_be_left(memory: AsyncBethink) -> None:
    await memory.household.update(**SMITHS)
    await memory.people.add("Leo", role="child")
    with pytest.raises(Conflict, match="Sarah, Leo would live there besides Tom") as caught:
        await memory.household.update(mode="single")
    assert caught.value.field == "mode"
    with pytest.raises(Conflict, match="Sarah"):
        await memory.household.update(
            mode="single", persons=[{"display_name": "Tom"}, {"display_name": "Sarah"}]
        )
    assert (await memory.household.get()).mode == "multi"
    changed = await memory.household.update(mode="single", persons=[{"display_name": "Tom"}])
    assert (changed.mode, [p.display_name for p in changed.persons]) == ("single", ["Tom"])
    assert [person.display_name for person in changed.removed] == ["Sarah", "Leo"]


async def test_a_single_space_takes_no_second_person(memory: AsyncBethink) -> None:
    with pytest.raises(Conflict, match="single mode"):
        await memory.people.add("Bo")
    assert await names(memory) == ["You"]


async def test_a_switch_and_a_newcomer_at_once_never_leave_two_in_single_mode(home: Home) -> None:
    one, two = home.memory(), home.memory()
    await one.household.update(mode="multi")
    await two.household.get()
    for number in range(5):
        await asyncio.gather(
            one.household.update(mode="single"), two.people.add(f"Guest {number}"), return_exceptions=True
        )
        found = await one.household.get()
        assert found.mode == "multi" or len(found.persons) == 1
        if len(found.persons) == 2:
            await one.people.remove(found.persons[1].id)
        await one.household.update(mode="multi")
    await one.close()
    await two.close()


# One by one


async def test_people_come_change_and_go(memory: AsyncBethink) -> None:
    await memory.household.update(**SMITHS)
    leo = await memory.people.add("Leo", role="child", voice_ids=["v1"])
    assert await memory.people.get(leo.id) == leo
    changed = await memory.people.update(leo.id, aliases=["Bug"], role=None)
    assert (changed.aliases, changed.role, changed.voice_ids) == (["Bug"], None, ["v1"])
    with pytest.raises(Conflict, match="Leo lives here already"):
        await memory.people.add("LEO")
    with pytest.raises(InvalidInput, match="same name"):
        await memory.people.update(leo.id, display_name="tom")
    gone = await memory.people.remove(leo.id)
    assert [person.id for person in gone.removed] == [leo.id]
    assert await names(memory) == ["Tom", "Sarah"]
    left = await memory.people.get(leo.id)
    assert left.left_at is not None
    with pytest.raises(NotFound):
        await memory.people.remove(leo.id)
    actions = [(note.action, note.noun) for note in await notes(memory)][:3]
    assert actions == [("left", "person"), ("updated", "person"), ("stored", "person")]


async def test_the_last_person_stays(memory: AsyncBethink) -> None:
    you = (await memory.people.list())[0]
    with pytest.raises(Conflict, match="You is the only person"):
        await memory.people.remove(you.id)


async def test_what_is_known_of_someone_who_left_ends_and_is_back_with_them(memory: AsyncBethink) -> None:
    await memory.household.update(**SMITHS)
    sarah = (await memory.people.list())[1]
    await memory.facts.set("likes", "drink", "oolong tea", person_id=sarah.id, promoted=True)
    await memory.facts.set("likes", "colour", "teal", person_id=sarah.id)
    await memory.facts.forget("likes", "colour", person_id=sarah.id)
    note = await memory.remember("Sarah plays chess on Sundays", person_id=sarah.id)
    await memory.devices.put("kitchen", name="Kitchen", primary_person_id=sarah.id)

    gone = await memory.household.update(persons=[{"display_name": "Tom"}])
    assert (gone.facts_closed, [person.display_name for person in gone.removed]) == (1, ["Sarah"])
    assert await memory.facts.get("likes", "drink", person_id=sarah.id) is None
    assert "oolong" not in str(texts(await memory.recall("oolong", layers=["fact"])))
    assert (await memory.get(note.id)).person_id == sarah.id
    assert (await memory.devices.get("kitchen")).primary_person_id is None
    history = await memory.facts.history("likes", "drink", person_id=sarah.id)
    assert [version.value for version in history] == ["oolong tea"]
    assert any(entry.reason == "Sarah left the household" for entry in await notes(memory))

    back = await memory.household.update(persons=[{"display_name": "Tom"}, {"display_name": "sarah"}])
    assert back.returned == [sarah.id]
    fact = await memory.facts.get("likes", "drink", person_id=sarah.id)
    assert fact is not None
    assert (fact.value, fact.promoted) == ("oolong tea", True)
    assert await memory.facts.get("likes", "colour", person_id=sarah.id) is None, "it was forgotten before"


async def test_recall_prefers_the_people_hinted_at_and_hides_no_one(memory: AsyncBethink) -> None:
    changed = await memory.household.update(**SMITHS)
    tom, sarah = changed.persons
    for person in (tom, sarah):
        await memory.remember(f"{person.display_name} has a dentist on Friday", person_id=person.id)
    for number in range(6):
        await memory.remember(f"Filler note {number}")
    for person in (tom, sarah):
        found = await memory.recall("when is the dentist?", person_hints=[person.id], limit=2)
        assert [about(hit) for hit in found.hits] == [person.id, ({tom.id, sarah.id} - {person.id}).pop()]
    only = await memory.recall("dentist", person_ids=[sarah.id])
    assert {about(hit) for hit in only.hits} == {sarah.id}


# Who is meant, who speaks


async def test_someone_is_found_by_any_name(memory: AsyncBethink) -> None:
    await memory.household.update(**SMITHS)
    for ref in ("sarah", "MOM", "my wife", "spouse"):
        found = await memory.people.resolve(ref)
        assert found.person is not None
        assert found.person.display_name == "Sarah"
    await memory.people.add("Leo", role="child")
    await memory.people.add("Mia", role="child")
    kids = await memory.people.resolve("kids")
    assert (kids.person, [person.display_name for person in kids.candidates]) == (None, ["Leo", "Mia"])


async def test_the_speaker_is_told_by_voice_device_or_words(memory: AsyncBethink) -> None:
    alone = await memory.people.speaker("anything")
    assert (alone.display_name, alone.reason, alone.confidence) == ("You", "single", "high")
    await memory.household.update(**SMITHS)
    tom, sarah = await memory.people.list()
    await memory.people.update(sarah.id, voice_ids=["voice-1"])
    await memory.devices.put("kitchen", name="Kitchen speaker", primary_person_id=tom.id)
    asked: list[tuple[dict[str, str], str | None, str]] = [
        ({"voice": "voice-1", "device": "kitchen"}, "Sarah", "voice"),
        ({"device": "kitchen"}, "Tom", "device"),
        ({"device": "unknown", "text": "my husband is late"}, "Sarah", "words"),
        ({"person": "mom", "device": "kitchen"}, "Sarah", "named"),
        ({"text": "hello"}, None, "none"),
    ]
    for options, name, reason in asked:
        found = await memory.people.speaker(**options)
        assert (found.display_name, found.reason) == (name, reason)
    with pytest.raises(NotFound, match="nobody in this space is called 'Bob'"):
        await memory.people.speaker(person="Bob")
    await memory.people.add("Tomas", aliases=["Tom"])
    with pytest.raises(NotFound, match="'tom' could be any of Tom, Tomas"):
        await memory.people.speaker(person="tom")


# Devices


async def test_devices_come_change_and_go(memory: AsyncBethink) -> None:
    you = (await memory.people.list())[0]
    with FrozenClock() as clock:
        added = await memory.devices.put("tv", name="TV")
        made_at = clock.now
        clock.advance(made_at - made_at.replace(minute=0, hour=0))
        changed = await memory.devices.put("tv", name="Big TV", primary_person_id=you.id)
    assert (added.primary_person_id, changed.name, changed.primary_person_id) == (None, "Big TV", you.id)
    assert (changed.created_at, changed.updated_at > made_at) == (made_at, True)
    assert await memory.devices.list() == [changed]
    assert await memory.space(f"{memory.name}-other").devices.list() == []
    assert await memory.devices.remove("tv") == changed
    for call in (memory.devices.get, memory.devices.remove):
        with pytest.raises(NotFound):
            await call("tv")
    with pytest.raises(InvalidInput, match="name"):
        await memory.devices.put("tv", name=" ")
