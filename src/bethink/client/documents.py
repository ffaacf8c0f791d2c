"""The documents of a space over HTTP. As the library has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO

from bethink.client.archive import opened, pieces
from bethink.client.http import Http, segment
from bethink.errors import InvalidInput, StoreError
from bethink.records import Document
from bethink.shapes.documents import (
    DocumentAdded,
    DocumentPage,
    DocumentProgress,
    DocumentResults,
    DocumentText,
    UploadProgress,
)

PAGE = 200  # documents that are looked through at once
_EVENT = "data: "


class ClientDocuments:
    """The documents of a space: files that are kept, read, and searched."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def add(
        self, source: str | Path | bytes | IO[bytes], name: str | None = None, *, follow: bool = False
    ) -> DocumentAdded:
        """Keep a file, and have it read soon.

        The server does not see this machine's paths: with `follow`, the document of the same name is
        replaced by a file that is another.
        """
        called = _name(source, name)
        if follow and (old := await self._named(called)):
            return await self.replace(old, source, called)
        return await self._sent("/api/documents", source, called, "POST")

    async def replace(
        self, document_id: str, source: str | Path | bytes | IO[bytes], name: str | None = None
    ) -> DocumentAdded:
        """Give a document another file; it keeps its id."""
        path = f"{_document(document_id)}/content"
        called = _name(source, name) if name or isinstance(source, str | Path) else None
        return await self._sent(path, source, called, "PUT")

    async def upload(self, sha256: str, data: bytes, name: str, *, offset: int, size: int) -> UploadProgress:
        """Send a piece of a file; the last one adds it. `uploaded(sha256)` says where to go on."""
        sent = pieces(BytesIO(data))
        return await self._http.upload(
            _upload(sha256), sent, UploadProgress, method="PUT", name=name, offset=offset, size=size
        )

    async def uploaded(self, sha256: str) -> UploadProgress:
        """How much is there of a file that is sent in pieces."""
        return await self._http.get(_upload(sha256), UploadProgress)

    async def list(self, *, limit: int = 50, offset: int = 0, status: str | None = None) -> DocumentPage:
        """The documents, newest first, each with its state."""
        return await self._http.get("/api/documents", DocumentPage, limit=limit, offset=offset, status=status)

    async def get(self, document_id: str) -> Document:
        """One document and its state."""
        return await self._http.get(_document(document_id), Document)

    async def text(
        self, document_id: str, *, offset: int = 0, limit: int | None = None, secrets: bool = False
    ) -> DocumentText:
        """The whole text of a document, or a piece of it."""
        path = f"{_document(document_id)}/content"
        return await self._http.get(path, DocumentText, offset=offset, limit=limit, secrets=secrets)

    async def search(
        self, query: str, *, limit: int = 5, document_ids: Sequence[str] | None = None
    ) -> DocumentResults:
        """The passages that answer, best first, with file, page and headings."""
        body = {"query": query, "limit": limit}
        if document_ids is not None:
            body["documentIds"] = [*document_ids]
        return await self._http.post("/api/documents/search", DocumentResults, body)

    async def remove(self, document_id: str) -> Document:
        """Delete a document with its passages and its file."""
        return await self._http.post(_document(document_id), Document, method="DELETE")

    async def retry(self, document_id: str) -> Document:
        """Read a document again that failed."""
        return await self._http.post(f"{_document(document_id)}/retry", Document)

    async def original(self, document_id: str) -> bytes:
        """The file as it was added."""
        async with self._http.download(f"{_document(document_id)}/original") as answer:
            return await answer.aread()

    async def wait(
        self, document_id: str, *, progress: Callable[[DocumentProgress], None] | None = None
    ) -> DocumentProgress:
        """Wait until a document is ready or has failed."""
        async with self._http.download(f"{_document(document_id)}/events") as answer:
            seen: DocumentProgress | None = None
            async for line in answer.aiter_lines():
                if line.startswith(_EVENT):
                    seen = DocumentProgress.model_validate_json(line.removeprefix(_EVENT))
                    if progress:
                        progress(seen)
        if seen is None or not seen.is_over:
            raise StoreError("The server ended before the document was read; ask again for its state.")
        return seen

    async def _named(self, name: str) -> str | None:
        offset = 0
        while items := (await self.list(limit=PAGE, offset=offset)).items:
            if found := next((one.id for one in items if one.name == name), None):
                return found
            offset += len(items)
        return None

    async def _sent(
        self, path: str, source: str | Path | bytes | IO[bytes], name: str | None, method: str
    ) -> DocumentAdded:
        file = BytesIO(source) if isinstance(source, bytes) else source
        with opened(file, "rb") as kept:
            return await self._http.upload(path, pieces(kept), DocumentAdded, method=method, name=name)


def _name(source: str | Path | bytes | IO[bytes], name: str | None) -> str:
    if name is None and isinstance(source, str | Path):
        return Path(source).name
    if name is None:
        raise InvalidInput("name: what the file is called is needed with bytes.", field="name")
    return name


def _document(document_id: str) -> str:
    return f"/api/documents/{segment(document_id)}"


def _upload(sha256: str) -> str:
    return f"/api/documents/uploads/{segment(sha256)}"
