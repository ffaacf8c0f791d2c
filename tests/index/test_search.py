from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from bethink import AsyncBethink, InvalidInput, ModelError
from bethink.models.embed import EmbedRole
from bethink.testing import HashEmbedder
from tests.opened import Home, WatchedEmbedder, texts

NOTES = [
    "The spare key is under the blue pot", "The boiler was serviced in May", "Anna is allergic to peanuts",
    "The car needs new tyres", "Grandma's birthday is in June", "The wifi password is on the fridge",
    "The dentist is on Elm Street", "The piano is in the attic",
]  # fmt: skip


async def fill(memory: AsyncBethink) -> None:
    await memory.remember_many([{"content": note} for note in NOTES])
    await memory.settle()


async def test_a_search_goes_by_terms_and_by_vector(memory: AsyncBethink) -> None:
    await fill(memory)
    result = await memory.recall("where is the spare key?")
    assert (result.engine, result.degraded) == ("hybrid", [])
    best = result.hits[0]
    assert (best.text, best.engine, best.degraded) == (NOTES[0], "terms+vector", False)
    assert best.terms is not None
    assert best.terms > 0
    assert best.vector is not None
    assert 0 < best.vector <= 1


async def test_while_the_embedder_is_down_keywords_still_find(home: Home) -> None:
    embedder = WatchedEmbedder(down=True)
    async with home.memory(embedder, embed={"retry_seconds": 0}) as memory:
        await fill(memory)
        result = await memory.recall("spare key")
        assert result.engine == "terms"
        assert result.degraded == ["the embedding source is down: The test has switched this embedder off."]
        assert (result.hits[0].text, result.hits[0].engine) == (NOTES[0], "terms")
        assert result.hits[0].degraded
        assert result.hits[0].vector is None
        stats = await memory.stats()
        assert (stats.embedding_state, stats.awaiting_vectors) == ("failing", len(NOTES))
        assert stats.degraded == result.degraded
        embedder.down = False
        recovered = await memory.recall("spare key")
        assert (recovered.engine, recovered.degraded) == ("hybrid", [])
        assert recovered.hits[0].engine == "terms+vector"
        stats = await memory.stats()
        assert (stats.embedding_state, stats.awaiting_vectors, stats.degraded) == ("ready", 0, [])


async def test_a_source_that_is_down_is_not_asked_again_at_once(home: Home) -> None:
    embedder = WatchedEmbedder(down=True)
    async with home.memory(embedder, embed={"retry_seconds": 3600}) as memory:
        await fill(memory)
        embedder.down = False
        result = await memory.recall("spare key")
    assert embedder.queries == []
    assert "The next try is in" in result.degraded[0]


async def test_an_embedder_that_breaks_in_its_own_way_is_down_too(home: Home) -> None:
    class Broken(HashEmbedder):
        async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
            raise OSError(f"the cable was cut before {role} {texts[0]!r}")

    async with home.memory(Broken()) as memory:
        await fill(memory)
        result = await memory.recall("spare key")
        assert result.hits[0].text == NOTES[0]
        assert "the cable was cut" in result.degraded[0]


class Choosy(WatchedEmbedder):
    """Fails for documents with the word poison, and for nothing else."""

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if any("poison" in text for text in texts):
            raise ModelError("This text will not do.")
        return await super().embed(texts, role)


async def test_vectors_that_are_there_answer_though_new_ones_cannot_be_made(home: Home) -> None:
    async with home.memory(Choosy(), embed={"retry_seconds": 0}) as memory:
        await fill(memory)
        await memory.remember("A bottle of poison")
        result = await memory.recall("spare key")
        assert result.engine == "hybrid"
        assert result.hits[0].engine == "terms+vector"
        assert "This text will not do." in result.degraded[0]
        assert texts(await memory.recall("bottle"))[0] == "A bottle of poison"


async def test_without_a_source_search_goes_by_keywords_and_says_so(home: Home) -> None:
    async with home.memory(embed={"source": "none"}) as memory:
        await fill(memory)
        result = await memory.recall("spare key")
        assert (result.engine, texts(result)) == ("terms", [NOTES[0]])
        assert result.degraded[0].startswith("no embedding source: ")
        stats = await memory.stats()
        assert (stats.embedding_state, stats.signature, stats.degraded) == ("off", None, result.degraded)
        assert [(count.total, count.embedded) for count in stats.layers.values()] == [(len(NOTES), 0)]
        assert stats.awaiting_vectors == 0
        assert texts(await memory.recall("spare key", strategy="semantic")) == [NOTES[0]]
        with pytest.raises(ModelError, match="no embedding source"):
            await memory.reindex()


