"""An index that lives elsewhere, under an open memory: fed, asked, out of reach, told of what is erased."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest

from bethink import AsyncBethink
from bethink.clock import now
from bethink.contracts import VectorEntry, VectorQuery
from bethink.index.vectors import outside
from bethink.index.vectors.nearest import Nearest
from bethink.memory import AsyncSpace
from bethink.settings import VECTOR_STORES
from bethink.settings import vectors as vector_settings
from bethink.store import changes
from bethink.store.filters import EntryFilter
from bethink.testing import HashEmbedder
from tests import opened
from tests.index.vectors.dict_vectors import DictVectors
from tests.opened import Home, texts

NOTES = [
    "The spare key is under the blue pot", "The boiler was serviced in May", "The piano is in the attic",
    "The car needs new tyres", "Grandma's birthday is in June", "The wifi password is on the fridge",
    "The dentist is on Elm Street", "Anna is allergic to peanuts",
]  # fmt: skip


class HeldVectors(DictVectors):
    """An index whose answers, or whose taking in, can be made to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.after_search: Callable[[], Awaitable[None]] | None = None
        self.putting, self.may_put = asyncio.Event(), asyncio.Event()
        self.may_put.set()

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        self.putting.set()
        await self.may_put.wait()
        await super().put(space, signature, entries)

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        found = await super().nearest(query)
        if self.after_search:
            work, self.after_search = self.after_search, None
            await work()
        return found


home = opened.lone_home  # a store is told of every space


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> HeldVectors:
    """The store `dict`, as another package would bring it."""
    made = HeldVectors()
    opening: outside.Open = lambda _settings, _database: made  # noqa: E731
    monkeypatch.setattr(
        outside, "STORES", outside.STORES | {"dict": outside.Store("bethink", False, opening)}
    )
    monkeypatch.setattr(vector_settings, "VECTOR_STORES", (*VECTOR_STORES, "dict"))
    return made


QUICK = {"rest_seconds": 0.05, "budget_seconds": 30.0}


@pytest.fixture
async def memory(home: Home, index: HeldVectors) -> AsyncIterator[AsyncBethink]:
    assert index.held == {}
    async with home.memory(index={"vector_store": "dict"}, vectors=QUICK) as opened:
        yield opened


async def healed(memory: AsyncBethink) -> None:
    """Wait until no store rests."""
    ladder = (await memory.inside.opened()).index.ladder
    await asyncio.gather(*(rung.healed() for rung in ladder.rungs))


async def fill(memory: AsyncBethink, space: AsyncSpace | None = None) -> None:
    await (space or memory).remember_many([{"content": note} for note in NOTES])
    await memory.settle()


async def test_recall_goes_by_terms_and_by_that_index(memory: AsyncBethink, index: HeldVectors) -> None:
    await fill(memory)
    assert len(index.held) == len(NOTES), "it is told before anyone asks"
    result = await memory.recall("where is the spare key?")
    assert (result.engine, result.degraded) == ("hybrid", [])
    assert (result.hits[0].text, result.hits[0].engine) == (NOTES[0], "terms+vector")
    await memory.remember("The ladder is in the shed", tags=["tools"])
    result = await memory.recall("ladder", tags=["tools"], strategy="semantic")
    assert texts(result) == ["The ladder is in the shed"]
    assert index.asked[-1].allowed is not None, "it knows nothing of tags"
    await memory.facts.set("home", "boiler_age", "12 years")
    facts = await memory.facts.search("home boiler age 12 years")
    assert facts.found_by == "vector"
    assert (await memory.index.check()).working
    status = (await memory.index.status()).vector_store
    assert (status.name, status.state, status.problem) == ("dict", "ready", None)


async def test_while_it_is_down_the_rows_answer_and_it_is_said(
    memory: AsyncBethink, index: HeldVectors
) -> None:
    await fill(memory)
    index.down = True
    await memory.remember("The spare wheel is in the boot")
    result = await memory.recall("spare wheel boot")
    assert (result.engine, result.hits[0].engine) == ("hybrid", "terms+vector")
    assert result.hits[0].text == "The spare wheel is in the boot", "which only the rows know"
    failing = "vector search by dict failed: The dictionary is closed; open it."
    assert result.degraded == [failing]
    status = await memory.index.status()
    assert status.vector_store.state == "failing"
    assert failing in status.degraded
    assert not (await memory.index.check()).working
    assert (await memory.facts.search("anything")).degraded == []
    index.down = False
    await healed(memory)
    assert len(index.held) == len(NOTES) + 1, "it was told what it had missed, before anyone asked"
    result = await memory.recall("spare wheel boot")
    assert (result.engine, result.degraded) == ("hybrid", [])
    assert (await memory.index.check()).working


