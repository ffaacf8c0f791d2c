"""Offering tools to a model, and doing what it calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from bethink.errors import BethinkError, Closed, InvalidInput, NotFound
from bethink.records import Json, Mode
from bethink.shapes.fields import checked
from bethink.shapes.tools import ToolFormat, ToolResult
from bethink.text.fence import as_data, as_written
from bethink.tools.catalogue import tools_of
from bethink.tools.contract import Calling, Tool
from bethink.tools.fit import as_json, as_text, fitted
from bethink.tools.one import LOOK, MEMORY

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace

_NAMES = frozenset({"category", "key", "name", "person"})  # which a model takes from an answer


async def offered(space: AsyncSpace, *, writes: bool = True) -> tuple[Mode, list[Tool]]:
    """The tools of a space, in the form that the settings choose; without `writes`, those that only read."""
    core, here = await space.inside.here()
    mode = Mode(here.mode)
    if core.settings.tools.form == "one":
        return mode, [MEMORY if writes else LOOK]
    return mode, [tool for tool in tools_of(mode) if writes or tool.read_only]


def as_functions(mode: Mode, tools: list[Tool], format_: ToolFormat) -> list[Json]:
    """Tools as a provider's API takes them."""
    if format_ not in _AS:
        raise InvalidInput(f"format: {format_!r} is not known; known are {', '.join(_AS)}.", field="format")
    return [_AS[format_](tool, tool.input_schema(mode)) for tool in tools]


async def call(
    space: AsyncSpace, name: str, arguments: Mapping[str, Any] | str | None = None, *, writes: bool = True
) -> ToolResult:
    """Do what a model asked for. What is wrong with it is told in the answer, for the model to do better."""
    try:
        mode, tools = await offered(space, writes=writes)
        tool = _named(tools, name)
        asked = checked(tool.takes(mode), _as_kept(_object(arguments)))
        people = await space.people.list() if mode is Mode.MULTI else []
        data = as_json(await tool.run(Calling(space, mode, people), asked))
    except Closed:
        raise
    except BethinkError as error:
        return ToolResult(text=f"Error: {as_data(error.message)}", is_error=True)
    core = await space.inside.opened()
    data = fitted(data, core.settings.tools.max_tokens)
    return ToolResult(text=as_text(data), data=data)


def _named(tools: list[Tool], name: str) -> Tool:
    for tool in tools:
        if tool.name == name:
            return tool
    there = ", ".join(tool.name for tool in tools)
    raise NotFound(f"There is no tool {name[:100]!r} here; there are {there or 'none'}.", field="name")


def _object(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    """The arguments as an object; OpenAI's models write them as a text."""
    given: Any = arguments or {}
    if isinstance(given, str):
        try:
            given = from_json(given)
        except ValueError as error:
            raise InvalidInput(f"arguments: must be a JSON object: {error}.", field="arguments") from None
    if not isinstance(given, Mapping):
        raise InvalidInput("arguments: must be a JSON object.", field="arguments")
    return given


def _as_kept(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with names as they are kept: an answer shows them as data."""
    return {
        name: as_written(value) if name in _NAMES and isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _openai(tool: Tool, schema: Json) -> Json:
    return {"type": "function", "function": _function(tool, schema)}


def _responses(tool: Tool, schema: Json) -> Json:
    return {"type": "function", **_function(tool, schema)}


def _function(tool: Tool, schema: Json) -> Json:
    return {"name": tool.name, "description": tool.description, "parameters": schema}


def _anthropic(tool: Tool, schema: Json) -> Json:
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


_AS = {"openai": _openai, "responses": _responses, "anthropic": _anthropic}
