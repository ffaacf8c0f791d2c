"""/api/notes: Markdown and JSON files in a folder of the server, which people and programs write."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name, Text
from bethink.shapes.notes import NoteLines, NoteList, NotesSynced, NoteText

router = APIRouter(prefix="/api/notes", tags=["documents"], route_class=KeyRoute)

Kind = Annotated[Name | None, Query(description="Only those in this folder, such as `people`.")]


@router.get("", summary="List notes", response_description="The notes.", responses=problems())
async def list_notes(space: ReadSpace, kind: Kind = None) -> NoteList:
    """The notes of the space by their names, each with its state as a document."""
    return await space.notes.list(kind=kind)


@router.get(
    "/search", summary="Search the notes", response_description="Lines of notes.", responses=problems()
)
async def search_notes(
    space: ReadSpace,
    text: Annotated[Text, Query(alias="q", description="What the lines hold, in whatever case.")],
    kind: Kind = None,
    limit: Limit = 50,
) -> NoteLines:
    """The lines that hold a text, with file and number; `/api/documents/search` finds what means the like."""
    return await space.notes.search(text, kind=kind, limit=limit)


@router.get("/content", summary="Get a note", response_description="The note.", responses=problems(404))
async def get_note(
    space: ReadSpace,
    file: Annotated[Name, Query(description="Its place in the folder, such as `people/anna.md`.")],
    secrets: Secrets,
) -> NoteText:
    """A note as it is."""
    return await space.notes.read(file, secrets=secrets)


@router.post("/sync", summary="Take in notes", response_description="What changed.", responses=problems())
async def sync_notes(space: WriteSpace) -> NotesSynced:
    """Take in notes that are new or changed now; a running server also does so by itself."""
    return await space.notes.sync()
