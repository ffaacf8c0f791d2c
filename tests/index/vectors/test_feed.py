"""An index that lives elsewhere, under an open memory: fed, asked, out of reach, told of what is erased."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest

from bethink import AsyncBethink
from bethink.clock import now
from bethink.contracts import VectorEntry, VectorQuery
from bethink.core import core
from bethink.index.vectors import nearest
from bethink.index.vectors.nearest import Nearest
from bethink.memory import AsyncSpace
from bethink.store import changes
from bethink.store.filters import EntryFilter
from bethink.testing import HashEmbedder
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
        self.may_put = asyncio.Event()
        self.may_put.set()

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        await self.may_put.wait()
        await super().put(space, signature, entries)

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        found = await super().nearest(query)
        if self.after_search:
            work, self.after_search = self.after_search, None
            await work()
        return found


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> HeldVectors:
    made = HeldVectors()
    monkeypatch.setattr(core, "open_index", lambda *_: made)
    return made


@pytest.fixture
async def memory(home: Home, index: HeldVectors) -> AsyncIterator[AsyncBethink]:
    async with home.memory(HashEmbedder()) as opened:
        yield opened
    index.down = False


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


async def test_while_it_is_down_keywords_find_and_it_is_said(
    memory: AsyncBethink, index: HeldVectors
) -> None:
    await fill(memory)
    index.down = True
    await memory.remember("The spare wheel is in the boot")
    result = await memory.recall("spare")
    assert result.engine == "terms"
    assert set(texts(result)) == {NOTES[0], "The spare wheel is in the boot"}
    assert result.degraded == ["vector search failed: The dictionary is closed; open it."]
    status = await memory.index.status()
    assert status.vector_store.state == "failing"
    assert "vector search failed: The dictionary is closed; open it." in status.degraded
    assert not (await memory.index.check()).working
    assert (await memory.facts.search("anything")).degraded
    index.down = False
    result = await memory.recall("spare wheel")
    assert (result.engine, result.degraded) == ("hybrid", [])
    assert result.hits[0].engine == "terms+vector", "it was told what it had missed"


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
    await memory.recall("boiler")
    assert len(index.held) == len(NOTES) - 1, "it was told when it could be"
    assert (await memory.erase(query="no such text")).complete


async def test_a_space_removed_while_it_was_down_goes_from_it_later(
    memory: AsyncBethink, index: HeldVectors
) -> None:
    gone = f"gone from {memory.name}"
    await fill(memory, memory.space(gone))
    index.down = True
    assert not (await memory.spaces.delete(gone, confirm=gone)).complete
    index.down = False
    assert len(index.held) == len(NOTES)
    await memory.remember("Something that has it tended to")
    await memory.settle()
    assert len(index.held) == 1


async def test_nobody_waits_while_it_is_filled(
    memory: AsyncBethink, index: HeldVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "PATIENCE_SECONDS", 0.01)
    index.may_put.clear()
    await memory.remember_many([{"content": note} for note in NOTES])
    for _ in range(2):
        result = await memory.recall("spare key")
        assert (result.engine, texts(result)) == ("terms", [NOTES[0]])
        assert "is being filled" in result.degraded[0]
    index.may_put.set()
    await memory.settle()
    monkeypatch.setattr(nearest, "PATIENCE_SECONDS", 30)
    assert (await memory.recall("spare key")).degraded == []
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
