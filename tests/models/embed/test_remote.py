"""The two remote sources, against real hosts: what is sent, what comes back, what goes wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
import pytest

from bethink.errors import ModelError, SettingsError
from bethink.models.embed import resolve, signature
from bethink.models.embed.ollama import open_ollama
from bethink.models.embed.openai import open_openai
from bethink.models.embed.remote import RemoteEmbedder
from bethink.settings import Settings
from bethink.settings.keywords import EmbedOverrides
from tests.models.embed.hosts import Answer, Asked, numbers_of, running_host, unused_port

KEY = "sk-very-secret-key"
DIMENSIONS = 24


def openai_answer(asked: Asked) -> Answer:
    length = asked.body.get("dimensions", DIMENSIONS)
    data = [
        {"object": "embedding", "index": index, "embedding": numbers_of(text, length)}
        for index, text in enumerate(asked.body["input"])
    ]
    # Hosts may answer in any order: the index counts.
    return Answer({"object": "list", "model": asked.body["model"], "data": data[::-1]})


def ollama_answer(asked: Asked) -> Answer:
    rows = [numbers_of(text, DIMENSIONS) for text in asked.body["input"]]
    return Answer({"model": asked.body["model"], "embeddings": rows})


def openai_settings(url: str, **embed: Unpack[EmbedOverrides]) -> Settings:
    return Settings.load(embed={"source": "openai", "base_url": f"{url}/v1", **embed})


def expected(texts: list[str], length: int = DIMENSIONS) -> np.ndarray[Any, Any]:
    rows = np.array([numbers_of(text, length) for text in texts])
    scaled: np.ndarray[Any, Any] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled


async def ask_once(answer: Callable[[Asked], Answer], **embed: Unpack[EmbedOverrides]) -> RemoteEmbedder:
    with running_host(answer) as host:
        embedder = await open_openai(openai_settings(host.url, **embed))
        await embedder.close()
        return embedder


async def test_openai_vectors_come_back_in_order_and_scaled_to_length_one() -> None:
    texts = [f"text {n}" for n in range(7)]
    with running_host(openai_answer) as host:
        embedder = await open_openai(openai_settings(host.url, batch_size=3))
        rows = await embedder.embed(texts, "document")
        await embedder.close()
    assert rows.dtype == np.float32
    assert np.allclose(rows, expected(texts), atol=1e-5)
    assert signature(embedder) == f"openai:text-embedding-3-small:{DIMENSIONS}"
    assert [len(batch) for batch in host.texts] == [1, 3, 3, 1]
    assert {asked.path for asked in host.asked} == {"/v1/embeddings"}
    assert all("Authorization" not in asked.headers for asked in host.asked)
    assert all("dimensions" not in asked.body for asked in host.asked)


async def test_openai_is_asked_for_the_model_the_dimensions_and_with_the_key_of_the_settings() -> None:
    with running_host(openai_answer) as host:
        embedder = await open_openai(openai_settings(host.url, model="m", dimensions=8, api_key=KEY))
        rows = await embedder.embed(["a"], "query")
        await embedder.close()
    assert signature(embedder) == "openai:m:8"
    assert np.allclose(rows, expected(["a"], 8), atol=1e-5)
    assert host.asked[-1].headers["Authorization"] == f"Bearer {KEY}"
    assert host.asked[-1].body == {"model": "m", "dimensions": 8, "input": ["a"]}


async def test_the_chat_host_and_its_key_are_used_when_embedding_has_none() -> None:
    with running_host(openai_answer) as host:
        settings = Settings.load(chat={"base_url": f"{host.url}/v1/", "api_key": KEY})
        embedder = await open_openai(settings)
        await embedder.close()
    assert host.asked[0].path == "/v1/embeddings"
    assert host.asked[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_the_chat_key_is_shown_to_the_chat_host_only() -> None:
    with running_host(openai_answer) as host:
        for chat_url in (f"{host.url}/chat/v1", "http://elsewhere.test/v1", None):
            settings = Settings.load(
                embed={"base_url": f"{host.url}/v1"}, chat={"base_url": chat_url, "api_key": KEY}
            )
            await (await open_openai(settings)).close()
    assert ["Authorization" in asked.headers for asked in host.asked] == [True, False, False]


async def test_ollama_is_asked_in_its_own_way_with_the_prefixes_of_its_model() -> None:
    with running_host(ollama_answer) as host:
        settings = Settings.load(embed={"source": "ollama", "base_url": f"{host.url}/v1/"})
        embedder = await open_ollama(settings)
        query, document = [await embedder.embed(["tea"], role) for role in ("query", "document")]
        await embedder.close()
    assert signature(embedder) == f"ollama:nomic-embed-text:{DIMENSIONS}"
    assert {asked.path for asked in host.asked} == {"/api/embed"}
    assert host.texts[1:] == [["search_query: tea"], ["search_document: tea"]]
    assert np.allclose(query, expected(["search_query: tea"]), atol=1e-5)
    assert np.allclose(document, expected(["search_document: tea"]), atol=1e-5)


async def test_a_model_ollama_lacks_is_named_with_the_command_that_gets_it() -> None:
    missing = Answer({"error": 'model "nomic-embed-text" not found'}, status=404)
    with running_host(lambda _: missing) as host:
        settings = Settings.load(embed={"source": "ollama", "base_url": host.url})
        with pytest.raises(ModelError, match="ollama pull nomic-embed-text"):
            await open_ollama(settings)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer({"error": {"message": "bad key"}}, status=401), "embed.api_key"),
        (Answer({"error": "no such route"}, status=404), "embed.base_url"),
        (Answer({"error": "slow down"}, status=429), "limits"),
        (Answer({"error": "later"}, status=503, headers={"Retry-After": "7"}), "tried again later"),
        (Answer({"error": "it broke"}, status=500), "it broke"),
        (Answer(b"", status=302, headers={"Location": "http://elsewhere.test/"}), "redirect"),
        (Answer(b"<html>hello</html>"), "JSON"),
        (Answer({"hello": 1}), "something else than embeddings"),
        (Answer([1, 2]), "something else than embeddings"),
        (Answer({"data": [{"index": 0, "embedding": "AAAA"}]}), "something else than embeddings"),
        (Answer({"data": [{"index": 3, "embedding": [1.0]}]}), "something else than embeddings"),
        (Answer({"data": []}), "0 embeddings for 1 texts"),
        (Answer({"data": [{"index": n, "embedding": [1.0]} for n in range(2)]}), "2 embeddings for 1 texts"),
        (Answer(b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}'), "not numbers"),
    ],
    ids=lambda value: None if isinstance(value, Answer) else value,
)
async def test_what_goes_wrong_is_said_with_what_to_do(answer: Answer, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        await ask_once(lambda _: answer)


async def test_dimensions_a_model_cannot_give_are_an_error() -> None:
    with pytest.raises(ModelError, match=r"unset embed\.dimensions") as caught:
        await ask_once(lambda _: Answer({"data": [{"embedding": [1.0, 2.0]}]}), dimensions=8)
    assert caught.value.field == "embed.dimensions"


async def test_a_host_that_changes_its_model_is_noticed() -> None:
    lengths = iter([4, 4, 6])

    def answer(asked: Asked) -> Answer:
        length = next(lengths)
        return Answer({"data": [{"embedding": numbers_of(text, length)} for text in asked.body["input"]]})

    with running_host(answer) as host:
        embedder = await open_openai(openai_settings(host.url))
        assert (await embedder.embed(["a"], "query")).shape == (1, 4)
        with pytest.raises(ModelError, match="6 dimensions where it gave 4"):
            await embedder.embed(["a"], "query")
        await embedder.close()


async def test_a_host_that_does_not_answer_in_time_is_given_up() -> None:
    with pytest.raises(ModelError, match=r"embed\.timeout_seconds"):
        await ask_once(lambda asked: Answer(openai_answer(asked).body, delay=5), timeout_seconds=0.2)


async def test_a_host_that_is_not_there_is_named() -> None:
    address = f"http://127.0.0.1:{unused_port()}"
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        await open_openai(openai_settings(address, api_key=KEY))
    assert address in caught.value.message
    assert caught.value.field == "embed.base_url"


async def test_a_connection_the_host_dropped_is_opened_again() -> None:
    replies = iter([False, True, False])

    def answer(asked: Asked) -> Answer:
        return Answer(openai_answer(asked).body, hang_up=next(replies))

    with running_host(answer) as host:
        embedder = await open_openai(openai_settings(host.url))
        rows = await embedder.embed(["a"], "query")
        await embedder.close()
    assert np.allclose(rows, expected(["a"]), atol=1e-5)
    assert len(host.asked) == 3


async def test_the_key_is_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    def echo(asked: Asked) -> Answer:
        return Answer({"error": f"what is {asked.headers['Authorization']}?"}, status=400)

    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as caught:
        await ask_once(echo, api_key=KEY)
    assert "what is Bearer ***?" in caught.value.message
    assert KEY not in repr(caught.value.__cause__) + caplog.text + str(caught.value)


async def test_texts_the_host_finds_too_long_are_sent_apart_and_cut() -> None:
    def answer(asked: Asked) -> Answer:
        if sum(map(len, asked.body["input"])) > 1000:
            message = "This model's maximum context length is 1000 tokens."
            return Answer({"error": {"message": message}}, status=400)
        return openai_answer(asked)

    texts = ["short", "x" * 3000, "also short", "y" * 900]
    with running_host(answer) as host:
        embedder = await open_openai(openai_settings(host.url))
        rows = await embedder.embed(texts, "document")
        await embedder.close()
    assert np.allclose(rows, expected(["short", "x" * 750, "also short", "y" * 900]), atol=1e-5)


async def test_a_host_that_finds_everything_too_long_is_an_error() -> None:
    refusal = Answer({"error": "input exceeds the maximum length of 0 tokens"}, status=413)
    with pytest.raises(ModelError, match="exceeds"):
        await ask_once(lambda _: refusal)


async def test_empty_and_broken_texts_can_be_sent() -> None:
    with running_host(openai_answer) as host:
        embedder = await open_openai(openai_settings(host.url))
        assert (await embedder.embed(["", "\ud83d", "\x00"], "document")).shape == (3, DIMENSIONS)
        assert (await embedder.embed([], "document")).shape == (0, DIMENSIONS)
        await embedder.close()
    assert host.texts[-1] == [" ", "?", "\x00"]


async def test_calls_at_once_do_not_get_each_others_rows() -> None:
    with running_host(openai_answer) as host:
        embedder = await open_openai(openai_settings(host.url))
        texts = [f"text {n}" for n in range(12)]
        answers = await asyncio.gather(*(embedder.embed([text], "query") for text in texts))
        await embedder.close()
    assert np.allclose(np.concatenate(answers), expected(texts), atol=1e-5)


def test_openai_without_a_host_or_a_key_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match=r"set embed\.base_url") as caught:
        resolve(Settings.load(embed={"source": "openai"}))
    assert caught.value.field == "embed.base_url"


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://host/v1", "http://", "", "http://me:pw@host/v1"])
@pytest.mark.parametrize("section", ["embed", "chat"])
def test_an_address_that_cannot_be_used_is_a_settings_error(section: str, url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.checked({section: {"base_url": url}})
    assert caught.value.field == f"{section}.base_url"
    assert "pw" not in str(caught.value)
