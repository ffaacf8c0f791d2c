from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from bethink import AsyncBethink, InvalidInput, MemoryType
from bethink.shapes.inputs import MemoryDraft
from bethink.store import journal
from bethink.testing import FrozenClock
from tests.opened import Home, WatchedEmbedder, add_person, texts

HOUR = timedelta(hours=1)


async def test_a_new_memory_is_stored_as_it_was_given(memory: AsyncBethink) -> None:
    observed, expires = datetime(2024, 5, 1, tzinfo=UTC), datetime(2124, 5, 1, tzinfo=UTC)
    outcome = await memory.remember(
        "The spare key is under the blue pot",
        type="procedural",
        key="spare-key",
        category="house",
        title="Spare key",
        tags=["home", "keys", "home"],
        metadata={"floor": 2, "seen": [True, None, 1.5]},
        session_id="chat",
        source="import",
        source_ref={"file": "a.txt"},
        observed_at=observed,
        expires_at=expires,
        confidence=70,
        pinned=True,
    )
    assert (outcome.status, outcome.reason) == ("stored", None)
    kept = await memory.get(outcome.id)
    assert kept == outcome.memory
    assert (kept.type, kept.key, kept.category) == (MemoryType.PROCEDURAL, "spare-key", "house")
    assert (kept.title, kept.tags) == ("Spare key", ["home", "keys"])
    assert kept.metadata == {"floor": 2, "seen": [True, None, 1.5]}
    assert (kept.session_id, kept.source, kept.source_ref) == ("chat", "import", {"file": "a.txt"})
    assert (kept.observed_at, kept.expires_at) == (observed, expires)
    assert (kept.confidence, kept.pinned, kept.access_count) == (70, True, 0)


