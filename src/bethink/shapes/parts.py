"""Messages as OpenAI's and Anthropic's clients write them, brought into the fields of a message. Pure.

Words are joined line by line. What is attached and which tools are called goes into fields of its own. What a
tool gave back is not said by the user, whichever role it came with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bethink.records import Json, Record

EXAMPLE = '{"type": "text", "text": "…"}'
RESULT_CHARS = 20_000  # kept of a tool's result that stands beside the user's own words
_URL_CHARS = 2_000  # a longer address holds the picture itself
_ROLES = {"developer": "system", "function": "tool"}
_WORDS = {
    "text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal", "summary_text": "text",
}  # fmt: skip
_UNSAID = ("thinking", "redacted_thinking", "reasoning")  # nobody was told it
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
# What hosts say of their answers besides; the model alone is kept.
_ABOUT = (
    "type", "status", "phase", "refusal", "annotations", "audio", "function_call", "model", "stop_reason",
    "stop_sequence", "stop_details", "usage", "container", "cache_control", "reasoning_content",
)  # fmt: skip


@dataclass
class Parts:
    """What a list of parts holds."""

    words: list[str] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    calls: list[Json] = field(default_factory=list)
    results: list[Json] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.words)


@dataclass(frozen=True)
class _NoMessage:
    """Stands for the content of what is something else, such as a model's reasoning."""

    kind: str


def message_values(given: Any) -> Any:
    """The fields of a message, from whatever shape it has; what is no message at all stays as it is."""
    given = _plain(given)
    if not isinstance(given, dict):
        return given
    values = _item(given)
    if isinstance(role := values.get("role"), str):
        values["role"] = _ROLES.get(role, role)
    parts = parts_of(values.get("content"))
    if isinstance(parts, Parts):
        _take(values, parts)
    _fill_content(values, given)
    metadata = values.get("metadata")
    if isinstance(given.get("model"), str) and isinstance(metadata, dict | type(None)):
        values["metadata"] = {"model": given["model"]} | (metadata or {})
    return {name: value for name, value in values.items() if name not in _ABOUT}


def content_problem(content: Any) -> str | None:
    """What is wrong with a message's content, and what would be right; None for a text."""
    if isinstance(content, str):
        return None
    if isinstance(content, _NoMessage):
        return f"must be there; what is of type {content.kind[:50]!r} is no message, leave it out"
    told = parts_of(content)
    if isinstance(told, str):
        return told
    if content is None:
        return f"must be text or a list of parts such as {EXAMPLE}; it may be null only beside tool_calls"
    return f"must be text or a list of parts such as {EXAMPLE}"


def parts_of(content: Any) -> Parts | str | None:
    """What a list of parts holds; a text when one is wrong, which says how; None when it is no list."""
    content = _plain(content)
    if isinstance(content, str) or not isinstance(content, Sequence):
        return None
    found = Parts()
    for number, part in enumerate(map(_plain, content)):
        if problem := _add(found, part):
            return f"part {number} {problem}"
    return found


def attachment_of(part: Mapping[str, Any]) -> Json:
    """A picture or file by its address, name and id; what is sent along itself is only mentioned."""
    source = part.get("image_url") or part.get("source") or part.get("file_url") or part.get("video_url")
    file = part.get("file")
    inner = file if isinstance(file, Mapping) else part
    url = source.get("url") if isinstance(source, Mapping) else source
    told = {
        "type": str(part.get("type", "file")),
        "url": url if not str(url).startswith("data:") else None,
        "name": inner.get("filename") or part.get("title"),
        "id": inner.get("file_id") or (source.get("file_id") if isinstance(source, Mapping) else None),
    }
    return {
        name: value for name, value in told.items() if isinstance(value, str) and len(value) <= _URL_CHARS
    }


def _plain(value: Any) -> Any:
    """An object of a client's library as the JSON it stands for."""
    dump = None if isinstance(value, Record) else getattr(value, "model_dump", None)
    return dump(mode="json", exclude_none=True) if callable(dump) else value