async def test_when_keyword_search_fails_too_the_most_recent_come_back(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    async with AsyncBethink(path, embed={"source": "none"}) as memory:
        await fill(memory)
        with apsw.Connection(path) as other:
            other.execute("DROP TABLE vocabulary")
        result = await memory.recall("spare key", limit=3)
        assert result.engine == "recent"
        assert texts(result) == NOTES[:-4:-1]
        assert any(reason.startswith("keyword search failed: ") for reason in result.degraded)


async def test_when_keyword_search_fails_vectors_still_find(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    async with AsyncBethink(path, embedder=HashEmbedder()) as memory:
        await fill(memory)
        with apsw.Connection(path) as other:
            other.execute("DROP TABLE vocabulary")
        result = await memory.recall("spare key")
        assert (result.engine, result.hits[0].text) == ("vector", NOTES[0])
        assert result.degraded[0].startswith("keyword search failed: ")


async def test_a_vector_at_hand_saves_embedding_the_query(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder) as memory:
        await fill(memory)
        vector = (await HashEmbedder().embed(["where is the spare key?"], "query"))[0]
        result = await memory.recall("zzz", vector=vector.tolist())
        assert embedder.queries == []
        assert (result.hits[0].text, result.hits[0].engine) == (NOTES[0], "vector")
        twice = await memory.recall("zzz", vector=(2 * vector).tolist())
        near = [hit.vector for hit in result.hits]
        assert [hit.vector for hit in twice.hits] == pytest.approx(near)
        assert near[0] == pytest.approx((await memory.recall("where is the spare key?")).hits[0].vector)


@pytest.mark.parametrize(
    "vector", [[1.0] * 63, [1.0] * 65, [], [[1.0] * 64], [math.nan] * 64, [math.inf] * 64, "key"]
)
async def test_a_vector_that_does_not_fit_is_refused_and_does_no_harm(
    memory: AsyncBethink, vector: list[float]
) -> None:
    await fill(memory)
    with pytest.raises(InvalidInput, match="vector: ") as caught:
        await memory.recall("spare key", vector=vector)
    assert caught.value.field == "vector"
    assert (await memory.recall("spare key")).hits[0].engine == "terms+vector"


@pytest.mark.parametrize("query", ["🙂", "?!", "…"])
async def test_a_query_the_model_knows_no_word_of_is_near_to_nothing(
    memory: AsyncBethink, query: str
) -> None:
    await fill(memory)
    result = await memory.recall(query)
    assert (result.hits, result.degraded) == ([], [])
    assert (await memory.recall("spare key", vector=[0.0] * 64)).hits[0].engine == "terms"


async def test_a_record_the_model_knows_no_word_of_has_no_cosine_that_is_no_number(
    memory: AsyncBethink,
) -> None:
    await fill(memory)
    await memory.remember("🙂")
    await memory.observe("chat", [{"role": "assistant", "content": ""}])
    result = await memory.recall("spare key 🙂", limit=50)
    assert all(hit.vector is None or math.isfinite(hit.vector) for hit in result.hits)
    assert {"🙂", NOTES[0]} <= set(texts(result))
    assert (await memory.stats()).awaiting_vectors == 0


async def test_a_model_whose_vectors_are_not_of_length_one_is_ranked_by_cosine_all_the_same(
    home: Home,
) -> None:
    class Long(HashEmbedder):
        async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
            rows = await super().embed(texts, role)
            return rows * np.arange(1, len(rows) + 1, dtype=np.float32)[:, None] * 10

    async with home.memory(Long()) as memory:
        await fill(memory)
        hits = (await memory.recall("the spare key is under the blue pot", limit=50)).hits
        assert hits[0].vector == pytest.approx(1, abs=1e-3)
        assert all(hit.vector is None or -1.001 <= hit.vector <= 1.001 for hit in hits)


async def test_a_model_that_gives_no_numbers_is_down(home: Home) -> None:
    class Blank(HashEmbedder):
        async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
            return await super().embed(texts, role) * np.float32("nan")

    async with home.memory(Blank()) as memory:
        await fill(memory)
        result = await memory.recall("spare key")
        assert (result.engine, result.hits[0].text) == ("terms", NOTES[0])
        assert "not numbers" in result.degraded[0]


async def test_with_many_vectors_missing_recall_does_not_wait_for_them(home: Home) -> None:
    embedder = WatchedEmbedder(down=True)
    async with home.memory(embedder, embed={"retry_seconds": 0}, index={"lazy_limit": 3}) as memory:
        await fill(memory)
        embedder.down = False
        result = await memory.recall("spare key")
        assert result.hits[0].text == NOTES[0]
        assert result.degraded == ["some records still await their vectors and are found by keywords only"]
        await memory.settle()
        result = await memory.recall("spare key")
        assert (result.degraded, result.hits[0].engine) == ([], "terms+vector")
