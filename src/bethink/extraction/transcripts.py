"""A conversation as text for a chat model: numbered turns, secrets masked and without text of ours. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bethink.extraction.patterns.mask import own_words
from bethink.records import Message
from bethink.text.fence import as_data, one_line
from bethink.text.secrets import masked

_ARGUMENT_CHARS = 500
_WHO = {"user": "User", "assistant": "Assistant", "contact": "Someone else"}


@dataclass(frozen=True, slots=True)
class Transcript:
    """The text, the message behind each number, and how many characters of the middle were dropped."""

    text: str
    turns: Mapping[int, Message]
    dropped: int = 0


def transcript(
    messages: Sequence[Message], *, limit: int, tools: bool = False, result_chars: int = 500
) -> Transcript:
    """The turns, numbered from 1, each with its date; what users and assistants say, and with `tools` also
    what tools were asked and gave back."""
    turns = dict(enumerate(messages, 1))
    lines = [
        line for number, message in turns.items() for line in _lines(number, message, tools, result_chars)
    ]
    text, dropped = without_middle("\n".join(lines), limit)
    return Transcript(text, turns, dropped)


def clean(text: str) -> str:
    """What somebody said themselves, secrets masked, as data: it closes no tag and is no control token."""
    return as_data(masked(own_words(text))).strip()


def without_middle(text: str, limit: int) -> tuple[str, int]:
    """At most `limit` characters: the head and the tail; and how many characters of the middle are gone."""
    if len(text) <= limit:
        return text, 0
    mark = f"\n[… {len(text):,} characters in all, the middle is left out …]\n"
    room = max(limit - len(mark), 0)
    head, tail = text[: room - room // 2], text[len(text) - room // 2 :]
    # Whole lines, where that costs little.
    if (end := head.rfind("\n")) > 0 and end > len(head) * 3 // 4:
        head = head[:end]
    if 0 <= (start := tail.find("\n")) < len(tail) // 4:
        tail = tail[start + 1 :]
    return (head + mark + tail)[:limit], len(text) - len(head) - len(tail)


def day_of(message: Message) -> str:
    """The date of a message where its sender was."""
    try:
        return (message.sent_at + timedelta(minutes=message.sent_offset)).date().isoformat()
    except OverflowError:
        return message.sent_at.date().isoformat()


def _lines(number: int, message: Message, tools: bool, result_chars: int) -> Iterator[str]:
    if message.role == "tool":
        if tools:
            said = clean(message.content)
            cut = said[:result_chars] + ("…" if len(said) > result_chars else "")
            yield _line(f"[{number}] [Tool result] {one_line(message.name or 'tool')}: {cut}")
        return
    if message.role not in _WHO:
        return
    if said := clean(message.content):
        who = _WHO[message.role] + (f" ({one_line(message.name)})" if message.name else "")
        yield _line(f"[{number}] {day_of(message)} {who}: {said}")
    if tools:
        for name, arguments in _tool_calls(message.metadata):
            yield _line(f"[{number}] [Tool call] {one_line(name)}({clean(arguments)[:_ARGUMENT_CHARS]})")


def _line(text: str) -> str:
    # A line that begins at the margin is ours: nobody can write another's turn into their own.
    return "\n    ".join(text.splitlines())


def _tool_calls(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The calls of a message, as OpenAI has them or more plainly: a name and its arguments."""
    calls = metadata.get("tool_calls") or metadata.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, Mapping):
            continue
        inner = call.get("function")
        asked = inner if isinstance(inner, Mapping) else call
        name = asked.get("name")
        if not isinstance(name, str) or not name:
            continue
        arguments = asked.get("arguments", asked.get("args", asked.get("input")))
        told = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
        yield name, told
