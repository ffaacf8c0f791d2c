"""Archives to and from a server, piece by piece, so that none has to fit into memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from pathlib import Path
from typing import IO, Any

from bethink.client.http import Http
from bethink.errors import InvalidInput
from bethink.shapes.fields import checked
from bethink.shapes.outcomes import Progress
from bethink.shapes.rights import EXPORTED, Exported, Imported, ImportRequest

PIECE = 1 << 18
File = str | PathLike[str] | IO[bytes]


async def receive(
    http: Http, file: File, progress: Callable[[Progress], None] | None, *, secrets: bool
) -> Exported:
    """Write the archive of a space; `progress` hears how much of it came, in bytes."""
    with opened(file, "wb") as kept:
        async with http.download("/api/export", secrets=secrets) as answer:
            made = Exported.model_validate_json(answer.headers[EXPORTED])
            size = 0
            async for piece in answer.aiter_bytes():
                await asyncio.to_thread(kept.write, piece)
                size += len(piece)
                if progress:
                    progress(Progress(done=size, total=made.bytes))
    return made


async def send_file(
    http: Http, file: File, progress: Callable[[Progress], None] | None, options: Mapping[str, Any]
) -> Imported:
    """Send a file to be taken in; `progress` hears how much was sent, in bytes."""
    wanted = checked(ImportRequest, dict(options)).model_dump(mode="json", by_alias=True, exclude_unset=True)
    with opened(file, "rb") as source:
        return await http.upload("/api/import", pieces(source, progress), Imported, **wanted)


async def pieces(
    source: IO[bytes], progress: Callable[[Progress], None] | None = None
) -> AsyncIterator[bytes]:
    """A file piece by piece; `progress` hears how much was sent."""
    sent = 0
    while piece := await asyncio.to_thread(source.read, PIECE):
        yield piece
        sent += len(piece)
        if progress:
            progress(Progress(done=sent, total=sent))


def opened(file: File, mode: str) -> AbstractContextManager[IO[bytes]]:
    """A file by its path, or as it is open already."""
    if not isinstance(file, str | PathLike):
        return nullcontext(file)
    try:
        return Path(file).open(mode)
    except OSError as error:
        raise InvalidInput(f"file: {file}: {error.strerror}.", field="file") from None
