"""bethink export and bethink import: all that a space holds, taken away or brought in."""

from __future__ import annotations

import shutil
import sys
import tempfile
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import Secrets
from bethink.cli.invoke import Invocation, command
from bethink.cli.output import counted
from bethink.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from bethink.shapes.outcomes import Progress

# How those of an archive's nouns are counted that do not just gain an s.
_COUNTED = {
    "memory": ("memory", "memories"),
    "person": ("person", "people"),
    "journal": ("line of the journal", "lines of the journal"),
}


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands."""
    command(app, "export", panel=panel)(export_space)
    command(app, "import", panel=panel)(import_file)


async def export_space(
    here: Invocation,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Where to; - is standard output.")],
    secrets: Secrets = False,
) -> None:
    """Write all that the space holds to one file, one JSON object a line.

    Everything is in it: people, conversations, memories, every version of every fact, the journal. 'bethink
    import' makes an empty space of it again, to the byte; where secrets are masked, it has marks for them.
    """
    async with here.reading() as space:
        with progress_bar(here.out, f"Exporting '{space.name}'") as show:
            if file != "-":
                made = await space.export(file, progress=_shown(show), secrets=secrets)
            else:
                with tempfile.TemporaryFile() as kept:
                    made = await space.export(kept, progress=_shown(show), secrets=secrets)
                    kept.seek(0)
                    shutil.copyfileobj(kept, sys.stdout.buffer)
    for one in made.damaged:
        here.out.warn(f"Left out: the {one.noun} {one.id} is damaged ({one.problem}).")
    if made.masked:
        here.out.note(
            f"Secrets in {counted(made.masked, 'record')} are masked; --secrets exports them as they are."
        )
    if file == "-":
        return
    if here.out.json:
        here.out.data(made)
        return
    records = sum(made.counts.values())
    here.out.line(("exported", "green"), f" {counted(records, 'record')}, {made.bytes:,} bytes, to {file}")


async def import_file(
    here: Invocation,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="What to import; - is standard input.")],
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="What the file is, if it is not recognised."),
    ] = None,
    me: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="You in chats between people; '' if none is you. May be repeated."),
    ] = None,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Of times without an offset; else the space's.")
    ] = None,
    date_order: Annotated[
        str | None, typer.Option(metavar="dmy|mdy|ymd", help="How WhatsApp's dates are written, if unclear.")
    ] = None,
) -> None:
    """Take in an archive of Bethink, conversations of other programs, or memories of mem0 or Chroma.

    Conversations are those of ChatGPT, Claude, Slack, Discord, Telegram, WhatsApp, iMessage, Signal,
    Messenger, Instagram, Teams, Google Chat, Matrix (Element), mail (mbox, eml) and JSON Lines. What is known
    stays as it is, so a run that was broken off can simply be begun again. Nothing is stored unless the whole
    file is in order.
    """
    how: dict[str, Any] = {
        "format": format_, "me": me or None, "timezone": timezone, "date_order": date_order,
    }  # fmt: skip
    source: str | IO[bytes] = sys.stdin.buffer if file == "-" else file
    async with here.writing() as space:
        with progress_bar(here.out, f"Importing into '{space.name}'") as show:
            done = await space.import_(source, progress=_shown(show), **how)
        if here.out.json:
            here.out.data(done)
            return
        stored = {noun: number for noun, number in done.stored.items() if number}
        told = ", ".join(counted(number, *_COUNTED.get(noun, (noun,))) for noun, number in stored.items())
        known = sum(done.duplicates.values())
        here.out.line(("imported", "green"), f" from {done.format}: {told or 'nothing new'}")
        if known:
            here.out.note(f"{counted(known, 'record')} known already, and left so.")
        for note in done.notes:
            here.out.note(note)


def _shown(show: Callable[[int, int | None, str | None], Any]) -> Callable[[Progress], None]:
    return lambda seen: show(seen.done, seen.total, None)
