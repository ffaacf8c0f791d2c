"""What clients can attach to a conversation: the facts, one record, the soul, the digest, the household."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote

from bethink.errors import NotFound
from bethink.memory import AsyncSpace
from bethink.text.fence import as_data, one_line, without_marks
from bethink.tools.call import call
from bethink.tools.fit import as_json, as_text

JSON, MARKDOWN = "application/json", "text/markdown"
ONE = "bethink://memory/"
TEMPLATE = ONE + "{id}"
MOST_FACTS = 1000


@dataclass(frozen=True)
class Resource:
    """Something to read, by an address of its own."""

    uri: str
    title: str
    about: str
    kind: str
    read: Callable[[AsyncSpace], Awaitable[str]]
    only_in_household: bool = False


async def _facts(space: AsyncSpace) -> str:
    """The facts by category, a line each."""
    lines: list[str] = []
    category = None
    for fact in await space.facts.list(limit=MOST_FACTS):
        if fact.category != category:
            category = fact.category
            lines += ["", f"## {one_line(category)}"]
        lines.append(f"- {one_line(fact.key)}: {one_line(fact.value)}")
    return "\n".join(lines).strip() or "No facts are stored yet."


async def _soul(space: AsyncSpace) -> str:
    return without_marks(await space.texts.soul()) or "There is no soul yet."


async def _household(space: AsyncSpace) -> str:
    return as_text(as_json(await space.household.get()))


async def _digest(space: AsyncSpace) -> str:
    return as_data((await space.digest()).markdown)


RESOURCES = (
    Resource("bethink://facts", "Facts", "What is known for certain, by category.", MARKDOWN, _facts),
    Resource("bethink://soul", "Soul", "Who the assistant is to be.", MARKDOWN, _soul),
    Resource("bethink://digest", "Digest", "What happened in the last seven days.", MARKDOWN, _digest),
    Resource("bethink://household", "Household", "Who lives here.", JSON, _household, only_in_household=True),
)


async def read(space: AsyncSpace, uri: str) -> tuple[str, str]:
    """The kind and the text of a resource."""
    if uri.startswith(ONE):
        found = await call(space, "recall", {"id": unquote(uri[len(ONE) :])})
        if found.is_error:
            raise NotFound(found.text.removeprefix("Error: "))
        return JSON, found.text
    for resource in RESOURCES:
        if resource.uri == uri:
            return resource.kind, await resource.read(space)
    known = ", ".join([*(one.uri for one in RESOURCES), TEMPLATE])
    raise NotFound(f"There is nothing at {uri[:200]}; known are {known}.")
