"""Recall with a reranker: who asks for it, what it changes, and what happens when it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bethink import InvalidInput
from tests.models.embed.hosts import Answer, Asked, Host, running_host
from tests.opened import Home, texts

NOTES = [f"The {thing} stands by the red door" for thing in ("bike", "lamp", "sofa", "drum", "vase", "desk")]
FAVOURITE = NOTES[3]


def prefer(asked: Asked) -> Answer:
    """A host that has a favourite."""
    ratings = [10.0 if text == FAVOURITE else 0.0 for text in asked.body["documents"]]
    return Answer({"results": [{"index": at, "relevance_score": r} for at, r in enumerate(ratings)]})


@pytest.fixture
def host() -> Iterator[Host]:
    with running_host(prefer) as host:
        yield host


def by_host(host: Host, **rerank: Any) -> dict[str, Any]:
    return {"rerank": {"source": "http", "base_url": host.url, "weight": 1.0, **rerank}}


async def test_a_host_betters_the_order_of_every_recall(home: Home, host: Host) -> None:
    async with home.memory(**by_host(host, candidates=6)) as memory:
        await memory.remember_many([{"content": note} for note in NOTES])
        found = await memory.recall("what stands by the red door?")
        assert texts(found)[0] == FAVOURITE
        assert found.hits[0].rerank > max(hit.rerank for hit in found.hits[1:])
        assert found.degraded == []
        assert sorted(host.asked[0].body["documents"]) == sorted(NOTES)
        await memory.recall("red door", rerank=False)
        await memory.recall("red door", tier="fast")
        await memory.recall("", strategy="recent")
        assert len(host.asked) == 1
        await memory.options.update(rerank_enabled=False)
        await memory.recall("red door")
        assert len(host.asked) == 1
        await memory.recall("red door", rerank=True)
        assert len(host.asked) == 2


async def test_without_the_host_the_fused_order_stands_and_the_result_says_so(home: Home) -> None:
    answers: dict[str, Answer] = {"now": Answer({}, status=503)}
    with running_host(lambda _: answers["now"]) as host:
        async with home.memory(**by_host(host, seconds=0.2, retry_seconds=0)) as memory:
            await memory.remember_many([{"content": note} for note in NOTES])
            plain = await memory.recall("the lamp by the red door", rerank=False)
            failed = await memory.recall("the lamp by the red door")
            answers["now"] = Answer({}, delay=1.0)
            late = await memory.recall("the lamp by the red door")
        for result, said in ((failed, "answered 503"), (late, "rerank.seconds")):
            assert texts(result) == texts(plain)
            assert len(result.degraded) == 1
            assert said in result.degraded[0]
            assert result.degraded[0].startswith("the order stands without reranking")


async def test_the_model_is_an_option_that_needs_a_host(home: Home, host: Host) -> None:
    async with home.memory(rerank={"base_url": host.url, "weight": 1.0}) as memory:
        await memory.remember_many([{"content": note} for note in NOTES])
        await memory.options.update(rerank_provider_model="prefers/drums", rerank_enabled=True)
        assert texts(await memory.recall("what stands by the red door?"))[0] == FAVOURITE
        assert host.asked[-1].body["model"] == "prefers/drums"
        await memory.options.reset("rerank_provider_model", scope="server")
    async with home.memory() as memory:
        with pytest.raises(InvalidInput, match=r"rerank\.base_url"):
            await memory.options.update(rerank_provider_model="prefers/drums")
