"""Tools of memory through the gateway: offered, run there, and never seen by the client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import anthropic
import openai
import pytest

from bethink.records import Role
from tests.gateway.conftest import Place, on_both_databases
from tests.gateway.upstream import (
    Answer,
    Asked,
    chat,
    chat_stream,
    event,
    messages,
    messages_stream,
    responses,
    responses_stream,
)

USER: Any = {"role": "user", "content": "What may I not eat?"}
WEATHER: Any = {
    "name": "weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
Call = tuple[str, str, Any]  # id, name, arguments
RECALL: Call = ("c1", "recall", {"query": "what must I not eat?"})
THEIRS: Call = ("c2", "weather", {"city": "Oslo"})


@pytest.fixture
def skilled(home: Place) -> Place:
    """A space with memory and tools on, which knows of an allergy."""
    home.switch(skills_enabled=True)
    home.server.call(home.space.remember("Allergic to peanuts"))
    return home


@pytest.fixture
def client(skilled: Place) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{skilled.url}/v1", api_key=skilled.key, max_retries=0) as client:
        yield client


@pytest.fixture
def claude(skilled: Place) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=skilled.url, api_key=skilled.key, max_retries=0) as client:
        yield client


def rounds(place: Place, *answers: Callable[[bool], Answer]) -> None:
    """Answer one request after the other, streamed or not as each asks."""
    left = iter(answers)
    place.upstream.script = lambda asked: next(left)(bool(asked.json.get("stream")))


def chat_calls(*calls: Call, text: str | None = None) -> Callable[[bool], Answer]:
    made = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for id_, name, arguments in calls
    ]

    def answer(stream: bool) -> Answer:
        whole = chat(text, tool_calls=made)
        whole["choices"][0]["finish_reason"] = "tool_calls"
        return (
            Answer([*chat_call_stream(calls, text)], kind="text/event-stream")
            if stream
            else Answer(json.dumps(whole).encode())
        )

    return answer


def chat_call_stream(calls: Sequence[Call], text: str | None) -> Iterator[bytes]:
    base = {"id": "chatcmpl-0", "object": "chat.completion.chunk", "created": 1, "model": "m1"}

    def chunk(delta: Any, ends: str | None = None) -> bytes:
        return event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": ends}]})

    yield chunk({"role": "assistant", "content": ""})
    if text:
        yield chunk({"content": text})
    for number, (id_, name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": number, "id": id_, "type": "function", "function": function}]})
        written = json.dumps(arguments)
        for piece in (written[:5], written[5:]):
            yield chunk({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls")
    yield b"data: [DONE]\n\n"


def chat_says(*pieces: str) -> Callable[[bool], Answer]:
    def answer(stream: bool) -> Answer:
        if stream:
            return Answer([*chat_stream(pieces)], kind="text/event-stream")
        return Answer(json.dumps(chat("".join(pieces))).encode())

    return answer


def messages_calls(*calls: Call, thinks: str = "") -> Callable[[bool], Answer]:
    thought = [{"type": "thinking", "thinking": thinks, "signature": "sig"}] if thinks else []
    used = [{"type": "tool_use", "id": i, "name": name, "input": given} for i, name, given in calls]

    def answer(stream: bool) -> Answer:
        whole = {**messages(""), "content": [*thought, *used], "stop_reason": "tool_use"}
        if not stream:
            return Answer(json.dumps(whole).encode())
        return Answer([*messages_call_stream(thinks, used)], kind="text/event-stream")

    return answer


def messages_call_stream(thinks: str, used: Sequence[Any]) -> Iterator[bytes]:
    def named(data: Any) -> bytes:
        return event(data, data["type"])

    start = {**messages(""), "content": [], "stop_reason": None}
    yield named({"type": "message_start", "message": start})
    place = 0
    if thinks:
        block = {"type": "thinking", "thinking": "", "signature": ""}
        yield named({"type": "content_block_start", "index": 0, "content_block": block})
        for delta in (
            {"type": "thinking_delta", "thinking": thinks},
            {"type": "signature_delta", "signature": "sig"},
        ):
            yield named({"type": "content_block_delta", "index": 0, "delta": delta})
        yield named({"type": "content_block_stop", "index": 0})
        place = 1
    for index, use in enumerate(used, place):
        yield named({"type": "content_block_start", "index": index, "content_block": {**use, "input": {}}})
        written = json.dumps(use["input"])
        for piece in (written[:7], written[7:]):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield named({"type": "content_block_delta", "index": index, "delta": delta})
        yield named({"type": "content_block_stop", "index": index})
    ends = {"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}}
    yield named({"type": "message_delta", **ends})
    yield named({"type": "message_stop"})


def messages_says(*pieces: str) -> Callable[[bool], Answer]:
    def answer(stream: bool) -> Answer:
        if stream:
            return Answer([*messages_stream(pieces)], kind="text/event-stream")
        return Answer(json.dumps(messages("".join(pieces))).encode())

    return answer


def responses_calls(*calls: Call, thinks: bool = False, text: str = "") -> Callable[[bool], Answer]:
    items: list[Any] = [{"type": "reasoning", "id": "rs_1", "summary": []}] if thinks else []
    items += [{**responses(text)["output"][0], "id": "msg_0"}] if text else []
    items += [
        {
            "type": "function_call", "id": f"fc_{id_}", "call_id": id_, "name": name, "status": "completed",
            "arguments": json.dumps(given),
        }
        for id_, name, given in calls
    ]  # fmt: skip

    def answer(stream: bool) -> Answer:
        whole = {**responses("", "resp_0"), "output": items}
        if not stream:
            return Answer(json.dumps(whole).encode())
        pieces = [
            event({"type": "response.created", "response": {**whole, "output": []}, "sequence_number": 0})
        ]
        for index, item in enumerate(items):
            at = {"item": item, "output_index": index, "sequence_number": len(pieces)}
            pieces.append(event({"type": "response.output_item.added", **at}))
            pieces.append(event({"type": "response.output_item.done", **at}))
        pieces.append(
            event({"type": "response.completed", "response": whole, "sequence_number": len(pieces)})
        )
        return Answer(pieces, kind="text/event-stream")

    return answer


def responses_says(*pieces: str) -> Callable[[bool], Answer]:
    def answer(stream: bool) -> Answer:
        if stream:
            return Answer([*responses_stream(pieces)], kind="text/event-stream")
        return Answer(json.dumps(responses("".join(pieces))).encode())

    return answer


def names(asked: Asked) -> list[str]:
    return [tool.get("function", tool)["name"] for tool in asked.json.get("tools", [])]


@on_both_databases
def test_a_chat_recalls_by_itself(client: openai.OpenAI, skilled: Place) -> None:
    rounds(skilled, chat_calls(RECALL), chat_says("No peanuts."))
    tool: Any = {"type": "function", "function": WEATHER}
    reply = client.chat.completions.with_raw_response.create(model="m1", messages=[USER], tools=[tool])
    told = reply.parse()
    assert told.choices[0].message.content == "No peanuts."
    assert told.choices[0].message.tool_calls is None
    assert reply.headers["x-bethink-tool-calls"] == "1"
    assert told.usage
    assert told.usage.total_tokens == 4  # of both rounds

    first, second = skilled.upstream.asked
    assert first.json["tools"] == [tool, *skilled.server.call(skilled.space.tools("openai"))]
    assert second.json["tools"] == first.json["tools"]
    assert second.json["messages"][:-2] == first.json["messages"]
    called, result = second.json["messages"][-2:]
    assert called["tool_calls"][0]["function"]["name"] == "recall"
    assert (result["role"], result["tool_call_id"]) == ("tool", "c1")
    assert "Allergic to peanuts" in result["content"]
    session = skilled.sessions()[0]
    assert skilled.said(session) == [("user", USER["content"]), ("assistant", "No peanuts.")]


def test_a_streamed_chat_is_one_stream(client: openai.OpenAI, skilled: Place) -> None:
    rounds(skilled, chat_calls(RECALL, text="Let me look. "), chat_says("No", " peanuts."))
    with client.chat.completions.stream(model="m1", messages=[USER]) as stream:
        said = [event.delta for event in stream if event.type == "content.delta" and event.delta]
        final = stream.get_final_completion()
    assert said == ["Let me look. ", "No", " peanuts."]
    message = final.choices[0].message
    assert (message.role, message.content) == ("assistant", "Let me look. No peanuts.")
    assert not message.tool_calls
    assert final.id == "chatcmpl-0"
    called, result = skilled.upstream.last.json["messages"][-2:]
    assert (called["role"], called["content"]) == ("assistant", "Let me look. ")
    assert json.loads(called["tool_calls"][0]["function"]["arguments"]) == RECALL[2]
    assert "Allergic to peanuts" in result["content"]
    session = skilled.sessions()[0]
    assert skilled.said(session)[1] == ("assistant", "Let me look. No peanuts.")


def test_responses_recall_by_themselves(client: openai.OpenAI, skilled: Place) -> None:
    rounds(skilled, responses_calls(RECALL, thinks=True), responses_says("No peanuts."))
    reply = client.responses.create(model="m1", input="What may I not eat?")
    assert reply.output_text == "No peanuts."
    first, second = skilled.upstream.asked
    assert first.json["tools"] == skilled.server.call(skilled.space.tools("responses"))
    kinds = [item.get("type", "message") for item in second.json["input"]]
    assert kinds[-3:] == ["reasoning", "function_call", "function_call_output"]
    assert "Allergic to peanuts" in second.json["input"][-1]["output"]


def test_streamed_responses_are_one_stream(client: openai.OpenAI, skilled: Place) -> None:
    rounds(skilled, responses_calls(RECALL, thinks=True), responses_says("No", " peanuts."))
    with client.responses.stream(model="m1", input="What may I not eat?") as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert final.output_text == "No peanuts."
    assert [item.type for item in final.output] == ["message"]
    numbers = [event.sequence_number for event in events if hasattr(event, "sequence_number")]
    assert numbers == sorted(numbers)
    assert [event.type for event in events].count("response.created") == 1
    assert final.id == "resp_1"  # the answer that the provider goes on from


def test_a_client_goes_on_from_the_answer_that_it_knows(client: openai.OpenAI, skilled: Place) -> None:
    rounds(skilled, responses_calls(RECALL, text="Let me look."), responses_says("No peanuts."))
    with client.responses.stream(model="m1", input="What may I not eat?") as stream:
        list(stream)
        final = stream.get_final_response()
    assert final.id == "resp_0"
    assert final.output_text == "Let me look.No peanuts."
    skilled.settle()
    skilled.upstream.say("Yes.")
    client.responses.create(model="m1", input="Really?", previous_response_id=final.id)
    assert skilled.upstream.last.json["previous_response_id"] == "resp_1"
    assert len(skilled.sessions()) == 1


def test_claude_recalls_by_itself(claude: anthropic.Anthropic, skilled: Place) -> None:
    rounds(skilled, messages_calls(RECALL, thinks="Hm."), messages_says("No peanuts."))
    reply = claude.messages.create(model="m1", max_tokens=9, messages=[USER])
    assert [block.type for block in reply.content] == ["text"]
    assert reply.usage.output_tokens == 2
    first, second = skilled.upstream.asked
    assert first.json["tools"] == skilled.server.call(skilled.space.tools("anthropic"))
    assert second.json["messages"][:-2] == first.json["messages"]
    said, result = second.json["messages"][-2:]
    assert [block["type"] for block in said["content"]] == ["thinking", "tool_use"]
    assert result["content"][0]["tool_use_id"] == "c1"
    assert "Allergic to peanuts" in result["content"][0]["content"]


def test_a_streamed_message_is_one_stream(claude: anthropic.Anthropic, skilled: Place) -> None:
    rounds(skilled, messages_calls(RECALL, thinks="Hm."), messages_says("No", " peanuts."))
    with claude.messages.stream(model="m1", max_tokens=9, messages=[USER]) as stream:
        assert "".join(stream.text_stream) == "No peanuts."
        final = stream.get_final_message()
    assert [block.type for block in final.content] == ["text"]
    assert (final.stop_reason, final.usage.output_tokens) == ("end_turn", 22)
    said = skilled.upstream.last.json["messages"][-2]["content"]
    assert said[0] == {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    assert said[1]["input"] == RECALL[2]


def test_what_a_model_keeps_is_there(client: openai.OpenAI, skilled: Place) -> None:
    keep: Call = ("c1", "remember", {"content": "Moves to Lisbon in May"})
    rounds(skilled, chat_calls(keep), chat_says("Noted."))
    client.chat.completions.create(model="m1", messages=[USER])
    notes = skilled.server.call(skilled.space.list())
    assert "Moves to Lisbon in May" in [note.content for note in notes]
    journal = skilled.server.call(skilled.space.journal()).items
    assert any(line.actor.startswith("key:") for line in journal)


def test_a_wrong_call_is_told_to_the_model(client: openai.OpenAI, skilled: Place) -> None:
    rounds(skilled, chat_calls(("c1", "recall", {"querry": "x"})), chat_says("Sorry."))
    client.chat.completions.create(model="m1", messages=[USER])
    assert "did you mean query?" in skilled.upstream.last.json["messages"][-1]["content"]


@pytest.mark.parametrize("stream", [False, True])
def test_the_clients_own_calls_come_after_ours(client: openai.OpenAI, skilled: Place, stream: bool) -> None:
    rounds(skilled, chat_calls(THEIRS, RECALL), chat_calls(THEIRS))
    tools: Any = [{"type": "function", "function": WEATHER}]
    asked: dict[str, Any] = {"model": "m1", "messages": [USER], "tools": tools}
    if stream:
        with client.chat.completions.stream(**asked) as events:
            calls = events.get_final_completion().choices[0].message.tool_calls
    else:
        calls = client.chat.completions.create(**asked).choices[0].message.tool_calls
    assert [(call.id, call.function.name) for call in calls or ()] == [("c2", "weather")]
    sent = skilled.upstream.last.json["messages"]
    assert [call["id"] for call in sent[-2]["tool_calls"]] == ["c1"]
    assert sent[-1]["tool_call_id"] == "c1"


@pytest.mark.parametrize("stream", [False, True])
def test_rounds_have_an_end(client: openai.OpenAI, skilled: Place, stream: bool) -> None:
    always = [chat_calls((f"c{number}", "recall", {})) for number in range(5)]
    rounds(skilled, *always, chat_says("Enough."))
    told = client.chat.completions.create(model="m1", messages=[USER], stream=stream)
    if stream:
        said = "".join(chunk.choices[0].delta.content or "" for chunk in told)  # type: ignore[union-attr]
    else:
        said = told.choices[0].message.content or ""  # type: ignore[union-attr]
    assert said == "Enough."
    assert len(skilled.upstream.asked) == 6
    assert [asked.json.get("tool_choice") for asked in skilled.upstream.asked] == [None] * 5 + ["none"]


SAID: list[tuple[str, Any, Answer]] = [
    ("chat/completions", {"messages": [USER]}, chat_says("Hello", " there.")(True)),
    ("chat/completions", {"messages": [USER]}, chat_calls(THEIRS, text="One moment.")(True)),
    ("responses", {"input": "Hi"}, responses_says("Hello", " there.")(True)),
    ("responses", {"input": "Hi"}, responses_calls(THEIRS, thinks=True)(True)),
    ("messages", {"messages": [USER], "max_tokens": 9}, messages_says("Hello", " there.")(True)),
    ("messages", {"messages": [USER], "max_tokens": 9}, messages_calls(THEIRS, thinks="Hm.")(True)),
]


@pytest.mark.parametrize(("path", "body", "answer"), SAID)
def test_a_stream_without_our_tools_stays_as_it_was(
    skilled: Place, path: str, body: Any, answer: Answer
) -> None:
    skilled.upstream.answer(answer)
    with skilled.client() as http:
        reply = http.post(f"/v1/{path}", json={"model": "m1", "stream": True, **body})
    assert reply.content == b"".join(answer.body)  # type: ignore[arg-type]
    assert len(skilled.upstream.asked) == 1


@pytest.mark.parametrize("odd", [b": comment\n\n", b"data: {broken\n\n", b"data: {}\r\n\r\n", b"no end"])
def test_odd_streams_stay_as_they_were(skilled: Place, odd: bytes) -> None:
    sent = [odd, *chat_stream(["Hello"]), odd]
    skilled.upstream.answer(Answer(sent, kind="text/event-stream"))
    with skilled.client() as http:
        reply = http.post("/v1/chat/completions", json={"model": "m1", "stream": True, "messages": [USER]})
    assert reply.content == b"".join(sent)


def test_whole_answers_without_our_tools_stay_as_they_were(skilled: Place) -> None:
    written = b'{ "id": "x",\n "choices": [ {"message": {"content": "Hi \\u00e9"}} ], "usage": {"a": 1} }'
    skilled.upstream.answer(Answer(written))
    with skilled.client() as http:
        reply = http.post("/v1/chat/completions", json={"model": "m1", "messages": [USER]})
        assert reply.content == written
        assert "x-bethink-tool-calls" not in reply.headers
        skilled.upstream.answer(Answer(b"x" * 9_000_000, kind="text/plain"))
        assert (
            len(http.post("/v1/chat/completions", json={"model": "m1", "messages": [USER]}).content)
            == 9_000_000
        )


def test_a_request_without_memory_gets_neither_memories_nor_tools(skilled: Place) -> None:
    body = json.dumps({"model": "m1", "messages": [USER]}).encode()
    with skilled.client(**{"x-bethink-no-memory": "true"}) as http:
        http.post("/v1/chat/completions", content=body)
    assert skilled.upstream.last.body == body
    skilled.switch(skills_enabled=False, injection=False)
    with skilled.client() as http:
        http.post("/v1/chat/completions", content=body)
    assert skilled.upstream.last.body == body


def test_where_tools_are_not_wanted_there_are_none(skilled: Place) -> None:
    own: Any = {"type": "function", "function": {**WEATHER, "name": "recall"}}
    with skilled.client() as http:

        def offered(**more: Any) -> list[str]:
            http.post("/v1/chat/completions", json={"model": "m1", "messages": [USER], **more})
            return names(skilled.upstream.last)

        ours = offered()
        assert ours[:2] == ["recall", "remember"]
        assert offered(tool_choice="none") == []
        assert offered(n=2) == []
        assert offered(tools=[own]) == ["recall", *ours[1:]]
        assert skilled.upstream.last.json["tools"][0] == own
        assert offered(tools=[]) == offered(tools=None) == ours
        # A call of the client's own tool of that name is the client's.
        rounds(skilled, chat_calls(RECALL))
        body = {"model": "m1", "messages": [USER], "tools": [own]}
        reply = http.post("/v1/chat/completions", json=body).json()
        assert reply["choices"][0]["message"]["tool_calls"][0]["id"] == "c1"


def test_a_reader_gets_only_what_reads(skilled: Place) -> None:
    key = skilled.server.key(skilled.space.name, Role.READER)
    with skilled.server.client(key) as http:
        http.post("/v1/chat/completions", json={"model": "m1", "messages": [USER]})
        assert "recall" in names(skilled.upstream.last)
        assert not {"remember", "forget"} & set(names(skilled.upstream.last))


def test_a_failing_second_round_is_told(client: openai.OpenAI, skilled: Place) -> None:
    def broken(_: bool) -> Answer:
        return Answer(json.dumps({"error": {"message": "busy"}}).encode(), 500)

    rounds(skilled, chat_calls(RECALL), broken)
    with pytest.raises(openai.InternalServerError, match="busy"):
        client.chat.completions.create(model="m1", messages=[USER])
    rounds(skilled, chat_calls(RECALL), broken)
    with pytest.raises(openai.APIError, match="answered 500"):
        list(client.chat.completions.create(model="m1", messages=[USER], stream=True))


def test_a_failing_second_round_is_told_to_claude(claude: anthropic.Anthropic, skilled: Place) -> None:
    rounds(skilled, messages_calls(RECALL), lambda _: Answer(b"{}", 529))
    with (
        pytest.raises(anthropic.APIStatusError, match="answered 529"),
        claude.messages.stream(model="m1", max_tokens=9, messages=[USER]) as stream,
    ):
        list(stream.text_stream)
