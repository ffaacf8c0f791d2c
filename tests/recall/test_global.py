"""The global space: what every space may include in its recall, and nothing else that leaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bethink import AsyncBethink
from bethink.clock import now
from bethink.errors import StoreError
from bethink.memory import AsyncSpace
from bethink.recall.rank import unite
from bethink.recall.recall import Recall
from bethink.records import Layer, Memory
from bethink.shapes.outcomes import Hit, RecallResult
from bethink.testing import HashEmbedder


@pytest.fixture
async def memory(database_url: str) -> AsyncIterator[AsyncBethink]:
    """Three spaces that all say what colour the door is, each in its own way, and the global one."""
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as opened:
        for name, colour in (("red", "crimson"), ("blue", "azure"), ("global", "white")):
            space = opened.space(name)
            await space.remember(f"The door is {colour}")
            await space.remember_many([{"content": f"{colour} filler {number}"} for number in range(12)])
            await space.facts.set("house", "paint", f"{colour} paint")
            await space.observe("chat", [{"content": f"Is the boat {colour}?", "name": "Ann"}])
        await opened.settle()
        yield opened


async def colours(space: AsyncSpace, **options: Any) -> dict[str, set[str]]:
    """Which colours a space recalls, by the space that the hits say they are from."""
    found: dict[str, set[str]] = {}
    for query in ("what colour is the door?", "boat", "paint", "white", "azure", "crimson filler"):
        for hit in (await space.recall(query, limit=100, **options)).hits:
            said = {colour for colour in ("crimson", "azure", "white") if colour in hit.text}
            found.setdefault(hit.space or "?", set()).update(said)
    return found


async def test_a_space_includes_it_when_its_options_say_so(memory: AsyncBethink) -> None:
    red, blue = memory.space("red"), memory.space("blue")
    assert await colours(red) == {"red": {"crimson"}}
    await red.options.update(include_global=True)
    assert await colours(red) == {"red": {"crimson"}, "global": {"white"}}
    assert await colours(blue) == {"blue": {"azure"}}, "the option is the space's own"
    for strategy in ("recent", "semantic", "hybrid"):
        assert await colours(red, strategy=strategy) == {"red": {"crimson"}, "global": {"white"}}
    assert await colours(memory.space("global"), include_global=True) == {"global": {"white"}}


async def test_a_request_may_decide_for_itself(memory: AsyncBethink) -> None:
    red = memory.space("red")
    assert await colours(red, include_global=True) == {"red": {"crimson"}, "global": {"white"}}
    await red.options.update(include_global=True)
    assert await colours(red, include_global=False) == {"red": {"crimson"}}


async def test_the_server_may_include_it_for_all(memory: AsyncBethink) -> None:
    await memory.space("red").options.update(scope="server", include_global=True)
    assert await colours(memory.space("blue")) == {"blue": {"azure"}, "global": {"white"}}


async def test_only_recall_and_the_prompt_include_it(memory: AsyncBethink) -> None:
    red = memory.space("red")
    await red.options.update(include_global=True)
    listed = [*await red.list(limit=100), *await red.facts.list(), *await red.messages.of("chat")]
    assert "white" not in repr(listed)
    prompt = await red.prompt("what colour is the door?")
    assert "white" in prompt.text
    assert "azure" not in prompt.text
    assert "white" in (await red.prompt("paint")).text, "facts of the global space are recalled too"


async def test_limits_and_budgets_hold_for_both_together(memory: AsyncBethink) -> None:
    red = memory.space("red")
    result = await red.recall("filler", limit=6, include_global=True)
    assert len(result.hits) == 6
    assert {hit.space for hit in result.hits} == {"red", "global"}
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    tight = await red.recall("filler", max_tokens=12, include_global=True)
    assert 0 < tight.tokens <= 12


async def test_without_a_global_space_nothing_changes_and_none_is_made(database_url: str) -> None:
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as memory:
        await memory.remember("The door is crimson")
        assert len((await memory.recall("door", include_global=True)).hits) == 1
        assert [space.name for space in await memory.spaces.list()] == ["default"]


async def test_an_access_is_counted_where_the_record_is(memory: AsyncBethink) -> None:
    await memory.space("red").recall("The door", limit=2, include_global=True)
    for _ in range(100):
        counts = {name: sum(m.access_count for m in await memory.space(name).list(limit=100)) for name in
                  ("red", "blue", "global")}  # fmt: skip
        if counts["red"] and counts["global"]:
            break
        await asyncio.sleep(0.1)
    assert counts["red"] > 0
    assert counts["global"] > 0
    assert counts["blue"] == 0


MOMENT = now()
hits = st.lists(
    st.tuples(st.floats(0, 2), st.integers(0, 50), st.integers(0, 5)), max_size=12
).map(
    lambda parts: [
        Hit(layer=Layer.MEMORY, id=str(place), text="x", score=score, fused=score, tokens=tokens,
            engine="terms", observed_at=MOMENT - timedelta(days=days),
            record=Memory(id=str(place), space_id="s", content="x", observed_at=MOMENT, created_at=MOMENT,
                          updated_at=MOMENT))
        for place, (score, tokens, days) in enumerate(parts)
    ]
)  # fmt: skip


@given(hits, hits, st.integers(1, 20), st.none() | st.integers(1, 200))
def test_uniting_keeps_the_best_of_both(
    own: list[Hit], shared: list[Hit], limit: int, budget: int | None
) -> None:
    result = unite(
        RecallResult(query="q", hits=own, engine="hybrid", degraded=["a"]),
        RecallResult(query="q", hits=shared, engine="terms", degraded=["a", "b"]),
        limit,
        budget,
    )
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) <= limit
    assert bool(scores) == bool(own or shared)
    if scores:
        assert scores[0] == max(hit.score for hit in (*own, *shared))
    if budget is not None and len(scores) > 1:
        assert result.tokens <= max(budget, result.hits[0].tokens)
    assert result.degraded == ["a", "b"]


@pytest.mark.parametrize("keywords", [True, False])
async def test_a_worse_hit_of_the_global_space_stays_behind_an_exact_one(
    database_url: str, keywords: bool
) -> None:
    settings: Any = {"embed": {"source": "none"}} if keywords else {"embedder": HashEmbedder()}
    async with AsyncBethink(database_url, recall={"few_memories": 0}, **settings) as memory:
        shared = memory.space("global")
        await memory.remember("The spare key is under the blue pot")
        await memory.remember("A piano key is out of tune")
        await shared.remember("Keep every receipt and every key figure of the year, and file both")
        await shared.remember_many([{"content": f"Rule {number} of the house"} for number in range(40)])
        await memory.settle()
        hits = (await memory.recall("Where is the spare key, under the pot?", include_global=True)).hits
        assert hits[0].text == "The spare key is under the blue pot"
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        for hit in hits:
            assert sum(hit.fused_by.values()) == pytest.approx(hit.fused)
        first_shared = next(hit for hit in hits if hit.space == "global")
        assert first_shared.fused < hits[0].fused, "it is not the best there is, only the best over there"
        rules = (await memory.recall("rule 7 of the house", include_global=True)).hits
        assert (rules[0].space, rules[0].text) == ("global", "Rule 7 of the house")


async def test_hits_come_back_when_their_words_cannot_be_compared(
    memory: AsyncBethink, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise StoreError("The words are away.")

    monkeypatch.setattr("bethink.recall.recall.keyword_search.weights", broken)
    result = await memory.space("red").recall("what colour is the door?", include_global=True)
    assert {hit.space for hit in result.hits} == {"red", "global"}
    assert result.degraded == ["the words of hits in two spaces are not compared: The words are away."]


async def test_what_is_found_in_both_is_reranked_together(database_url: str) -> None:
    read: list[int] = []

    class Counting:
        async def score(self, _query: str, texts: Sequence[str]) -> NDArray[np.float32]:
            read.append(len(texts))
            return np.array([10.0 * ("white" in text) for text in texts], np.float32)

    async with AsyncBethink(database_url, embedder=HashEmbedder()) as memory:
        await memory.remember("The door is crimson")
        await memory.space("global").remember("The door is white")
        await memory.settle()
        core, _ = await memory.inside.here()
        core.part(Recall)._reranker = Counting()  # type: ignore[assignment]  # it only needs to score
        hits = (await memory.recall("door crimson", rerank=True, include_global=True)).hits
    assert read == [2]
    assert {hit.text: hit.rerank > 0 for hit in hits} == {
        "The door is white": True,
        "The door is crimson": False,
    }
