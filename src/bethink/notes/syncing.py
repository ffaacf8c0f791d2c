"""Keeps the documents of a space as its notes are: those that are new or changed, and those that are gone."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import datetime
from pathlib import Path

from bethink.clock import now
from bethink.core import Core
from bethink.documents import changes
from bethink.documents.adding import Adding
from bethink.documents.blobs import Blobs
from bethink.errors import BethinkError
from bethink.files.folder import SpaceFiles
from bethink.notes.folder import LONGEST_NOTE, NOTES, NoteFile, delete_notes, notes_in
from bethink.records import Document, Space
from bethink.shapes.notes import NotesSynced
from bethink.store import documents

PREFIX = f"{changes.OWN}{NOTES}/"
ACTOR = "notes"
_Known = dict[tuple[str, str], tuple[int, datetime, str]]


class Notes:
    """The notes of every space."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._hashes: _Known = {}  # of files that have not changed since

    async def folder(self, space: Space) -> Path | None:
        """Where the notes are; None where there are no files."""
        folder = await self._core.part(SpaceFiles).folder_now(space)
        return folder / NOTES if folder else None

    async def look(self, space: Space) -> list[NoteFile]:
        """The notes as they are on disk."""
        folder = await self._core.part(SpaceFiles).folder_now(space)
        return await asyncio.to_thread(notes_in, folder, space.id)

    async def known(self, space: Space) -> dict[str, Document]:
        """The documents that notes are, by file."""
        found = await self._core.driver.read(documents.below_path, space.id, PREFIX)
        return {str(one.path).removeprefix(PREFIX): one for one in found}

    async def sync(self, space: Space) -> NotesSynced:
        """Take in what is new or changed, and remove what is gone. Documents are read by their own sweep."""
        if await self._core.part(SpaceFiles).folder_now(space) is None:
            return NotesSynced()
        async with self._locks[space.id]:
            return await self._sync(space)

    async def _sync(self, space: Space) -> NotesSynced:
        done = NotesSynced()
        notes = {note.file: note for note in await self.look(space)}
        known = await self.known(space)
        for file in [file for file in known if file not in notes]:
            await self._remove(space, known.pop(file))
            done.removed.append(file)
        hashes = {one.content_hash for one in known.values()}
        adding = Adding(self._core, space, ACTOR)
        for file, note in notes.items():
            try:
                if not note.is_readable:
                    if note.size:
                        done.problems.append(
                            f"{file} is longer than {LONGEST_NOTE:,} bytes; make it shorter."
                        )
                    continue
                content_hash, own = await asyncio.to_thread(self._hash, space, note), known.get(file)
                if own and own.content_hash == content_hash:
                    continue
                same = content_hash in hashes  # as another note, which is read once
                added = None if same else await adding.take(note.path, file, f"{PREFIX}{file}")
                if own and (added is None or added.document.id != own.id):
                    await self._remove(space, own)
            except (BethinkError, OSError) as error:
                done.problems.append(f"{file}: {getattr(error, 'message', None) or error}")
                continue
            hashes.add(content_hash)
            if own:
                done.changed.append(file)
            elif added and added.status == "stored":
                done.added.append(file)
        return done

    async def remove_all(self, space: Space) -> int:
        """Delete the notes from the disk; how many there were."""
        folder = await self._core.part(SpaceFiles).folder_now(space)
        return await asyncio.to_thread(delete_notes, folder, space.id)

    async def _remove(self, space: Space, document: Document) -> None:
        await self._core.driver.write(changes.remove, space, document.id, now(), ACTOR)
        await asyncio.to_thread(self._core.part(Blobs).drop, space, document.content_hash)
        await self._core.changed("document", space)

    def _hash(self, space: Space, note: NoteFile) -> str:
        """The hash of a note, worked out again only where the file is another."""
        kept = self._hashes.get((space.id, note.file))
        if kept is None or kept[:2] != (note.size, note.changed_at):
            kept = (note.size, note.changed_at, note.hash())
            self._hashes[space.id, note.file] = kept
        return kept[2]
