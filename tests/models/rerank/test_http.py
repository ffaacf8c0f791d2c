"""Reranking by a host: a real one on this machine, in each of the shapes there are."""

from __future__ import annotations

from typing import Any

import pytest

from bethink.errors import ModelError, SettingsError
from bethink.models.rerank import Reranking, check_reranker
from bethink.settings import Settings
from tests.models.embed.hosts import Answer, Asked, running_host, unused_port

TEXTS = ["about nothing", "about tea", "tea, and only tea", ""]


def rate(query: str, texts: list[str]) -> list[float]:
    return [float(text.count(query)) + len(text) / 100 for text in texts]


def cohere(asked: Asked) -> Answer:
    rated = enumerate(rate(asked.body["query"], asked.body["documents"]))
    results = [{"index": place, "relevance_score": rating} for place, rating in rated]
    return Answer({"results": sorted(results, key=lambda item: -item["relevance_score"])})


def voyage(asked: Asked) -> Answer:
    return Answer({"data": cohere(asked).body["results"]})


def tei(asked: Asked) -> Answer:
    if "texts" not in asked.body:
        return Answer({"error": "missing field `texts`"}, status=422)
    rated = enumerate(rate(asked.body["query"], asked.body["texts"]))
    return Answer([{"index": place, "score": rating} for place, rating in rated])


def reranking(url: str, **rerank: Any) -> Reranking:
    return Reranking(Settings(rerank={"source": "http", "base_url": url, **rerank}))


@pytest.mark.parametrize("shape", [cohere, voyage, tei])
async def test_each_text_is_rated_whatever_the_shape(shape: Any) -> None:
    with running_host(shape) as host:
        reranker = reranking(f"{host.url}/v2", model="rerank-x", api_key="secret")
        for _ in range(2):
            ratings = await reranker.score("tea", TEXTS)
            assert ratings.tolist() == pytest.approx(rate("tea", [*TEXTS[:3], " "]))
        assert len(host.asked) == (3 if shape is tei else 2)  # the shape is found out once
        assert {request.path for request in host.asked} == {"/v2/rerank"}
        assert host.asked[0].headers["Authorization"] == "Bearer secret"
        assert (host.asked[0].body["model"], host.asked[0].body["top_n"]) == ("rerank-x", 4)
        assert (reranker.source, reranker.model, reranker.state) == ("http", "rerank-x", "ready")
        await reranker.close()


async def test_an_address_may_end_in_rerank_and_no_text_asks_nothing() -> None:
    with running_host(cohere) as host:
        reranker = reranking(f"{host.url}/rerank/")
        assert (await reranker.score("tea", [])).shape == (0,)
        await reranker.score("tea \ud800", ["half a pair \udc00"])
        assert [request.path for request in host.asked] == ["/rerank"]
        assert "model" not in host.asked[0].body
        await reranker.close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer({"results": []}), "did not rate each text"),
        (Answer({"results": [{"index": 0, "relevance_score": 1}] * 2}), "did not rate each text"),
        (Answer({"unexpected": True}), "something else than ratings"),
        (Answer([{"index": 0}]), "something else than ratings"),
        (Answer(b"<html>"), "did not answer in JSON"),
        (Answer({"message": "no"}, status=401), "Set rerank.api_key"),
        (Answer({"message": "who?"}, status=404), "rerank.base_url is right"),
        (Answer({"message": "bad"}, status=400), "answered 400"),
        (Answer({"message": "broken"}, status=500), "answered 500"),
    ],
)
async def test_what_a_host_does_wrong_is_said_in_words(answer: Answer, said: str) -> None:
    with running_host(lambda _: answer) as host:
        reranker = reranking(host.url, retry_seconds=0)
        with pytest.raises(ModelError, match=said):
            await reranker.score("tea", ["one", "two"])
        assert reranker.state == "failing"
        assert said in (reranker.problem or "")
        assert reranker.rest.last is not None
        await reranker.close()


async def test_a_host_that_failed_is_left_alone_for_a_while() -> None:
    with running_host(lambda _: Answer({}, status=500)) as host:
        reranker = reranking(host.url, retry_seconds=60)
        for _ in range(3):
            with pytest.raises(ModelError, match="answered 500"):
                await reranker.score("tea", ["one"])
        assert len(host.asked) == 1
        await reranker.close()


async def test_a_host_out_of_reach_and_one_that_is_slow() -> None:
    gone = reranking(f"http://127.0.0.1:{unused_port()}")
    with pytest.raises(ModelError, match="cannot be reached"):
        await gone.score("tea", ["one"])
    await gone.close()
    with running_host(lambda _: Answer({}, delay=1.0)) as host:
        slow = reranking(host.url, seconds=0.05)
        with pytest.raises(ModelError, match=r"rerank\.seconds"):
            await slow.score("tea", ["one"])
        await slow.close()


async def test_a_host_needs_an_address() -> None:
    settings = Settings(rerank={"source": "http"})
    with pytest.raises(SettingsError) as caught:
        check_reranker(settings)
    assert caught.value.field == "rerank.base_url"
    reranker = Reranking(settings)
    assert reranker.state == "missing"
    with pytest.raises(ModelError, match=r"rerank\.base_url"):
        await reranker.score("tea", ["one"])
    await reranker.close()


async def test_another_reranker_takes_over() -> None:
    with running_host(cohere) as host:
        reranker = Reranking(Settings())
        assert reranker.source == "local"
        await reranker.become(Settings(rerank={"source": "http", "base_url": host.url}))
        assert (await reranker.score("tea", ["tea", "no"])).tolist() == pytest.approx([1.03, 0.02])
        await reranker.close()
