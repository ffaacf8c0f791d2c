"""/api/documents: files that are kept, read, and searched."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import IO, Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from bethink.memory import FARTHEST, PAGE_LIMIT, AsyncSpace
from bethink.records import Document, DocumentStatus, Record
from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.documents import (
    DocumentAdded,
    DocumentPage,
    DocumentProgress,
    DocumentResults,
    DocumentText,
    UploadProgress,
)
from bethink.shapes.fields import Name, Names, Text

IN_MEMORY_BYTES = 1 << 20  # a larger file waits in one that has no name
_EVENTS = "text/event-stream"
_EVENT = {
    "type": "object",
    "properties": {"event": {"type": "string", "enum": ["progress"]}, "data": {"type": "string"}},
    "required": ["event", "data"],
}
_BYTES = "application/octet-stream"
_FILE: dict[str, Any] = {_BYTES: {"schema": {"type": "string", "format": "binary"}}}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The bytes of the file.",
        "content": _FILE,
    }
}
_ADDED: dict[str, Any] = {**_BODY, "x-sample-query": ["name=handbook.txt"]}
_PIECE: dict[str, Any] = {**_BODY, "x-sample-query": ["name=handbook.txt", "size=1000"]}

router = APIRouter(prefix="/api/documents", tags=["documents"], route_class=KeyRoute)

DocumentId = Annotated[Name, Path(alias="id", description="The document's id.")]
FileName = Annotated[Name, Query(description="What the file is called, such as `handbook.pdf`.")]
Hash = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="The SHA-256 of the whole file.")]


class DocumentSearch(Record):
    """What to look for in the documents."""

    query: Text
    limit: int = Field(5, ge=1, le=PAGE_LIMIT)
    document_ids: Names | None = Field(None, description="Only in these; an empty list matches nothing.")


@router.get("", summary="List documents", response_description="The documents.", responses=problems())
async def list_documents(
    space: ReadSpace,
    limit: Limit = 50,
    offset: Annotated[int, Query(ge=0, le=FARTHEST, description="How many to skip.")] = 0,
    status: Annotated[DocumentStatus | None, Query(description="Only those in this state.")] = None,
) -> DocumentPage:
    """The documents of the space, newest first, each with its state."""
    return await space.documents.list(limit=limit, offset=offset, status=status)


@router.post(
    "",
    status_code=201,
    summary="Add a document",
    response_description="What became of the file.",
    responses=problems(body=True),
    openapi_extra=_ADDED,
)
async def add_document(
    request: Request, response: Response, space: WriteSpace, name: FileName
) -> DocumentAdded:
    """Keep a file, and have it read soon; the same file twice is one document.

    Its state says how far it is: `queued`, `parsing`, `embedding`, `ready`, or `failed` and why.
    """
    with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as kept:
        await _received(request, kept)
        added = await space.documents.add(kept, name)
    response.headers["location"] = f"/api/documents/{added.document.id}"
    return added


@router.post(
    "/search",
    summary="Search the documents",
    response_description="The passages that answer.",
    responses=problems(body=True),
)
async def search_documents(wanted: DocumentSearch, space: ReadSpace) -> DocumentResults:
    """The passages that answer, best first, with file, page, headings, and the words that match."""
    return await space.documents.search(wanted.query, limit=wanted.limit, document_ids=wanted.document_ids)


@router.get(
    "/uploads/{sha256}",
    summary="How much of a file was sent",
    response_description="Where to go on.",
    responses=problems(),
)
async def get_upload(space: WriteSpace, sha256: Hash) -> UploadProgress:
    """How many bytes are there of a file that is sent piece by piece."""
    return await space.documents.uploaded(sha256)


@router.put(
    "/uploads/{sha256}",
    summary="Send a piece of a file",
    response_description="How much is there.",
    responses=problems(409, body=True),
    openapi_extra=_PIECE,
)
async def put_upload(
    request: Request,
    space: WriteSpace,
    sha256: Hash,
    name: FileName,
    size: Annotated[int, Query(ge=1, le=1 << 60, description="The size of the whole file, in bytes.")],
    offset: Annotated[int, Query(ge=0, le=1 << 60, description="Where in the file the piece begins.")] = 0,
) -> UploadProgress:
    """Add a piece to what was sent of a file; the last one adds the document.

    After an interruption, ask how much is there, and go on with that `offset`.
    """
    _refuse_forms(request)
    piece = b"".join([chunk async for chunk in request.stream()])
    return await space.documents.upload(sha256, piece, name, offset=offset, size=size)


@router.get("/{id}", summary="Get a document", response_description="The document.", responses=problems(404))
async def get_document(document_id: DocumentId, space: ReadSpace) -> Document:
    """One document and its state."""
    return await space.documents.get(document_id)


@router.get(
    "/{id}/content",
    summary="Get a document's text",
    response_description="The text.",
    responses=problems(404),
)
async def get_document_content(
    document_id: DocumentId,
    space: ReadSpace,
    secrets: Secrets,
    offset: Annotated[int, Query(ge=0, le=FARTHEST, description="Characters to skip.")] = 0,
    limit: Annotated[int | None, Query(ge=1, le=FARTHEST, description="Characters at most.")] = None,
) -> DocumentText:
    """The whole text of a document, or a piece of it."""
    return await space.documents.text(document_id, offset=offset, limit=limit, secrets=secrets)


@router.put(
    "/{id}/content",
    summary="Replace a document's file",
    response_description="What became of the file.",
    responses=problems(404, 409, body=True),
    openapi_extra=_BODY,
)
async def replace_document(
    request: Request,
    document_id: DocumentId,
    space: WriteSpace,
    name: Annotated[Name | None, Query(description="What it is called from now on.")] = None,
) -> DocumentAdded:
    """Give a document another file. It keeps its id; only passages that changed get new vectors."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as kept:
        await _received(request, kept)
        return await space.documents.replace(document_id, kept, name)


