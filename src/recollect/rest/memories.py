"""/api/memory: store, list, search, change and forget memories."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from recollect.errors import InvalidInput
from recollect.inputs import Content, MemoryChange, MemoryDraft, Name, Names, RecallRequest
from recollect.memory import AsyncSpace
from recollect.outcomes import RecallResult, Remembered, Status
from recollect.records import Layer, Memory, MemoryType, Utc
from recollect.rest.callers import ReadSpace, WriteSpace
from recollect.rest.pages import MemoryPage, Piece
from recollect.rest.routes import KeyRoute, problems

SEARCH_DEPTH = 200  # the most that one recall brings back

MemoryId = Annotated[Name, Path(alias="id", description="The memory's id.")]

router = APIRouter(prefix="/api/memory", tags=["memories"], route_class=KeyRoute)


@dataclass(frozen=True)
class Chosen:
    """Which memories to list."""

    types: Annotated[list[MemoryType] | None, Query(alias="type", description="Of this type.")] = None
    session_ids: Annotated[Names | None, Query(alias="sessionId", description="From this conversation.")] = (
        None
    )
    person_ids: Annotated[Names | None, Query(alias="personId", description="About this person.")] = None
    tags: Annotated[Names | None, Query(alias="tag", description="With this tag.")] = None
    sources: Annotated[Names | None, Query(alias="source", description="From this source.")] = None
    categories: Annotated[Names | None, Query(alias="category", description="In this category.")] = None
    pinned: Annotated[bool | None, Query(description="Only pinned ones, or only those that are not.")] = None
    since: Annotated[Utc | None, Query(description="Observed at this time or later.")] = None
    until: Annotated[Utc | None, Query(description="Observed before this time.")] = None


@router.post(
    "",
    status_code=201,
    summary="Store a memory",
    response_description="The memory was stored.",
    responses=problems(409, body=True)
    | {200: {"model": Remembered, "description": "It was known: merged, or a duplicate left as it was."}},
)
async def remember(draft: MemoryDraft, space: WriteSpace, response: Response) -> Remembered:
    """Store a memory. The outcome says what happened: stored, merged into a known one, or a duplicate."""
    outcome = (await space.remember_many([draft]))[0]
    if outcome.status is not Status.STORED:
        response.status_code = 200
    response.headers["location"] = f"/api/memory/{outcome.id}"
    return outcome


@router.get(
    "",
    summary="List or search memories",
    response_description="The memories, and their place in the whole list.",
    responses=problems(),
)
async def list_memories(
    space: ReadSpace,
    chosen: Annotated[Chosen, Depends()],
    piece: Annotated[Piece, Depends()],
    q: Annotated[Content | None, Query(description="Find memories that answer this, best first.")] = None,
) -> MemoryPage:
    """Memories, newest first; with `q`, those that answer it, best first and 200 deep.

    A filter given several times matches any of its values.
    """
    if q is None:
        found = await space.list(**asdict(chosen), limit=piece.limit, offset=piece.start)
        total = await space.count(**asdict(chosen))
    else:
        found, total = await _search(space, q, chosen, piece), None
    page = piece.start // piece.limit + 1
    return MemoryPage(items=found, total=total, page=page, limit=piece.limit, offset=piece.start)


@router.post(
    "/search",
    summary="Recall memories",
    response_description="The hits, best first, with every part of their scores.",
    responses=problems(body=True),
)
async def search(request: RecallRequest, space: ReadSpace) -> RecallResult:
    """Find the memories that answer a query, with how each score came about and what was degraded."""
    if request.layers is not None and set(request.layers) != {Layer.MEMORY}:
        raise InvalidInput(
            "layers: only memories are searched here; POST /api/search searches every layer.", field="layers"
        )
    return await space.recall(**request.model_dump(exclude_unset=True) | {"layers": [Layer.MEMORY]})


@router.get(
    "/{id}",
    summary="Get a memory",
    response_description="The memory.",
    responses=problems(404),
)
async def get_memory(memory_id: MemoryId, space: ReadSpace) -> Memory:
    """One memory by its id."""
    return await space.get(memory_id)


@router.patch(
    "/{id}",
    summary="Change a memory",
    response_description="The memory as it is now.",
    responses=problems(404, 409, body=True),
)
@router.put(
    "/{id}",
    summary="Change a memory, for clients that have no PATCH",
    operation_id="putMemory",
    response_description="The memory as it is now.",
    responses=problems(404, 409, body=True),
)
async def change_memory(memory_id: MemoryId, change: MemoryChange, space: WriteSpace) -> Memory:
    """Change the fields that are sent; the others stay. Metadata is merged one level deep."""
    return await space.update(memory_id, **change.model_dump(exclude_unset=True))


@router.delete(
    "/{id}",
    summary="Forget a memory",
    response_description="What the memory was.",
    responses=problems(404),
)
async def forget_memory(memory_id: MemoryId, space: WriteSpace) -> Memory:
    """Delete a memory, from the index too; the journal keeps what it was."""
    return (await space.forget(memory_id))[0]


async def _search(space: AsyncSpace, query: str, chosen: Chosen, piece: Piece) -> list[Memory]:
    depth = piece.start + piece.limit
    if depth > SEARCH_DEPTH:
        raise InvalidInput(
            f"offset: a search goes {SEARCH_DEPTH} deep; ask for less with limit, page or offset.",
            field="offset",
        )
    result = await space.recall(query, layers=[Layer.MEMORY], limit=depth, **asdict(chosen))
    return [hit.record for hit in result.hits[piece.start :] if isinstance(hit.record, Memory)]
