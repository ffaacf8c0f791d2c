"""bethink mcp: the memory as an MCP server for a client on this machine, and telling the client of it."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bethink.cli.invoke import Invocation, command
from bethink.errors import InvalidInput, ModelMissing

ACTOR = "mcp"  # who the journal says made the changes


class Action(StrEnum):
    SERVE = "serve"
    INSTALL = "install"
    UNINSTALL = "uninstall"


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(mcp)


async def mcp(
    here: Invocation,
    action: Annotated[
        Action, typer.Argument(help="`serve` a client; `install` into one, `uninstall` from it.")
    ] = Action.SERVE,
    client: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Which client: claude-desktop, claude-code, cursor, vscode, windsurf."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Change the client's file without asking.")] = False,
) -> None:
    """Serve MCP to a client that starts this command, over standard input and output.

    `bethink mcp install --client cursor` shows what it would write into the client's settings, and asks.
    """
    if action is Action.SERVE:
        await _serve(here)
    else:
        _tell(here, action, client, yes=yes)


async def _serve(here: Invocation) -> None:
    try:
        from bethink.mcp.carrier import over_stdio
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
        raise ModelMissing("MCP needs a package: pip install 'bethink[mcp]'") from None

    async with here.writing(ACTOR) as space:
        await over_stdio(space)


def _tell(here: Invocation, action: Action, name: str | None, *, yes: bool) -> None:
    """Write our entry into a client's settings, or take it out, after showing the change."""
    from bethink.cli.confirm import confirm
    from bethink.cli.mcp_clients import CLIENTS, client_called, difference, with_us, without_us
    from bethink.settings.private import write_private

    if name is None:
        raise InvalidInput(f"client: say which with --client: {', '.join(CLIENTS)}.", field="client")
    client = client_called(name)
    path = client.file().resolve()
    before = _read(path)
    if action is Action.INSTALL:
        after = with_us(client, path, before, _command(here))
    else:
        after = without_us(client, path, before)
    if after == before:
        here.out.note(f"{path} is as it should be; nothing was done.")
        return
    print(difference(path, before, after), file=sys.stderr)
    if not yes:
        confirm(here.out, f"Change the settings of {client.title} so?")
    try:
        write_private(path, after)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.", field="file") from None
    here.out.note(f"Done. {client.title} reads it when it is started again.")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.", field="file") from None


def _command(here: Invocation) -> list[str]:
    """What the client is to start: this program, with the options that were given now."""
    found = shutil.which("bethink")
    program = [found] if found else [sys.executable, "-m", "bethink"]
    chosen = here.chosen
    options = {
        "--home": chosen.home and chosen.home.absolute(),
        "--database": _place(chosen.database),
        "--space": chosen.space,
        "--config": chosen.config and chosen.config.absolute(),
    }
    return [*program, "mcp", *(str(part) for pair in options.items() if pair[1] for part in pair)]


def _place(database: str | None) -> str | None:
    """A database as the client must name it, which starts us in another directory."""
    if database is None or "://" in database or database == ":memory:":
        return database
    return str(Path(database).expanduser().absolute())
