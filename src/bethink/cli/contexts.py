"""bethink contexts: texts that conversations are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation
from bethink.cli.output import Column, counted
from bethink.cli.people import add_group

Id = Annotated[str, typer.Argument(metavar="ID", help="The context's id.")]


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    commands: dict[str, Callable[..., Any]] = {
        "list": list_contexts,
        "show": show,
        "add": add,
        "remove": remove,
        "give": give,
    }
    add_group(app, panel, contexts, commands)


def contexts(context: typer.Context) -> None:
    """Texts that conversations are given; what stands in one is not remembered from them again."""


async def list_contexts(here: Invocation) -> None:
    """List the contexts."""
    async with here.reading() as space:
        found = await space.contexts.list()
    if here.out.json:
        here.out.data(found)
    elif found:
        rows = [[one.id, one.name, counted(len(one.content), "character")] for one in found]
        here.out.table([Column("Id"), Column("Name", style="cyan", wraps=True), Column("Length")], rows)
    else:
        here.out.note("There are no contexts yet. Begin with: bethink contexts add CV - < cv.txt")


async def show(here: Invocation, context_id: Id) -> None:
    """Print a context."""
    async with here.reading() as space:
        found = await space.contexts.get(context_id)
    if here.out.json:
        here.out.data(found)
    else:
        here.out.line(found.content)


async def add(
    here: Invocation,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="The text; - reads it from standard input.")
    ],
) -> None:
    """Add a context."""
    async with here.reading() as space:
        made = await space.contexts.add(name, text_of(text))
    if here.out.json:
        here.out.data(made)
    else:
        here.out.line(("added", "green"), f" {made.id} {made.name}")


async def remove(here: Invocation, context_id: Id) -> None:
    """Remove a context, also from every conversation."""
    async with here.reading() as space:
        gone = await space.contexts.remove(context_id)
    if here.out.json:
        here.out.data(gone)
    else:
        here.out.line(("removed", "green"), f" {gone.id} {gone.name}")


async def give(
    here: Invocation,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The conversation.")],
    context_ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="None: take all away.")
    ] = None,
) -> None:
    """Give a conversation these contexts and no others."""
    async with here.reading() as space:
        begun = await space.begin(session, context_ids=context_ids or [])
    if here.out.json:
        here.out.data(begun)
    else:
        here.out.line(f"'{begun.id}' has {counted(len(begun.context_ids), 'context')}")