def _add(found: Parts, part: Any) -> str | None:
    """Take one part in; what is wrong with it otherwise."""
    if isinstance(part, str):
        found.words.append(part)
        return None
    if not isinstance(part, Mapping):
        return f"must be an object such as {EXAMPLE}, not {type(part).__name__}"
    kind = part.get("type", "text" if "text" in part else None)
    if not isinstance(kind, str):
        return f"has no type; add one, as in {EXAMPLE}"
    if kind in _WORDS:
        said = part.get(_WORDS[kind])
        if not isinstance(said, str):
            return f"is of type {kind!r}: its {_WORDS[kind]} must be a text, as in {EXAMPLE}"
        found.words.append(said)
    elif kind in _CALLS:
        if not isinstance(part.get("name"), str):
            return f"is of type {kind!r}: its name must be a text, the tool that is called"
        found.calls.append(_call(part.get("id"), part["name"], part.get("input")))
    elif kind.endswith("tool_result"):
        return _add_result(found, part)
    elif kind not in _UNSAID:
        found.attachments.append(attachment_of(part))
    return None


def _add_result(found: Parts, part: Mapping[str, Any]) -> str | None:
    inner = part.get("content")
    said = parts_of([] if inner is None else [inner] if isinstance(inner, str | Mapping) else inner)
    if not isinstance(said, Parts):
        return f"is of type 'tool_result': its content must be text or a list of parts such as {EXAMPLE}"
    id_ = part.get("tool_use_id")
    found.results.append({"tool_call_id": id_ if isinstance(id_, str) else "", "content": said.text})
    found.attachments += said.attachments
    return None


def _item(given: Json) -> Json:
    """The calls of tools and their results, which the Responses API has beside the messages, as messages."""
    kind, values = given.get("type"), dict(given)
    if kind == "function_call":
        called = _call(values.pop("call_id", None), values.pop("name", None), values.pop("arguments", None))
        return values | {"role": "assistant", "content": "", "tool_calls": [called]}
    if kind == "function_call_output":
        call_id = values.pop("call_id", None)
        return values | {"role": "tool", "content": values.pop("output", None), "tool_call_id": call_id}
    if isinstance(kind, str) and kind != "message":
        values.setdefault("content", _NoMessage(kind))
    return values


def _call(id_: Any, name: Any, arguments: Any) -> Json:
    """The call of a tool as OpenAI has it, whoever wrote it."""
    told = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": told}}


def _take(values: Json, parts: Parts) -> None:
    """Put what the parts hold into the fields of the message."""
    values["content"] = parts.text
    if "toolCalls" in values:
        values["tool_calls"] = values.pop("toolCalls")
    _append(values, "attachments", parts.attachments)
    _append(values, "tool_calls", parts.calls)
    if parts.words or len(parts.results) > 1:
        _note_results(values, parts.results)
    if parts.results and not parts.words:  # a tool speaks here, not the user
        values["role"] = "tool"
        values["content"] = "\n".join(result["content"] for result in parts.results)
        values["tool_call_id"] = values.get("tool_call_id") or parts.results[0]["tool_call_id"] or None


def _append(values: Json, name: str, more: list[Json]) -> None:
    given = values.get(name) or []
    if more and isinstance(given, list):  # what is no list is refused later
        values[name] = [*given, *more]


def _note_results(values: Json, results: list[Json]) -> None:
    given = values.get("metadata") or {}
    if results and isinstance(given, dict):
        cut = [result | {"content": result["content"][:RESULT_CHARS]} for result in results]
        values["metadata"] = given | {"tool_results": cut}


def _fill_content(values: Json, given: Json) -> None:
    """The words of a message that has none in its content: a refusal, what was spoken, or only calls."""
    called = given.get("function_call")
    if isinstance(called, Mapping) and not (values.get("tool_calls") or values.get("toolCalls")):
        values["tool_calls"] = [_call(None, called.get("name"), called.get("arguments"))]
    if values.get("content") is not None:
        return
    audio = given.get("audio")
    spoken = audio.get("transcript") if isinstance(audio, Mapping) else None
    if said := next(
        (text for text in (given.get("refusal"), spoken) if isinstance(text, str) and text), None
    ):
        values["content"] = said
    elif values.get("tool_calls") or values.get("toolCalls"):
        values["content"] = ""
