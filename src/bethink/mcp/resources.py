"""What clients can attach to a conversation: the facts, one record, the soul, the digest, the household."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote

from bethink.errors import NotFound
from bethink.memory import AsyncSpace
from bethink.shapes.tools import ToolResult
from bethink.text.fence import as_data, one_line, without_marks
from bethink.tools.call import call, offered
from bethink.tools.fit import as_json, as_text, fitted, within

JSON, MARKDOWN = "application/json", "text/markdown"
ONE = "bethink://memory/"
TEMPLATE = ONE + "{id}"
MOST_FACTS = 1000
ALL_FACTS = "The tool list_memories tells all."


@dataclass(frozen=True)
class Resource:
    """Something to read, by an address of its own."""

    uri: str
    title: str
    about: str
    kind: str
    read: Callable[[AsyncSpace], Awaitable[str]]
    more: str = ""  # where the rest is, when it is too long
    only_in_household: bool = False


async def _facts(space: AsyncSpace) -> str:
    """The facts by category, a line each."""
    lines: list[str] = []
    category = None
    facts = await space.facts.list(limit=MOST_FACTS)
    for fact in facts:
        if fact.category != category:
            category = fact.category
            lines += ["", f"## {one_line(category)}"]
        lines.append(f"- {one_line(fact.key)}: {one_line(fact.value)}")
    if len(facts) == MOST_FACTS:
        lines += ["", f"(The first {MOST_FACTS}. {ALL_FACTS})"]
    return "\n".join(lines).strip() or "No facts are stored yet."


async def _soul(space: AsyncSpace) -> str:
    return without_marks(await space.texts.soul()) or "There is no soul yet."


async def _household(space: AsyncSpace) -> str:
    core = await space.inside.opened()
    told = fitted(as_json(await space.household.get()), core.settings.tools.max_tokens)
    return as_text(told)


async def _digest(space: AsyncSpace) -> str:
    return as_data((await space.digest()).markdown)


RESOURCES = (
    Resource(
        "bethink://facts", "Facts", "What is known for certain, by category.", MARKDOWN, _facts, ALL_FACTS
    ),
    Resource(
        "bethink://soul", "Soul", "Who the assistant is to be.", MARKDOWN, _soul, "SOUL.md has it all."
    ),
    Resource(
        "bethink://digest", "Digest", "What happened in the last seven days.", MARKDOWN, _digest,
        "The tool digest takes fewer days.",
    ),
    Resource("bethink://household", "Household", "Who lives here.", JSON, _household, only_in_household=True),
)  # fmt: skip


async def _one(space: AsyncSpace, record_id: str) -> ToolResult:
    """One record, by whichever of the tools is there that reads one."""
    _, tools = await offered(space)
    if any(tool.name == "recall" for tool in tools):
        return await call(space, "recall", {"id": record_id})
    return await call(space, "memory", {"action": "search", "id": record_id})


async def read(space: AsyncSpace, uri: str) -> tuple[str, str]:
    """The kind and the text of a resource."""
    if uri.startswith(ONE):
        found = await _one(space, unquote(uri[len(ONE) :]))
        if found.is_error:
            raise NotFound(found.text.removeprefix("Error: "))
        return JSON, found.text
    for resource in RESOURCES:
        if resource.uri == uri:
            text = await resource.read(space)
            core = await space.inside.opened()
            limit = core.settings.tools.max_tokens
            return resource.kind, text if resource.kind == JSON else within(text, limit, resource.more)
    known = ", ".join([*(one.uri for one in RESOURCES), TEMPLATE])
    raise NotFound(f"There is nothing at {uri[:200]}; known are {known}.")
