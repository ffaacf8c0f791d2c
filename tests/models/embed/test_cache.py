from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bethink.errors import ModelError
from bethink.models.embed import CachedEmbedder, CacheStatistics, EmbedRole
from bethink.testing import HashEmbedder


class Recording(HashEmbedder):
    """Keeps what it was asked, gives way to other tasks, and fails when told to."""

    def __init__(self) -> None:
        super().__init__(16)
        self.asked: list[list[str]] = []
        self.broken = False

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        await asyncio.sleep(0)
        if self.broken:
            raise ModelError("broken")
        # Queries differ from documents here, as with models that want a prefix.
        return await super().embed([f"{role} {text}" for text in texts], role)


class Ticks:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def cached(**options: Any) -> tuple[CachedEmbedder, Recording, Ticks]:
    inner, clock = Recording(), Ticks()
    return CachedEmbedder(inner, clock=clock, **options), inner, clock


async def test_only_what_is_missing_goes_to_the_model_and_the_order_is_kept() -> None:
    cache, inner, _ = cached()
    await cache.embed(["b", "d"], "document")
    rows = await cache.embed(["a", "b", "c", "d", "a"], "document")
    assert inner.asked == [["b", "d"], ["a", "c"]]
    assert np.array_equal(rows, await Recording().embed(["a", "b", "c", "d", "a"], "document"))
    assert cache.statistics == CacheStatistics(hits=3, misses=4, size=4)


async def test_a_query_and_a_document_are_kept_apart() -> None:
    cache, inner, _ = cached()
    query, document = await cache.embed(["a"], "query"), await cache.embed(["a"], "document")
    assert not np.array_equal(query, document)
    assert len(inner.asked) == 2


async def test_an_entry_is_used_for_its_time_and_no_longer() -> None:
    cache, inner, clock = cached(seconds=300)
    await cache.embed(["a"], "query")
    clock.now = 299.9
    await cache.embed(["a"], "query")
    assert len(inner.asked) == 1
    clock.now = 300.0
    await cache.embed(["a"], "query")
    assert len(inner.asked) == 2
    assert cache.statistics.size == 1


async def test_the_least_recently_used_goes_first() -> None:
    cache, inner, _ = cached(size=2)
    for text in ("a", "b", "a", "c", "a"):
        await cache.embed([text], "query")
    assert inner.asked == [["a"], ["b"], ["c"]]
    await cache.embed(["b"], "query")
    assert inner.asked[-1] == ["b"]


async def test_more_texts_than_it_can_keep_are_all_answered() -> None:
    cache, _, _ = cached(size=3)
    texts = [str(n) for n in range(10)]
    rows = await cache.embed(texts, "document")
    assert np.array_equal(rows, await Recording().embed(texts, "document"))
    assert cache.statistics.size == 3


async def test_what_the_caller_does_with_the_rows_does_not_reach_the_cache() -> None:
    cache, _, _ = cached()
    first = await cache.embed(["a"], "query")
    expected = first.copy()
    first[:] = 0
    second = await cache.embed(["a"], "query")
    second[:] = 0
    assert np.array_equal(await cache.embed(["a"], "query"), expected)


async def test_a_failure_is_not_kept() -> None:
    cache, inner, _ = cached()
    inner.broken = True
    with pytest.raises(ModelError):
        await cache.embed(["a"], "query")
    inner.broken = False
    assert (await cache.embed(["a"], "query")).shape == (1, 16)


async def test_no_texts_ask_nothing() -> None:
    cache, inner, _ = cached()
    assert (await cache.embed([], "query")).shape == (0, 16)
    assert inner.asked == []


async def test_calls_at_once_all_get_their_rows() -> None:
    cache, _, _ = cached(size=2)
    calls = [[str(n), str(n + 1), str(n + 2)] for n in range(20)]
    answers = await asyncio.gather(*(cache.embed(texts, "query") for texts in calls))
    for texts, rows in zip(calls, answers, strict=True):
        assert np.array_equal(rows, await Recording().embed(texts, "query"))


async def test_half_a_surrogate_pair_is_a_text_like_any_other() -> None:
    cache, _, _ = cached()
    assert (await cache.embed(["\ud83d", "\ud83e"], "query")).shape == (2, 16)
    assert cache.statistics.misses == 2


calls = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abcdef"), max_size=5),
        st.sampled_from(["query", "document"]),
        st.integers(0, 9),
    ),
    max_size=12,
)


@given(calls, st.integers(1, 4))
def test_with_or_without_the_cache_the_rows_are_the_same(
    script: list[tuple[list[str], EmbedRole, int]], size: int
) -> None:
    async def play() -> None:
        cache, inner, clock = cached(size=size, seconds=5)
        for texts, role, pause in script:
            rows = await cache.embed(texts, role)
            assert np.array_equal(rows, await Recording().embed(texts, role))
            clock.now += pause
        asked = sum(len(texts) for texts, _, _ in script)
        statistics = cache.statistics
        assert statistics.size <= size
        assert statistics.hits + statistics.misses == asked
        assert statistics.misses == sum(map(len, inner.asked))

    asyncio.run(play())


async def test_what_several_want_at_once_is_embedded_once() -> None:
    inner = Recording()
    cached = CachedEmbedder(inner)
    first, second = await asyncio.gather(cached.embed(["a"], "query"), cached.embed(["a"], "query"))
    assert (first == second).all()
    assert inner.asked == [["a"]]


async def test_who_waits_for_another_asks_the_model_when_the_other_gives_up() -> None:
    inner = Recording()
    cached = CachedEmbedder(inner)
    first = asyncio.create_task(cached.embed(["a"], "query"))
    second = asyncio.create_task(cached.embed(["a"], "query"))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).shape == (1, 16)
    inner.broken = True
    results = await asyncio.gather(*(cached.embed(["b"], "query") for _ in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [ModelError] * 3
