"""bethink ingest: take in messages in another program's shape, as /api/ingest does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from bethink.cli.inputs import json_object, standard_input
from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Column
from bethink.errors import InvalidInput


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(ingest)


async def ingest(
    here: Invocation,
    platform: Annotated[str, typer.Argument(help="What the program is called.")],
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Its JSON; standard input when it is - or left out.")
    ] = "-",
    mapping: Annotated[
        dict[str, Any] | None,
        typer.Option(
            parser=json_object, metavar="JSON", help="Where in it what is; else the option `ingest`."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be observed.")] = False,
) -> None:
    """Take in messages as another program writes them, in a JSON shape of its own.

    A mapping says where in it what is: {"items": "result", "id": "message.id", "content": "message.text"}.
    The one that is kept for a platform is the option `ingest`. A message is taken in once under its id.
    """
    payload = _parsed(standard_input() if file == "-" else _text(file), file)
    async with here.writing() as space:
        done = await space.ingest(platform, payload, mapping=mapping, dry_run=dry_run)
    if here.out.json:
        here.out.data(done)
        return
    if dry_run:
        rows = [[one.session, one.role, one.name or "", one.content, "known" if one.known else "new"]
                for one in done.messages]  # fmt: skip
        columns = [Column(name) for name in ("Session", "Role", "Name")]
        here.out.table([*columns, Column("Text", wraps=True), Column("")], rows)
    would = "would be " if dry_run else ""
    edited = f", {done.edited} edited" if done.edited else ""
    empty = f", {done.empty} without words left out" if done.empty else ""
    here.out.note(f"{done.stored} {would}stored{edited}, {done.duplicates} known already{empty}.")


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.", field="file") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8; convert it first.", field="file") from None


def _parsed(text: str, file: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file} is not valid JSON: {error}.", field="file") from None
