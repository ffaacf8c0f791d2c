"""Stores at the other end of a bad line: recall answers all the same, and afterwards nothing is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from bench.qdrant_front import KEY

from bethink import AsyncBethink
from bethink.index.vectors.ladder import Rung
from tests.index.vectors import servers
from tests.index.vectors.proxy import FAULTS, Fault, Proxy, proxied
from tests.opened import Home
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("vector stores")  # their clients are loaded in one process only
NOTES = [
    "The spare key is under the blue pot", "The boiler was serviced in May", "The piano is in the attic",
    "The car needs new tyres", "Grandma's birthday is in June", "The wifi password is on the fridge",
]  # fmt: skip
QUICK: dict[str, Any] = {"rest_seconds": 0.05, "budget_seconds": 0.5, "timeout_seconds": 1.0}


@pytest.fixture(scope="module", params=["chroma", "qdrant"])
def line(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Proxy]]:
    """The name of a store, and the line to it."""
    chroma = servers.chroma_server(tmp_path_factory.mktemp("chroma"))
    with chroma if request.param == "chroma" else servers.qdrant_engine() as port, proxied(port) as proxy:
        yield request.param, proxy


@pytest.fixture
def home(database_url: str) -> Home:
    """A database of its own: a store is told of every space, and is remembered."""
    return Home(database_url)


@pytest.fixture
async def memory(home: Home, line: tuple[str, Proxy]) -> AsyncIterator[AsyncBethink]:
    name, proxy = line
    proxy.break_by(None)
    place = {"host": "127.0.0.1", "port": proxy.port, "api_key": KEY if name == "qdrant" else None}
    async with home.memory(index={"vector_store": name}, vectors=QUICK | place) as opened:
        await opened.remember_many([{"content": note} for note in NOTES])
        await opened.settle()
        await healed(opened)
        yield opened
        proxy.break_by(None)


async def rung_of(memory: AsyncBethink) -> Rung:
    chosen = (await memory.inside.opened()).index.ladder.chosen
    assert chosen
    return chosen


async def healed(memory: AsyncBethink) -> None:
    await (await rung_of(memory)).healed()


async def resting(memory: AsyncBethink) -> None:
    """Wait until the store is known to have failed: what it is told may take longer than a search waits."""
    breaker = (await rung_of(memory)).breaker
    await asyncio.to_thread(eventually, lambda: breaker.is_open)


async def held(memory: AsyncBethink) -> int:
    """How many entries of the space the store has."""
    core, space = await memory.inside.here()
    return await (await rung_of(memory)).index.index.count(
        space.number, await core.index.vector_maker.ready()
    )


async def answers(memory: AsyncBethink, name: str, query: str) -> None:
    """Recall is answered by the store, and by all of it."""
    result = await memory.recall(query)
    assert (result.engine, result.degraded) == ("hybrid", [])
    assert result.hits[0].engine == "terms+vector"
    status = (await memory.index.status()).vector_store
    assert (status.answering, status.stores[0].state) == (name, "ready")


@pytest.mark.parametrize("fault", FAULTS)
async def test_recall_goes_on_and_the_store_is_whole_again_afterwards(
    memory: AsyncBethink, line: tuple[str, Proxy], fault: Fault
) -> None:
    name, proxy = line
    await answers(memory, name, "where is the spare key?")
    assert await held(memory) == len(NOTES)
    known = (await memory.recall("piano attic")).hits[0].id
    met = proxy.met
    proxy.break_by(fault)
    added = [await memory.remember(f"While the line was bad: {fault} {number}") for number in range(3)]
    await memory.forget(known)
    seconds = QUICK["budget_seconds"] + 60.0  # a machine may be slow; a line that says nothing never ends
    for number in range(3):
        async with asyncio.timeout(seconds):
            result = await memory.recall(f"while the line was bad {fault} {number}")
        assert result.engine == "hybrid", "the rows know the vectors"
        assert added[number].id in [hit.id for hit in result.hits]
        assert known not in [hit.id for hit in result.hits]
    await resting(memory)
    assert proxy.met > met, "the fault was met"
    (problem,) = (await memory.recall("what is said of it?")).degraded
    assert problem.startswith(f"vector search by {name} failed")
    status = (await memory.index.status()).vector_store
    assert (status.state, status.stores[0].problem is None) == ("failing", False)
    proxy.break_by(None)
    await healed(memory)
    assert await held(memory) == len(NOTES) + 2, "it was told of all it missed, and of what went"
    await answers(memory, name, "who has a birthday?")
    core, space = await memory.inside.here()
    mended = await (await rung_of(memory)).feed.reconcile(space.number, await core.index.vector_maker.ready())
    assert mended == (0, 0), "and holds nothing else"


async def test_an_erasure_during_a_fault_is_told_afterwards(
    memory: AsyncBethink, line: tuple[str, Proxy]
) -> None:
    _, proxy = line
    proxy.break_by("reset")
    assert not (await memory.erase(query="spare key")).complete
    proxy.break_by(None)
    await healed(memory)
    assert await held(memory) == len(NOTES) - 1
    assert (await memory.erase(query="no such text")).complete


async def test_a_line_that_fails_while_the_store_is_filled(
    memory: AsyncBethink, line: tuple[str, Proxy]
) -> None:
    name, proxy = line
    rung = await rung_of(memory)
    core, space = await memory.inside.here()
    proxy.break_by("cut")
    await memory.remember_many([{"content": f"Note {number} of many"} for number in range(40)])
    await memory.settle()
    proxy.break_by(None)
    await healed(memory)
    await rung.feed.catch_up(space.number, await core.index.vector_maker.ready())
    assert await held(memory) == len(NOTES) + 40
    await answers(memory, name, "note 7 of many")