async def test_what_is_erased_while_the_index_answers_does_not_come_back(
    memory: AsyncBethink, index: HeldVectors
) -> None:
    """Nor does a new record that got the id of the erased one come in its place."""
    kept = await memory.remember(NOTES[1])
    secret = await memory.remember(NOTES[0])
    await memory.settle()

    async def erase() -> None:
        assert (await memory.erase(memory_ids=[secret.id])).complete
        await memory.remember("Something else entirely")

    index.after_search = erase
    (vector,) = await HashEmbedder().embed([NOTES[0]], "query")
    result = await memory.recall("zzz", vector=vector.tolist(), strategy="semantic")
    assert index.after_search is None
    assert [hit.id for hit in result.hits if hit.vector is not None] == [kept.id]
    assert NOTES[0] not in str(result)


async def test_an_erasure_is_proved_in_that_index_too(memory: AsyncBethink, index: HeldVectors) -> None:
    await fill(memory)
    receipt = await memory.erase(query="spare key")
    assert receipt.complete
    assert len(index.held) == len(NOTES) - 1
    assert (await memory.erase(everything=True)).complete
    assert index.held == {}


async def test_an_erasure_that_it_could_not_be_told_of_is_not_complete(
    memory: AsyncBethink, index: HeldVectors
) -> None:
    await fill(memory)
    index.down = True
    receipt = await memory.erase(query="spare key")
    assert not receipt.complete
    assert receipt.storage
    assert "vector index dict could not be asked" in receipt.storage.notes[-1]
    index.down = False
    await healed(memory)
    assert len(index.held) == len(NOTES) - 1, "it was told when it could be"
    assert (await memory.erase(query="no such text")).complete


async def test_each_of_two_stores_of_one_kind_has_to_be_asked(
    memory: AsyncBethink, index: HeldVectors
) -> None:
    """As where the host of a server was changed, and the server of before still holds something."""
    await fill(memory)
    before = DictVectors()
    before.reader = "dict:there"
    core = await memory.inside.opened()
    core.index.ladder.take_back(before.reader, before, core.settings.vectors)
    index.down = True
    receipt = await memory.erase(query="spare key")
    assert not receipt.complete
    assert receipt.storage
    assert "vector index dict could not be asked" in receipt.storage.notes[-1]


async def test_a_space_removed_while_it_was_down_goes_from_it_later(
    memory: AsyncBethink, index: HeldVectors
) -> None:
    gone = f"gone from {memory.name}"
    await fill(memory, memory.space(gone))
    index.down = True
    assert not (await memory.spaces.delete(gone, confirm=gone)).complete
    assert len(index.held) == len(NOTES)
    index.down = False
    await healed(memory)
    assert index.held == {}


async def test_nobody_waits_while_it_is_filled(home: Home, index: HeldVectors) -> None:
    impatient = QUICK | {"budget_seconds": 4.0}
    async with home.memory(index={"vector_store": "dict"}, vectors=impatient) as memory:
        index.may_put.clear()
        await memory.remember_many([{"content": note} for note in NOTES])
        for _ in range(2):
            result = await memory.recall("spare key")
            assert (result.engine, result.degraded) == ("hybrid", []), "the rows answer"
            assert result.hits[0].engine == "terms+vector"
            assert index.asked == []
        index.may_put.set()
        await memory.settle()
        await memory.recall("spare key pot")
        assert len(index.asked) == 1
        assert index.wiped == 1


async def test_filling_that_was_cut_short_begins_anew(memory: AsyncBethink, index: HeldVectors) -> None:
    await fill(memory)
    core, space = await memory.inside.here()
    await core.driver.write(changes.begin, index.reader, space.number, now())  # as a crash leaves it
    index.held.popitem()
    again = Nearest(core.driver, index)
    query = await _query(memory)
    assert len((await again.nearest(query)).ranked) == len(NOTES)


