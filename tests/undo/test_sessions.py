"""Sessions and the contexts given to them: what is refused, and what comes back together."""

from __future__ import annotations

import pytest

from bethink import AsyncBethink, Conflict
from tests.undo.changes import Room, furnish, newest


@pytest.fixture
async def room(memory: AsyncBethink) -> Room:
    return await furnish(memory)


async def given(room: Room, session: str) -> list[str]:
    found = {one.id: one.context_ids for one in await room.space.sessions()}
    return found[session]


async def test_a_context_comes_back_to_the_sessions_that_had_it(room: Room) -> None:
    await room.space.begin("other", context_ids=[room.cv])
    await room.space.begin("third", context_ids=[room.cv, room.house])
    await room.space.contexts.remove(room.cv)
    lines = (await room.space.journal(noun="session", action="updated")).items[:3]
    assert {line.record_id for line in lines} == {"chat", "other", "third"}
    assert {line.reason for line in lines} == {"a context was removed"}
    with pytest.raises(Conflict, match="is no longer there; undo its removal instead"):
        await room.space.undo(lines[0].id)
    await room.space.begin("third", context_ids=[])
    await room.space.undo((await newest(room.space, noun="context")).id)
    assert await given(room, "chat") == [room.cv, room.house]
    assert await given(room, "other") == [room.cv]
    assert await given(room, "third") == [], "it was given others meanwhile"


async def test_what_is_said_in_a_context_again_is_not_remembered(room: Room) -> None:
    told = await room.space.contexts.add("About", "I live in Rome, by the old wall.")
    await room.space.contexts.remove(told.id)
    await room.space.undo((await newest(room.space, noun="context")).id)
    await room.space.observe("talk", [{"content": "I live in Rome."}])
    await room.memory.settle()
    assert all("Rome" not in one.content for one in await room.space.list())


async def test_a_context_that_changed_since_is_left_alone(room: Room) -> None:
    await room.space.contexts.update(room.cv, content="Ana is a nurse.")
    line = await newest(room.space)
    await room.space.contexts.update(room.cv, name="Résumé")
    await room.space.undo(line.id)
    found = await room.space.contexts.get(room.cv)
    assert (found.name, found.content) == ("Résumé", "Ana has worked as a nurse since 2019.")
    await room.space.contexts.update(room.cv, content="Ana is a doctor.")
    with pytest.raises(Conflict, match="has changed since"):
        await room.space.undo(line.id)
    changed = await newest(room.space)
    await room.space.contexts.remove(room.cv)
    with pytest.raises(Conflict, match="was removed; undo that first"):
        await room.space.undo(changed.id)


async def test_a_session_keeps_what_others_changed(room: Room) -> None:
    await room.space.begin("chat", title="Moved")
    line = await newest(room.space)
    await room.space.begin("chat", metadata={"n": 5})
    await room.space.observe("chat", [{"content": "Still here."}])
    await room.space.undo(line.id)
    (session,) = await room.space.sessions()
    assert (session.title, session.metadata) == ("Moving", {"n": 5})
    await room.space.begin("chat", title="Elsewhere")
    with pytest.raises(Conflict, match="the session chat has changed since"):
        await room.space.undo(line.id)


async def test_an_erased_context_cannot_come_back(room: Room) -> None:
    await room.space.contexts.remove(room.house)
    line = await newest(room.space, noun="context")
    assert (await room.space.erase(query="by the river")).complete
    with pytest.raises(Conflict, match="no longer kept"):
        await room.space.undo(line.id)


async def test_what_was_read_from_an_edit_goes_with_it(room: Room) -> None:
    """An edit takes back what was read from a message; so does undoing it, and both are read again."""
    await room.space.observe("chat", [{"id": "m1", "content": "I live in Porto."}])
    await room.memory.settle()
    said = [one.content for one in await room.space.list()]
    assert "I live in Porto" in said
    assert "I live in Lisbon" not in said
    await room.space.undo((await newest(room.space, noun="message")).id)
    await room.memory.settle()
    said = [one.content for one in await room.space.list()]
    assert "I live in Lisbon" in said
    assert "I live in Porto" not in said
