"""The notes of a space over HTTP. As the library has them."""

from __future__ import annotations

from pathlib import Path

from bethink.client.http import Http
from bethink.shapes.notes import NoteLines, NoteList, NotesSynced, NoteText


class ClientNotes:
    """The notes of a space: Markdown and JSON files in a folder of the server."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def folder(self) -> Path | None:
        """None: where the files are is the server's own business."""
        return None

    async def sync(self) -> NotesSynced:
        """Let the server take in notes that are new or changed now."""
        return await self._http.post("/api/notes/sync", NotesSynced)

    async def list(self, *, kind: str | None = None) -> NoteList:
        """The notes, or those in one folder."""
        return await self._http.get("/api/notes", NoteList, kind=kind)

    async def search(self, text: str, *, kind: str | None = None, limit: int = 50) -> NoteLines:
        """The lines that hold a text, whatever its case."""
        return await self._http.get("/api/notes/search", NoteLines, q=text, kind=kind, limit=limit)

    async def read(self, file: str, *, secrets: bool = False) -> NoteText:
        """A note as it is."""
        return await self._http.get("/api/notes/content", NoteText, file=file, secrets=secrets)
