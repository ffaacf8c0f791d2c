from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bethink import AsyncBethink
from bethink.errors import InvalidInput
from bethink.shapes.audits import Audit, Finding
from bethink.testing import FrozenClock
from tests import opened
from tests.opened import Home, unchecked

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url


def kinds(audit: Audit) -> dict[str, list[str]]:
    return {one.kind.value: one.texts for one in audit.found}


async def test_a_tidy_space_has_nothing_to_mend(memory: AsyncBethink) -> None:
    for text in ("Ana lives in Porto", "Ben plays the cello", "The dog is called Rex"):
        await memory.remember(text)
    await memory.settle()
    audit = await memory.audit()
    assert (audit.memories, audit.compared, audit.found, audit.counts) == (3, 3, [], {})


async def test_duplicates_are_merged_with_all_their_sources(memory: AsyncBethink) -> None:
    first = await memory.remember("Ana lives in Porto", tags=["a"], source_ref={"messages": ["m1"]})
    await memory.remember("ana lives in PORTO!", key="again", tags=["b"], source_ref={"messages": ["m2"]})
    (found,) = (await memory.audit()).found
    assert (found.kind, found.fix, len(found.records)) == ("duplicate", "merge", 2)
    done = await memory.fix(found.id)
    assert (done.fixed, done.forgotten) == (1, 1)
    (left,) = await memory.list()
    assert (left.id, left.tags) == (first.id, ["a", "b"])
    assert left.source_ref == {"messages": ["m1", "m2"]}
    assert (await memory.fix(found.id)).gone == 1


async def test_paraphrases_and_contradictions_are_told_apart(memory: AsyncBethink) -> None:
    await memory.remember("I really like long walks by the sea at night")
    await memory.remember("I really like long walks by the sea at the night")
    await memory.remember("The meeting with the bank is on day 14 of the month")
    await memory.remember("The meeting with the bank is on day 15 of the month", key="newer")
    await memory.settle()
    found = kinds(await memory.audit())
    assert set(found) == {"near-duplicate", "contradiction"}
    await memory.fix(kinds=[Finding.CONTRADICTION, "near-duplicate"])
    assert sorted(one.content for one in await memory.list()) == [
        "I really like long walks by the sea at night",
        "The meeting with the bank is on day 15 of the month",
    ]
    assert (await memory.audit()).found == []


async def test_junk_is_forgotten_and_can_be_brought_back(memory: AsyncBethink) -> None:
    junk = await memory.remember("thanks!", source="chat_extract")
    await memory.remember("thanks", source="note")  # stored on purpose
    (found,) = (await memory.audit()).found
    assert (found.kind, found.records) == ("junk", [junk.id])
    await memory.fix(kinds=["junk"])
    (line,) = (await memory.journal(record_id=junk.id, action="forgotten")).items
    assert line.reason is not None
    assert line.reason.startswith("audit: ")
    await memory.undo(line.id)
    assert (await memory.get(junk.id)).content == "thanks!"


async def test_what_was_weighed_in_its_message_is_no_question(memory: AsyncBethink) -> None:
    asked, weighed = "when does the bus leave", "when I ask you something, answer in one line"
    for text, worth in ((asked, 0.4), (weighed, 0.96)):
        await memory.remember(text, source="chat_extract", metadata={"worth": worth})
    (found,) = (await memory.audit()).found
    assert (found.kind, found.texts) == ("junk", [asked])


async def test_secrets_are_erased_and_not_shown(memory: AsyncBethink) -> None:
    secret = "sk-proj-abcdEFGH1234ijklMNOP5678qrst"
    await memory.remember(f"The API key is {secret}")
    audit = await memory.audit()
    assert secret not in audit.model_dump_json()
    assert audit.counts == {Finding.SECRET: 1}
    await memory.fix(kinds=["secret"])
    assert await memory.list() == []
    assert secret not in (await memory.journal()).model_dump_json()


async def test_facts_that_disagree_or_are_old(home: Home) -> None:
    with FrozenClock(datetime(2025, 1, 1, tzinfo=UTC)) as clock:
        async with home.memory() as memory:
            await memory.facts.set("personal", "city", "Porto")
            await memory.facts.set("diet", "meat", "none")
            clock.advance(timedelta(days=300))
            await memory.facts.set("home", "City", "Oslo")
            clock.advance(timedelta(days=100))
            found = (await memory.audit()).found
            assert [one.kind for one in found] == ["contradiction", "stale-fact", "stale-fact"]
            assert found[0].texts == ["home/City: Oslo", "personal/city: Porto"]
            await memory.fix(found[0].id)
            assert {fact.value for fact in await memory.facts.list()} == {"Oslo", "none"}
            await memory.fix(kinds=["stale-fact"])
            assert [fact.value for fact in await memory.facts.list()] == ["Oslo"]


async def test_without_vectors_it_says_so(home: Home) -> None:
    async with home.memory(embed={"source": "none"}) as memory:
        await memory.remember("one")
        audit = await memory.audit()
        assert audit.compared == 0
        assert "words only" in audit.notes[0]
        with pytest.raises(InvalidInput, match="kinds"):
            await memory.fix(**unchecked(kinds=["dust"]))


async def test_records_of_one_thing_become_one(memory: AsyncBethink) -> None:
    (person,) = await memory.people.list()
    await memory.people.update(person.id, aliases=["Anna"])
    await memory.facts.set("identity", "home", "Lisbon")
    await memory.facts.set("identity", "home", "Porto", person_id=person.id)
    await memory.facts.set("identity", "anna_home", "Braga", source="chat_extract")
    await memory.facts.set("health", "allergies", "peanuts")
    await memory.facts.set("identity", "allergy_peanut", "peanut")
    await memory.facts.set("identity", "sister_home", "Faro")
    found = [one for one in (await memory.audit()).found if one.kind == "split-fact"]
    assert sorted(len(one.records) for one in found) == [2, 3]
    assert (await memory.fix(kinds=["split-fact"])).forgotten == 3
    left = {(fact.person_id, fact.category, fact.key): fact.value for fact in await memory.facts.list()}
    assert left == {
        (None, "identity", "home"): "Braga",
        (None, "health", "allergy_peanut"): "peanut",
        (None, "identity", "sister_home"): "Faro",
    }
    assert (await memory.audit()).found == []


async def test_facts_of_several_people_are_left_apart(memory: AsyncBethink) -> None:
    await memory.household.update(
        mode="multi", persons=[{"display_name": "Tom", "role": "primary"}, {"display_name": "Anna"}]
    )
    for person, city in zip(await memory.people.list(), ("Lisbon", "Porto"), strict=True):
        await memory.facts.set("identity", "home", city, person_id=person.id)
    await memory.facts.set("identity", "anna_home", "Porto")
    assert (await memory.audit()).found == []
