"""/api/spaces: the isolated pools of memory, as a whole. For admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from bethink.records import Record
from bethink.rest.callers import Admin
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.accounts import ListedSpace, SpaceChange, SpaceDraft
from bethink.shapes.fields import Name
from bethink.shapes.rights import Receipt
from bethink.spaces.handle import AsyncSpaces

router = APIRouter(prefix="/api/spaces", tags=["spaces"], route_class=KeyRoute)

# A space may have any name, also one with slashes: hence `path`.
SpaceName = Annotated[Name, Path(alias="name", description="The space's name, percent-encoded.")]


class SpaceList(Record):
    """Spaces, in the order they were made."""

    items: list[ListedSpace]


@router.get("", summary="List spaces", response_description="The spaces.", responses=problems())
async def list_spaces(admin: Admin) -> SpaceList:
    """Every space, and how many memories, messages, facts, people and active keys it has."""
    return SpaceList(items=await AsyncSpaces(admin).list())


@router.post(
    "",
    status_code=201,
    summary="Make a space",
    response_description="The space.",
    responses=problems(409, body=True),
)
async def create_space(draft: SpaceDraft, admin: Admin) -> ListedSpace:
    """Make a space; the first write to a space that is not there makes it too."""
    return await AsyncSpaces(admin).create(draft.name, display_name=draft.display_name)


@router.get("/{name:path}", summary="Get a space", response_description="The space.", responses=problems(404))
async def get_space(name: SpaceName, admin: Admin) -> ListedSpace:
    """One space, and how much it holds."""
    return await AsyncSpaces(admin).get(name)


@router.patch(
    "/{name:path}",
    summary="Rename a space",
    response_description="The space as it is now.",
    responses=problems(404, 409, body=True),
)
async def rename_space(name: SpaceName, change: SpaceChange, admin: Admin) -> ListedSpace:
    """Change how people know it, or the name that requests use. Its keys go on opening it."""
    return await AsyncSpaces(admin).rename(name, **change.model_dump(exclude_unset=True))


@router.delete(
    "/{name:path}",
    summary="Delete a space and everything in it",
    response_description="What went, and the proof that it is gone.",
    responses=problems(404, 409),
)
async def delete_space(
    name: SpaceName,
    admin: Admin,
    confirm: Annotated[Name, Query(description="The space's name again: all that it holds will be gone.")],
) -> Receipt:
    """Erase all that the space holds, its keys, and the space itself. There is no undo."""
    return await AsyncSpaces(admin).delete(name, confirm=confirm)
