"""A session of the OpenAI Agents SDK, through its real Runner with a scripted model, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.memory import SessionSettings
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from bethink import AsyncBethink, Bethink
from bethink.integrations.openai_agents import BethinkSession
from tests.opened import Home

NO_TRACES = RunConfig(tracing_disabled=True)


class ScriptedModel(Model):
    """Says these things one after the other, and keeps what it was given."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.given: list[Any] = []

    async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
        self.given.append(given["input"])
        return ModelResponse(output=[self._answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def says(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="msg", type="message", role="assistant", status="completed", content=[part]
    )


def calls(name: str, arguments: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(type="function_call", call_id="c1", name=name, arguments=arguments)


@function_tool
def weather(city: str) -> str:
    """The weather somewhere."""
    return f"Rain in {city}"


async def test_a_runner_goes_on_where_it_was(memory: AsyncBethink) -> None:
    model = ScriptedModel(calls("weather", '{"city": "Oslo"}'), says("It rains."), says("You are Anna."))
    agent = Agent(name="Helper", model=model, tools=[weather])
    session = BethinkSession(memory, "chat-1")
    first = await Runner.run(agent, "I'm Anna. How is Oslo?", session=session, run_config=NO_TRACES)
    assert first.final_output == "It rains."

    again = BethinkSession(memory, "chat-1")  # as after a restart
    second = await Runner.run(agent, "Who am I?", session=again, run_config=NO_TRACES)
    assert second.final_output == "You are Anna."
    kinds = [item.get("type") or item["role"] for item in model.given[-1]]
    assert kinds == ["user", "function_call", "function_call_output", "message", "user"]
    assert model.given[-1][1]["arguments"] == '{"city": "Oslo"}'
    assert model.given[-1][2]["output"] == "Rain in Oslo"

    # What was said can be recalled, in other sessions too.
    said = [(one.role, one.content) for one in await memory.messages.of("chat-1")]
    assert said[0] == ("user", "I'm Anna. How is Oslo?")
    assert ("assistant", "It rains.") in said
    assert await BethinkSession(memory, "chat-2").get_items() == []


async def test_items_are_limited_taken_back_and_cleared(memory: AsyncBethink) -> None:
    session = BethinkSession(memory, "chat")
    yes: Any = {"role": "user", "content": "yes"}
    picture: Any = {"role": "user", "content": [{"type": "input_image", "image_url": "https://x.org/a.png"}]}
    await session.add_items([yes, yes, picture])
    assert await session.get_items() == [yes, yes, picture]
    assert await session.get_items(limit=1) == [picture]
    assert await session.get_items(limit=0) == []
    few = BethinkSession(memory, "chat", session_settings=SessionSettings(limit=2))
    assert await few.get_items() == [yes, picture]
    assert await session.pop_item() == picture
    assert await session.get_items() == [yes, yes]
    await session.clear_session()
    assert await session.get_items() == []
    assert await session.pop_item() is None
    await session.add_items([])


async def test_what_was_said_goes_on_as_it_was_and_is_masked_in_recall(memory: AsyncBethink) -> None:
    said: Any = {"role": "user", "content": "My password is hunter2-xyz!, set it"}
    session = BethinkSession(memory, "chat")
    await session.add_items([said])
    assert await session.get_items() == [said]
    assert "hunter2" not in str(await memory.messages.of("chat"))
    assert await session.pop_item() == said


def test_with_a_memory_that_is_used_without_await(home: Home) -> None:
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        agent = Agent(name="Helper", model=ScriptedModel(says("Hello.")))
        run = Runner.run(agent, "Hi", session=BethinkSession(memory, "chat"), run_config=NO_TRACES)
        asyncio.run(run)
        assert [one.content for one in memory.messages.of("chat")] == ["Hi", "Hello."]
