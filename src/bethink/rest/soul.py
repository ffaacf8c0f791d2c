"""/api/soul, /api/narrative and /api/raw: a space's own texts, and the files that mirror them."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from bethink.records import Record
from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Text
from bethink.shapes.outcomes import FilesSynced

router = APIRouter(prefix="/api", tags=["prompt"], route_class=KeyRoute)


class Content(Record):
    """A text; empty where there is none."""

    content: Text


class Raw(Record):
    """The files of a space as they are."""

    soul: str = Field(description="SOUL.md.")
    memory: str = Field(description="MEMORY.md: the promoted facts, at most 20.")


class ChangedMemory(Record):
    """MEMORY.md as somebody changed it."""

    memory: Text
    base: Text | None = Field(
        None, description="The text that was changed; what others did meanwhile is then not undone."
    )


@router.get("/soul", summary="Get the soul", response_description="The soul.", responses=problems())
async def get_soul(space: ReadSpace, secrets: Secrets) -> Content:
    """The owner's own words about how the assistant is to be; they lead every prompt."""
    return Content(content=await space.texts.soul(secrets=secrets))


@router.put(
    "/soul",
    summary="Set the soul",
    response_description="The soul as it is now.",
    responses=problems(body=True),
)
async def put_soul(text: Content, space: WriteSpace) -> Content:
    """Replace the soul, and SOUL.md where there are files."""
    return Content(content=await space.texts.set_soul(text.content))


@router.get(
    "/narrative", summary="Get the narrative", response_description="The narrative.", responses=problems()
)
async def get_narrative(space: ReadSpace) -> Content:
    """What is remembered about the user, as one text."""
    return Content(content=await space.texts.narrative())


@router.put(
    "/narrative",
    summary="Set the narrative",
    response_description="The narrative as it is now.",
    responses=problems(body=True),
)
async def put_narrative(text: Content, space: WriteSpace) -> Content:
    """Replace the narrative."""
    return Content(content=await space.texts.set_narrative(text.content))


@router.get("/raw", summary="Get SOUL.md and MEMORY.md", response_description="Both.", responses=problems())
async def get_raw(space: ReadSpace) -> Raw:
    """What SOUL.md and MEMORY.md hold, after edits of the files were taken in."""
    return Raw(soul=await space.texts.soul(), memory=await space.texts.memory_file())


@router.put(
    "/raw",
    summary="Change MEMORY.md",
    response_description="What was taken in, and what could not be.",
    responses=problems(body=True),
)
async def put_raw(change: ChangedMemory, space: WriteSpace) -> FilesSynced:
    """Set and end promoted facts by the lines of MEMORY.md, as an edit of the file does. An empty text is
    refused.
    """
    return await space.texts.set_memory_file(change.memory, base=change.base)


@router.post(
    "/raw/sync",
    summary="Take in edits of the files",
    response_description="What was taken in, and what could not be.",
    responses=problems(),
)
async def sync_files(space: WriteSpace) -> FilesSynced:
    """Bring SOUL.md and MEMORY.md and the database together now, rather than with the next prompt."""
    return await space.texts.sync()
