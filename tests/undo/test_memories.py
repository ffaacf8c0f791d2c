"""What the journal says was changed can be changed back, as long as nothing came after it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bethink import AsyncBethink, Conflict, NotFound
from bethink.clock import now
from bethink.journal.change import Setup
from bethink.records import Fact, Layer, Memory, Message
from bethink.store import Tx, journal
from bethink.testing import FrozenClock
from bethink.undo import undo
from tests.opened import texts
from tests.undo.changes import newest


async def test_an_update_is_undone_and_found_by_its_old_words(memory: AsyncBethink) -> None:
    stored = (await memory.remember("Anna plays the violin", tags=["music"], metadata={"a": 1})).memory
    await memory.update(stored.id, content="Anna plays the drums", tags=["noise"], metadata={"b": 2})
    undone = await memory.undo((await newest(memory)).id)
    found = await memory.get(stored.id)
    assert undone.record == found
    assert found.model_copy(update={"updated_at": stored.updated_at}) == stored
    for number in range(6):
        await memory.remember(f"Something else, number {number}")
    assert texts(await memory.recall("violin"))[0] == "Anna plays the violin"
    assert "Anna plays the drums" not in texts(await memory.recall("drums"))


async def test_undoing_is_noted_and_can_be_undone(memory: AsyncBethink) -> None:
    stored = await memory.remember("tea")
    await memory.space(memory.name, actor="ana").update(stored.id, content="coffee", reason="asked to")
    line = await newest(memory)
    assert (line.actor, line.action, line.reason) == ("ana", "updated", "asked to")
    assert (line.before, line.after) == ({"content": "tea"}, {"content": "coffee"})
    undone = await memory.space(memory.name, actor="ben").undo(line.id)
    again = await newest(memory)
    assert again == undone.entry
    assert (again.actor, again.reason, undone.undone) == ("ben", f"undo of {line.id}", line.id)
    assert (again.before, again.after) == ({"content": "coffee"}, {"content": "tea"})
    await memory.undo(again.id)
    assert (await memory.get(stored.id)).content == "coffee"


async def test_a_merge_is_undone(memory: AsyncBethink) -> None:
    stored = (await memory.remember("likes tea", key="drink", tags=["a"])).memory
    await memory.remember("likes coffee", key="drink", tags=["b"], pinned=True)
    undone = await memory.undo((await newest(memory, action="merged")).id)
    assert isinstance(undone.record, Memory)
    back = undone.record
    assert (back.content, back.tags, back.pinned) == (stored.content, stored.tags, stored.pinned)


async def test_a_forgotten_memory_comes_back_as_it_was(memory: AsyncBethink) -> None:
    stored = (await memory.remember("the safe is behind the clock", key="safe", confidence=7)).memory
    await memory.forget(stored.id, reason="by mistake")
    line = await newest(memory)
    assert line.reason == "by mistake"
    undone = await memory.undo(line.id)
    assert undone.record == stored
    assert await memory.get(stored.id) == stored
    assert texts(await memory.recall("where is the safe?")) == ["the safe is behind the clock"]
    with pytest.raises(Conflict, match="is there"):
        await memory.undo(line.id)


async def test_an_edited_message_is_undone_with_its_context(memory: AsyncBethink) -> None:
    said = [{"id": "m1", "content": "We meet in Lisbon"}, {"id": "m2", "content": "Good, see you there"}]
    await memory.observe("trip", said)
    await memory.observe("trip", [{"id": "m1", "content": "We meet in Porto", "metadata": {"x": 1}}])
    undone = await memory.undo((await newest(memory, noun="message")).id)
    assert isinstance(undone.record, Message)
    first, second = await memory.messages.of("trip")
    assert (first.content, first.metadata) == ("We meet in Lisbon", {})
    core, space = await memory.inside.here()
    from bethink.store import keyword_search
    from bethink.store.filters import EntryFilter

    def holding(tx: Tx, term: str) -> int:
        counts = keyword_search.Counts()
        messages = EntryFilter(layers=[Layer.MESSAGE])  # what capture made of them by itself is not asked for
        return len(keyword_search.search(tx, space, [term], messages, now(), 10, counts))

    assert await core.driver.read(holding, "lisbon") == 2  # itself, and as context of the next
    assert await core.driver.read(holding, "porto") == 0
    assert second.content == "Good, see you there"


async def test_a_superseded_fact_gets_its_old_value_back_as_a_new_version(memory: AsyncBethink) -> None:
    await memory.facts.set("food", "allergy", "peanuts", confidence=80, source="doctor")
    await memory.facts.set("food", "allergy", "hazelnuts")
    undone = await memory.undo((await newest(memory)).id)
    assert isinstance(undone.record, Fact)
    assert (undone.record.value, undone.record.confidence, undone.record.source) == ("peanuts", 80, "doctor")
    versions = await memory.facts.history("food", "allergy")
    assert [version.value for version in versions] == ["peanuts", "hazelnuts", "peanuts"]
    assert [version.valid_to is None for version in versions] == [True, False, False]
    assert undone.entry.reason is not None
    assert undone.entry.reason.startswith("undo of ")
    await memory.undo(undone.entry.id)
    current = await memory.facts.get("food", "allergy")
    assert current is not None
    assert current.value == "hazelnuts"


async def test_a_forgotten_fact_holds_again(memory: AsyncBethink) -> None:
    await memory.facts.set("food", "allergy", "peanuts")
    await memory.facts.forget("food", "allergy", reason="not sure")
    line = await newest(memory)
    assert line.reason == "not sure"
    await memory.undo(line.id)
    current = await memory.facts.get("food", "allergy")
    assert current is not None
    assert current.value == "peanuts"
    with pytest.raises(Conflict, match="food/allergy was set since"):
        await memory.undo(line.id)


async def test_a_fact_is_as_sure_and_as_recently_seen_as_it_was(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        first = (await memory.facts.set("food", "allergy", "peanuts", confidence=60)).fact
        for confidence in (70, 80):
            clock.advance(timedelta(days=1))
            await memory.facts.set("food", "allergy", "peanuts", confidence=confidence)
        second, third = (await memory.journal(action="verified")).items[::-1]
        with pytest.raises(Conflict, match="has changed since"):
            await memory.undo(second.id)
        await memory.undo(third.id)
        undone = await memory.undo(second.id)
        assert undone.record == first
        assert await memory.facts.history("food", "allergy") == [first]
        await memory.facts.set("food", "allergy", "hazelnuts")
        with pytest.raises(Conflict, match="the fact has changed since"):
            await memory.undo(undone.entry.id)


async def test_what_has_changed_since_is_not_touched(memory: AsyncBethink) -> None:
    stored = await memory.remember("one")
    await memory.update(stored.id, content="two")
    line = await newest(memory)
    await memory.update(stored.id, content="three")
    latest = await newest(memory)
    with pytest.raises(Conflict, match=f"the memory {stored.id} has changed since"):
        await memory.undo(line.id)
    assert (await memory.get(stored.id)).content == "three"
    assert await newest(memory) == latest
    await memory.facts.set("a", "b", "1")
    await memory.facts.set("a", "b", "2")
    second = await newest(memory)
    await memory.facts.set("a", "b", "3")
    with pytest.raises(Conflict, match="the fact has changed since"):
        await memory.undo(second.id)


async def test_changes_of_other_fields_stay(memory: AsyncBethink) -> None:
    stored = await memory.remember("one")
    await memory.update(stored.id, content="two")
    line = await newest(memory)
    await memory.pin(stored.id)
    await memory.undo(line.id)
    found = await memory.get(stored.id)
    assert (found.content, found.pinned) == ("one", True)


async def test_changes_can_be_undone_one_after_the_other(memory: AsyncBethink) -> None:
    stored = await memory.remember("one")
    for content in ("two", "three"):
        await memory.update(stored.id, content=content)
    await memory.forget(stored.id)
    for line in (await memory.journal(record_id=stored.id, limit=3)).items:
        await memory.undo(line.id)
    assert (await memory.get(stored.id)).content == "one"


async def test_a_key_that_was_taken_meanwhile_is_not_stolen(memory: AsyncBethink) -> None:
    first = await memory.remember("one", key="k")
    await memory.forget(first.id)
    line = await newest(memory)
    other = await memory.remember("another", key="k")
    with pytest.raises(Conflict, match=f"'k' now names the memory {other.id}"):
        await memory.undo(line.id)


async def test_an_update_of_what_was_forgotten_is_undone_after_that(memory: AsyncBethink) -> None:
    stored = await memory.remember("one")
    await memory.update(stored.id, content="two")
    line = await newest(memory)
    await memory.forget(stored.id)
    with pytest.raises(Conflict, match="was forgotten; undo that first"):
        await memory.undo(line.id)


async def test_what_cannot_be_undone_says_so(memory: AsyncBethink) -> None:
    await memory.remember("one")
    with pytest.raises(Conflict, match="a memory was stored, which cannot be undone"):
        await memory.undo((await newest(memory)).id)
    for unknown in ("nonsense", "nul \0"):
        with pytest.raises(NotFound, match="no journal line"):
            await memory.undo(unknown)


async def test_another_space_undoes_nothing_here(memory: AsyncBethink) -> None:
    stored = await memory.remember("one")
    await memory.forget(stored.id)
    with pytest.raises(NotFound):
        await memory.space("elsewhere").undo((await newest(memory)).id)


async def test_a_line_from_before_the_journal_kept_new_values(memory: AsyncBethink) -> None:
    """Then only the last change of a record is undone."""
    stored = await memory.remember("one")
    await memory.update(stored.id, content="two")
    core, space = await memory.inside.here()
    line = await newest(memory)
    old = line.model_copy(update={"id": f"z{line.id}", "after": None})
    await core.driver.write(journal.add, [old])
    setup = Setup("lean", memory.name, core.options.checked)
    await core.driver.write(undo, space, old.id, now(), "ana", setup)
    assert (await memory.get(stored.id)).content == "one"
    with pytest.raises(Conflict, match="has changed since"):
        await core.driver.write(undo, space, old.id, now(), "ana", setup)
