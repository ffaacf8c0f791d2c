"""LlamaIndex's memory, in a real agent with a scripted model; only where `llama-index-core` is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import Field

from bethink import Bethink
from tests.opened import Home

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed: it brings 35 packages")

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, CustomLLM, LLMMetadata

from bethink.integrations.llama_index import BethinkMemory


class ScriptedLLM(CustomLLM):
    """Says that it heard, and keeps what it was given."""

    given: list[Any] = Field(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=True)

    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        self.given.append([(one.role.value, one.content) for one in messages])
        return ChatResponse(message=ChatMessage(role="assistant", content="I heard."))

    def complete(self, prompt: str, **_: Any) -> CompletionResponse:
        raise NotImplementedError

    def stream_complete(self, prompt: str, **_: Any) -> Any:
        raise NotImplementedError


def test_a_chat_engine_remembers(home: Home) -> None:
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        memory.remember("Anna is allergic to peanuts")
        llm = ScriptedLLM()
        kept = BethinkMemory(space=memory, session="chat-1")
        engine = SimpleChatEngine.from_defaults(llm=llm, memory=kept)
        assert str(engine.chat("May Anna have peanuts?")) == "I heard."
        (first,) = llm.given
        assert first[0][0] == "system"
        assert "Anna is allergic to peanuts" in first[0][1]
        assert first[-1] == ("user", "May Anna have peanuts?")
        said = [(one.role, one.content) for one in memory.messages.of("chat-1")]
        assert said == [("user", "May Anna have peanuts?"), ("assistant", "I heard.")]


def test_messages_come_back_as_they_were(home: Home) -> None:
    with Bethink(home.url, space=home.space, embed={"source": "none"}) as memory:
        kept = BethinkMemory.from_defaults(space=memory, session="chat", recall=False, limit=2)
        call = {"tool_calls": [{"id": "c1", "function": {"name": "x", "arguments": "{}"}}]}
        messages = [
            ChatMessage(role="user", content="yes, my password is hunter2-xyz!"),
            ChatMessage(role="user", content="yes, my password is hunter2-xyz!"),
            ChatMessage(role="assistant", content="", additional_kwargs=call),
        ]
        for message in messages:
            kept.put(message)
        assert kept.get_all() == messages
        assert kept.get() == messages[1:]
        before = [one.id for one in memory.messages.of("chat")]
        kept.set([*messages, ChatMessage(role="assistant", content="Done.")])
        assert len(kept.get_all()) == 4
        assert [one.id for one in memory.messages.of("chat")][:3] == before  # what was there was left
        kept.set(messages[:1])
        assert asyncio.run(kept.aget_all()) == messages[:1]
        kept.reset()
        assert kept.get_all() == []
