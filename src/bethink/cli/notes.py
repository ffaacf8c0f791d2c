"""bethink notes: a folder of Markdown and JSON files, searched by line and as documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import Secrets
from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation
from bethink.cli.output import Column, counted
from bethink.cli.people import add_group
from bethink.cli.times import shown
from bethink.documents.watch import changes
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.shapes.notes import NoteLine, NotesSynced

Kind = Annotated[
    str | None, typer.Option("--in", metavar="FOLDER", help="Only those in this folder, such as people.")
]
NO_FOLDER = "Nothing is kept as files with this database; set files.folder."


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    commands: dict[str, Callable[..., Any]] = {
        "list": list_notes,
        "search": search,
        "show": show,
        "sync": sync,
        "watch": watch,
    }
    add_group(app, panel, notes, commands)


def notes(context: typer.Context) -> None:
    """Notes: Markdown and JSON files in a folder, which people and programs write."""


async def list_notes(here: Invocation, kind: Kind = None) -> None:
    """List the notes and the folder that they are in."""
    async with here.reading() as space:
        found, folder = await space.notes.list(kind=kind), await space.notes.folder()
    if here.out.json:
        here.out.data(found)
        return
    if found.items:
        columns = (
            Column("File", style="cyan", wraps=True), Column("Changed"), Column("State"),
            Column("Problem", wraps=True),
        )  # fmt: skip
        rows = [
            [one.file, shown(one.changed_at), one.status.value if one.status else "empty", one.problem or ""]
            for one in found.items
        ]
        here.out.table(columns, rows)
    else:
        here.out.note("There are no notes yet.")
    if folder:
        here.out.note(f"They are in {folder}, in folders such as people, projects and chats.")


async def search(
    here: Invocation,
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="What to look for; - reads it from standard input.")
    ],
    kind: Kind = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Lines at most.")] = 50,
) -> None:
    """Find the lines that hold a text, whatever its case."""
    async with here.reading() as space:
        found = await space.notes.search(text_of(text), kind=kind, limit=limit)
    if here.out.json:
        here.out.data(found)
        return
    for one in found.items:
        here.out.line((f"{one.file}:{one.line}: ", "cyan"), *_marked(one))
    if found.more:
        here.out.note("There are more; --limit shows them.")
    if not found.items:
        here.out.note("No line holds it. What means the like is found by: bethink docs search")


def _marked(one: NoteLine) -> Iterator[str | tuple[str, str]]:
    at = 0
    for first, last in one.marks:
        yield one.text[at:first]
        yield one.text[first:last], "bold"
        at = last
    yield one.text[at:]


async def show(
    here: Invocation,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Its place in the folder: people/anna.md.")],
    secrets: Secrets = False,
) -> None:
    """Print a note."""
    async with here.reading() as space:
        found = await space.notes.read(file, secrets=secrets)
    if here.out.json:
        here.out.data(found)
    else:
        here.out.line(found.text.rstrip("\n"))


async def sync(here: Invocation) -> None:
    """Take in notes that are new or changed, and wait until they can be searched."""
    async with here.reading() as space:
        done = await _synced(here, space)
    if here.out.json:
        here.out.data(done)
    if done.problems:
        raise typer.Exit(1)


async def watch(here: Invocation) -> None:
    """Take in notes as they change, until Ctrl-C. A running server does so by itself."""
    from bethink.settings.private import make_private_folder

    async with here.reading() as space:
        folder = await space.notes.folder()
        if folder is None:
            raise InvalidInput(NO_FOLDER, field="files.folder")
        make_private_folder(folder)
        here.out.note(f"Watching {folder}; Ctrl-C ends it.")
        async with aclosing(changes([folder])) as seen:
            async for _ in seen:
                await _synced(here, space)


async def _synced(here: Invocation, space: AsyncSpace) -> NotesSynced:
    """Take in the notes and tell what changed."""
    done = await space.notes.sync()
    for one in (await space.notes.list()).items:
        if one.document_id and one.file in (*done.added, *done.changed):
            await space.documents.wait(one.document_id)
    if not here.out.json:
        for word, files in (("added", done.added), ("changed", done.changed), ("removed", done.removed)):
            for file in files:
                here.out.line((word, "green"), f" {file}")
    for problem in done.problems:
        here.out.warn(problem)
    if not here.out.json and not (done.added or done.changed or done.removed):
        here.out.note(f"Nothing new in {counted((await space.notes.list()).total, 'note')}.")
    return done
