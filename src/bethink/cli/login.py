"""bethink login: keep the key of a server, for --server."""

from __future__ import annotations

import sys
from getpass import getpass

import typer

from bethink.cli.invoke import Invocation, command
from bethink.errors import InvalidInput

SERVER = "http://127.0.0.1:8420"


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(login)


async def login(here: Invocation) -> None:
    """Keep a server's key in ~/.config/bethink/token, once the server has taken it.

    The key is asked for, or read from standard input.
    """
    from bethink.client import AsyncBethinkClient, write_token

    key = (getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not key:
        raise InvalidInput("There was no key. The server printed it when it was first started.", field="key")
    server = here.chosen.remote or SERVER
    async with AsyncBethinkClient(server, token=key, space=here.chosen.space) as client:
        space = (await client.stats()).space
    path = write_token(key)
    if here.out.json:
        here.out.data({"server": server, "space": space, "file": str(path)})
    else:
        here.out.line(("kept", "green"), f" {path} (space '{space}' of {server})")
