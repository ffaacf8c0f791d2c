"""The memory part of a prompt in the shape each provider wants, with the conversation around it. Pure.

The stable half leads, after system prompts that are there already; the volatile half stands just before the
last thing the user said. So everything before it stays the same from turn to turn, and caches keep hitting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

Shape = Literal["openai", "responses", "anthropic", "gemini"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
Message = Mapping[str, Any]
Body = dict[str, Any]

_SYSTEM = ("system", "developer")


def weave(stable: str, volatile: str, messages: Sequence[Message], shape: Shape) -> Body:
    """The fields of a request to a provider. With both halves empty the conversation is as it was.

    `messages` are chat messages with a role and content; whatever else they have is kept.
    """
    return _WEAVERS[shape](stable, volatile, messages)


def text_of(content: Any) -> str:
    """The text in a message's content, whether it is text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    found = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in found if isinstance(text, str))


def _openai(stable: str, volatile: str, messages: Sequence[Message]) -> Body:
    first = leading(messages)
    rest = list(messages[first:])
    place = last_user(rest, ())
    rest[place:place] = _system(volatile)
    return {"messages": [*messages[:first], *_system(stable), *rest]}


def _responses(stable: str, volatile: str, messages: Sequence[Message]) -> Body:
    first = leading(messages)
    given = [text_of(message.get("content")) for message in messages[:first]]
    rest = list(messages[first:])
    place = last_user(rest, ())
    rest[place:place] = [{"role": "developer", "content": volatile}] if volatile else []
    instructions = "\n\n".join(part for part in (*given, stable) if part)
    return {"instructions": instructions, "input": rest} if instructions else {"input": rest}


def _anthropic(stable: str, volatile: str, messages: Sequence[Message]) -> Body:
    given = [text for m in messages if m.get("role") in _SYSTEM and (text := text_of(m.get("content")))]
    system: list[Body] = [{"type": "text", "text": text} for text in given]
    if stable:
        system.append({"type": "text", "text": stable, "cache_control": {"type": "ephemeral"}})
    turns = [dict(message) for message in messages if message.get("role") not in _SYSTEM]
    place = last_user(turns, ("tool_result",))
    if volatile and place < len(turns):
        turns[place]["content"] = [{"type": "text", "text": volatile}, *_blocks(turns[place].get("content"))]
    elif volatile:  # nobody has said anything yet
        system.append({"type": "text", "text": volatile})
    return {"system": system, "messages": turns} if system else {"messages": turns}


def _gemini(stable: str, volatile: str, messages: Sequence[Message]) -> Body:
    given = [text for m in messages if m.get("role") in _SYSTEM and (text := text_of(m.get("content")))]
    contents = [_content(message) for message in messages if message.get("role") not in _SYSTEM]
    place = last_user(contents, ("functionResponse", "function_response"))
    late = [volatile] if volatile and place == len(contents) else []
    if volatile and not late:
        contents[place] = {**contents[place], "parts": [{"text": volatile}, *contents[place]["parts"]]}
    texts = [{"text": text} for text in (*given, stable, *late) if text]
    return {"systemInstruction": {"parts": texts}, "contents": contents} if texts else {"contents": contents}


def _system(text: str) -> list[Message]:
    return [{"role": "system", "content": text}] if text else []


def leading(messages: Sequence[Message]) -> int:
    """How many messages at the beginning are system prompts."""
    roles = [message.get("role") in _SYSTEM for message in messages]
    return roles.index(False) if False in roles else len(roles)


def last_user(messages: Sequence[Message], results: Sequence[str]) -> int:
    """The place of the last thing the user said; what holds a tool's results is not said by the user."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.get("role") == "user" and not _holds(message, results):
            return place
    return len(messages)


def _holds(message: Message, results: Sequence[str]) -> bool:
    parts = message.get("parts", message.get("content"))
    return isinstance(parts, list) and any(
        isinstance(part, Mapping) and (part.get("type") in results or any(name in part for name in results))
        for part in parts
    )


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) else [content] if content else []


def _content(message: Message) -> Body:
    """A chat message as Gemini content; one that is already in its form is kept."""
    role = "model" if message.get("role") in ("assistant", "model") else "user"
    if isinstance(message.get("parts"), list):
        return {**message, "role": role}
    content = message.get("content")
    parts = content if isinstance(content, list) else [text_of(content)]
    return {"role": role, "parts": [_part(part) for part in parts]}


def _part(part: Any) -> Any:
    if isinstance(part, Mapping) and part.get("type") in ("text", "input_text", "output_text"):
        return {"text": part.get("text", "")}
    return {"text": part} if isinstance(part, str) else part


_WEAVERS: dict[Shape, Callable[[str, str, Sequence[Message]], Body]] = {
    "openai": _openai,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
