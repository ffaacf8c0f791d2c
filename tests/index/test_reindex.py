"""A forced reindex makes the whole index anew, from the records alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bethink import AsyncBethink
from bethink.index import backfill, redescribe
from bethink.index.describe import fact_entry, memory_entry, message_entry
from bethink.records import Fact, Layer, Memory, Message, Space
from bethink.shapes.outcomes import Hit
from bethink.store import Tx, entries
from bethink.store.rows import records
from tests import opened
from tests.opened import Home, WatchedEmbedder
from tests.store.test_damage import execute as damage

memory = opened.memory
home = opened.home
spaces_postgres_url = opened.spaces_postgres_url


def age(tx: Tx, space: Space) -> None:
    """Make entries what an earlier version left: without the times of their texts, under other terms."""
    rows = entries.following(tx, space, 0, 1000)
    for record in records(tx, space.id, [(Layer(row["layer"]), row["record_id"]) for row in rows]).values():
        match record:
            case Memory():
                made = memory_entry(record)
            case Fact():
                made = fact_entry(record)
            case Message():
                made = message_entry(record, [], "lean")
        entries.put(tx, space, [replace(made, mentioned_at=(), body=["old"], context=())])


async def found(memory: AsyncBethink, query: str) -> dict[str, Hit]:
    return {hit.text: hit for hit in (await memory.recall(query, limit=50)).hits}


@pytest.mark.parametrize("in_background", [False, True])
async def test_terms_and_times_are_made_anew(memory: AsyncBethink, in_background: bool) -> None:
    said = [("Rye bread was baked yesterday", "2023-05-08T09:00:00Z"), ("Indeed?", "2023-05-08T09:01:00Z")]
    await memory.options.update(extractors=[])
    await memory.observe("chat", [{"content": text, "sentAt": at} for text, at in said])
    await memory.remember("The oven broke yesterday", observed_at="2023-05-08T20:00:00Z")
    await memory.facts.set("kitchen", "oven", "broken")
    await memory.remember_many([{"content": f"Filler {number}"} for number in range(250)])
    await memory.settle()
    before = await found(memory, "bread oven yesterday")
    core, space = await memory.inside.here()
    await core.driver.write(age, space)
    aged = await found(memory, "bread oven yesterday")
    assert all(hit.terms is None and not hit.mentioned_at for hit in aged.values())
    await memory.household.update(timezone="Asia/Tokyo")
    if in_background:
        await memory.index.start_reindex(force=True)
        await memory.settle()
    else:
        assert await memory.reindex(force=True) == 254
    after = await found(memory, "bread oven yesterday")
    for text in ("Rye bread was baked yesterday", "The oven broke yesterday"):
        assert after[text].terms == pytest.approx(before[text].terms)
    (rye,) = after["Rye bread was baked yesterday"].mentioned_at
    (oven,) = after["The oven broke yesterday"].mentioned_at
    assert (rye.first.isoformat(), oven.first.isoformat()) == ("2023-05-07", "2023-05-08")
    assert after["Indeed?"].terms is not None, "the words beside it count for it again"


async def execute(memory: AsyncBethink, statement: str, *values: object) -> None:
    """Do to the database what Bethink never would."""
    await asyncio.to_thread(damage, memory.settings.database_url, statement, *values)


async def entries_of(memory: AsyncBethink) -> set[str]:
    core, space = await memory.inside.here()
    return {row["record_id"] for row in await core.driver.read(entries.following, space, 0, 1000)}


async def test_a_damaged_record_keeps_its_entry_and_is_found_once_repaired(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "BATCH", 2)
    async with home.memory(WatchedEmbedder(down=True), embed={"retry_seconds": 0}) as memory:
        made = [await memory.remember(f"The {colour} umbrella") for colour in ("red", "blue", "green")]
        kept = await memory.remember("The yellow kite")
        await memory.settle()
        for outcome in made:
            await execute(memory, "UPDATE memories SET metadata = '[1]' WHERE id = ?", outcome.id)
    async with home.memory() as memory:
        assert await memory.reindex() == 1
        assert await entries_of(memory) == {one.id for one in (*made, kept)}
        assert (await memory.stats()).awaiting_vectors == len(made), "they still wait, and it is said"
        assert list(await found(memory, "umbrella kite")) == ["The yellow kite"]
        for outcome in made:
            await execute(memory, "UPDATE memories SET metadata = '{}' WHERE id = ?", outcome.id)
        assert await memory.reindex(force=True) == len(made) + 1
        assert (await memory.stats()).awaiting_vectors == 0
        assert len(await found(memory, "umbrella kite")) == len(made) + 1


async def test_a_forced_reindex_brings_back_entries_that_are_gone(
    memory: AsyncBethink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redescribe, "BATCH", 2)
    await memory.options.update(extractors=[])
    await memory.observe("chat", [{"content": f"Rye bread {number}"} for number in range(5)])
    stored = [await memory.remember(f"Oat bread {number}") for number in range(5)]
    await memory.facts.set("kitchen", "bread", "wheat")
    await memory.settle()
    whole = await entries_of(memory)
    await execute(memory, "UPDATE memories SET metadata = '[1]' WHERE id = ?", stored[1].id)
    core, space = await memory.inside.here()
    for layer in Layer:
        await core.driver.write(entries.remove, space, layer, sorted(whole))
    assert await found(memory, "bread") == {}
    assert await memory.reindex(force=True) == len(whole) - 1
    assert await entries_of(memory) == whole - {stored[1].id}, "what cannot be read cannot be described"
    assert len(await found(memory, "bread")) == len(whole) - 1
