"""Tools of memory put into a request, and the request that goes on once they were called. Pure.

What the client wrote stays as it is, to the byte; tools of its own come first, and one of the same name wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bethink.gateway.weave import Dialect, Edit, JsonText, as_json
from bethink.records import Json
from bethink.shapes.tools import ToolFormat, ToolResult

FORMATS: Mapping[Dialect, ToolFormat] = {"chat": "openai", "responses": "responses", "messages": "anthropic"}
_LISTS: Mapping[Dialect, str] = {"chat": "messages", "responses": "input", "messages": "messages"}


@dataclass(frozen=True)
class Called:
    """A call of a tool, as a model made it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Offer:
    """The tools that a request gets: their names, and the edits that put them in."""

    names: frozenset[str] = frozenset()
    edits: tuple[Edit, ...] = ()


def offer(posted: JsonText, dialect: Dialect, tools: Sequence[Json]) -> Offer:
    """Put tools into a request; none where the client wants no calls, or several answers at once."""
    there = posted.fields.get("tools")
    given = there.value if there else None
    if given is not None and not isinstance(given, list):
        return Offer()
    if _choice(posted.value("tool_choice")) == "none" or posted.value("n") not in (None, 1):
        return Offer()
    taken = {_name(tool) for tool in given or ()}
    ours = [tool for tool in tools if _name(tool) not in taken]
    if not ours or not isinstance(posted.value(_LISTS[dialect]), list | str):
        return Offer()
    listed = ",".join(as_json(tool) for tool in ours)
    names = frozenset(_name(tool) for tool in ours)
    if there is None:
        return Offer(names, (posted.with_field("tools", f"[{listed}]"),))
    if not given:
        return Offer(names, (Edit(there.start, there.end, f"[{listed}]"),))
    end = posted.items(there)[-1].end
    return Offer(names, (Edit(end, end, f",{listed}"),))


def next_body(
    body: bytes,
    dialect: Dialect,
    said: Sequence[Json],
    results: Sequence[tuple[Called, ToolResult]],
    *,
    last: bool,
) -> bytes:
    """The request after this one: what the model said, and what came of its calls. `last` allows no more."""
    posted = JsonText.read(body)
    more = ",".join(as_json(item) for item in (*said, *_told(dialect, results)))
    place = posted.fields[_LISTS[dialect]]
    if isinstance(place.value, str):
        before = Edit(place.start, place.start, '[{"role":"user","content":')
        edits = [before, Edit(place.end, place.end, f"}},{more}]")]
    else:
        edits = [Edit(place.end - 1, place.end - 1, f",{more}" if place.value else more)]
    if last:
        edits.append(_no_more(posted, dialect))
    return posted.edited(edits)


def _told(dialect: Dialect, results: Sequence[tuple[Called, ToolResult]]) -> list[Json]:
    if dialect == "chat":
        return [{"role": "tool", "tool_call_id": called.id, "content": told.text} for called, told in results]
    if dialect == "responses":
        return [
            {"type": "function_call_output", "call_id": called.id, "output": told.text}
            for called, told in results
        ]
    blocks = [
        {"type": "tool_result", "tool_use_id": called.id, "content": told.text}
        | ({"is_error": True} if told.is_error else {})
        for called, told in results
    ]
    return [{"role": "user", "content": blocks}]


def _no_more(posted: JsonText, dialect: Dialect) -> Edit:
    choice = as_json({"type": "none"} if dialect == "messages" else "none")
    place = posted.fields.get("tool_choice")
    return Edit(place.start, place.end, choice) if place else posted.with_field("tool_choice", choice)


def _choice(value: Any) -> Any:
    return value.get("type") if isinstance(value, Mapping) else value


def _name(tool: Any) -> str:
    """A tool's name, in any of the three shapes."""
    if not isinstance(tool, Mapping):
        return ""
    inside = tool.get("function")
    return str(inside.get("name") if isinstance(inside, Mapping) else tool.get("name") or "")
