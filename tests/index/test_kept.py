"""Searches that are kept: used again while nothing changed, and never one that does not hold any more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from bethink import AsyncBethink, Memory, RecallResult
from bethink.clock import now
from bethink.memory import AsyncSpace
from bethink.recall.recall import Recall
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.outcomes import KeptSearchStats
from bethink.store import accesses
from tests.opened import Home, WatchedEmbedder

NOTES = [
    "The spare key is under the blue pot", "The boiler was serviced in May", "Anna is allergic to peanuts",
    "The car needs new tyres", "Grandma's birthday is in June", "The wifi password is on the fridge",
    "The dentist is on Elm Street", "The piano is in the attic",
]  # fmt: skip
QUERY = "where is the spare key?"


@pytest.fixture
async def memory(home: Home) -> AsyncIterator[AsyncBethink]:
    async with home.memory() as opened:
        await opened.remember_many([{"content": note} for note in NOTES])
        await opened.settle()
        yield opened


async def stats(memory: AsyncSpace) -> KeptSearchStats:
    return (await memory.index.status()).kept_searches


async def settled(memory: AsyncSpace) -> None:
    """Wait until every change has its number, without which PostgreSQL cannot tell what changed."""
    core = await memory.inside.opened()
    await core.index.kept.close()


def said(result: RecallResult) -> list[tuple[Any, ...]]:
    return [
        (hit.id, hit.text, hit.terms, hit.vector, hit.fused, hit.pinned, hit.record.space_id)
        for hit in result.hits
    ]


async def warm(memory: AsyncSpace, query: str = QUERY, **options: Any) -> RecallResult:
    """Recall until it is answered by what was kept; the answer of before."""
    first = await memory.recall(query, **options)
    await settled(memory)
    await memory.recall(query, **options)
    hits = (await stats(memory)).hits
    assert said(await memory.recall(query, **options)) == said(first)
    assert (await stats(memory)).hits == hits + 1, "it is used again"
    return first


async def is_carried_out(memory: AsyncSpace, query: str = QUERY, **options: Any) -> RecallResult:
    """Recall what may not be answered by what was kept."""
    hits = (await stats(memory)).hits
    result = await memory.recall(query, **options)
    assert (await stats(memory)).hits == hits
    return result


async def test_the_same_search_is_carried_out_once(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder, embed={"cache_size": 0}) as memory:
        await memory.remember_many([{"content": note} for note in NOTES])
        await memory.settle()
        first = await warm(memory)
        asked = len(embedder.queries)
        again = await memory.recall(QUERY)
        assert len(embedder.queries) == asked, "the model was not asked again"
        assert (again.engine, again.degraded, again.tier) == (first.engine, [], first.tier)
        seen = await stats(memory)
        assert (seen.size, seen.capacity) == (1, 500)
        assert seen.hit_rate == round(seen.hits / (seen.hits + seen.misses), 4)


async def test_that_records_were_recalled_changes_nothing(memory: AsyncBethink) -> None:
    first = await warm(memory)
    core, space = await memory.inside.here()
    await core.driver.write(accesses.count, space.id, {(hit.layer, hit.id): 3 for hit in first.hits}, now())
    again = await memory.recall(QUERY)
    assert (await stats(memory)).hits >= 2, "it was used all the same"
    counts = [hit.record.access_count for hit in again.hits if isinstance(hit.record, Memory)]
    assert min(counts) >= 3, "the records are as they are now"


@pytest.mark.parametrize("change", ["remember", "update", "forget", "erase", "observe"])
async def test_whatever_is_written_is_seen_by_the_next_search(memory: AsyncBethink, change: str) -> None:
    first = await warm(memory)
    top = first.hits[0].id
    if change == "remember":
        await memory.remember("The spare key moved to the shed")
    elif change == "update":
        await memory.update(top, content="The spare key is with the neighbours")
    elif change == "forget":
        await memory.forget(top)
    elif change == "erase":
        await memory.erase(query="blue pot")
    else:
        await memory.observe("s", [{"role": "user", "content": "the spare key is lost, where is it"}])
    result = await is_carried_out(memory)
    texts = [hit.text for hit in result.hits]
    if change in ("update", "forget", "erase"):
        assert NOTES[0] not in texts
    if change == "remember":
        assert "The spare key moved to the shed" in texts
    await memory.settle()
    await warm(memory)


async def test_another_process_is_seen(memory: AsyncBethink, home: Home) -> None:
    async with home.memory() as other:
        first = await warm(memory)
        await warm(other)
        await other.remember("The spare key moved to the shed")
        await other.settle()
        for one in (memory, other):
            assert "The spare key moved to the shed" in [hit.text for hit in (await is_carried_out(one)).hits]
        await other.forget(first.hits[0].id)
        assert NOTES[0] not in [hit.text for hit in (await is_carried_out(memory)).hits]


async def test_no_space_and_no_filter_answers_for_another(memory: AsyncBethink) -> None:
    other = memory.space(f"{memory.name}-other")
    await other.remember_many([{"content": f"{note}, they say"} for note in NOTES])
    await memory.settle()
    await memory.observe("s", [{"role": "user", "content": "my spare key is at work"}])
    await memory.settle()
    mine, theirs = await warm(memory), await warm(other)
    assert {hit.record.space_id for hit in mine.hits}.isdisjoint(hit.record.space_id for hit in theirs.hits)
    before = now() - timedelta(days=1)
    for options in (
        {"layers": ["memory"]}, {"session_ids": ["s"]}, {"since": before}, {"as_of": before},
        {"tier": "balanced"},
    ):  # fmt: skip
        await is_carried_out(memory, **options)
    assert not (await memory.recall(QUERY, as_of=before)).hits
    assert not (await memory.recall(QUERY, as_of=before)).hits
    assert said(await memory.recall(QUERY)) == said(mine)


async def test_what_ends_by_the_clock_is_not_answered(memory: AsyncBethink) -> None:
    known = await memory.remember("The spare key is with Ben until tonight", expires_at=now() + timedelta(1))
    await memory.settle()
    first = await warm(memory)
    assert known.id in [hit.id for hit in first.hits]
    core, space = await memory.inside.here()
    later = now() + timedelta(days=2)
    hits = core.index.kept.hits
    result = await core.part(Recall)(space, RecallRequest(query=QUERY), later)
    assert core.index.kept.hits == hits
    assert known.id not in [hit.id for hit in result.hits]


async def test_filters_that_the_log_does_not_tell_of_are_always_asked_anew(memory: AsyncBethink) -> None:
    (hit, *_) = (await memory.recall(QUERY)).hits
    for _ in range(3):
        assert (await is_carried_out(memory, tags=["home"])).hits == []
        await settled(memory)
    await memory.update(hit.id, tags=["home"])
    assert [one.id for one in (await memory.recall(QUERY, tags=["home"])).hits] == [hit.id]


async def test_it_can_be_turned_off(home: Home) -> None:
    async with home.memory(recall={"kept_searches": 0}) as memory:
        await memory.remember_many([{"content": note} for note in NOTES])
        await memory.settle()
        for _ in range(3):
            await memory.recall(QUERY)
            await settled(memory)
        seen = await stats(memory)
        assert (seen.hits, seen.size, seen.capacity) == (0, 0, 0)


async def test_those_not_used_for_longest_go_first(home: Home) -> None:
    async with home.memory(recall={"kept_searches": 2}) as memory:
        await memory.remember_many([{"content": note} for note in NOTES])
        await memory.settle()
        await warm(memory)
        for query in ("piano", "boiler"):
            await warm(memory, query)
        assert (await stats(memory)).size == 2
        await is_carried_out(memory)


async def test_a_search_is_let_go_of_with_its_session(memory: AsyncBethink) -> None:
    for session in ("a", "b"):
        await memory.observe(session, [{"role": "user", "content": f"the spare key of {session} is lost"}])
    await memory.settle()
    core, space = await memory.inside.here()
    core.index.kept.clear()
    for sessions in (["a"], ["b"], None):
        await warm(memory, session_ids=sessions)
    core.index.kept.invalidate(space, "a")
    assert len(core.index.kept) == 1, "the other session's is left"


@pytest.mark.parametrize("seed", range(4))
async def test_two_processes_always_answer_like_one_that_keeps_nothing(home: Home, seed: int) -> None:
    """Whatever is written, and by whom, each answer is the one that a search made now gives."""
    chance = Random(seed)
    async with AsyncExitStack() as stack:
        keeping = [await stack.enter_async_context(home.memory()) for _ in range(2)]
        plain = await stack.enter_async_context(home.memory(recall={"kept_searches": 0}))
        known = [one.id for one in await keeping[0].remember_many([{"content": note} for note in NOTES])]
        await keeping[0].settle()
        for step in range(40):
            writer = chance.choice([*keeping, plain])
            deed = chance.randrange(12)
            if deed == 0:
                known.append((await writer.remember(f"The spare {chance.choice(NOTES)} {step}")).id)
            elif deed == 1:
                await writer.update(chance.choice(known), content=f"Key {step}: {chance.choice(NOTES)}")
            elif deed == 2 and len(known) > 7:
                await writer.forget(known.pop(chance.randrange(len(known))))
            elif deed == 3:
                await writer.update(chance.choice(known), pinned=chance.random() < 0.5)
            elif deed == 4:
                await writer.observe(f"s{step % 3}", [{"role": "user", "content": f"key {step}"}])
            if deed < 5 and chance.random() < 0.5:
                await writer.settle()
            query = chance.choice(["where is the key?", "piano", "when was the boiler serviced?"])
            expected = said(await plain.recall(query, recency="neutral"))
            for one in keeping:
                assert said(await one.recall(query, recency="neutral")) == expected, (step, deed, query)
                if chance.random() < 0.7:
                    await settled(one)
        assert sum([(await stats(one)).hits for one in keeping]) > 5, "it was used at all"
