"""bethink trust: let the settings file of a project count."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Column
from bethink.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from bethink.settings.trust import Trusted


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(trust)


def trust(
    here: Invocation,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The settings file; bethink.toml in this directory when left out."
        ),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the files that are trusted.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="No longer trust the file.")] = False,
) -> None:
    """Let a project's settings file count, as it is now. Read it first: whoever wrote the project wrote it.

    A file that is changed must be trusted anew. Hosts and keys in it never count.
    """
    from bethink.settings import FILE_NAME

    if listing:
        _list(here)
    elif remove:
        _remove(here, file or Path(FILE_NAME))
    else:
        _trust(here, file or Path(FILE_NAME))


def _trust(here: Invocation, file: Path) -> None:
    from bethink import settings
    from bethink.clock import now
    from bethink.settings import trust as trusts

    if file.name != settings.FILE_NAME:
        raise InvalidInput(
            f"{file}: only a file called {settings.FILE_NAME} is looked for in a directory; use another with"
            " --config.",
            field="file",
        )
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.", field="file") from None
    ignored = settings.hosts_and_keys(settings.parsed(file, content), settings.Settings)
    one = trusts.trust(file, content, now())
    if here.out.json:
        here.out.data({**asdict(one), "ignored": ignored})
        return
    here.out.line(("trusted", "green"), f" {one.path} sha256:{one.sha256[:12]}")
    if ignored:
        here.out.warn(f"Hosts and keys of a project's file never count: {', '.join(ignored)}.")


def _list(here: Invocation) -> None:
    from bethink.settings import trust as trusts

    found = trusts.trusted_files()
    states = [_state(one) for one in found]
    if here.out.json:
        here.out.data([{**asdict(one), "state": state} for one, state in zip(found, states, strict=True)])
    elif found:
        rows = [[one.trusted_at, state, one.path] for one, state in zip(found, states, strict=True)]
        here.out.table([Column("Trusted"), Column("State"), Column("File", wraps=True)], rows)
    else:
        here.out.note("No settings file of a project is trusted.")


def _state(one: Trusted) -> str:
    from bethink.settings.trust import digest

    try:
        return "as trusted" if digest(Path(one.path).read_bytes()) == one.sha256 else "changed"
    except OSError:
        return "gone"


def _remove(here: Invocation, file: Path) -> None:
    from bethink.settings.trust import distrust

    if not distrust(file):
        raise NotFound(f"{file.resolve()} is not trusted.", field="file")
    if here.out.json:
        here.out.data({"removed": str(file.resolve())})
    else:
        here.out.line(("removed", "green"), f" {file.resolve()}")
