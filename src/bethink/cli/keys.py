"""bethink keys and bethink studio: who may use the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import RoleName, SwitchName
from bethink.cli.invoke import Invocation, command, takes_globals
from bethink.cli.output import Column
from bethink.cli.serve import listening
from bethink.cli.times import shown

if TYPE_CHECKING:
    from bethink.keys.handle import AsyncKeys
    from bethink.shapes.accounts import IssuedKey

KeyId = Annotated[str, typer.Argument(metavar="ID", help="The key's id, as the list shows it.")]


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
    group.callback()(takes_globals(keys))
    command(group, "create")(create)
    command(group, "list")(list_keys)
    command(group, "rename")(rename)
    command(group, "switch")(switch)
    command(group, "rotate")(rotate)
    command(group, "revoke")(revoke)
    app.add_typer(group, name="keys", rich_help_panel=panel)
    command(app, "studio", panel=panel)(studio)


def keys(context: typer.Context) -> None:
    """API keys of the server."""


@asynccontextmanager
async def _keys(here: Invocation) -> AsyncIterator[AsyncKeys]:
    from bethink.cli.remote import part_of_server
    from bethink.keys.handle import AsyncKeys

    async with here.reading() as space:
        yield part_of_server(space, "keys") or AsyncKeys(space)


async def create(
    here: Invocation,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for, to tell keys apart.")],
    role: Annotated[
        RoleName, typer.Option(help="admin: everything. member: its own space. reader: only reads it.")
    ] = RoleName.MEMBER,
) -> None:
    """Make a key for the chosen space. Its secret is shown once and never again."""
    from bethink.records import Role

    async with _keys(here) as found:
        _show_secret(here, await found.create(name, role=Role(role.value)))


async def list_keys(here: Invocation) -> None:
    """List all keys, of every space."""
    async with _keys(here) as keys:
        found = await keys.list()
    if here.out.json:
        here.out.data(found)
    elif found:
        columns = [Column(title) for title in ("Id", "Key", "Role", "Last used", "State", "Space")]
        rows = [
            [
                key.id,
                f"…{key.hint}",
                key.role.value,
                shown(key.last_used_at) if key.last_used_at else "never",
                "revoked" if key.revoked_at else "active",
                key.space,
                key.name,
            ]
            for key in found
        ]
        here.out.table([*columns, Column("Name", wraps=True)], rows)
    else:
        here.out.note("There are no keys yet. 'bethink serve' makes the first, or: bethink keys create NAME")


async def rename(
    here: Invocation,
    key_id: KeyId,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name.")],
) -> None:
    """Call a key something else."""
    async with _keys(here) as keys:
        key = await keys.rename(key_id, name)
    if here.out.json:
        here.out.data(key)
    else:
        here.out.line(("renamed", "green"), f" {key.id} {key.name}")


async def switch(
    here: Invocation,
    key_id: KeyId,
    memory: Annotated[SwitchName, typer.Argument(metavar="on|off|space", help="space: as its space has it.")],
) -> None:
    """Say whether the gateway uses memory for a key."""
    async with _keys(here) as keys:
        change: dict[str, Any] = {"memory": None if memory is SwitchName.SPACE else memory.value}
        key = await keys.update(key_id, **change)
    if here.out.json:
        here.out.data(key)
    else:
        here.out.line(("switched", "green"), f" {key.id} {memory.value}")


async def rotate(here: Invocation, key_id: KeyId) -> None:
    """Give a key a new secret, shown once. The old one is dead at once."""
    async with _keys(here) as keys:
        _show_secret(here, await keys.rotate(key_id))


async def revoke(
    here: Invocation, ids: Annotated[list[str], typer.Argument(metavar="ID", help="Keys to revoke.")]
) -> None:
    """Make keys useless from now on."""
    async with _keys(here) as keys:
        for key_id in dict.fromkeys(ids):
            await keys.revoke(key_id)
            if not here.out.json:
                here.out.line(("revoked", "green"), f" {key_id}")
    if here.out.json:
        here.out.data({"revoked": list(dict.fromkeys(ids))})


async def studio(
    here: Invocation,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="ID", help="Sign in with this key; else the first admin key."),
    ] = None,
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The server's address, if it was given one.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", help="The server's port, if it was given one.")
    ] = None,
) -> None:
    """Print a link that signs a browser in to the running server, once, within a minute."""
    from bethink.access import make_link
    from bethink.serve.app import link_address

    async with here.memory() as memory:
        settings = here.load_settings(server=listening(host, port))
        link = link_address(settings, await make_link(memory, key))
    if here.out.json:
        here.out.data({"link": link})
    else:
        here.out.line(link)


def _show_secret(here: Invocation, key: IssuedKey) -> None:
    if here.out.json:
        here.out.data(key)
    elif here.out.rich:
        here.out.line((key.secret, "bold green"))
        here.out.note(
            f"The {key.role.value} key '{key.name}' of space '{key.space}'. Keep it: it is not shown again."
        )
    else:
        here.out.line(key.secret)
