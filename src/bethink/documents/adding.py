"""Takes files in: whole or piece by piece, kept by the hash of what is in them."""

from __future__ import annotations

import asyncio
import io
import os
import re
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from bethink.clock import now
from bethink.core import Core
from bethink.documents import changes
from bethink.documents.blobs import Blobs, copy_into, hash_of
from bethink.documents.changes import Incoming
from bethink.documents.formats import kind_by_name
from bethink.errors import Conflict, InvalidInput, NotFound, TooLarge
from bethink.records import Space
from bethink.shapes.documents import DocumentAdded, UploadProgress
from bethink.shapes.fields import NAME_CHARS, check_name
from bethink.store import documents

Source = str | Path | bytes | IO[bytes]
_HASH = re.compile(r"[0-9a-f]{64}")


class Adding:
    """What comes into the knowledge base of a space."""

    def __init__(self, core: Core, space: Space, actor: str) -> None:
        self._core, self._space, self._actor = core, space, actor
        self._blobs, self._limits = core.part(Blobs), core.settings.documents

    async def add(self, source: Source, name: str | None, *, follow: bool) -> DocumentAdded:
        """Take in a file as a document."""
        path = str(await asyncio.to_thread(_absolute, source)) if follow else None
        part, file = await self._taken(source, name, path)
        try:
            return await self._add(part, file)
        finally:
            part.unlink(missing_ok=True)

    async def take(self, file: Path, name: str, path: str) -> DocumentAdded:
        """Take in a file that is followed under a name and a path that are given."""
        part, taken = await self._taken(file, PurePosixPath(name).name, path)
        try:
            return await self._add(part, replace(taken, name=name))
        finally:
            part.unlink(missing_ok=True)

    async def replace(self, document_id: str, source: Source, name: str | None) -> DocumentAdded:
        """Take in a file in the place of another."""
        known = await self._core.driver.read(changes.get, self._space, document_id)
        part, file = await self._taken(source, name or known.name, None)
        try:
            added = await self._core.driver.write(
                changes.replace, self._space, document_id, file, now(), self._actor
            )
            await self._keep(part, added)
        finally:
            part.unlink(missing_ok=True)
        return await self._shown(added)

    async def piece(self, sha256: str, data: bytes, name: str, *, offset: int, size: int) -> UploadProgress:
        """Add a piece to what was sent of a file; with the last one it is taken in."""
        part = self._part(sha256)
        self._check_size(size)
        if known := await self._core.driver.read(documents.by_hash, self._space.id, sha256):
            added = DocumentAdded(status="duplicate", document=known, reason=changes.SAME)
            return UploadProgress(sha256=sha256, received=size, added=await self._shown(added))
        received = await asyncio.to_thread(_append, part, data, offset, size)
        if received < size:
            return UploadProgress(sha256=sha256, received=received)
        if await asyncio.to_thread(hash_of, part) != sha256:
            part.unlink()
            raise Conflict("What was sent is not the file of that hash; send it again from the start.")
        file = _incoming(name_of(name), sha256, size, None)
        return UploadProgress(sha256=sha256, received=size, added=await self._add(part, file))

    async def received(self, sha256: str) -> UploadProgress:
        """How much was sent of a file; all of it, and the document, when that is there."""
        part = self._part(sha256)
        known = await self._core.driver.read(documents.by_hash, self._space.id, sha256)
        received = part.stat().st_size
        if known or not received:
            part.unlink()
        if known is None:
            return UploadProgress(sha256=sha256, received=received)
        added = DocumentAdded(status="duplicate", document=known, reason=changes.SAME)
        return UploadProgress(sha256=sha256, received=known.size_bytes, added=await self._shown(added))

    async def original(self, document_id: str) -> bytes:
        """The file of a document."""
        found = await self._core.driver.read(changes.get, self._space, document_id)
        there = await asyncio.to_thread(self._blobs.has, self._space, found.content_hash)
        if not (found.original and there):
            raise NotFound(f"The file of {found.name} is not kept here.", field="id")
        async with self._blobs.at_hand(self._space, found.content_hash) as path:
            return await asyncio.to_thread(path.read_bytes)

    async def _taken(self, source: Source, name: str | None, path: str | None) -> tuple[Path, Incoming]:
        """A file as one of ours, with what is known of it."""
        named = name_of(name if name is not None else _name_in(source))
        part = await asyncio.to_thread(self._blobs.begin, self._space)
        try:
            size = self._check_size(await asyncio.to_thread(_copied, source, part, self._limits.max_bytes))
            return part, _incoming(named, await asyncio.to_thread(hash_of, part), size, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    async def _add(self, part: Path, file: Incoming) -> DocumentAdded:
        added = await self._core.driver.write(changes.add, self._space, file, now(), self._actor)
        await self._keep(part, added)
        return await self._shown(added)

    async def _keep(self, part: Path, added: DocumentAdded) -> None:
        """Keep the file, then have it read; a document whose file was lost gets it again."""
        document = added.document
        lost = document.original and not await asyncio.to_thread(
            self._blobs.has, self._space, document.content_hash
        )
        if added.status != "duplicate" or lost:
            await asyncio.to_thread(self._blobs.keep, self._space, part, document.content_hash)
        if lost:
            await self._core.driver.write(changes.retry, self._space, document.id, now())
        await self._core.changed("document", self._space)

    async def _shown(self, added: DocumentAdded) -> DocumentAdded:
        return self._core.secrecy.shown(added)

    def _part(self, sha256: str) -> Path:
        if not _HASH.fullmatch(sha256):
            raise InvalidInput(
                "sha256: must be the SHA-256 of the file, 64 digits of 0-9a-f.", field="sha256"
            )
        return self._blobs.begin(self._space, sha256)

    def _check_size(self, size: int | None) -> int:
        most = self._limits.max_bytes
        if size is None or size > most:
            raise TooLarge(
                f"The file is over the limit of {most:,} bytes; raise the setting documents.max_bytes.",
                field="source",
            )
        if size < 1:
            raise InvalidInput("The file is empty.", field="source")
        return size


def name_of(given: str) -> str:
    """A file's name as it is kept: its last part, without what would steer a terminal."""
    last = PureWindowsPath(PurePosixPath(given.strip()).name).name
    name = "".join(sign for sign in last if sign.isprintable())[-NAME_CHARS:].strip()
    check_name(name, "name")
    return name


def _incoming(name: str, content_hash: str, size: int, path: str | None) -> Incoming:
    return Incoming(name, kind_by_name(name), size, content_hash, path)


def _absolute(source: Source) -> Path:
    if not isinstance(source, str | Path):
        raise InvalidInput("follow: needs the path of a file.", field="follow")
    return Path(source).expanduser().resolve()


def _name_in(source: Source) -> str:
    if isinstance(source, str | Path):
        return Path(source).name
    if isinstance(source, bytes) or not isinstance(name := getattr(source, "name", None), str):
        raise InvalidInput("name: say what the file is called, such as notes.md.", field="name")
    return name


def _copied(source: Source, part: Path, most: int) -> int | None:
    if isinstance(source, bytes):
        return copy_into(io.BytesIO(source), part, most)
    if not isinstance(source, str | Path):
        return copy_into(source, part, most)
    try:
        with Path(source).expanduser().open("rb") as file:
            return copy_into(file, part, most)
    except FileNotFoundError:
        raise NotFound(f"There is no file {str(source)!r}.", field="source") from None
    except (IsADirectoryError, PermissionError) as error:
        raise InvalidInput(f"{str(source)!r} cannot be read: {error.strerror}.", field="source") from None


def _append(part: Path, data: bytes, offset: int, size: int) -> int:
    """Write a piece behind what is there; a piece that came before is left as it is."""
    received = part.stat().st_size
    if received > size:  # it was begun with another size
        part.unlink()
        raise Conflict(f"More was there than the {size:,} bytes of the file; send it again from the start.")
    if offset > received:
        raise Conflict(f"So far {received:,} bytes are there; go on with offset {received}.")
    if offset + len(data) > size:
        raise InvalidInput(f"data: goes beyond the {size:,} bytes of the file.", field="data")
    with part.open("ab") as file:
        file.write(data[received - offset :])
        file.flush()
        os.fsync(file.fileno())
    return part.stat().st_size
