"""The contract every chat model keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict

from pydantic import BaseModel


class ChatMessage(TypedDict):
    """One message of what a chat model is asked."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a chat model answered; `cut` when it had to stop before it was done."""

    text: str
    model: str
    cut: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Chat(Protocol):
    """Answers messages with text.

    A chat model that holds connections also has `async def close(self) -> None`.
    """

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[BaseModel] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The model's answer; with a `schema`, JSON that should fit it, which the caller has to check.

        Raises `ModelError` when the model cannot answer.
        """
