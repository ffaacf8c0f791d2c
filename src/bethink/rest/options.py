"""/api/settings/memory: what is switched and tuned while the server runs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from bethink.records import Role
from bethink.rest.callers import Asking, ReadSpace, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Names
from bethink.shapes.options import SERVER_WIDE, OptionsChange, Scope, SpaceOptions

router = APIRouter(prefix="/api/settings/memory", tags=["settings"], route_class=KeyRoute)

ScopeQuery = Annotated[Scope, Query(description="For this space, or for the whole server (admin keys).")]


@router.get("", summary="Get the options", response_description="The options.", responses=problems())
async def get_options(space: ReadSpace) -> SpaceOptions:
    """What holds in the space, and which of it was chosen there or for the server."""
    return await space.options.get()


@router.get(
    "/schema",
    summary="Get the shape of the options",
    response_description="A JSON schema.",
    responses=problems(),
)
async def get_options_schema(space: ReadSpace) -> dict[str, Any]:  # noqa: ARG001  (a key is needed all the same)
    """Every option with its type, bounds, default and meaning, for forms."""
    return OptionsChange.model_json_schema()


@router.put(
    "",
    summary="Change options",
    response_description="The options as they are now.",
    responses=problems(body=True),
)
async def put_options(
    change: OptionsChange, space: WriteSpace, asking: Asking, scope: ScopeQuery = "space"
) -> SpaceOptions:
    """Change the options that are sent; the others stay.

    The embedding source, the rerank model and the vector store are the server's, so they need an admin key.
    """
    if scope == "server" or SERVER_WIDE & change.model_fields_set:
        asking.require(Role.ADMIN)
    return await space.options.update(scope=scope, **change.model_dump(exclude_unset=True))


@router.delete(
    "",
    summary="Take back options",
    response_description="The options as they are now.",
    responses=problems(),
)
async def reset_options(
    space: WriteSpace,
    asking: Asking,
    scope: ScopeQuery = "space",
    name: Annotated[Names | None, Query(description="Which; all of them when left out.")] = None,
) -> SpaceOptions:
    """Take back what was chosen, so that the server's options, or its settings, hold again."""
    names = [_snake(one) for one in name or ()]
    if scope == "server" or SERVER_WIDE & set(names):
        asking.require(Role.ADMIN)
    return await space.options.reset(*names, scope=scope)


def _snake(name: str) -> str:
    by_alias = {field.alias: key for key, field in OptionsChange.model_fields.items()}
    return by_alias.get(name, name)
