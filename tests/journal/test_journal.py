"""The journal as callers read it: every way of writing leaves its line, and each filter does what it says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bethink import AsyncBethink, InvalidInput
from bethink.testing import FrozenClock
from tests import opened
from tests.opened import add_person

home, memory, spaces_postgres_url = opened.home, opened.memory, opened.spaces_postgres_url


async def lines(memory: AsyncBethink) -> list[tuple[str, str]]:
    return [(line.noun, line.action) for line in (await memory.journal(limit=1000)).items[::-1]]


async def test_every_way_of_writing_leaves_a_line(memory: AsyncBethink) -> None:
    space = memory.space(memory.name, actor="ana")
    stored = await space.remember("one", key="k")
    await space.remember("two", key="k")
    await space.update(stored.id, title="t")
    await space.pin(stored.id)
    await space.forget(stored.id)
    await space.observe("chat", [{"id": "m1", "content": "hello"}, {"content": "you"}])
    await space.observe("chat", [{"id": "m1", "content": "Hello"}])
    await space.facts.set("a", "b", "1")
    await space.facts.set("a", "b", "1", confidence=99)
    await space.facts.set("a", "b", "2")
    await space.facts.forget("a", "b")
    await space.devices.put("phone", name="Phone")
    await space.devices.put("phone", name="Telephone")
    await space.devices.remove("phone")
    await space.texts.set_soul("Be kind")
    await space.household.update(timezone="Europe/Lisbon")
    assert await lines(memory) == [
        ("memory", "stored"), ("memory", "merged"), ("memory", "updated"), ("memory", "updated"),
        ("memory", "forgotten"), ("session", "observed"), ("message", "edited"), ("fact", "stored"),
        ("fact", "verified"), ("fact", "superseded"), ("fact", "forgotten"), ("device", "stored"),
        ("device", "updated"), ("device", "forgotten"), ("soul", "stored"), ("space", "updated"),
    ]  # fmt: skip
    everyone = {line.actor for line in (await memory.journal(limit=1000)).items}
    assert everyone == {"ana"}


async def test_what_changes_nothing_leaves_no_line(memory: AsyncBethink) -> None:
    stored = await memory.remember("one")
    await memory.observe("chat", [{"id": "m1", "content": "hello"}])
    before = await lines(memory)
    await memory.remember("one")
    await memory.update(stored.id, content="one")
    await memory.observe("chat", [{"id": "m1", "content": "hello"}])
    await memory.recall("one")
    assert await lines(memory) == before


async def test_it_can_be_filtered(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        first = await memory.remember("one")
        clock.advance(timedelta(hours=1))
        middle = clock.now
        await memory.space(memory.name, actor="ana").update(first.id, content="two")
        clock.advance(timedelta(hours=1))
        await memory.facts.set("a", "b", "c")

    async def actions(**filters: object) -> list[str]:
        return [f"{line.noun} {line.action}" for line in (await memory.journal(**filters)).items]  # type: ignore[arg-type]

    assert await actions() == ["fact stored", "memory updated", "memory stored"]
    assert await actions(record_id=first.id) == ["memory updated", "memory stored"]
    assert await actions(noun="fact") == ["fact stored"]
    assert await actions(action="stored") == ["fact stored", "memory stored"]
    assert await actions(actor="ana") == ["memory updated"]
    assert await actions(since=middle) == ["fact stored", "memory updated"]
    assert await actions(until=middle) == ["memory stored"]
    assert await actions(noun="memory", actor="nobody") == []


async def test_it_is_read_piece_by_piece(memory: AsyncBethink) -> None:
    with FrozenClock():  # all at one time, so that only the ids tell them apart
        for number in range(7):
            await memory.remember(f"note {number}")
    whole = (await memory.journal()).items
    seen, cursor = [], None
    while True:
        page = await memory.journal(limit=3, cursor=cursor)
        seen += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == whole
    assert len(whole) == 7


async def test_a_wrong_filter_is_refused(memory: AsyncBethink) -> None:
    for wrong, message in (
        ({"cursor": "nonsense"}, "cursor: is not one that a listing gave"),
        ({"limit": 0}, "limit: must be from 1"),
        ({"verb": "x"}, "verb: is not known here"),
        ({"noun": ""}, "noun:"),
    ):
        with pytest.raises(InvalidInput, match=message):
            await memory.journal(**wrong)


async def test_a_space_reads_only_its_own(memory: AsyncBethink) -> None:
    await memory.space("elsewhere").remember("theirs")
    await add_person(memory, "Ana")
    assert (await memory.journal()).items == []
