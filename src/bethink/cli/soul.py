"""bethink soul, bethink narrative and bethink files: a space's own texts and the files they are in."""

from __future__ import annotations

from typing import Annotated

import typer

from bethink.cli.choices import Secrets
from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation
from bethink.cli.output import Output, counted
from bethink.cli.people import add_group

Words = Annotated[list[str], typer.Argument(metavar="TEXT", help="The text; - reads it from standard input.")]


def register(app: typer.Typer, panel: str) -> None:
    """Add the groups."""
    add_group(app, panel, soul, {"show": show_soul, "set": set_soul})
    add_group(app, panel, narrative, {"show": show_narrative, "set": set_narrative})
    add_group(app, panel, files, {"show": show_files, "sync": sync_files})


def soul(context: typer.Context) -> None:
    """SOUL.md: how the assistant is to be, in the owner's own words; it leads every prompt."""


def narrative(context: typer.Context) -> None:
    """What is remembered about the user, as one text."""


def files(context: typer.Context) -> None:
    """SOUL.md and MEMORY.md, which people can edit."""


async def show_soul(here: Invocation, secrets: Secrets = False) -> None:
    """Print the soul."""
    async with here.reading() as space:
        soul = await space.texts.soul(secrets=secrets)
        _text(here.out, soul, 'There is no soul yet. Begin with: bethink soul set "…"')


async def set_soul(here: Invocation, text: Words) -> None:
    """Replace the soul, and its file."""
    async with here.reading() as space:
        _set(here.out, "soul", await space.texts.set_soul(text_of(text)))


async def show_narrative(here: Invocation) -> None:
    """Print the narrative."""
    async with here.reading() as space:
        _text(here.out, await space.texts.narrative(), "Nobody has written a narrative yet.")


async def set_narrative(here: Invocation, text: Words) -> None:
    """Replace the narrative."""
    async with here.reading() as space:
        _set(here.out, "narrative", await space.texts.set_narrative(text_of(text)))


async def show_files(here: Invocation) -> None:
    """Print MEMORY.md, and say where the files are."""
    async with here.reading() as space:
        memory, folder = await space.texts.memory_file(), await space.texts.folder()
    if here.out.json:
        here.out.data({"folder": str(folder) if folder else None, "memory": memory})
        return
    _text(here.out, memory, "No fact is promoted yet, so MEMORY.md is empty.")
    if folder:
        here.out.note(f"The files are in {folder}")
    else:
        here.out.note("They are not kept as files: set files.folder, or BETHINK_FILES_FOLDER.")


async def sync_files(here: Invocation) -> None:
    """Take in edits of the files now, rather than with the next prompt."""
    async with here.reading() as space:
        done = await space.texts.sync()
    if here.out.json:
        here.out.data(done)
        return
    for text in (*done.conflicts, *done.problems):
        here.out.warn(text)
    for name in done.kept:
        here.out.note(f"What was not taken in is kept in {name}")
    parts = [
        *([f"{counted(done.facts_set, 'fact')} set"] if done.facts_set else []),
        *([f"{counted(done.facts_dropped, 'fact')} forgotten"] if done.facts_dropped else []),
        *(["the soul was taken in"] if "SOUL.md" in done.read else []),
        *([f"{' and '.join(done.written)} written"] if done.written else []),
    ]
    here.out.line(", ".join(parts) or "nothing has changed")


def _text(out: Output, text: str, empty: str) -> None:
    if out.json:
        out.data({"content": text})
    elif text:
        for line in text.rstrip("\n").split("\n"):
            out.line(line)
    else:
        out.note(empty)


def _set(out: Output, name: str, text: str) -> None:
    if out.json:
        out.data({"content": text})
    else:
        out.line(("set", "green"), f" {name}, {counted(len(text), 'character')}")