@router.get(
    "/{id}/original",
    summary="Get a document's file",
    response_class=Response,
    response_description="The file.",
    responses=problems(404) | {200: {"content": _FILE, "description": "The file."}},
)
async def get_original(document_id: DocumentId, space: WriteSpace) -> Response:
    """The file as it was added, secrets and all; so the key must be one that may write."""
    document = await space.documents.get(document_id)
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(document.name)}"}
    return Response(await space.documents.original(document_id), media_type=_BYTES, headers=headers)


@router.get(
    "/{id}/events",
    summary="Follow a document",
    response_class=StreamingResponse,
    response_description="A server-sent event whenever it got further.",
    responses=problems(404)
    | {200: {"content": {_EVENTS: {"schema": _EVENT}}, "description": "Server-sent events."}},
)
async def follow_document(request: Request, document_id: DocumentId, space: ReadSpace) -> StreamingResponse:
    """Server-sent events named `progress`, until it is ready or has failed: the state, how many passages."""
    await space.documents.get(document_id)
    return StreamingResponse(_events(request, space, document_id), media_type=_EVENTS)


@router.post(
    "/{id}/retry",
    summary="Read a document again",
    response_description="The document.",
    responses=problems(404, 409, body=True),
)
async def retry_document(document_id: DocumentId, space: WriteSpace) -> Document:
    """Queue a document again that failed, as after the limit that it met was raised."""
    return await space.documents.retry(document_id)


@router.delete(
    "/{id}",
    summary="Remove a document",
    response_description="What the document was.",
    responses=problems(404),
)
async def remove_document(document_id: DocumentId, space: WriteSpace) -> Document:
    """Delete a document with its passages, their vectors, and its file."""
    return await space.documents.remove(document_id)


def _refuse_forms(request: Request) -> None:
    if request.headers.get("content-type", "").startswith("multipart/"):
        raise HTTPException(415, "Send the file itself as the body: curl --data-binary @handbook.pdf …")


async def _received(request: Request, kept: IO[bytes]) -> None:
    _refuse_forms(request)
    async for chunk in request.stream():
        await asyncio.to_thread(kept.write, chunk)
    kept.seek(0)


async def _events(request: Request, space: AsyncSpace, document_id: str) -> AsyncIterator[str]:
    seen: asyncio.Queue[DocumentProgress] = asyncio.Queue()
    waiting = asyncio.create_task(space.documents.wait(document_id, progress=seen.put_nowait))
    stopping = asyncio.create_task(request.app.state.stopping.wait())
    try:
        while not (waiting.done() and seen.empty()) and not stopping.done():
            told = asyncio.create_task(seen.get())
            await asyncio.wait({told, waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if told.done():
                yield f"event: progress\ndata: {told.result().model_dump_json(by_alias=True)}\n\n"
            told.cancel()
    finally:
        for task in (waiting, stopping):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task
