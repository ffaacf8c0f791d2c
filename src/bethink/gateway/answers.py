"""What a model answered: what it said and which tools it called, so that the next request can go on. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from bethink.gateway.offering import Called
from bethink.gateway.weave import Dialect, as_json
from bethink.records import Json


@dataclass
class Answer:
    """An answer as far as tools matter: its items as a further request has them, its calls, its usage."""

    items: list[Json] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    usage: Json = field(default_factory=dict)

    def ours(self, names: Set[str]) -> list[Called]:
        """The calls of these tools."""
        return [called for called in self.calls if called.name in names]

    def only_ours(self, dialect: Dialect, names: Set[str]) -> list[Json]:
        """What was said, without calls of other tools: with our results the model makes them again."""
        return [kept for item in self.items if (kept := _KEPT[dialect](item, names))]


def read_answer(dialect: Dialect, reply: Any) -> Answer:
    """What a whole answer says; nothing where it broke off, or is none."""
    return _READ[dialect](reply) if isinstance(reply, Mapping) else Answer()


def added(one: Mapping[str, Any], other: Mapping[str, Any]) -> Json:
    """Two usages together: numbers are added, wherever they are."""
    total = dict(one)
    for name, value in other.items():
        before = total.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            total[name] = added(before, value)
        elif _is_number(before) and _is_number(value):
            total[name] = before + value
        elif value is not None:
            total[name] = value
    return total


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def objects(value: Any) -> list[Json]:
    """The objects of a list; none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def usage_of(reply: Mapping[str, Any]) -> Json:
    """The usage that an answer or an event tells."""
    usage = reply.get("usage")
    return dict(usage) if isinstance(usage, Mapping) else {}


def _chat(reply: Mapping[str, Any]) -> Answer:
    choices = objects(reply.get("choices"))
    if len(choices) != 1 or choices[0].get("finish_reason") == "length":
        return Answer(usage=usage_of(reply))
    return chat_answer(choices[0].get("message"), usage_of(reply))


def chat_answer(message: Any, usage: Json) -> Answer:
    """An answer from the message of a chat."""
    if not isinstance(message, Mapping):
        return Answer(usage=usage)
    kept = {name: value for name, value in message.items() if value is not None and name != "annotations"}
    calls = [_chat_call(call) for call in objects(message.get("tool_calls"))]
    return Answer([kept], [call for call in calls if call], usage)


def _chat_call(call: Json) -> Called | None:
    function = call.get("function")
    if not isinstance(function, Mapping):
        return None
    return Called(str(call.get("id")), str(function.get("name")), _text(function.get("arguments")))


def _responses(reply: Mapping[str, Any]) -> Answer:
    items = objects(reply.get("output"))
    if reply.get("status") not in (None, "completed"):
        return Answer(usage=usage_of(reply))
    calls = [
        Called(str(item.get("call_id")), str(item.get("name")), _text(item.get("arguments")))
        for item in items
        if item.get("type") == "function_call"
    ]
    return Answer(items, calls, usage_of(reply))


def _messages(reply: Mapping[str, Any]) -> Answer:
    blocks = objects(reply.get("content"))
    if reply.get("stop_reason") != "tool_use":
        return Answer(usage=usage_of(reply))
    calls = [
        Called(str(block.get("id")), str(block.get("name")), as_json(block.get("input")))
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    return Answer([{"role": "assistant", "content": blocks}], calls, usage_of(reply))


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else as_json(arguments)


def _kept_chat(message: Json, names: Set[str]) -> Json:
    calls = [call for call in objects(message.get("tool_calls")) if _function_name(call) in names]
    return {**message, "content": message.get("content"), "tool_calls": calls}


def _function_name(call: Json) -> Any:
    function = call.get("function")
    return function.get("name") if isinstance(function, Mapping) else None


_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call",
          "computer_call")  # fmt: skip


def is_clients_or_ours(item: Mapping[str, Any]) -> bool:
    """Whether an item of a response is a call that its provider leaves to others."""
    return item.get("type") in _CALLS


def _kept_responses(item: Json, names: Set[str]) -> Json | None:
    return None if is_clients_or_ours(item) and item.get("name") not in names else item


def _kept_messages(message: Json, names: Set[str]) -> Json:
    content: Sequence[Json] = message["content"]
    kept = [block for block in content if block.get("type") != "tool_use" or block.get("name") in names]
    return {**message, "content": kept}


_READ: dict[Dialect, Callable[[Mapping[str, Any]], Answer]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
}
_KEPT: dict[Dialect, Callable[[Json, Set[str]], Json | None]] = {
    "chat": _kept_chat,
    "responses": _kept_responses,
    "messages": _kept_messages,
}


class ChatPieces:
    """A chat's message, put together from the pieces of a stream."""

    def __init__(self) -> None:
        self.message: Json = {"role": "assistant"}
        self._calls: list[Json] = []

    def add(self, delta: Mapping[str, Any]) -> None:
        """Take one more piece."""
        for name, value in delta.items():
            before: Any = self.message.get(name)
            if name == "tool_calls":
                for call in objects(value):
                    self._add_call(call)
            elif name == "role" or value is None:
                continue
            else:
                goes_on = isinstance(before, str | list) and type(before) is type(value)
                self.message[name] = before + value if goes_on else value
        if self._calls:
            self.message["tool_calls"] = [
                {name: value for name, value in call.items() if name != "index"} for call in self._calls
            ]

    def _add_call(self, piece: Json) -> None:
        known = self._known(piece)
        if known is None:
            function = piece.get("function")
            start = {"name": "", "arguments": ""} | (dict(function) if isinstance(function, Mapping) else {})
            self._calls.append({"type": "function", **piece, "function": start})
            return
        for name, value in piece.items():
            if name == "function" and isinstance(value, Mapping):
                for part, text in value.items():
                    if isinstance(text, str):
                        known["function"][part] = str(known["function"].get(part) or "") + text
            elif value is not None:
                known.setdefault(name, value)

    def _known(self, piece: Json) -> Json | None:
        """The call that a piece goes on; some hosts give all calls the same index, and tell them by id."""
        for call in reversed(self._calls):
            same_id = piece.get("id") in (None, "", call.get("id"))
            if call.get("index") == piece.get("index") and same_id:
                return call
        return None


class BlockPieces:
    """The blocks of an Anthropic message, put together from the events of a stream."""

    def __init__(self) -> None:
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, str] = {}

    def start(self, index: int, block: Mapping[str, Any]) -> None:
        """A block begins."""
        self._blocks[index] = dict(block)

    def add(self, index: int, delta: Mapping[str, Any]) -> None:
        """A block goes on."""
        block = self._blocks.get(index)
        if block is None:
            return
        match delta.get("type"):
            case "input_json_delta":
                self._inputs[index] = self._inputs.get(index, "") + str(delta.get("partial_json") or "")
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
            case _:
                for name, value in delta.items():
                    if name != "type" and isinstance(value, str):
                        block[name] = str(block.get(name) or "") + value

    def blocks(self) -> list[Json]:
        """All blocks in their order."""
        return list(self._whole())

    def _whole(self) -> Iterator[Json]:
        for index, block in sorted(self._blocks.items()):
            if text := self._inputs.get(index):
                try:
                    yield {**block, "input": json.loads(text)}
                    continue
                except ValueError:
                    pass
            yield block
