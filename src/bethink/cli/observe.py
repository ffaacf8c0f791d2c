"""bethink observe: take in messages, one JSON object a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Output
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.cli.lines import Stream


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(observe)


async def observe(
    here: Invocation,
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="JSON Lines; standard input when it is - or left out.")
    ] = "-",
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="Conversation of the lines that name none.")
    ] = None,
) -> None:
    """Take in messages of conversations, one JSON object a line.

    Each has a role and content, and may have session, id, name, sentAt, platform, metadata and the other
    fields of a message, in OpenAI's or Anthropic's shape. One with an id is taken in once, however often it
    comes, and so is what repeats the end of its session. A line that is wrong is reported with its number and
    left out; the others are stored, and the exit code is 1.
    """
    from bethink.cli.intake import Intake

    with _opened(file, here.out) as (stream, size):
        async with here.writing() as space:
            intake = Intake(space, session, here.out)
            try:
                await intake.take_all(stream, size)
            finally:  # also when it was broken off, for what was taken in is stored
                intake.summarise()
    if intake.refusals:
        raise typer.Exit(1)


@contextmanager
def _opened(file: str, out: Output) -> Iterator[tuple[Stream, int | None]]:
    """The input without a buffer of its own, and its size where that is known."""
    if file == "-":
        if sys.stdin.isatty() and out.lively:
            out.note("Reading messages from the terminal, one JSON object a line; end with Ctrl-D.")
        buffer = sys.stdin.buffer
        yield getattr(buffer, "raw", buffer), None
        return
    with _file(file) as stream:
        yield stream, Path(file).stat().st_size or None


def _file(name: str) -> FileIO:
    try:
        return FileIO(name)
    except OSError as error:
        raise InvalidInput(f"{name} cannot be read: {error.strerror}.", field="file") from None
