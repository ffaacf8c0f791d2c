from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bethink import AsyncBethink, Conflict, InvalidInput, NotFound
from bethink.store import journal
from bethink.testing import FrozenClock
from tests.opened import add_person, texts, unchecked

FULL: dict[str, Any] = {
    "key": "k", "category": "c", "title": "t", "tags": ["x"], "metadata": {"a": 1, "b": {"c": 1}},
    "session_id": "s", "source": "import", "source_ref": {"n": 1}, "pinned": True, "confidence": 50,
}  # fmt: skip


async def test_an_update_changes_what_it_names_and_nothing_else(memory: AsyncBethink) -> None:
    known = (await memory.remember("The bike is red", **FULL)).memory
    with FrozenClock(known.updated_at + timedelta(hours=1)) as clock:
        changed = await memory.update(known.id, content="The bike is green", tags=["y", "z", "y"])
        assert changed.updated_at == clock.now
    assert await memory.get(known.id) == changed
    assert (changed.content, changed.tags) == ("The bike is green", ["y", "z"])
    rest = {"content", "tags", "updated_at"}
    assert changed.model_dump(exclude=rest) == known.model_dump(exclude=rest)


async def test_an_update_is_found_by_its_new_words_only(memory: AsyncBethink) -> None:
    for number in range(8):
        await memory.remember(f"Filler note number {number}")
    known = await memory.remember("The bike is scarlet")
    await memory.recall("scarlet")
    await memory.update(known.id, content="The bike is turquoise")
    found = (await memory.recall("turquoise bike")).hits[0]
    assert (found.text, found.engine) == ("The bike is turquoise", "terms+vector")
    assert all(hit.terms is None for hit in (await memory.recall("scarlet")).hits)


async def test_metadata_is_merged_one_level_deep(memory: AsyncBethink) -> None:
    known = await memory.remember("x", metadata={"a": 1, "b": {"c": 1}})
    assert (await memory.update(known.id, metadata={"b": {"d": 2}})).metadata == {"a": 1, "b": {"d": 2}}


async def test_fields_that_may_be_empty_are_emptied(memory: AsyncBethink) -> None:
    known = await memory.remember("x", **FULL)
    emptied = await memory.update(
        known.id, key=None, category=None, title=None, session_id=None, expires_at=None
    )
    assert (emptied.key, emptied.category, emptied.title, emptied.session_id) == (None,) * 4
    assert (await memory.remember("y", key="k")).status == "stored"


@pytest.mark.parametrize(
    "name",
    ["content", "type", "tags", "metadata", "source", "source_ref", "observed_at", "confidence", "pinned"],
)
async def test_fields_that_must_be_are_not_emptied(memory: AsyncBethink, name: str) -> None:
    known = await memory.remember("x", **FULL)
    with pytest.raises(InvalidInput, match=name):
        await memory.update(known.id, **unchecked(**{name: None}))
    assert await memory.get(known.id) == known.memory


@pytest.mark.parametrize(
    "changes", [{"content": ""}, {"colour": "red"}, {"confidence": 101}, {"person_id": "no"}]
)
async def test_a_wrong_update_is_refused_and_names_the_field(
    memory: AsyncBethink, changes: dict[str, Any]
) -> None:
    known = await memory.remember("x")
    with pytest.raises(InvalidInput) as caught:
        await memory.update(known.id, **changes)
    assert caught.value.field == next(iter(changes))
    assert await memory.get(known.id) == known.memory


async def test_an_update_that_changes_nothing_leaves_the_time_of_change(memory: AsyncBethink) -> None:
    known = (await memory.remember("x", **FULL)).memory
    assert await memory.update(known.id, content="x", key="k", metadata={"a": 1}) == known
    assert await memory.update(known.id) == known


async def test_a_key_names_one_memory(memory: AsyncBethink) -> None:
    first, second = await memory.remember("one", key="a"), await memory.remember("two", key="b")
    with pytest.raises(Conflict, match=f"key: 'a' already names the memory {first.id}") as caught:
        await memory.update(second.id, key="a")
    assert caught.value.field == "key"
    assert (await memory.get(second.id)).key == "b"
    assert (await memory.update(second.id, key="c")).key == "c"


