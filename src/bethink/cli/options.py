"""bethink options: what is switched and tuned while Bethink runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer

from bethink.cli.invoke import Invocation
from bethink.cli.output import Column, Output
from bethink.cli.people import add_group
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.shapes.options import Scope, SpaceOptions

Server = Annotated[bool, typer.Option("--server", help="For the whole server, not only for the space.")]


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    add_group(app, panel, options, {"show": show_options, "set": set_options, "reset": reset_options})


def options(context: typer.Context) -> None:
    """Options kept in the database: what is switched and tuned while Bethink runs."""


async def show_options(here: Invocation) -> None:
    """Show every option and where it was chosen."""
    async with here.reading() as space:
        _show(here.out, await space.options.get())


async def set_options(
    here: Invocation,
    changes: Annotated[list[str], typer.Argument(metavar="NAME=VALUE", help="For example enabled=true.")],
    server: Server = False,
) -> None:
    """Change options: bethink options set enabled=true max_tokens=1500"""
    async with here.reading() as space:
        _show(here.out, await space.options.update(scope=_scope(server), **_values(changes)))


async def reset_options(
    here: Invocation,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="All when left out.")] = None,
    server: Server = False,
) -> None:
    """Take back what was chosen."""
    async with here.reading() as space:
        _show(here.out, await space.options.reset(*(names or ()), scope=_scope(server)))


def _scope(server: bool) -> Scope:
    return "server" if server else "space"


def _values(changes: list[str]) -> dict[str, Any]:
    from bethink.shapes.options import Options

    lists = {name for name, field in Options.model_fields.items() if get_origin(field.annotation) is list}
    values: dict[str, Any] = {}
    for change in changes:
        name, mark, text = change.partition("=")
        if not mark:
            raise InvalidInput(f"{change}: write NAME=VALUE, for example enabled=true.", field=change)
        try:
            values[name] = json.loads(text)
        except json.JSONDecodeError:
            values[name] = text.split(",") if name in lists else text  # words, or a word
    return values


def _show(out: Output, found: SpaceOptions) -> None:
    if out.json:
        out.data(found)
        return
    shown = found.model_dump(exclude={"chosen"})
    rows = [[name, _said(value), found.chosen.get(name, "")] for name, value in shown.items()]
    out.table([Column("Option"), Column("Value", style="cyan", wraps=True), Column("Chosen for")], rows)


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
