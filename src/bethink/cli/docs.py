"""bethink docs: the files of the knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation
from bethink.cli.output import Column, counted
from bethink.cli.people import add_group
from bethink.cli.progress import progress_bar
from bethink.documents.watch import changes
from bethink.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.shapes.documents import DocumentAdded, DocumentHit, DocumentProgress

_UNDER_WAY = ("queued", "parsing", "embedding")
Id = Annotated[str, typer.Argument(metavar="ID", help="The document's id.")]


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    commands: dict[str, Callable[..., Any]] = {
        "add": add,
        "list": list_documents,
        "search": search,
        "show": show,
        "remove": remove,
        "retry": retry,
    }
    add_group(app, panel, docs, commands)


def docs(context: typer.Context) -> None:
    """The knowledge base: files that are kept, read, and searched."""


async def add(
    here: Invocation,
    paths: Annotated[
        list[str], typer.Argument(metavar="FILE|DIR", help="What to add; of a folder, all in it.")
    ],
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on: take in what is new or changed, until Ctrl-C.")
    ] = False,
) -> None:
    """Add files, and wait until they can be searched.

    A file that is another by now takes the place of the one that came from the same path before.
    """
    files = list(_files(paths))
    async with here.reading() as space:
        taken = [await _take(here, space, path) for path in files]
        added = [one for one in taken if one]
        failed = len(taken) - len(added) + sum([not await _read(here, space, one) for one in added])
        if here.out.json:
            here.out.data([one.document.id for one in added])
        if watch:
            here.out.note("Watching; Ctrl-C ends it.")
            await _follow(here, space, paths)
    if failed:
        raise typer.Exit(1)


async def _follow(here: Invocation, space: AsyncSpace, paths: list[str]) -> None:
    """Take in what is new or changed, for good. What is deleted stays a document."""
    async with aclosing(changes(paths)) as seen:
        async for _ in seen:
            for path in _files(paths, missing=True):
                added = await _take(here, space, path)
                if added and added.status != "duplicate":
                    await _read(here, space, added)


async def _take(here: Invocation, space: AsyncSpace, path: Path) -> DocumentAdded | None:
    """Add a file; one that cannot be taken in, as when it is empty, is told, and keeps no other from it."""
    try:
        return await space.documents.add(path, follow=True)
    except (NotFound, InvalidInput) as error:
        here.out.warn(f"{path.name}: {error.message}")
        return None


async def _read(here: Invocation, space: AsyncSpace, added: DocumentAdded) -> bool:
    """Wait until a document is ready, and tell how it went."""
    document = added.document
    with progress_bar(here.out, f"Reading {document.name}") as bar:

        def told(seen: DocumentProgress) -> None:
            bar(seen.embedded, seen.passages or None, None)

        seen = await space.documents.wait(document.id, progress=told)
    if here.out.json:
        return seen.status != "failed"
    if seen.status == "failed":
        here.out.warn(f"{document.name}: {seen.problem}")
        return False
    known = {"duplicate": "known", "replaced": "replaced", "stored": "added"}[added.status]
    here.out.line((known, "green"), f" {document.id} {document.name}, {counted(seen.passages, 'passage')}")
    if seen.problem:
        here.out.note(seen.problem)
    return True


def _files(paths: list[str], *, missing: bool = False) -> Iterator[Path]:
    """The files that are meant; hidden ones in a folder are not. Some may be `missing` by now."""
    for one in map(Path, paths):
        if one.is_dir():
            inside = (path for path in sorted(one.rglob("*")) if path.is_file())
            yield from (path for path in inside if not _is_hidden(path.relative_to(one)))
        elif one.exists():
            yield one
        elif not missing:
            raise NotFound(f"There is no file {str(one)!r}.", field="source")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "~$")) for part in path.parts)


async def list_documents(
    here: Invocation,
    status: Annotated[
        str | None,
        typer.Option(
            metavar="STATE", help="Only those in this state: queued, parsing, embedding, ready, failed."
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Documents at most.")] = 50,
) -> None:
    """List the documents, newest first."""
    async with here.reading() as space:
        found = await space.documents.list(limit=limit, status=status)
    if here.out.json:
        here.out.data(found)
    elif found.items:
        columns = (
            Column("Id"), Column("Name", style="cyan", wraps=True), Column("Kind"), Column("State"),
            Column("Passages", right=True), Column("Problem", wraps=True),
        )  # fmt: skip
        rows = [
            [one.id, one.name, one.kind, one.status.value, f"{one.passages:,}", one.problem or ""]
            for one in found.items
        ]
        here.out.table(columns, rows)
        if any(one.status in _UNDER_WAY for one in found.items):
            here.out.note("Those under way go on in a running server, or with: bethink upkeep run documents")
        if found.total > len(found.items):
            here.out.note(f"{found.total - len(found.items):,} more; --limit shows them.")
    else:
        here.out.note("There are no documents yet. Begin with: bethink docs add handbook.pdf")


async def search(
    here: Invocation,
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads it from standard input.")
    ],
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Passages at most.")] = 5,
    document: Annotated[
        list[str] | None, typer.Option("--in", metavar="ID", help="Only in this document; may be repeated.")
    ] = None,
) -> None:
    """Find the passages that answer, and where they stand."""
    async with here.reading() as space:
        found = await space.documents.search(text_of(query), limit=limit, document_ids=document or None)
    if here.out.json:
        here.out.data(found)
        return
    for problem in found.degraded:
        here.out.warn(f"{problem} ('bethink doctor' says what to do)")
    for number, hit in enumerate(found.hits, 1):
        here.out.line((f"{number}. {hit.citation}", "cyan"), (f"  {hit.score:.3f}  {hit.document_id}", "dim"))
        here.out.line("   ", *_marked(hit))
    if not found.hits:
        here.out.note("Nothing found. Try other words, or see with 'bethink docs list' what is there.")


def _marked(hit: DocumentHit) -> Iterator[str | tuple[str, str]]:
    """The snippet on one line, with the words that match in bold."""
    at = 0
    for first, last in hit.marks:
        yield _one_line(hit.snippet[at:first])
        yield _one_line(hit.snippet[first:last]), "bold"
        at = last
    yield _one_line(hit.snippet[at:])


def _one_line(text: str) -> str:
    return text.replace("\n", " ")


async def show(
    here: Invocation,
    document_id: Id,
    offset: Annotated[int, typer.Option(metavar="N", help="Characters to skip.")] = 0,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Characters at most.")] = None,
) -> None:
    """Print the text of a document."""
    async with here.reading() as space:
        found = await space.documents.text(document_id, offset=offset, limit=limit)
    if here.out.json:
        here.out.data(found)
    else:
        here.out.line(found.text)


async def remove(here: Invocation, document_id: Id) -> None:
    """Delete a document with its passages and its file."""
    async with here.reading() as space:
        gone = await space.documents.remove(document_id)
    if here.out.json:
        here.out.data(gone)
    else:
        here.out.line(("removed", "green"), f" {gone.id} {gone.name}")


async def retry(here: Invocation, document_id: Id) -> None:
    """Read a document again that failed."""
    async with here.reading() as space:
        queued = await space.documents.retry(document_id)
        seen = await space.documents.wait(queued.id)
    if here.out.json:
        here.out.data(seen)
    else:
        here.out.line(f"{queued.name}: {seen.status.value} {seen.problem or ''}".rstrip())
    if seen.status == "failed":
        raise typer.Exit(1)
