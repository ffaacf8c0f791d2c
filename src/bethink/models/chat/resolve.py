"""Choose the chat model. Makes no network call; a host is reached when it is first asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from bethink.errors import BethinkError, Closed, ModelError, ModelMissing
from bethink.models.chat.openai import OPENAI, ChatHost, OpenAIChat
from bethink.models.chat.protocol import Chat, ChatMessage, Reply
from bethink.models.chat.select import is_small
from bethink.settings import Settings

ChatState = Literal["off", "unopened", "ready", "failing"]


class ChatResolution:
    """The chat models, why there are any, and how they are doing.

    `extraction` is the model that memories are extracted with, `writing` the one for prose.
    """

    def __init__(
        self,
        source: str,
        reason: str,
        host: ChatHost | None,
        given: Chat | None = None,
        small: bool | None = None,
    ) -> None:
        self.source, self.reason = source, reason
        self._small = small
        self.problem: str | None = None
        self._host = host
        self._answered = self._closed = False
        self.extraction: Chat = _Watched(self, given or (OpenAIChat(host, "extraction") if host else None))
        self.writing: Chat = _Watched(self, given or (OpenAIChat(host, "writing") if host else None))
        self.enabled = host is not None or given is not None

    @property
    def state(self) -> ChatState:
        """`off` without a chat model, `unopened` before the first answer, then `ready` or `failing`."""
        if not self.enabled:
            return "off"
        if self.problem is not None:
            return "failing"
        return "ready" if self._answered else "unopened"

    @property
    def model(self) -> str | None:
        """The model that extracts, once it is known."""
        return self._host.selected.model if self._host and self._host.selected else None

    @property
    def model_reason(self) -> str | None:
        """Why it is that model."""
        return self._host.selected.reason if self._host and self._host.selected else None

    async def find_model(self) -> str:
        """Which model extracts, asking the host for its models if need be. Raises `ModelError`."""
        if self._host is None:
            raise ModelMissing(f"There is no chat host: {self.reason}", field="chat.base_url")
        return await OpenAIChat(self._host, "extraction").find_model()

    async def is_small(self) -> bool:
        """Whether the model that extracts is small: as the settings say, else by its name.

        A model that the caller gave, or of which no name is known yet, is not.
        """
        if self._small is not None or self._host is None:
            return bool(self._small)
        try:
            return is_small(await self.find_model())
        except ModelError:
            return False  # whoever asks it next is told why

    async def close(self) -> None:
        """Let go of the connections; a chat model that the caller gave stays open."""
        self._closed = True
        if self._host is not None:
            await self._host.close()

    async def ask(
        self,
        chat: Chat | None,
        messages: Sequence[ChatMessage],
        schema: type[BaseModel] | None,
        max_tokens: int | None,
    ) -> Reply:
        """A model's answer; a failure is remembered until the next answer."""
        if self._closed:
            raise Closed("The chat model is closed: open the memory again before using it.")
        if chat is None:
            raise ModelMissing(f"There is no chat model: {self.reason}", field="chat.base_url")
        try:
            reply = await chat.complete(messages, schema=schema, max_tokens=max_tokens)
        except ModelError as error:
            self.problem = error.message
            raise
        except BethinkError:
            raise
        except Exception as error:
            failure = ModelError(f"The chat model failed: {type(error).__name__}.")
            self.problem = failure.message
            raise failure from error
        self.problem, self._answered = None, True
        return reply


class _Watched:
    """A chat model whose failures are all `ModelError`, and known to the resolution."""

    def __init__(self, resolution: ChatResolution, chat: Chat | None) -> None:
        self._resolution, self._chat = resolution, chat

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[BaseModel] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The model's answer."""
        return await self._resolution.ask(self._chat, messages, schema, max_tokens)


def resolve_chat(settings: Settings, chat: Chat | None = None) -> ChatResolution:
    """The chat model of the settings; a `chat` that is given is taken as it is."""
    if chat is not None:
        return ChatResolution("given", "the caller gave this chat model", None, chat, settings.chat.small)
    small = settings.chat.small
    if settings.chat.base_url:
        return ChatResolution("openai", "chat.base_url is set", ChatHost(settings.chat), small=small)
    if settings.chat.api_key:
        return ChatResolution(
            "openai", f"chat.api_key is set, for {OPENAI}", ChatHost(settings.chat), small=small
        )
    reason = "neither chat.base_url nor chat.api_key is set, so memories are extracted by patterns only"
    return ChatResolution("none", reason, None)
