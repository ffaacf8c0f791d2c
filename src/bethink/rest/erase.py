"""/api/erase: every trace of something, gone, with a receipt."""

from __future__ import annotations

from fastapi import APIRouter

from bethink.rest.callers import WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.rights import EraseRequest, Receipt

router = APIRouter(prefix="/api/erase", tags=["data rights"], route_class=KeyRoute)


@router.post(
    "",
    summary="Erase for good",
    response_description="What was erased, and the proof; it holds nothing of what was erased.",
    responses=problems(404, body=True),
)
async def erase(asked: EraseRequest, space: WriteSpace) -> Receipt:
    """Erase memories, facts, a person, a conversation, all that holds a text, or everything in the space.

    Rows, versions, terms, vectors and the journal's content go; then every table and the index are searched
    for what was erased. `dryRun` only tells what would go.
    """
    return await space.erase(**asked.model_dump(exclude_unset=True))
