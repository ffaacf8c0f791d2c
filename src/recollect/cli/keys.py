"""recollect keys: who may use the server."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.choices import RoleName
from recollect.cli.invoke import Invocation, command, takes_globals
from recollect.cli.output import Column
from recollect.cli.times import shown


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
    group.callback()(takes_globals(keys))
    command(group, "create")(create)
    command(group, "list")(list_keys)
    command(group, "revoke")(revoke)
    app.add_typer(group, name="keys", rich_help_panel=panel)


def keys(context: typer.Context) -> None:
    """API keys of the server."""


async def create(
    here: Invocation,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for, to tell keys apart.")],
    role: Annotated[
        RoleName, typer.Option(help="admin: everything. member: its own space. reader: only reads it.")
    ] = RoleName.MEMBER,
) -> None:
    """Make a key for the chosen space. Its secret is shown once and never again."""
    from recollect.access import create_key
    from recollect.records import Role

    async with here.memory() as memory:
        space = here.settings.space
        key, secret = await create_key(memory, space=space, name=name, role=Role(role.value))
    if here.out.json:
        here.out.data({"key": key, "space": space, "secret": secret})
    elif here.out.rich:
        here.out.line((secret, "bold green"))
        here.out.note(f"The {role.value} key '{name}' of space '{space}'. Keep it: it is not shown again.")
    else:
        here.out.line(secret)


async def list_keys(here: Invocation) -> None:
    """List all keys, of every space."""
    from recollect import access

    async with here.memory() as memory:
        found = await access.list_keys(memory)
    if here.out.json:
        here.out.data(
            [{**key.model_dump(mode="json", by_alias=True), "space": space} for key, space in found]
        )
    elif found:
        columns = [Column(title) for title in ("Id", "Key", "Role", "Last used", "State", "Space")]
        rows = [
            [
                key.id,
                f"…{key.hint}",
                key.role.value,
                shown(key.last_used_at) if key.last_used_at else "never",
                "revoked" if key.revoked_at else "active",
                space,
                key.name,
            ]
            for key, space in found
        ]
        here.out.table([*columns, Column("Name", wraps=True)], rows)
    else:
        here.out.note(
            "There are no keys yet. 'recollect serve' makes the first, or: recollect keys create NAME"
        )


async def revoke(
    here: Invocation, ids: Annotated[list[str], typer.Argument(metavar="ID", help="Keys to revoke.")]
) -> None:
    """Make keys useless from now on."""
    from recollect.access import revoke_key

    async with here.memory() as memory:
        for key_id in dict.fromkeys(ids):
            await revoke_key(memory, key_id)
            if not here.out.json:
                here.out.line(("revoked", "green"), f" {key_id}")
    if here.out.json:
        here.out.data({"revoked": list(dict.fromkeys(ids))})
