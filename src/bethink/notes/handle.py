"""The façade's part about notes."""

from __future__ import annotations

import asyncio
import builtins
from pathlib import Path

from bethink.core import Handle
from bethink.errors import NotFound
from bethink.notes.folder import NoteFile
from bethink.notes.lines import folded, matching
from bethink.notes.syncing import Notes
from bethink.records import Document
from bethink.shapes.fields import check_name, check_page, check_query
from bethink.shapes.notes import Note, NoteLine, NoteLines, NoteList, NotesSynced, NoteText
from bethink.text.secrets import Secrecy, masked_lines

LIMIT = 50


class AsyncNotes:
    """The notes of a space: Markdown and JSON files in a folder, which people and programs write."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def folder(self) -> Path | None:
        """Where the notes are; None when the database keeps no files."""
        core, space = await self._space.inside.here()
        return await core.part(Notes).folder(space)

    async def sync(self) -> NotesSynced:
        """Take in notes that are new or changed as documents, and remove those that are gone.

        A running server does so by itself, as soon as a file changes.
        """
        core, space = await self._space.inside.here()
        return await core.part(Notes).sync(space)

    async def list(self, *, kind: str | None = None) -> NoteList:
        """The notes, or those in one folder: `await memory.notes.list(kind="people")`."""
        core, space = await self._space.inside.here()
        _check_kind(kind)
        notes = core.part(Notes)
        await notes.sync(space)
        known = await notes.known(space)
        items = [_told(note, known.get(note.file)) for note in _of(kind, await notes.look(space))]
        return NoteList(items=items, total=len(items))

    async def search(self, text: str, *, kind: str | None = None, limit: int = LIMIT) -> NoteLines:
        """The lines that hold a text, whatever its case: `await memory.notes.search("budget")`.

        What means the like is found by `documents.search`.
        """
        core, space = await self._space.inside.here()
        check_page(limit)
        check_query(core.settings.limits, text)
        _check_kind(kind)
        notes = core.part(Notes)
        await notes.sync(space)
        there = _of(kind, await notes.look(space))
        wanted = folded(text.strip())
        found = await asyncio.to_thread(_lines, there, wanted, limit + 1, core.secrecy)
        return NoteLines(query=text, items=found[:limit], more=len(found) > limit)

    async def read(self, file: str, *, secrets: bool = False) -> NoteText:
        """A note as it is: `await memory.notes.read("people/anna.md")`."""
        core, space = await self._space.inside.here()
        for note in await core.part(Notes).look(space):
            if note.file == file and note.is_readable:
                text = await asyncio.to_thread(note.text)
                return await self._space.inside.shown(NoteText(file=file, text=text), secrets=secrets)
        raise NotFound(f"There is no note {file!r} in this space.", field="file")


def _check_kind(kind: str | None) -> None:
    if kind is not None:
        check_name(kind, "kind")


def _of(kind: str | None, notes: builtins.list[NoteFile]) -> builtins.list[NoteFile]:
    return [note for note in notes if kind in (None, note.kind)]


def _told(note: NoteFile, document: Document | None) -> Note:
    return Note(
        file=note.file, kind=note.kind, size_bytes=note.size, changed_at=note.changed_at,
        document_id=document.id if document else None, status=document.status if document else None,
        problem=document.problem if document else None,
    )  # fmt: skip


def _lines(
    notes: builtins.list[NoteFile], wanted: str, most: int, secrecy: Secrecy
) -> builtins.list[NoteLine]:
    """The lines that match, at most so many. Secrets are masked first, so that none is found by itself."""
    found: builtins.list[NoteLine] = []
    for note in notes:
        try:
            text = note.text() if note.is_readable else ""
        except OSError:
            continue  # it is gone again
        lines = text.split("\n")
        if next(matching(lines, wanted), None) and secrecy.masks:
            lines = masked_lines(text)
        for number, shown, marks in matching(lines, wanted):
            found.append(NoteLine(file=note.file, line=number, text=shown, marks=marks))
            if len(found) == most:
                return found
    return found
