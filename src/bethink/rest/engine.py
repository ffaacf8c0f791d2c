"""/api/memory/engine-status and its like: how memories are searched, tried out, checked, and indexed anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import StreamingResponse

from bethink.memory import AsyncSpace
from bethink.records import Record
from bethink.rest.admission import in_turn
from bethink.rest.callers import ReadSpace, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.status import (
    ChatHealth,
    EmbeddingSources,
    EngineStatus,
    Health,
    Preview,
    ReindexStarted,
    ReindexStatus,
)

LOOK_SECONDS = 0.25  # between two looks at the progress of a reindex
ALIVE_SECONDS = 15.0  # a stream with nothing new says so, or proxies would close it
_EVENT = {
    "type": "object",
    "properties": {"event": {"type": "string", "enum": ["progress", "done"]}, "data": {"type": "string"}},
    "required": ["event", "data"],
}
_EVENTS: dict[str, Any] = {"text/event-stream": {"schema": _EVENT}}

router = APIRouter(prefix="/api/memory", tags=["engine"], route_class=KeyRoute)


class ReindexRequest(Record):
    """What to make anew."""

    force: bool = Field(
        False, description="The whole index, not only vectors that are missing or out of date."
    )


@router.get(
    "/engine-status",
    summary="How memories are searched",
    response_description="Every part of the engine, and what is wrong with it.",
    responses=problems(),
)
async def get_engine_status(space: ReadSpace) -> EngineStatus:
    """Terms, embedding source and why, vector store, counts, what awaits vectors, reranker, last errors."""
    return await space.index.status()


@router.get(
    "/embedding-providers",
    summary="Where vectors can come from",
    response_description="Every embedding source.",
    responses=problems(),
)
async def list_embedding_providers(space: ReadSpace) -> EmbeddingSources:
    """Every embedding source: whether it could be chosen, whether it has a key, its model, and why not."""
    return EmbeddingSources(items=await space.index.sources())


@router.post(
    "/retrieve-preview",
    summary="Try a recall out",
    response_description="What it would bring back, with every part of the scores.",
    responses=problems(body=True),
)
async def preview_recall(request: RecallRequest, space: ReadSpace, http: Request) -> Preview:
    """What a recall of every layer would bring back: the same as `POST /api/search`, with what it was made
    and how long each stage took. Nothing is counted as used.
    """
    return await in_turn(http, lambda: space.index.preview(**request.model_dump(exclude_unset=True)))


@router.get(
    "/health",
    summary="Does memory work?",
    response_description="Whether it does, and if not, why.",
    responses=problems(),
)
async def check_memory(space: ReadSpace) -> Health:
    """Write something, find it by its words and by its vector, and delete it; no trace of it stays.

    `working` is false when a step fails or anything is degraded, and `reasons` says what.
    """
    return await space.index.check()


@router.post(
    "/chat-check",
    summary="Does the chat model answer?",
    response_description="Whether it does, and if not, why.",
    responses=problems(),
)
async def check_chat(space: WriteSpace) -> ChatHealth:
    """Ask the chat model for one word, which costs a few tokens."""
    return await space.index.check_chat()


@router.post(
    "/reindex",
    status_code=202,
    summary="Make vectors anew",
    response_description="Whether it was started, and how much there is to make.",
    responses=problems(body=True),
)
async def start_reindex(space: WriteSpace, wanted: ReindexRequest | None = None) -> ReindexStarted:
    """Make the vectors that are missing or of another model, in the background. Search goes on meanwhile."""
    return await space.index.start_reindex(force=wanted.force if wanted else False)


@router.get(
    "/reindex",
    summary="How far a reindex is",
    response_description="Its progress.",
    responses=problems(),
)
async def get_reindex(space: ReadSpace) -> ReindexStatus:
    """How far it has come, and what is still to be made."""
    return await space.index.reindex_status()


@router.get(
    "/reindex/events",
    summary="Follow a reindex",
    response_class=StreamingResponse,
    response_description="Its progress as server-sent events.",
    responses=problems()
    | {
        200: {
            "content": _EVENTS,
            "description": "Events `progress`, and `done` at the end, each with a status.",
        }
    },
)
async def follow_reindex(space: ReadSpace) -> StreamingResponse:
    """Its progress as server-sent events: `progress` whenever it changes, and `done` at the end."""
    await space.index.reindex_status()  # what can go wrong goes wrong before the answer has begun
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_events(space), media_type="text/event-stream", headers=headers)


async def _events(space: AsyncSpace) -> AsyncIterator[str]:
    last, quiet = None, 0.0
    while True:
        status = await space.index.reindex_status()
        if not status.running:
            yield f"event: done\ndata: {status.model_dump_json(by_alias=True)}\n\n"
            return
        if status != last:
            yield f"event: progress\ndata: {status.model_dump_json(by_alias=True)}\n\n"
            last, quiet = status, 0.0
        elif quiet >= ALIVE_SECONDS:
            yield ": still at it\n\n"
            quiet = 0.0
        await asyncio.sleep(LOOK_SECONDS)
        quiet += LOOK_SECONDS
