from __future__ import annotations

import asyncio

import pytest

from bethink import AsyncBethink
from bethink.recall import gather as access
from tests.opened import Home


async def counts(memory: AsyncBethink) -> dict[str, int]:
    found = {kept.content: kept.access_count for kept in await memory.list()}
    found |= {message.content: message.access_count for message in await memory.messages.of("chat")}
    return found | {fact.value: fact.access_count for fact in await memory.facts.list()}


async def fill(memory: AsyncBethink) -> None:
    await memory.remember("tea note")
    await memory.remember("tea other")
    await memory.observe("chat", [{"content": "tea turn"}])
    await memory.facts.set("drink", "tea", "tea fact")


async def test_what_was_recalled_is_counted_by_the_time_the_memory_is_closed(home: Home) -> None:
    async with home.memory() as memory:
        await fill(memory)
        await memory.recall("tea")
        await memory.recall("tea note", limit=1)
        await memory.recall("hello", first_turn=True)
    async with home.memory() as memory:
        assert await counts(memory) == {"tea note": 2, "tea other": 1, "tea turn": 1, "tea fact": 1}
        kept = await memory.list()
        assert all(memory.last_access_at is not None for memory in kept)
        assert all(memory.updated_at == memory.created_at for memory in kept)


async def test_accesses_are_written_a_moment_later(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "FLUSH_SECONDS", 0.01)
    async with home.memory() as memory:
        await fill(memory)
        for times in (1, 2, 3):
            await memory.recall("tea")
            await until(memory, {"tea note": times, "tea other": times, "tea turn": times, "tea fact": times})


async def until(memory: AsyncBethink, expected: dict[str, int]) -> None:
    async with asyncio.timeout(30):
        while await counts(memory) != expected:  # noqa: ASYNC110  (nothing tells when it is written)
            await asyncio.sleep(0.01)


async def test_none_is_lost_when_the_memory_is_closed_while_they_are_written(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "FLUSH_SECONDS", 0)
    async with home.memory() as memory:
        await fill(memory)
    for pauses in range(12):
        async with home.memory() as memory:
            await memory.recall("tea")
            for _ in range(pauses):
                await asyncio.sleep(0)
    async with home.memory() as memory:
        assert set((await counts(memory)).values()) == {12}


async def test_reading_by_id_or_list_is_no_access(memory: AsyncBethink) -> None:
    known = await memory.remember("tea note")
    await memory.get(known.id)
    await memory.list()
    assert (await memory.get(known.id)).access_count == 0


async def test_counting_a_record_that_is_gone_by_then_does_no_harm(home: Home) -> None:
    async with home.memory() as memory:
        known = await memory.remember("tea note")
        await memory.recall("tea")
        await memory.forget(known.id)
    async with home.memory() as memory:
        assert await memory.list() == []
