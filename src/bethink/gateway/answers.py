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


class _Texts:
    """Texts that grow by pieces, by name; put together once, or each piece would copy all before it."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self._values: Json = dict(start)
        self._pieces: dict[str, list[str]] = {}

    def add(self, name: str, piece: str) -> None:
        """Let a text go on; what was there and is none gives way."""
        if name not in self._pieces:
            before = self._values.get(name)
            self._pieces[name] = [before] if isinstance(before, str) else []
        self._pieces[name].append(piece)

    def put(self, name: str, value: Any) -> None:
        """Set a value."""
        self._pieces.pop(name, None)
        self._values[name] = value

    def get(self, name: str) -> Any:
        """A value as it is so far."""
        return self.whole().get(name) if name in self._pieces else self._values.get(name)

    def whole(self) -> Json:
        """All of it."""
        return self._values | {name: "".join(pieces) for name, pieces in self._pieces.items()}


class ChatPieces:
    """A chat's message, put together from the pieces of a stream."""

    def __init__(self) -> None:
        self._message = _Texts({"role": "assistant"})
        self._calls: list[tuple[Json, _Texts]] = []
        self._last: dict[Any, int] = {}  # the last call of each index
        self._known: dict[tuple[Any, Any], int] = {}  # calls by index and id

    @property
    def message(self) -> Json:
        """The message so far."""
        calls = [
            {name: value for name, value in call.items() if name != "index"} | {"function": function.whole()}
            for call, function in self._calls
        ]
        return self._message.whole() | ({"tool_calls": calls} if calls else {})

    def add(self, delta: Mapping[str, Any]) -> None:
        """Take one more piece."""
        for name, value in delta.items():
            if name == "tool_calls":
                for call in objects(value):
                    self._add_call(call)
            elif name == "role" or value is None:
                continue
            elif isinstance(value, str):
                self._message.add(name, value)
            else:
                before = self._message.get(name) if isinstance(value, list) else None
                self._message.put(name, before + value if isinstance(before, list) else value)

    def _add_call(self, piece: Json) -> None:
        function = piece.get("function")
        told: Json = dict(function) if isinstance(function, Mapping) else {}
        place = self._place(piece)
        if place is None:
            self._note(piece.get("index"), piece.get("id"))
            self._calls.append(({"type": "function", **piece}, _Texts({"name": "", "arguments": ""} | told)))
            return
        known, texts = self._calls[place]
        for part, text in told.items():
            if isinstance(text, str):
                texts.add(part, text)
        for name, value in piece.items():
            if name != "function" and value is not None:
                known.setdefault(name, value)

    def _place(self, piece: Json) -> int | None:
        """The call that a piece goes on; some hosts give all calls the same index, and tell them by id."""
        index, id_ = _hashable(piece.get("index")), _hashable(piece.get("id"))
        return self._last.get(index) if id_ in (None, "") else self._known.get((index, id_))

    def _note(self, index: Any, id_: Any) -> None:
        self._last[_hashable(index)] = len(self._calls)
        self._known.setdefault((_hashable(index), _hashable(id_)), len(self._calls))


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | None) else as_json(value)


class BlockPieces:
    """The blocks of an Anthropic message, put together from the events of a stream."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Texts] = {}
        self._inputs: dict[int, list[str]] = {}
        self._citations: dict[int, list[Any]] = {}

    def start(self, index: int, block: Mapping[str, Any]) -> None:
        """A block begins."""
        self._blocks[index] = _Texts(block)
        self._citations[index] = list(block.get("citations") or ())

    def add(self, index: int, delta: Mapping[str, Any]) -> None:
        """A block goes on."""
        block = self._blocks.get(index)
        if block is None:
            return
        match delta.get("type"):
            case "input_json_delta":
                self._inputs.setdefault(index, []).append(str(delta.get("partial_json") or ""))
            case "citations_delta":
                self._citations[index].append(delta.get("citation"))
            case _:
                for name, value in delta.items():
                    if name != "type" and isinstance(value, str):
                        block.add(name, value)

    def blocks(self) -> list[Json]:
        """All blocks in their order."""
        return list(self._whole())

    def _whole(self) -> Iterator[Json]:
        for index, pieces in sorted(self._blocks.items()):
            block = pieces.whole()
            if citations := self._citations[index]:
                block["citations"] = citations
            if text := "".join(self._inputs.get(index, ())):
                try:
                    yield {**block, "input": json.loads(text)}
                    continue
                except ValueError:
                    pass
            yield block
