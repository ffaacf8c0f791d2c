"""The tools of memory in a real Pydantic AI agent, driven by its own test models."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from bethink import AsyncBethink, Bethink
from bethink.integrations.pydantic_ai import BethinkToolset
from tests.opened import Home


async def test_an_agent_keeps_and_recalls(memory: AsyncBethink) -> None:
    await memory.remember("Anna is allergic to peanuts")
    steps: list[Any] = [
        ToolCallPart("recall", {"querry": "peanuts"}),
        ToolCallPart("recall", {"query": "what may Anna not eat?"}),
        ToolCallPart("remember", {"content": "Anna asked for a snack"}),
        TextPart("No peanuts."),
    ]
    seen: list[list[ModelMessage]] = []
    offered: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(list(messages))
        offered[:] = [tool.name for tool in info.function_tools]
        return ModelResponse(parts=[steps.pop(0)])

    agent = Agent(FunctionModel(model), toolsets=[BethinkToolset(memory)])
    assert (await agent.run("A snack for Anna?")).output == "No peanuts."
    assert offered[:2] == ["recall", "remember"]
    assert "did you mean query?" in str(seen[1][-1])
    assert "Anna is allergic to peanuts" in str(seen[2][-1])
    assert "Anna asked for a snack" in [note.content for note in await memory.list()]


async def test_only_what_reads(memory: AsyncBethink) -> None:
    model = TestModel(call_tools=["list_memories"])
    agent = Agent(model, toolsets=[BethinkToolset(memory, writes=False)])
    result = await agent.run("What is there?")
    assert '"items":[]' in result.output
    assert model.last_model_request_parameters
    names = [tool.name for tool in model.last_model_request_parameters.function_tools]
    assert "recall" in names
    assert not {"remember", "forget"} & set(names)


def test_with_a_memory_that_is_used_without_await(home: Home) -> None:
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        memory.remember("Likes tea")
        agent = Agent(TestModel(call_tools=["list_memories"]), toolsets=[BethinkToolset(memory)])
        assert "Likes tea" in asyncio.run(agent.run("What is there?")).output