async def test_what_is_left_out_has_a_default(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        kept = (await memory.remember("A note")).memory
        assert kept.observed_at == kept.created_at == kept.updated_at == clock.now
    assert (kept.type, kept.source, kept.confidence, kept.pinned) == ("factual", "note", 100, False)
    assert (kept.key, kept.title, kept.tags, kept.metadata, kept.expires_at) == (None, None, [], {}, None)


async def test_the_same_key_updates_the_memory_it_names(memory: AsyncBethink) -> None:
    first = await memory.remember("Lives in Rome", key="city", category="person", pinned=True, tags=["a"])
    second = await memory.remember("Lives in Milan", key="city", tags=["b", "a"])
    assert (second.status, second.id) == ("merged", first.id)
    assert second.reason == "the key 'city' was known; changed content, tags"
    kept = await memory.get(first.id)
    assert (kept.content, kept.tags) == ("Lives in Milan", ["a", "b"])
    assert (kept.category, kept.pinned) == ("person", True)
    assert texts(await memory.recall("where is home, Rome or Milan?")) == ["Lives in Milan"]


async def test_metadata_is_merged_one_level_deep(memory: AsyncBethink) -> None:
    await memory.remember("x", key="k", metadata={"a": 1, "b": {"c": 1}})
    merged = await memory.remember("x", key="k", metadata={"b": {"d": 2}, "e": 3})
    assert merged.memory.metadata == {"a": 1, "b": {"d": 2}, "e": 3}
    assert merged.reason == "the key 'k' was known; changed metadata"


@pytest.mark.parametrize("key", ["k", None])
async def test_the_same_memory_again_is_a_duplicate_and_changes_nothing(
    memory: AsyncBethink, key: str | None
) -> None:
    first = await memory.remember("Likes tea", key=key, metadata={"a": 1})
    again = await memory.remember("Likes tea", key=key)
    assert (again.status, again.id) == ("duplicate", first.id)
    assert again.reason is not None
    assert again.reason.endswith("was known; nothing changed")
    assert again.memory == first.memory
    assert len(await memory.list()) == 1


async def test_the_same_text_takes_on_what_is_new_about_it(memory: AsyncBethink) -> None:
    first = await memory.remember("Likes tea")
    again = await memory.remember("Likes tea", tags=["drink"], pinned=True)
    assert (again.status, again.id) == ("merged", first.id)
    assert again.reason == "the same text was known; changed pinned, tags"


async def test_another_title_or_a_key_makes_the_same_text_another_memory(memory: AsyncBethink) -> None:
    stored = [
        await memory.remember("Likes tea"),
        await memory.remember("Likes tea", title="Anna"),
        await memory.remember("Likes tea", key="drink"),
    ]
    assert [outcome.status for outcome in stored] == ["stored"] * 3
    assert len({outcome.id for outcome in stored}) == 3


async def test_the_same_text_about_two_people_is_two_memories_each_known_again(
    memory: AsyncBethink,
) -> None:
    ann, bob = await add_person(memory, "Ann"), await add_person(memory, "Bob")
    first = {who: (await memory.remember("Likes tea", person_id=who)).id for who in (ann, bob, None)}
    assert len(set(first.values())) == 3
    for who, known in first.items():
        again = await memory.remember("Likes tea", person_id=who)
        assert (again.status, again.id) == ("duplicate", known)


async def test_long_texts_that_begin_alike_are_told_apart(memory: AsyncBethink) -> None:
    start = "word " * 4000
    first = {end: (await memory.remember(start + end)).id for end in ("one", "two")}
    assert first["one"] != first["two"]
    for end, known in first.items():
        assert (await memory.remember(start + end)).id == known


async def test_an_unknown_person_is_refused(memory: AsyncBethink) -> None:
    with pytest.raises(InvalidInput, match="person_id: there is no person 'nobody'") as caught:
        await memory.remember("x", person_id="nobody")
    assert caught.value.field == "person_id"
    assert await memory.list() == []


async def test_only_a_new_text_or_title_is_embedded(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder, embed={"cache_size": 0}) as memory:
        known = await memory.remember("Lives in Rome", key="city", title="City")
        await memory.settle()
        assert embedder.documents == ["City. Lives in Rome"]
        await memory.remember("Lives in Rome", key="city", tags=["a"], metadata={"x": 1}, pinned=True)
        await memory.update(known.id, category="place", confidence=10)
        await memory.recall("Rome")
        await memory.settle()
        assert len(embedder.documents) == 1
        await memory.remember("Lives in Milan", key="city")
        await memory.settle()
        await memory.update(known.id, title="Town")
        await memory.settle()
        assert embedder.documents[1:] == ["City. Lives in Milan", "Town. Lives in Milan"]


async def test_a_memory_is_gone_after_its_time_and_alive_again_when_said_again(
    memory: AsyncBethink,
) -> None:
    with FrozenClock() as clock:
        first = await memory.remember("The code is 4711", expires_at=clock.now + HOUR)
        assert texts(await memory.recall("code")) == ["The code is 4711"]
        clock.advance(HOUR)
        assert (await memory.recall("code")).hits == []
        assert await memory.list() == []
        again = await memory.remember("The code is 4711")
        assert (again.status, again.id) == ("merged", first.id)
        assert again.memory.expires_at is None
        assert texts(await memory.recall("code")) == ["The code is 4711"]
        assert len(await memory.list()) == 1


async def test_said_again_before_its_time_it_keeps_its_end_or_gets_the_new_one(
    memory: AsyncBethink,
) -> None:
    with FrozenClock() as clock:
        soon, later = clock.now + HOUR, clock.now + 2 * HOUR
        await memory.remember("The code is 4711", expires_at=soon)
        assert (await memory.remember("The code is 4711")).memory.expires_at == soon
        assert (await memory.remember("The code is 4711", expires_at=later)).memory.expires_at == later
        assert (await memory.remember("The code is 4711", expires_at=None)).memory.expires_at is None


async def test_many_memories_have_an_outcome_each_in_order(memory: AsyncBethink) -> None:
    outcomes = await memory.remember_many(
        [
            {"content": "one"},
            {"content": "two", "key": "k"},
            MemoryDraft(content="one"),
            {"content": "three", "key": "k", "metadata": {"a": 1}},
            {"content": "three", "key": "k"},
        ]
    )
    assert [outcome.status for outcome in outcomes] == [
        "stored",
        "stored",
        "duplicate",
        "merged",
        "duplicate",
    ]
    assert outcomes[2].id == outcomes[0].id
    assert outcomes[3].id == outcomes[4].id == outcomes[1].id
    assert {kept.content: kept.metadata for kept in await memory.list()} == {"one": {}, "three": {"a": 1}}


async def test_none_of_many_is_stored_when_one_is_wrong(memory: AsyncBethink) -> None:
    with pytest.raises(InvalidInput, match=r"memories\.1: content: ") as caught:
        await memory.remember_many([{"content": "fine"}, {"content": ""}])
    assert caught.value.field == "memories.1.content"
    with pytest.raises(InvalidInput, match="person"):
        await memory.remember_many([{"content": "fine"}, {"content": "x", "person_id": "nobody"}])
    assert await memory.list() == []
    assert await memory.remember_many([]) == []


async def test_many_at_once_are_one_memory(memory: AsyncBethink) -> None:
    outcomes = await asyncio.gather(*(memory.remember("Likes tea", key="k") for _ in range(12)))
    assert sorted(outcome.status for outcome in outcomes) == ["duplicate"] * 11 + ["stored"]
    assert len({outcome.id for outcome in outcomes}) == 1


async def test_what_many_say_at_once_without_a_key_is_stored_once(home: Home) -> None:
    async with home.memory() as one, home.memory() as two:
        outcomes = await asyncio.gather(*((one, two)[n % 2].remember("Likes tea") for n in range(12)))
        assert len(await one.list()) == 1
        assert Counter(outcome.status for outcome in outcomes) == {"stored": 1, "duplicate": 11}
        assert {outcome.reason for outcome in outcomes} == {None, "the same text was known; nothing changed"}


async def test_neither_are_many_texts_at_once_stored_twice_in_whatever_order(home: Home) -> None:
    notes = [f"Note number {number}" for number in range(60)]
    async with home.memory() as one, home.memory() as two:
        batches = [notes, notes[::-1], notes[30:] + notes[:30], notes[::2] + notes[1::2]]
        outcomes = await asyncio.gather(
            *((one, two)[n % 2].remember_many([{"content": text} for text in batch])
              for n, batch in enumerate(batches))
        )  # fmt: skip
        assert Counter(out.status for batch in outcomes for out in batch) == {"stored": 60, "duplicate": 180}
        assert sorted(memory.content for memory in await one.list(limit=1000)) == sorted(notes)


async def test_who_changed_what_is_in_the_journal(memory: AsyncBethink) -> None:
    room = memory.space(f"{memory.name}-room", actor="ana")
    known = await room.remember("Likes tea", key="drink")
    await room.remember("Likes coffee", key="drink")
    core, space = await room.inside.here()
    merged, stored = await core.driver.read(journal.newest, space.id, limit=10)
    assert (stored.actor, stored.action, stored.noun, stored.record_id) == (
        "ana",
        "stored",
        "memory",
        known.id,
    )
    assert (merged.action, merged.before) == ("merged", {"content": "Likes tea"})