async def _query(memory: AsyncBethink) -> VectorQuery:
    core, space = await memory.inside.here()
    signature, vector = await core.index.vector_maker.query("spare key boiler piano")
    return VectorQuery(space, signature, vector, EntryFilter(), now(), 10)


async def test_the_old_store_answers_until_the_new_one_is_filled(home: Home, index: HeldVectors) -> None:
    patient = QUICK | {"budget_seconds": 4.0}
    async with home.memory(index={"vector_store": "dict"}, vectors=patient) as memory:
        await fill(memory)
        await memory.options.update(vector_store="sqlite-vec")
        await memory.settle()
        result = await memory.recall("where is the spare key?")
        assert (result.engine, result.degraded, result.hits[0].text) == ("hybrid", [], NOTES[0])
        assert index.asked == [], "the new one is asked"
        assert index.held == {}, "the old one is empty, so that nothing is forgotten there"
        assert (await memory.upkeep.history("vector-store"))[0].counts == {"emptied": 1, "told": len(NOTES)}

        index.down = False
        await memory.options.reset("vector_store")
        index.may_put.clear()
        assert (await memory.recall("spare key")).degraded == []
        assert index.asked == [], "sqlite-vec answers"
        index.may_put.set()
        await memory.settle()
        await memory.recall("spare key pot")
        assert len(index.asked) == 1
        assert len(index.held) == len(NOTES)


async def test_a_store_that_was_left_while_it_was_down_is_emptied_by_whoever_comes_next(
    home: Home, index: HeldVectors
) -> None:
    async with home.memory(index={"vector_store": "dict"}, vectors=QUICK) as memory:
        await fill(memory)
    async with home.memory() as memory:  # the settings name another store now, and dict is down
        receipt = await memory.erase(query="spare key")
        assert not receipt.complete
        assert receipt.storage
        assert "vector index dict could not be asked" in receipt.storage.notes[-1]
    index.down = False
    async with home.memory() as memory:
        await memory.catch_up()
        assert index.held == {}
        assert (await memory.erase(query="boiler")).complete


async def test_a_search_goes_on_when_the_store_that_it_waits_for_is_left(
    home: Home, index: HeldVectors
) -> None:
    patient = QUICK | {"budget_seconds": 60.0}
    async with home.memory(index={"vector_store": "dict"}, vectors=patient) as memory:
        await fill(memory)
        index.putting.clear()
        index.may_put.clear()
        await memory.remember("The spare wheel is in the boot")
        asked = asyncio.create_task(memory.recall("spare wheel boot"))
        await index.putting.wait()
        ladder = (await memory.inside.opened()).index.ladder
        assert ladder.chosen
        await ladder.chosen.close()
        result = await asked
        assert (result.engine, result.degraded) == ("hybrid", [])
        assert result.hits[0].engine == "terms+vector", "the rows answer"


async def test_a_search_that_comes_after_a_store_was_left_does_not_wait_for_it(
    home: Home, index: HeldVectors
) -> None:
    patient = QUICK | {"budget_seconds": 60.0}
    async with home.memory(index={"vector_store": "dict"}, vectors=patient) as memory:
        await fill(memory)
        index.may_put.clear()
        await memory.remember("The spare wheel is in the boot")
        ladder = (await memory.inside.opened()).index.ladder
        assert ladder.chosen
        await ladder.chosen.close()
        result = await memory.recall("spare wheel boot")
        assert (result.engine, result.degraded) == ("hybrid", [])
        assert result.hits[0].engine == "terms+vector", "the rows answer"


async def test_once_the_chosen_store_works_the_one_before_is_left(home: Home, index: HeldVectors) -> None:
    async with home.memory(index={"vector_store": "sqlite-vec"}, vectors=QUICK) as memory:
        await fill(memory)
        index.down = True
        await memory.options.update(vector_store="dict")
        await memory.settle()
        index.down = False
        await healed(memory)
        await memory.settle()
        stores = (await memory.index.status()).vector_store.stores
        assert [(one.name, one.state) for one in stores] == [("dict", "ready")]
        assert len(index.held) == len(NOTES)
