"""Reads what was added: a sweep over the documents' states, which are seen by everybody.

queued → parsing → embedding → ready, or failed, and why. A run that was cut short is gone on with by the
next; passages are found by their words as soon as they are stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from bethink.clock import now
from bethink.contracts import Batch, Sweep
from bethink.core import Core
from bethink.documents import changes, personal
from bethink.documents.blobs import Blobs
from bethink.documents.blocks import Unreadable
from bethink.documents.changes import Old, passages_of
from bethink.documents.describe import passage_entry
from bethink.documents.parsing import Parsing
from bethink.documents.split import Piece
from bethink.records import Document, DocumentStatus, Space
from bethink.store import documents
from bethink.text.secrets import kinds_of_secrets

DOCUMENTS = "documents"
BATCH = 1000  # passages stored in one transaction
MISSING = "Its file is missing; add it again."
UNREAD = (DocumentStatus.QUEUED, DocumentStatus.PARSING)


class Documents(Sweep):
    """Reads documents, splits their texts, and waits until the passages have vectors."""

    name = DOCUMENTS

    def __init__(self, core: Core, blobs: Blobs, *, embeds: bool = True) -> None:
        self._core, self._blobs, self._limits = core, blobs, core.settings.documents
        self._embeds = embeds  # else they are only read

    async def due(self, space: Space) -> int:
        """How many documents are not ready yet."""
        return len(await self._in_states(space, *UNREAD, DocumentStatus.EMBEDDING))

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        await personal.refresh(self._core, space)
        for document in await self._in_states(space, *UNREAD):
            async with aclosing(self._read(space, document)) as batches:
                async for batch in batches:
                    yield batch
        if self._embeds:
            async with aclosing(self._embed(space)) as embedded:
                async for batch in embedded:
                    yield batch
        await tidy(self._core, space, self._blobs)

    async def _in_states(self, space: Space, *states: DocumentStatus) -> list[Document]:
        return await self._core.driver.read(documents.in_states, space.id, *states)

    async def _read(self, space: Space, document: Document) -> AsyncGenerator[Batch, None]:
        """Read one document; what is wrong with it is its state."""
        core = self._core
        old = await core.driver.write(changes.begin, space, document, now())
        if old is None:
            return
        if not await self._is_there(space, document):
            await core.driver.write(changes.fail, space, document, MISSING, {}, now())
            if await self._is_there(space, document):  # it came just now, and who brought it says so
                await core.driver.write(changes.retry, space, document.id, now())
            yield Batch(1, {"failed": 1})
            return
        async with self._blobs.at_hand(space, document.content_hash) as path:
            parsing = Parsing(path, document.name, self._limits)
            try:
                async with aclosing(self._pieces(space, document, parsing, old)) as batches:
                    async for batch in batches:
                        yield batch
            except Unreadable as error:
                told = _told(parsing)
                await core.driver.write(changes.fail, space, document, str(error), told, now())
                yield Batch(1, {"failed": 1})
            finally:
                parsing.stop()

    async def _is_there(self, space: Space, document: Document) -> bool:
        return await asyncio.to_thread(self._blobs.has, space, document.content_hash)

    async def _pieces(
        self, space: Space, document: Document, parsing: Parsing, old: Old
    ) -> AsyncGenerator[Batch, None]:
        """Store the passages as they are read, then delete those that are not in the document any more."""
        core, count, secrets = self._core, 0, False
        while pieces := await asyncio.to_thread(parsing.take, BATCH):
            new, moved, described, dropped = await asyncio.to_thread(
                self._described, space, document, pieces, count, old
            )
            secrets |= dropped
            if not await core.driver.write(changes.put, space, document, new, moved, described, now()):
                return
            count += len(pieces)
            await core.changed("passage", space)
            yield Batch(0, {"passages": len(pieces)})
        if not count:
            raise Unreadable("There is no text in it.")
        gone = [id_ for ids in old.values() for id_ in ids]
        told: dict[str, Any] = {**_told(parsing), "problem": " ".join(parsing.notes) or None}
        told |= {"original": False} if secrets else {}  # what is not to be stored is not kept in the file
        await core.driver.write(
            changes.finish, space, document, gone, told | {"status": DocumentStatus.EMBEDDING}, now()
        )
        yield Batch(1, {"read": 1})

    def _described(
        self, space: Space, document: Document, pieces: list[Piece], start: int, old: Old
    ) -> tuple[list[Any], list[Any], list[Any], bool]:
        """Passages as they are stored, and as the index is told of them; and whether secrets were dropped."""
        drops = self._core.secrecy.drops
        new, moved = passages_of(space, document, pieces, start, old, now())
        dropped = drops and any(kinds_of_secrets(one.text) for one in new)
        new = self._core.secrecy.to_store(new)
        return new, moved, [passage_entry(one) for one in (*new, *moved)], dropped

    async def _embed(self, space: Space) -> AsyncGenerator[Batch, None]:
        """Make the vectors that are missing, and say of which documents none is any more."""
        core = self._core
        if not await self._in_states(space, DocumentStatus.EMBEDDING):
            return
        async with aclosing(core.backfill.batches(space)) as batches:
            async for batch in batches:
                yield Batch(0, batch.counts)
                await self._note_ready(space)
        if ready := await self._note_ready(space):
            yield Batch(0, {"ready": ready})

    async def _note_ready(self, space: Space) -> int:
        signature = await self._core.signature()
        if signature is None and self._core.resolution.enabled:
            return 0
        return await self._core.driver.write(documents.set_ready, space.id, signature, now())


async def tidy(core: Core, space: Space, blobs: Blobs) -> None:
    """Delete the files of a space that no document keeps.

    What is there is listed before it is asked what is kept: a document is known before its file is there, so
    no file that comes in between is taken for one that is not kept.
    """
    there = await asyncio.to_thread(blobs.names, space)
    kept = await core.driver.read(documents.kept_originals, space.id)
    await asyncio.to_thread(blobs.tidy, space, there - kept)


def _told(parsing: Parsing) -> dict[str, Any]:
    return {"metadata": parsing.metadata} | ({"kind": parsing.kind} if parsing.kind else {})
