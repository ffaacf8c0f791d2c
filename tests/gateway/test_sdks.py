"""The clients that people use, as they come: OpenAI's and Anthropic's own libraries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anthropic
import openai
import pytest
from pydantic import BaseModel

from tests.gateway.conftest import Place
from tests.gateway.upstream import Answer, Asked, chat, event, messages, responses

TOOL: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
USER: Any = {"role": "user", "content": "Hi, may I have nuts?"}


class Verdict(BaseModel):
    allowed: bool
    why: str


@pytest.fixture
def client(home: Place) -> Iterator[openai.OpenAI]:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    with openai.OpenAI(base_url=f"{home.url}/v1", api_key=home.key, max_retries=0) as client:
        yield client


@pytest.fixture
def claude(home: Place) -> Iterator[anthropic.Anthropic]:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    with anthropic.Anthropic(base_url=home.url, api_key=home.key, max_retries=0) as client:
        yield client


def test_openai_chat(client: openai.OpenAI, home: Place) -> None:
    reply = client.chat.completions.with_raw_response.create(model="m1", messages=[USER])
    assert reply.parse().choices[0].message.content == "Hello there."
    assert reply.headers["x-bethink-facts"] == "1"
    assert "peanuts" in home.upstream.last.json["messages"][0]["content"]
    assert home.upstream.last.json["messages"][-1] == USER


def test_openai_chat_stream(client: openai.OpenAI, home: Place) -> None:
    with client.chat.completions.stream(model="m1", messages=[USER]) as stream:
        said = "".join(event.delta for event in stream if event.type == "content.delta")
    assert said == "Hello there."
    session = home.sessions()[0]
    assert home.said(session) == [("user", USER["content"]), ("assistant", "Hello there.")]


def test_openai_tools(client: openai.OpenAI, home: Place) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
    home.upstream.answer(Answer(json.dumps(chat(None, tool_calls=[call])).encode()))
    reply = client.chat.completions.create(model="m1", messages=[USER], tools=[TOOL])
    message = reply.choices[0].message
    assert message.tool_calls
    assert message.tool_calls[0].type == "function"
    assert message.tool_calls[0].function.arguments == '{"city":"Oslo"}'
    assert home.upstream.last.json["tools"] == [TOOL]
    home.upstream.say("Rain.")
    result: Any = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
    asked: Any = message.model_dump(exclude_none=True)
    client.chat.completions.create(model="m1", messages=[USER, asked, result], tools=[TOOL])
    sent = home.upstream.last.json["messages"]
    assert [m["role"] for m in sent] == ["system", "system", "user", "assistant", "tool"]
    assert home.said(home.sessions()[0]) == [("user", USER["content"]), ("assistant", "Rain.")]


def test_openai_structured_output(client: openai.OpenAI, home: Place) -> None:
    home.upstream.answer(Answer(json.dumps(chat('{"allowed":false,"why":"peanuts"}')).encode()))
    reply = client.chat.completions.parse(model="m1", messages=[USER], response_format=Verdict)
    assert reply.choices[0].message.parsed == Verdict(allowed=False, why="peanuts")
    assert home.upstream.last.json["response_format"]["json_schema"]["name"] == "Verdict"


def test_openai_responses(client: openai.OpenAI, home: Place) -> None:
    reply = client.responses.create(model="m1", input="May I have nuts?", instructions="Be brief.")
    assert reply.output_text == "Hello there."
    sent = home.upstream.last.json
    assert sent["instructions"].startswith("Be brief.\n\n")
    assert "peanuts" in sent["instructions"]
    assert sent["input"][-1] == {"role": "user", "content": "May I have nuts?"}


def test_openai_responses_stream_and_structure(client: openai.OpenAI, home: Place) -> None:
    with client.responses.stream(model="m1", input="May I have nuts?") as stream:
        said = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
    assert said == "Hello there."
    home.upstream.answer(Answer(json.dumps(responses('{"allowed":true,"why":"x"}')).encode()))
    parsed = client.responses.parse(model="m1", input="And now?", text_format=Verdict)
    assert parsed.output_parsed == Verdict(allowed=True, why="x")


def test_openai_errors_are_the_providers_own(client: openai.OpenAI, home: Place) -> None:
    error = {
        "error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}
    }
    home.upstream.answer(Answer(json.dumps(error).encode(), 404, {"x-request-id": "req-7"}))
    with pytest.raises(openai.NotFoundError, match="no such model") as caught:
        client.chat.completions.create(model="nope", messages=[USER])
    assert caught.value.code == "model_not_found"
    assert caught.value.request_id == "req-7"


def test_openai_embeddings_go_to_the_provider_or_are_made_here(client: openai.OpenAI, home: Place) -> None:
    home.upstream.answer(None)  # the library asks for base64 and takes either
    own = client.embeddings.create(model="bethink/hash", input=["one", "two"])
    assert [len(row.embedding) for row in own.data] == [64, 64]
    plain = client.embeddings.create(model="bethink/hash", input="one", encoding_format="float")
    assert plain.data[0].embedding == pytest.approx(own.data[0].embedding)
    assert home.upstream.asked == []
    home.upstream.script = type(home.upstream)(home.upstream._server).script
    there = client.embeddings.create(model="e", input="one", encoding_format="float")
    assert there.data[0].embedding == [0.5, 0.25]


def test_openai_models_are_listed_under_their_providers(client: openai.OpenAI) -> None:
    listed = [model.id for model in client.models.list()]
    assert listed == ["main/m1", "claude/m1", "zai/m1", "vllm/local-model", "bethink/hash"]
    assert client.models.retrieve("main/m1").id == "main/m1"
    with pytest.raises(openai.NotFoundError, match="/v1/models lists"):
        client.models.retrieve("main/other")


async def test_openai_async(home: Place) -> None:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    async with openai.AsyncOpenAI(base_url=f"{home.url}/v1", api_key=home.key) as client:
        reply = await client.chat.completions.create(model="main/m1", messages=[USER])
        assert reply.choices[0].message.content == "Hello there."
        pieces = await client.chat.completions.create(model="main/m1", messages=[USER], stream=True)
        said = [piece.choices[0].delta.content async for piece in pieces]
    assert "".join(text or "" for text in said) == "Hello there."
    assert home.upstream.last.json["model"] == "m1"


def test_anthropic_messages(claude: anthropic.Anthropic, home: Place) -> None:
    system: Any = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    reply = claude.messages.with_raw_response.create(model="m1", max_tokens=9, system=system, messages=[USER])
    assert reply.parse().content[0].text == "Hello there."  # type: ignore[union-attr]  # it is text
    sent = home.upstream.last.json
    assert sent["system"][0] == system[0]
    assert "peanuts" in sent["system"][1]["text"]
    assert sent["system"][1]["cache_control"] == {"type": "ephemeral"}
    assert sent["messages"][-1]["content"][-1] == {"type": "text", "text": USER["content"]}


def test_anthropic_stream(claude: anthropic.Anthropic, home: Place) -> None:
    with claude.messages.stream(model="m1", max_tokens=9, messages=[USER]) as stream:
        assert "".join(stream.text_stream) == "Hello there."
    assert home.said(home.sessions()[0])[1] == ("assistant", "Hello there.")


def test_anthropic_tools(claude: anthropic.Anthropic, home: Place) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}}
    home.upstream.answer(Answer(json.dumps({**messages(""), "content": [use]}).encode()))
    tools: Any = [{"name": "weather", "input_schema": {"type": "object"}}]
    reply = claude.messages.create(model="m1", max_tokens=9, messages=[USER], tools=tools)
    assert reply.content[0].type == "tool_use"
    result: Any = {"type": "tool_result", "tool_use_id": "t1", "content": "rain"}
    asked: Any = {"role": "assistant", "content": [use]}
    more: Any = [USER, asked, {"role": "user", "content": [result]}]
    home.upstream.say("Rain.")
    claude.messages.create(model="m1", max_tokens=9, messages=more, tools=tools)
    sent = home.upstream.last.json["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "user"]
    assert sent[0]["content"][-1] == {"type": "text", "text": USER["content"]}  # the last thing the user said
    assert sent[1:] == more[1:]


async def test_anthropic_async(home: Place) -> None:
    async with anthropic.AsyncAnthropic(base_url=home.url, api_key=home.key) as client:
        reply = await client.messages.create(model="m1", max_tokens=9, messages=[USER])
        assert reply.content[0].type == "text"
        async with client.messages.stream(model="m1", max_tokens=9, messages=[USER]) as stream:
            assert [text async for text in stream.text_stream] == ["Hello", " there."]


def test_anthropic_errors_and_models(claude: anthropic.Anthropic, home: Place) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    home.upstream.answer(Answer(json.dumps(error).encode(), 529))
    with pytest.raises(anthropic.APIStatusError, match="busy") as caught:
        claude.messages.create(model="m1", max_tokens=9, messages=[USER])
    assert caught.value.status_code == 529
    home.upstream.script = type(home.upstream)(home.upstream._server).script
    assert [model.id for model in claude.models.list()][:2] == ["main/m1", "claude/m1"]
    with pytest.raises(anthropic.AuthenticationError, match="unknown or was revoked"):
        claude.with_options(api_key="wrong").models.list()


def test_an_error_in_the_middle_of_a_stream_is_passed_on(claude: anthropic.Anthropic, home: Place) -> None:
    def broken(_: Asked) -> Answer:
        start = {**messages(""), "content": [], "stop_reason": None}
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
        pieces = [event({"type": "message_start", "message": start}, "message_start"), event(error, "error")]
        return Answer(pieces, kind="text/event-stream")

    home.upstream.script = broken
    with (
        pytest.raises(anthropic.APIStatusError, match="busy"),
        claude.messages.stream(model="m1", max_tokens=9, messages=[USER]) as stream,
    ):
        list(stream.text_stream)
