"""LlamaIndex's memory in a space: the chat is kept there, and what is remembered stands before it.

    agent = FunctionAgent(llm=llm, tools=tools)
    await agent.run("Suggest a snack", memory=BethinkMemory(space=memory, session="chat-1"))

Give it `Bethink`, since LlamaIndex calls some of it without `await`; `AsyncBethink` does where nothing does.
Needs `pip install 'bethink[llama-index]'`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import ConfigDict, Field
    from llama_index.core.memory.types import BaseMemory
except ModuleNotFoundError as error:
    raise ImportError("LlamaIndex's memory needs a package: pip install 'bethink[llama-index]'") from error

from bethink.integrations.calling import Calls
from bethink.integrations.history import History

PLATFORM = "llama-index"
DEFAULT_LIMIT = 50


class BethinkMemory(BaseMemory):
    """The last `limit` messages of a session, after what memory tells for what is asked now."""

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)

    space: Any = Field(exclude=True)
    session: str
    limit: int = DEFAULT_LIMIT
    recall: bool = Field(True, description="Whether memories stand before the chat.")

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex knows it by."""
        return "BethinkMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> BethinkMemory:
        """Make one of its fields."""
        return cls(**kwargs)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002
        """What memory tells, then the newest messages."""
        return self._calls.wait(self._get(input))

    async def aget(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002
        """What memory tells, then the newest messages."""
        return await self._calls.do(self._get(input))

    def get_all(self) -> list[ChatMessage]:
        """The whole chat."""
        return self._calls.wait(self._chat(None))

    async def aget_all(self) -> list[ChatMessage]:
        """The whole chat."""
        return await self._calls.do(self._chat(None))

    def put(self, message: ChatMessage) -> None:
        """Store a message."""
        self.put_messages([message])

    async def aput(self, message: ChatMessage) -> None:
        """Store a message."""
        await self.aput_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Store messages."""
        self._calls.wait(self._add(messages))

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """Store messages."""
        await self._calls.do(self._add(messages))

    def set(self, messages: list[ChatMessage]) -> None:
        """Make these the whole chat."""
        self._calls.wait(self._set(messages))

    async def aset(self, messages: list[ChatMessage]) -> None:
        """Make these the whole chat."""
        await self._calls.do(self._set(messages))

    def reset(self) -> None:
        """Forget the whole chat."""
        self._calls.wait(self._history.clear())

    async def areset(self) -> None:
        """Forget the whole chat."""
        await self._calls.do(self._history.clear())

    @property
    def _calls(self) -> Calls:
        return Calls(self.space)

    @property
    def _history(self) -> History:
        return History(self._calls, self.session, PLATFORM)

    async def _get(self, asked: str | None) -> list[ChatMessage]:
        chat = await self._chat(self.limit)
        if not self.recall:
            return chat
        if asked is None:
            said = (one.content for one in reversed(chat) if one.role == MessageRole.USER and one.content)
            asked = next(said, None)
        told = await self._calls.space.prompt(asked, session_id=self.session)
        text = "\n\n".join(part for part in (told.stable, told.volatile) if part)
        return [ChatMessage(role=MessageRole.SYSTEM, content=text), *chat] if text else chat

    async def _chat(self, limit: int | None) -> list[ChatMessage]:
        found = [_message(item) for item in await self._history.items(limit)]
        while found and limit is not None and found[0].role in (MessageRole.TOOL, MessageRole.FUNCTION):
            found.pop(0)  # a result whose call was left out
        return found

    async def _add(self, messages: Sequence[ChatMessage]) -> None:
        await self._history.add([(one.role.value, one.content or "", _item(one)) for one in messages])

    async def _set(self, messages: Sequence[ChatMessage]) -> None:
        """Store what is new; where the chat was changed before that, all of it anew."""
        known, given = await self._history.items(), [_item(one) for one in messages]
        if given[: len(known)] != known:
            await self._history.clear()
            known = []
        await self._add(messages[len(known) :])


def _item(message: ChatMessage) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(message.model_dump_json())
    return found


def _message(item: dict[str, Any]) -> ChatMessage:
    return ChatMessage.model_validate(item)
