"""Every way in which a chat host can answer, on a real socket."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel

from bethink.errors import Closed, ModelError, ModelMissing
from bethink.models.chat import ChatMessage, ChatResolution, resolve_chat
from bethink.settings import Settings
from tests.models.chat_server import (
    ChatServer,
    Script,
    Turn,
    broken_down,
    chat_server,
    good,
    limited,
    refused,
)
from tests.models.embed.hosts import unused_port

HELLO: list[ChatMessage] = [{"role": "user", "content": "Hello"}]
KEY = "sk-very-secret-key-0123456789"


class Answer(BaseModel):
    colour: str
    size: int | None = None


@asynccontextmanager
async def resolved(url: str, **chat: Any) -> AsyncIterator[ChatResolution]:
    quick = {"timeout_seconds": 5, "max_retries": 1, "extraction_model": "small-1b"} | chat
    resolution = resolve_chat(Settings.checked({"chat": {"base_url": url, **quick}}))
    try:
        yield resolution
    finally:
        await resolution.close()


async def asked(
    script: Script, *, schema: type[BaseModel] | None = None, **chat: Any
) -> tuple[str, ChatServer]:
    with chat_server(script) as server:
        async with resolved(server.url, **chat) as resolution:
            reply = await resolution.extraction.complete(HELLO, schema=schema, max_tokens=50)
            return reply.text, server


async def test_an_answer_comes_with_its_model_and_cost() -> None:
    with chat_server([Turn("héllo 你好", finish="length")]) as server:
        async with resolved(server.url, api_key=KEY) as resolution:
            assert (resolution.state, resolution.reason) == ("unopened", "chat.base_url is set")
            assert not server.asked + server.listings  # nothing is asked before it is needed
            reply = await resolution.extraction.complete(HELLO, max_tokens=50)
            assert (reply.text, reply.model, reply.cut) == ("héllo 你好", "small-1b", True)
            assert (reply.prompt_tokens, reply.completion_tokens) == (7, 3)
            assert (resolution.state, resolution.model) == ("ready", "small-1b")
    assert server.asked[0]["messages"] == HELLO
    assert server.asked[0]["max_tokens"] == 50
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_no_key_is_sent_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-another-host")
    monkeypatch.setenv("OPENAI_ORG_ID", "of-another-host")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://another.host/v1")
    _, server = await asked([Turn("ok")])
    assert "of-another-host" not in str(server.headers)
    assert "authorization" not in server.headers[0]


async def test_a_schema_is_sent_in_the_strict_form() -> None:
    text, server = await asked([good({"colour": "red"})], schema=Answer)
    assert text == '{"colour": "red"}'
    form = server.asked[0]["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["required"] == ["colour", "size"]
    assert form["schema"]["additionalProperties"] is False


async def test_a_host_that_refuses_schemas_is_asked_in_words_and_remembered() -> None:
    def script(body: dict[str, Any]) -> Turn:
        return refused() if "response_format" in body else good({"colour": "red"})

    with chat_server(script) as server:
        async with resolved(server.url) as resolution:
            for _ in range(2):
                reply = await resolution.extraction.complete(HELLO, schema=Answer)
                assert reply.text == '{"colour": "red"}'
    assert ["response_format" in body for body in server.asked] == [True, False, False]
    assert '"colour"' in server.prompts[1]


async def test_a_model_that_wants_other_parameters_gets_them() -> None:
    def script(body: dict[str, Any]) -> Turn:
        if "max_tokens" in body:
            return refused("'max_tokens' is not supported; use 'max_completion_tokens' instead.")
        if "temperature" in body:
            return refused("'temperature' does not support 0 with this model.")
        return Turn("ok")

    text, server = await asked(script, schema=Answer)
    assert text == "ok"
    assert server.asked[-1]["max_completion_tokens"] == 50
    assert "response_format" in server.asked[-1]  # only what it refused was left out


async def test_what_is_refused_for_another_reason_is_told_and_not_remembered() -> None:
    with chat_server(
        [refused("context length"), refused("context length"), good({"colour": "red"})]
    ) as server:
        async with resolved(server.url) as resolution:
            with pytest.raises(ModelError, match="answered 400: context length"):
                await resolution.extraction.complete(HELLO, schema=Answer)
            states = [resolution.state]
            await resolution.extraction.complete(HELLO, schema=Answer)
            assert [*states, resolution.state] == ["failing", "ready"]
    assert "response_format" in server.asked[-1]


@pytest.mark.parametrize(
    "first", [limited(), broken_down(), Turn(hang_up=True), Turn("ok", half=True)], ids=str
)
async def test_a_passing_failure_is_tried_again(first: Turn) -> None:
    text, server = await asked([first, Turn("ok")])
    assert (text, len(server.asked)) == ("ok", 2)


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        (limited(), "answered 429: slow down.*try again later"),
        (limited(3600), "answered 429"),
        (broken_down(), "answered 500: boom"),
        (Turn(hang_up=True), "closed the connection"),
        (Turn("ok" * 500, half=True), "closed the connection"),
        (Turn(status=401, body={"error": {"message": f"bad key {KEY}"}}), r"bad key \*\*\*.*chat.api_key"),
        (Turn(status=404, body={"error": {"message": "no model"}}), "chat.base_url is right"),
        (Turn(body={"object": "error"}), "something else than a chat answer"),
        (Turn(body={"choices": []}), "something else than a chat answer"),
        (Turn("late", delay=0.3), "did not answer within 0.1 s"),
    ],
    ids=str,
)
async def test_a_lasting_failure_is_told_in_words(turn: Turn, says: str) -> None:
    timeout = 0.1 if turn.delay else 5
    with chat_server([turn]) as server:
        async with resolved(server.url, api_key=KEY, timeout_seconds=timeout) as resolution:
            with pytest.raises(ModelError, match=says) as caught:
                await resolution.extraction.complete(HELLO)
            assert KEY not in str(caught.value)
            assert (resolution.state, resolution.problem) == ("failing", caught.value.message)


async def test_a_host_that_is_not_there_is_told() -> None:
    async with resolved(f"http://127.0.0.1:{unused_port()}/v1", max_retries=0) as resolution:
        with pytest.raises(ModelError, match=r"cannot be reached.*chat.base_url"):
            await resolution.extraction.complete(HELLO)


async def test_an_answer_without_text_is_empty() -> None:
    assert (await asked([Turn(None)]))[0] == ""


async def test_no_more_calls_are_under_way_than_allowed() -> None:
    under_way, most = 0, 0

    def script(_: dict[str, Any]) -> Turn:
        nonlocal most
        most = max(most, under_way)
        return Turn("ok", delay=0.02)

    with chat_server(script) as server:
        async with resolved(server.url, concurrency=2) as resolution:
            host: Any = resolution._host
            within = host._within

            async def counted(call: Any) -> Any:
                nonlocal under_way
                under_way += 1
                try:
                    return await within(call)
                finally:
                    under_way -= 1

            await resolution.extraction.complete(HELLO)
            host._within = counted
            await asyncio.gather(*(resolution.extraction.complete(HELLO) for _ in range(8)))
    assert most == 2
    assert len(server.asked) == 9


async def test_the_model_is_chosen_among_those_the_host_lists() -> None:
    with chat_server([Turn("ok")]) as server:
        async with resolved(server.url, extraction_model=None, model="big-70b") as resolution:
            assert (await resolution.extraction.complete(HELLO)).model == "small-1b"
            assert (await resolution.writing.complete(HELLO)).model == "big-70b"
            assert resolution.model_reason == "it is the smallest of the host's models, by its name"
            await resolution.extraction.complete(HELLO)
    assert server.listings == ["/v1/models"]


async def test_a_host_that_lists_no_models_needs_a_name() -> None:
    with chat_server([Turn("ok")], models=None) as server:
        async with resolved(server.url, extraction_model=None) as resolution:
            with pytest.raises(ModelError, match=r"Set chat.extraction_model"):
                await resolution.extraction.complete(HELLO)
        async with resolved(server.url, extraction_model="mine") as resolution:
            assert (await resolution.extraction.complete(HELLO)).model == "mine"


async def test_while_the_host_is_away_no_model_is_settled_on() -> None:
    port = unused_port()
    async with resolved(f"http://127.0.0.1:{port}/v1", max_retries=0, extraction_model="gone") as resolution:
        with pytest.raises(ModelError, match="cannot be reached"):
            await resolution.extraction.complete(HELLO)
        assert resolution.model is None
        with chat_server([Turn("ok")], port=port):
            assert (await resolution.extraction.complete(HELLO)).model == "small-1b"
            assert (resolution.model_reason or "").startswith("gone is not among the host's models")


async def test_without_a_host_there_is_none() -> None:
    resolution = resolve_chat(Settings.checked({}))
    assert (resolution.state, resolution.enabled) == ("off", False)
    with pytest.raises(ModelMissing, match=r"neither chat.base_url nor chat.api_key is set"):
        await resolution.extraction.complete(HELLO)
    await resolution.close()


async def test_with_only_a_key_it_is_openai() -> None:
    resolution = resolve_chat(Settings.checked({"chat": {"api_key": KEY}}))
    assert (resolution.state, "https://api.openai.com" in resolution.reason) == ("unopened", True)
    assert KEY not in repr(vars(resolution))
    await resolution.close()
    with pytest.raises(Closed):
        await resolution.extraction.complete(HELLO)


async def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    async with resolved("http://127.0.0.1:9/v1") as resolution:
        with pytest.raises(ModelMissing, match=r"pip install 'bethink\[llm\]'"):
            await resolution.extraction.complete(HELLO)
