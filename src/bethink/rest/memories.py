"""/api/memory: store, list, search, change and forget memories."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from bethink.errors import InvalidInput
from bethink.records import Layer, Memory, MemoryType, Utc
from bethink.rest.admission import in_turn
from bethink.rest.callers import Asking, ReadSpace, Secrets, WriteSpace
from bethink.rest.pages import MemoryListing, MemoryStats, Piece
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Content, Name, Names, Title
from bethink.shapes.inputs import CompactRequest, MemoryChange, MemoryDraft, RecallRequest
from bethink.shapes.outcomes import Compaction, Forgotten, MemoryPage, RecallResult, Remembered, Status
from bethink.shapes.rights import Cursor

MemoryId = Annotated[Name, Path(alias="id", description="The memory's id.")]
Reason = Annotated[Title | None, Query(description="Why, for the journal.")]

router = APIRouter(prefix="/api/memory", tags=["memories"], route_class=KeyRoute)


@dataclass(frozen=True)
class ChosenMemories:
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
    archived: Annotated[bool, Query(description="Those that are archived, rather than the others.")] = False
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
    http: Request,
    chosen: Annotated[ChosenMemories, Depends()],
    piece: Annotated[Piece, Depends()],
    secrets: Secrets,
    q: Annotated[Content | None, Query(description="Find memories that answer this, best first.")] = None,
    cursor: Annotated[
        Cursor | None,
        Query(description="The `nextCursor` of the piece before, with the same `q` and filters."),
    ] = None,
) -> MemoryListing:
    """Memories, newest first; with `q`, those that answer it, best first and 200 deep.

    A filter given several times matches any of its values. A `cursor` goes on where the piece before ended,
    with nothing twice and nothing left out, whatever is stored meanwhile; it goes before `offset` and `page`.
    """
    start = 0 if cursor else piece.start

    def listed() -> Awaitable[MemoryPage]:
        return space.page(
            query=q, **asdict(chosen), limit=piece.limit, offset=start, cursor=cursor, secrets=secrets
        )

    found = await (in_turn(http, listed) if q else listed())
    cache = await space.index.cache()
    return MemoryListing(
        items=found.items,
        total=found.total,
        page=None if cursor else piece.number,
        limit=piece.limit,
        offset=None if cursor else piece.start,
        next_cursor=found.next_cursor,
        superseded_by=found.superseded_by,
        stats=MemoryStats(total=found.total, tokens_used=found.tokens, hit_rate=cache.hit_rate),
        cache_stats=cache,
    )


@router.post(
    "/search",
    summary="Recall memories",
    response_description="The hits, best first, with every part of their scores.",
    responses=problems(body=True),
)
async def search(request: RecallRequest, space: ReadSpace, asking: Asking, http: Request) -> RecallResult:
    """Find the memories that answer a query, with how each score came about and what was degraded.

    `secrets` needs a key that may write in the space.
    """
    if request.secrets:
        asking.require_writing(space)
    if request.layers is not None and set(request.layers) != {Layer.MEMORY}:
        raise InvalidInput(
            "layers: only memories are searched here; POST /api/search searches every layer.", field="layers"
        )
    asked = request.model_dump(exclude_unset=True) | {"layers": [Layer.MEMORY]}
    return await in_turn(http, lambda: space.recall(**asked))


@router.post(
    "/summarize",
    summary="Compact old memories",
    response_description="How many memories were compacted, or would be, and the tokens that this saves.",
    responses=problems(body=True),
)
async def compact(space: WriteSpace, wanted: CompactRequest | None = None) -> Compaction:
    """Let one memory tell of many that are older than `olderThanDays`, which are archived and kept.

    With `maxTokens` instead: the newest memories, of `sessionId` where it is given, stay whole while they
    fit, and of the others their first three sentences stay. Ask with `dryRun` first.
    """
    asked = wanted or CompactRequest()
    if asked.max_tokens is None:
        return await space.compact(older_than_days=asked.older_than, dry_run=asked.dry_run)
    return await space.condense(asked.session_id, max_tokens=asked.max_tokens, dry_run=asked.dry_run)


@router.get(
    "/{id:path}",
    summary="Get a memory",
    response_description="The memory.",
    responses=problems(404),
)
async def get_memory(memory_id: MemoryId, space: ReadSpace, secrets: Secrets) -> Memory:
    """One memory by its id."""
    return await space.get(memory_id, secrets=secrets)


@router.patch(
    "/{id:path}",
    summary="Change a memory",
    response_description="The memory as it is now.",
    responses=problems(404, 409, body=True),
)
async def change_memory(
    memory_id: MemoryId, change: MemoryChange, space: WriteSpace, reason: Reason = None
) -> Memory:
    """Change the fields that are sent; the others stay. Metadata is merged one level deep."""
    return await space.update(memory_id, reason=reason, **change.model_dump(exclude_unset=True))


@router.put(
    "/{id:path}",
    summary="Replace a memory",
    response_description="The memory as it is now.",
    responses=problems(404, 409, body=True),
)
async def replace_memory(
    memory_id: MemoryId, draft: MemoryDraft, space: WriteSpace, reason: Reason = None
) -> Memory:
    """Make a memory what is sent: a field that is left out has its default again, tags and metadata too.

    Only `observedAt` stays as it was when it is left out.
    """
    return await space.replace(memory_id, reason=reason, **draft.model_dump(exclude_unset=True))


@router.post(
    "/{id:path}/pin",
    summary="Pin a memory",
    response_description="The memory, pinned.",
    responses=problems(404),
)
async def pin_memory(memory_id: MemoryId, space: WriteSpace) -> Memory:
    """Pin a memory, so that it ranks higher and does not age. `PATCH` with `pinned` does the same."""
    return await space.pin(memory_id)


@router.delete(
    "/{id:path}/pin",
    summary="Unpin a memory",
    response_description="The memory, no longer pinned.",
    responses=problems(404),
)
async def unpin_memory(memory_id: MemoryId, space: WriteSpace) -> Memory:
    """Let a memory rank and age like others again."""
    return await space.pin(memory_id, pinned=False)


@router.delete(
    "",
    summary="Forget many memories",
    response_description="How many memories were forgotten, or would be, and some of them.",
    responses=problems(),
    openapi_extra={"x-sample-query": ["tag=…", "dryRun=true"]},
)
async def forget_memories(
    space: WriteSpace,
    chosen: Annotated[ChosenMemories, Depends()],
    dry_run: Annotated[
        bool, Query(alias="dryRun", description="Only say how many that would be, with a sample.")
    ] = False,
    reason: Reason = None,
) -> Forgotten:
    """Delete all memories that the filters choose, which are those of the list; at least one is needed.

    The journal keeps what they were. Ask with `dryRun` first.
    """
    return await space.forget_many(**asdict(chosen), dry_run=dry_run, reason=reason)


@router.delete(
    "/{id:path}",
    summary="Forget a memory",
    response_description="What the memory was.",
    responses=problems(404),
)
async def forget_memory(memory_id: MemoryId, space: WriteSpace, reason: Reason = None) -> Memory:
    """Delete a memory, from the index too; the journal keeps what it was."""
    return (await space.forget(memory_id, reason=reason))[0]
