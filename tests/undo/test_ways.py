"""Every kind of change in the journal can be undone, or it is said why not. None can be forgotten."""

from __future__ import annotations

import re

import pytest

from bethink import AsyncBethink, Conflict
from bethink.undo import final, ways
from tests.undo.changes import SCENARIOS, Room, furnish, newest, seen


@pytest.fixture
async def room(memory: AsyncBethink) -> Room:
    return await furnish(memory)


def test_every_kind_has_one_entry_and_a_scenario() -> None:
    assert not ways().keys() & final().keys()
    assert SCENARIOS.keys() == ways().keys() | final().keys()


@pytest.mark.parametrize("kind", ways(), ids=" ".join)
async def test_it_is_undone_and_redone_wherever_a_user_sees_it(room: Room, kind: tuple[str, str]) -> None:
    noun, action = kind
    steps = SCENARIOS[kind](room)
    await anext(steps)
    before = await seen(room)
    await anext(steps, None)
    after, line = await seen(room), await newest(room.space, noun=noun, action=action)
    assert after != before
    space = room.memory.space(room.space.name, actor="ben")
    if action == "withdrawn":  # the message has its edited text, whatever becomes of what it said
        before["messages"] = after["messages"]
    for expected in (before, after, before):
        undone = await space.undo(line.id)
        room.space.name = space.name
        assert await seen(room) == expected
        assert (undone.undone, undone.entry.actor) == (line.id, "ben")
        assert undone.entry.reason == f"undo of {line.id}"
        assert await newest(space, noun=noun, actor="ben") == undone.entry
        with pytest.raises(Conflict):
            await space.undo(line.id)
        line = undone.entry


@pytest.mark.parametrize("kind", final(), ids=" ".join)
async def test_what_cannot_be_undone_says_why(room: Room, kind: tuple[str, str]) -> None:
    noun, action = kind
    steps = SCENARIOS[kind](room)
    await anext(steps)
    await anext(steps, None)
    await room.memory.settle()  # memory.txt comes as a document by itself
    space = room.memory if kind == ("space", "deleted") else room.space
    line = await newest(space, noun=noun, action=action)
    told = f"id: this line says that a {noun} was {action}, which cannot be undone: {final()[kind]}."
    with pytest.raises(Conflict, match=f"^{re.escape(told)}$"):
        await space.undo(line.id)
    assert await newest(space, noun=noun, action=action) == line