async def test_a_pinned_memory_ranks_higher_until_it_is_unpinned(memory: AsyncBethink) -> None:
    known = await memory.remember("Likes tea")
    assert (await memory.pin(known.id)).pinned
    assert (await memory.recall("tea")).hits[0].pinned > 0
    assert not (await memory.pin(known.id, False)).pinned
    assert (await memory.recall("tea")).hits[0].pinned == 0


async def test_a_person_can_be_set_and_taken_away(memory: AsyncBethink) -> None:
    known, ann = await memory.remember("Likes tea"), await add_person(memory, "Ann")
    assert (await memory.update(known.id, person_id=ann)).person_id == ann
    assert len((await memory.recall("tea", person_ids=[ann])).hits) == 1
    assert (await memory.update(known.id, person_id=None)).person_id is None
    assert (await memory.recall("tea", person_ids=[ann])).hits == []


async def test_an_expired_memory_can_be_brought_back(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        known = await memory.remember("Likes tea", expires_at=clock.now + timedelta(hours=1))
        clock.advance(timedelta(hours=2))
        assert (await memory.recall("tea")).hits == []
        await memory.update(known.id, expires_at=None)
        assert texts(await memory.recall("tea")) == ["Likes tea"]


async def test_what_is_forgotten_is_gone_everywhere(memory: AsyncBethink) -> None:
    for number in range(8):
        await memory.remember(f"Filler note number {number}")
    known = await memory.remember("The bike is scarlet", key="bike")
    assert texts(await memory.recall("scarlet bike"))[0] == "The bike is scarlet"
    assert [gone.content for gone in await memory.forget(known.id)] == ["The bike is scarlet"]
    assert "The bike is scarlet" not in texts(await memory.recall("scarlet bike", limit=50))
    assert "The bike is scarlet" not in [kept.content for kept in await memory.list()]
    with pytest.raises(NotFound):
        await memory.get(known.id)
    again = await memory.remember("The bike is scarlet", key="bike")
    assert (again.status, again.id != known.id) == ("stored", True)
    assert texts(await memory.recall("scarlet bike"))[0] == "The bike is scarlet"


async def test_the_journal_keeps_what_was_forgotten(memory: AsyncBethink) -> None:
    known = await memory.remember("Likes tea", tags=["drink"])
    await memory.forget(known.id)
    core, space = await memory.inside.here()
    newest = (await core.driver.read(journal.newest, space.id, limit=1))[0]
    assert (newest.action, newest.record_id) == ("forgotten", known.id)
    assert newest.before is not None
    assert (newest.before["content"], newest.before["tags"]) == ("Likes tea", ["drink"])


async def test_several_are_forgotten_together_or_not_at_all(memory: AsyncBethink) -> None:
    one, two = await memory.remember("one"), await memory.remember("two")
    with pytest.raises(NotFound):
        await memory.forget(one.id, "missing", two.id)
    assert len(await memory.list()) == 2
    assert [gone.content for gone in await memory.forget(one.id, two.id, one.id)] == ["one", "two"]
    assert await memory.list() == []
    assert await memory.forget() == []


@pytest.mark.parametrize(
    "missing",
    [
        "nothing",
        "018f2f5e-0000-7000-8000-000000000000",
        "",
        "'; DROP TABLE memories; --",
        "a\0b",
        "\ud800",
        "%",
    ],
)
async def test_a_memory_that_is_not_there_is_not_found(memory: AsyncBethink, missing: str) -> None:
    await memory.remember("x")
    for call in (
        memory.get(missing),
        memory.update(missing, content="y"),
        memory.pin(missing),
        memory.forget(missing),
    ):
        with pytest.raises(NotFound, match="There is no memory") as caught:
            await call
        assert isinstance(caught.value, LookupError)
        assert caught.value.field == "id"
    assert len(await memory.list()) == 1
