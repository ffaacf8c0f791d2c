"""Ask a chat model; show it once what was wrong with its answer; then give up, and say why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from bethink.errors import ExtractionFailure, ModelError
from bethink.extraction.templates import Templates
from bethink.models.chat import Chat, ChatMessage, Reply
from bethink.text.fence import as_data
from bethink.text.secrets import masked

_TRIES = 2
_LONGEST_SHOWN = 20_000  # characters of an answer that the model is shown again

T = TypeVar("T")


class Unusable(ExtractionFailure):
    """The model answered, but with nothing that can be used."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What the model meant, which model it was, and how many tries it took."""

    value: T
    model: str
    attempts: int


async def ask(
    chat: Chat,
    messages: Sequence[ChatMessage],
    read: Callable[[str], T],
    templates: Templates,
    *,
    schema: type[BaseModel] | None,
    max_tokens: int,
) -> Answered[T]:
    """What `read` makes of the model's answer; for one it cannot use it raises `ValueError`, quoting nothing.

    Raises `Unusable` when the second answer is of no use either, another `ExtractionFailure` when the model
    does not answer.
    """
    asked, model, problem = list(messages), None, ""
    for attempt in range(1, _TRIES + 1):
        try:
            reply = await chat.complete(asked, schema=schema, max_tokens=max_tokens)
        except ModelError as error:
            raise ExtractionFailure(
                masked(error.message), field=error.field, attempts=attempt, model=model
            ) from error
        model = reply.model
        try:
            return Answered(read(reply.text), model, attempt)
        except ValueError as error:
            problem = _told(error, reply)
        asked = [*messages, *_repair(reply, problem, templates)]
    raise Unusable(
        f"The answer of {model} cannot be used, and the next one neither: {problem}.",
        attempts=_TRIES,
        model=model,
    )


def _told(error: ValueError, reply: Reply) -> str:
    return f"{error} (it was cut off: raise extraction.max_tokens)" if reply.cut else str(error)


def _repair(reply: Reply, problem: str, templates: Templates) -> list[ChatMessage]:
    shown = as_data(reply.text[:_LONGEST_SHOWN]) or "(nothing)"
    return [
        {"role": "assistant", "content": shown},
        {"role": "user", "content": templates.fill("repair", PROBLEM=problem)},
    ]
