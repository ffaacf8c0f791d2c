"""bethink spaces: the isolated pools of memory, as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from bethink.cli.confirm import confirm
from bethink.cli.erase import show_receipt, told
from bethink.cli.invoke import Invocation, command, takes_globals
from bethink.cli.output import Column

if TYPE_CHECKING:
    from bethink.shapes.accounts import ListedSpace
    from bethink.spaces.handle import AsyncSpaces

SpaceName = Annotated[str, typer.Argument(metavar="NAME", help="The space's name.")]
DisplayName = Annotated[
    str | None, typer.Option("--display-name", metavar="TEXT", help="By what people know it.")
]


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
    group.callback()(takes_globals(spaces))
    command(group, "create")(create)
    command(group, "list")(list_spaces)
    command(group, "rename")(rename)
    command(group, "delete")(delete)
    app.add_typer(group, name="spaces", rich_help_panel=panel)


def spaces(context: typer.Context) -> None:
    """The spaces of the database: isolated pools of memory."""


@asynccontextmanager
async def _spaces(here: Invocation) -> AsyncIterator[AsyncSpaces]:
    from bethink.cli.remote import part_of_server
    from bethink.spaces.handle import AsyncSpaces

    async with here.reading() as space:
        yield part_of_server(space, "spaces") or AsyncSpaces(space)


async def create(here: Invocation, name: SpaceName, display_name: DisplayName = None) -> None:
    """Make a space."""
    async with _spaces(here) as spaces:
        _show(here, "created", await spaces.create(name, display_name=display_name))


async def list_spaces(here: Invocation) -> None:
    """List the spaces and how much each holds."""
    async with _spaces(here) as spaces:
        found = await spaces.list()
    if here.out.json:
        here.out.data(found)
        return
    nouns = ("memories", "messages", "facts", "people", "keys")
    columns = [Column("Name"), *(Column(noun.capitalize(), right=True) for noun in nouns)]
    rows = [
        [space.name, *(f"{space.counts[noun]:,}" for noun in nouns), space.display_name] for space in found
    ]
    here.out.table([*columns, Column("Display name", wraps=True)], rows)


async def rename(
    here: Invocation,
    name: SpaceName,
    new_name: Annotated[
        str | None, typer.Argument(metavar="[NEW]", help="The name that requests use from now on.")
    ] = None,
    display_name: DisplayName = None,
) -> None:
    """Change the name of a space, or by what people know it."""
    given = {"name": new_name, "display_name": display_name}
    if not any(given.values()):
        raise typer.BadParameter("give a new name, or --display-name")
    async with _spaces(here) as spaces:
        changes = {field: value for field, value in given.items() if value is not None}
        _show(here, "renamed", await spaces.rename(name, **changes))


async def delete(
    here: Invocation,
    name: SpaceName,
    repeated: Annotated[
        str | None,
        typer.Option("--confirm", metavar="NAME", help="The name again, to go ahead without being asked."),
    ] = None,
) -> None:
    """Delete a space, its keys and everything in it, for good."""
    async with _spaces(here) as spaces:
        if repeated is None:
            held = (await spaces.get(name)).counts
            confirm(here.out, f"Delete space '{name}' with {told(held)} for good? This cannot be undone.")
        show_receipt(here.out, await spaces.delete(name, confirm=name if repeated is None else repeated))


def _show(here: Invocation, done: str, space: ListedSpace) -> None:
    if here.out.json:
        here.out.data(space)
    else:
        here.out.line((done, "green"), f" {space.name}", (f"  {space.display_name}", "dim"))
