"""The façade's part about documents: files that are kept, read, and searched."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from bethink.clock import now
from bethink.core import Core, Handle
from bethink.documents import changes, personal
from bethink.documents.adding import Adding
from bethink.documents.blobs import Blobs
from bethink.documents.reading import text_of
from bethink.documents.search import search
from bethink.documents.sweep import DOCUMENTS
from bethink.errors import Conflict, InvalidInput
from bethink.records import Document, DocumentStatus, Space
from bethink.shapes.documents import (
    DocumentAdded,
    DocumentPage,
    DocumentProgress,
    DocumentResults,
    DocumentText,
    UploadProgress,
)
from bethink.shapes.fields import check_name, check_page, check_query
from bethink.store import Tx, documents
from bethink.upkeep import Runner

SEARCH_LIMIT, LIST_LIMIT = 5, 50
PAUSE_SECONDS = 0.2  # between two looks at how far a document is


class AsyncDocuments:
    """The documents of a space: its knowledge base."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def add(
        self, source: str | Path | bytes | IO[bytes], name: str | None = None, *, follow: bool = False
    ) -> DocumentAdded:
        """Keep a file, and have it read soon: `await memory.documents.add("cv.pdf")`.

        With `follow`, the same path replaces the document once the file is another.
        """
        core, space = await self._space.inside.here()
        return await Adding(core, space, self._space.inside.actor).add(source, name, follow=follow)

    async def replace(
        self, document_id: str, source: str | Path | bytes | IO[bytes], name: str | None = None
    ) -> DocumentAdded:
        """Give a document another file; passages that it still says keep their ids and vectors."""
        core, space = await self._space.inside.here()
        await core.driver.read(_check_not_own, space, document_id)
        adding = Adding(core, space, self._space.inside.actor)
        return await adding.replace(document_id, source, name)

    async def upload(self, sha256: str, data: bytes, name: str, *, offset: int, size: int) -> UploadProgress:
        """Take in a piece of a file that comes in pieces; the last one adds it.

        `sha256` and `size` are those of the whole file. What was interrupted goes on at `uploaded(sha256)`.
        """
        core, space = await self._space.inside.here()
        adding = Adding(core, space, self._space.inside.actor)
        return await adding.piece(sha256, data, name, offset=offset, size=size)

    async def uploaded(self, sha256: str) -> UploadProgress:
        """How much is there of a file that comes in pieces."""
        core, space = await self._space.inside.here()
        return await Adding(core, space, self._space.inside.actor).received(sha256)

    async def list(
        self, *, limit: int = LIST_LIMIT, offset: int = 0, status: str | None = None
    ) -> DocumentPage:
        """A piece of the list of documents, newest first; only those in some state."""
        core, space = await self._space.inside.here()
        check_page(limit, offset)
        await personal.refresh(core, space)
        items, total = await core.driver.read(documents.page, space.id, _states(status), limit, offset)
        return DocumentPage(items=await self._space.inside.shown(items), total=total)

    async def get(self, document_id: str) -> Document:
        """One document by its id."""
        core, space = await self._space.inside.here()
        return await self._space.inside.shown(await core.driver.read(changes.get, space, document_id))

    async def text(
        self, document_id: str, *, offset: int = 0, limit: int | None = None, secrets: bool = False
    ) -> DocumentText:
        """The whole text of a document, or so many characters of it from an offset."""
        core, space = await self._space.inside.here()
        if offset < 0 or (limit is not None and limit < 1):
            raise InvalidInput("offset, limit: must not be less than 0 and 1.", field="offset")
        found = await core.driver.read(text_of, space, document_id, offset, limit)
        return await self._space.inside.shown(found, secrets=secrets)

    async def search(
        self, query: str, *, limit: int = SEARCH_LIMIT, document_ids: Sequence[str] | None = None
    ) -> DocumentResults:
        """The passages that answer, best first, with where they stand; only of some documents."""
        core, space = await self._space.inside.here()
        check_page(limit)
        check_query(core.settings.limits, query)
        for one in document_ids or ():
            check_name(one, "document_ids")
        return await search(core, space, query, limit, document_ids)

    async def remove(self, document_id: str) -> Document:
        """Delete a document: its passages, their vectors, and the file that is kept."""
        core, space = await self._space.inside.here()
        await core.driver.read(_check_not_own, space, document_id)
        gone = await core.driver.write(changes.remove, space, document_id, now(), self._space.inside.actor)
        if await core.driver.read(documents.by_hash, space.id, gone.content_hash) is None:
            await asyncio.to_thread(core.part(Blobs).drop, space, gone.content_hash)
        await core.changed("document", space)
        return await self._space.inside.shown(gone)

    async def retry(self, document_id: str) -> Document:
        """Read a document again that failed."""
        core, space = await self._space.inside.here()
        queued = await core.driver.write(changes.retry, space, document_id, now())
        await core.changed("document", space)
        return await self._space.inside.shown(queued)

    async def original(self, document_id: str) -> bytes:
        """The file itself."""
        core, space = await self._space.inside.here()
        return await Adding(core, space, self._space.inside.actor).original(document_id)

    async def wait(
        self, document_id: str, *, progress: Callable[[DocumentProgress], None] | None = None
    ) -> DocumentProgress:
        """Wait until a document is ready or has failed; `progress` is told whenever it got further.

        Where it goes no further for now, as while no model answers, the `problem` says why.
        """
        core, space = await self._space.inside.here()
        runner, began = core.part(Runner), now()
        runner.nudge(DOCUMENTS, space)
        before: DocumentProgress | None = None
        while True:
            seen = await _progress(core, space, document_id)
            why = None if seen.is_over else _stopped(runner, space, began)
            if why:
                seen = seen.model_copy(update={"problem": why})
            if progress and seen != before:
                progress(seen)
            if seen.is_over or why:
                return seen
            before = seen
            await asyncio.sleep(PAUSE_SECONDS)


def _stopped(runner: Runner, space: Space, since: datetime) -> str | None:
    """Why documents are not read, or get no vectors, since some time."""
    failure = runner.last_failure(DOCUMENTS, space)
    return failure[0] if failure and failure[1] >= since else None


async def _progress(core: Core, space: Space, document_id: str) -> DocumentProgress:
    signature = await core.signature()
    return await core.driver.read(_look, space, document_id, signature)


def _check_not_own(tx: Tx, space: Space, document_id: str) -> None:
    """Refuse to change what would come back, since it is kept as it is elsewhere."""
    found = changes.get(tx, space, document_id)
    if found.path == personal.PATH:
        raise Conflict(
            f"{found.name} is made of the soul and of the options insight_people and insight_topics;"
            " change those."
        )
    if found.path and found.path.startswith(changes.OWN):
        raise Conflict(f"{found.name} is a file in the folder of notes; change or delete that.")


def _look(tx: Tx, space: Space, document_id: str, signature: str | None) -> DocumentProgress:
    found = changes.get(tx, space, document_id)
    waiting = found.passages
    if signature:
        waiting = documents.awaiting(tx, space.id, document_id, signature)
    return DocumentProgress(
        id=found.id,
        status=found.status,
        problem=found.problem,
        passages=found.passages,
        embedded=max(found.passages - waiting, 0),
    )


def _states(status: str | None) -> builtins.list[DocumentStatus] | None:
    if status is None:
        return None
    try:
        return [DocumentStatus(status)]
    except ValueError:
        known = ", ".join(DocumentStatus)
        raise InvalidInput(f"status: must be one of {known}.", field="status") from None
