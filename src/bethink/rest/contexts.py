"""/api/contexts: texts that are given to conversations."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from bethink.records import Context, Record
from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name
from bethink.shapes.inputs import ContextChange, ContextDraft

router = APIRouter(prefix="/api/contexts", tags=["sessions"], route_class=KeyRoute)

ContextId = Annotated[Name, Path(alias="id", description="The context's id.")]


class ContextList(Record):
    """Contexts, in the order they came."""

    items: list[Context]


@router.get("", summary="List contexts", response_description="The contexts.", responses=problems())
async def list_contexts(
    space: ReadSpace,
    session_id: Annotated[
        Name | None, Query(alias="sessionId", description="Only those given to this conversation.")
    ] = None,
) -> ContextList:
    """Every context of the space, or those given to a conversation."""
    return ContextList(items=await space.contexts.list(session=session_id))


@router.post(
    "",
    status_code=201,
    summary="Add a context",
    response_description="The context.",
    responses=problems(body=True),
)
async def add_context(draft: ContextDraft, space: WriteSpace, response: Response) -> Context:
    """Store a text that conversations can be given. What stands in it is not remembered from them again."""
    context = await space.contexts.add(draft.name, draft.content)
    response.headers["location"] = f"/api/contexts/{context.id}"
    return context


@router.get(
    "/{id:path}", summary="Get a context", response_description="The context.", responses=problems(404)
)
async def get_context(context_id: ContextId, space: ReadSpace, secrets: Secrets) -> Context:
    """One context by its id."""
    return await space.contexts.get(context_id, secrets=secrets)


@router.patch(
    "/{id:path}",
    summary="Change a context",
    response_description="The context as it is now.",
    responses=problems(404, body=True),
)
async def change_context(context_id: ContextId, change: ContextChange, space: WriteSpace) -> Context:
    """Change its name or its content; what is left out stays."""
    return await space.contexts.update(context_id, **change.model_dump(exclude_unset=True))


@router.delete(
    "/{id:path}",
    summary="Remove a context",
    response_description="What the context was.",
    responses=problems(404),
)
async def remove_context(context_id: ContextId, space: WriteSpace) -> Context:
    """Delete a context, and take it from every conversation."""
    return await space.contexts.remove(context_id)
