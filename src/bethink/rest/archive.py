"""/api/export and /api/import: all that a space holds, taken away or brought in."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from typing import IO, Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import ConfigDict
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.leaving import while_wanted
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.rights import EXPORTED, Imported, ImportRequest

CHUNK_BYTES = 1 << 18
IN_MEMORY_BYTES = 1 << 20  # a larger archive waits in a file that has no name
NAMED = 20  # damaged records that a header names
MEDIA_TYPE = "application/x-ndjson"

router = APIRouter(prefix="/api", tags=["data rights"], route_class=KeyRoute)

_STOPPED = "The server is being stopped, and the import with it; send the file again: what is stored stays."
_LINES: dict[str, Any] = {MEDIA_TYPE: {"schema": {"type": "string"}}}


class _How(ImportRequest):
    """How to import, beside the other parameters; the route refuses those that nobody knows."""

    model_config = ConfigDict(extra="ignore")


@router.get(
    "/export",
    summary="Export the space",
    response_class=StreamingResponse,
    response_description="The archive, one JSON object a line.",
    responses=problems() | {200: {"content": _LINES, "description": "The archive, one JSON object a line."}},
)
async def export_space(space: ReadSpace, secrets: Secrets) -> StreamingResponse:
    """All that the space holds, versions and journal included, as it was at one moment.

    Secrets are masked, unless `secrets` asks for them: only then an import makes the same space of it.
    """
    kept: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115  (closed by the response)
    try:
        made = await space.export(kept, secrets=secrets)
    except BaseException:
        kept.close()
        raise
    told = made.model_copy(update={"damaged": made.damaged[:NAMED]})
    headers = {
        "content-disposition": 'attachment; filename="bethink.jsonl"',
        "content-length": str(made.bytes),
        EXPORTED: json.dumps(told.model_dump(mode="json", by_alias=True)),  # in ASCII, as headers are
    }
    return StreamingResponse(_chunks(kept), media_type=MEDIA_TYPE, headers=headers)


@router.post(
    "/import",
    summary="Import into the space",
    response_description="What became of the records.",
    responses=problems(409, body=True),
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "An archive, conversations of another program, or what mem0 or Chroma hold.",
            "content": _LINES
            | {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
            | {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def import_into_space(request: Request, space: WriteSpace, how: Annotated[_How, Query()]) -> Imported:
    """Take in an archive, or conversations of other programs, such as ChatGPT, WhatsApp or mail.

    An empty space becomes what the archive was; in another, what is known stays.
    Nothing is stored unless the whole file is in order; what is wrong is named by line and field.
    When the client leaves, the import ends where it is; the same file can be sent again and goes on there.
    """
    if request.headers.get("content-type", "").startswith("multipart/"):
        raise HTTPException(415, "Send the file itself as the body: curl --data-binary @archive.jsonl …")
    with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as kept:
        async for chunk in request.stream():
            await asyncio.to_thread(kept.write, chunk)
        return await while_wanted(request, space.import_(kept, **how.model_dump()), _STOPPED)


async def _chunks(kept: IO[bytes]) -> AsyncIterator[bytes]:
    with kept:
        kept.seek(0)
        while chunk := await asyncio.to_thread(kept.read, CHUNK_BYTES):
            yield chunk
