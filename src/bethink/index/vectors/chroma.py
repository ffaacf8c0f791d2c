"""Vectors in Chroma: a collection for each space and signature, so that no space is in another's way."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

import chromadb
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import NotFoundError

from bethink.contracts import VectorEntry, VectorQuery
from bethink.errors import StoreError
from bethink.index.vectors.conditions import FILTERS, Condition, conditions, payload
from bethink.settings import VectorSettings
from bethink.store.vectors import LEFT_SHOWN

PORT = 8000
LOOK_SECONDS = 5.0  # between two looks at which collections there are; those made here are known at once
LOOKED_AT = 200  # entries that a search of the graph keeps in view; with more, it finds more of the nearest
PAGE = 1_000
_IS = {"in": "$in", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte"}


class ChromaVectors:
    """A Chroma server, or a folder that Chroma keeps in this process."""

    name = "chroma"
    filters = FILTERS

    def __init__(self, settings: VectorSettings, database: str) -> None:
        self._settings = settings
        self._where = str(settings.path) if settings.path else f"{settings.host}:{settings.port or PORT}"
        self._prefix = f"{settings.collection}_{database[-12:]}_"
        self.reader = f"{self.name}:{self._where}/{settings.collection}"
        self._names = set[str]()  # of collections, perhaps of some that are gone
        self._looked_at = -LOOK_SECONDS
        self._opened: Any = None
        self._opening = asyncio.Lock()

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        if not entries:
            return
        name = self._collection(space, signature)
        ids = [str(entry.id) for entry in entries]
        for other in await self._collections(space):
            if other != name:
                await self._drop(other, ids)
        made = await self._call(
            "get_or_create_collection",
            name,
            configuration={"hnsw": {"space": "cosine", "ef_search": LOOKED_AT}},
            embedding_function=None,
        )
        self._names.add(name)
        for first in range(0, len(entries), self._settings.batch):
            part = entries[first : first + self._settings.batch]
            await self._of(
                made.upsert,
                ids=[str(entry.id) for entry in part],
                embeddings=[entry.vector for entry in part],
                metadatas=[payload(entry) for entry in part],
            )

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        for name in await self._collections(space):
            await self._drop(name, [str(id_) for id_ in ids])

    async def wipe(self, space: int) -> None:
        for name in await self._collections(space):
            with suppress(_Missing):  # another process did so
                await self._call("delete_collection", name)
            self._names.discard(name)

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        wanted = conditions(query)
        found = await self._found(query.space.number, query.signature)
        if wanted is None or found is None:
            return []
        held = await self._of(found.count)
        if not held:
            return []
        answer = await self._of(
            found.query,
            query_embeddings=[query.vector],
            n_results=min(query.limit, held),
            where=_where(wanted),
            ids=None if query.allowed is None else [str(id_) for id_ in query.allowed],
            include=["distances"],
        )
        pairs = zip(answer["ids"][0], answer["distances"][0], strict=True)
        ranked = [(int(id_), min(1.0, 1 - float(far))) for id_, far in pairs]
        return sorted(ranked, key=lambda item: (-item[1], item[0]))

    async def count(self, space: int, signature: str) -> int:
        found = await self._found(space, signature)
        return 0 if found is None else int(await self._of(found.count))

    async def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        found = await self._found(space, signature)
        if found is None:
            return []
        held = await self._of(found.get, include=[])
        return sorted(id_ for id_ in map(int, held["ids"]) if id_ > after)[:limit]

    async def health(self) -> str | None:
        try:
            await self._call("heartbeat")
        except StoreError as error:
            return error.message
        return None

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        left: set[int] = set()
        self._looked_at = -LOOK_SECONDS  # a proof looks for itself
        for name in await self._collections(space):
            found = await self._named(name)
            if found is None:
                continue
            if ids is None:
                held = await self._of(found.get, limit=LEFT_SHOWN, include=[])
                left.update(map(int, held["ids"]))
                continue
            for first in range(0, len(ids), PAGE):
                asked = [str(id_) for id_ in ids[first : first + PAGE]]
                held = await self._of(found.get, ids=asked, include=[])
                left.update(map(int, held["ids"]))
        return sorted(left)

    async def close(self) -> None:
        client, self._opened = self._opened, _CLOSED
        session = getattr(getattr(client, "_server", None), "_cleanup", None)
        if session:
            await session()

    def _collection(self, space: int, signature: str) -> str:
        return f"{self._prefix}{space}_{sha256(signature.encode()).hexdigest()[:12]}"

    async def _collections(self, space: int) -> list[str]:
        """The collections of a space, of whatever signature. To list all takes long where there are many."""
        now = time.monotonic()
        if now - self._looked_at >= LOOK_SECONDS:
            self._names |= {one.name for one in await self._call("list_collections")}
            self._looked_at = now
        return [name for name in self._names if name.startswith(f"{self._prefix}{space}_")]

    async def _found(self, space: int, signature: str) -> Any:
        """The collection of a space and signature; None where there is none."""
        return await self._named(self._collection(space, signature))

    async def _named(self, name: str) -> Any:
        try:
            return await self._call("get_collection", name, embedding_function=None)
        except _Missing:
            return None

    async def _drop(self, name: str, ids: Sequence[str]) -> None:
        found = await self._named(name)
        if found is not None:
            for first in range(0, len(ids), PAGE):
                await self._of(found.delete, ids=list(ids[first : first + PAGE]))

    async def _client(self) -> Any:
        async with self._opening:
            if self._opened is None:
                self._opened = await self._connect()
        return self._opened

    async def _connect(self) -> Any:
        quiet = ChromaSettings(anonymized_telemetry=False)
        if self._settings.path:
            return await asyncio.to_thread(chromadb.PersistentClient, self._settings.path, quiet)
        key = self._settings.api_key
        return await chromadb.AsyncHttpClient(
            self._settings.host,
            self._settings.port or PORT,
            self._settings.tls,
            {"x-chroma-token": key.get_secret_value()} if key else None,
            quiet,
        )

    async def _call(self, verb: str, *args: Any, **values: Any) -> Any:
        """What a verb of the client gives."""
        try:
            client = await self._client()
        except Exception as error:
            raise self._wrong(error) from error
        if client is _CLOSED:
            raise StoreError(f"Chroma at {self._where} was closed.")
        return await self._of(getattr(client, verb), *args, **values)

    async def _of(self, call: Callable[..., Any], *args: Any, **values: Any) -> Any:
        """What a call gives, of a client of either kind; what went wrong in words that quote nothing."""
        try:
            if inspect.iscoroutinefunction(call):
                return await call(*args, **values)
            return await asyncio.to_thread(call, *args, **values)
        except NotFoundError as error:
            raise _Missing(f"Chroma at {self._where} has lost a collection.") from error
        except Exception as error:
            raise self._wrong(error) from error

    def _wrong(self, error: Exception) -> StoreError:
        what = "is its folder whole" if self._settings.path else "is it running, and is its key right"
        return StoreError(
            f"Chroma at {self._where} does not answer as it should ({type(error).__name__}): {what}?"
        )


class _Missing(StoreError):
    """There is no such collection."""


_CLOSED = object()


def _where(wanted: Sequence[Condition]) -> dict[str, Any] | None:
    parts = [
        {one.field: {_IS[one.is_]: one.value if isinstance(one.value, int) else list(one.value)}}
        for one in wanted
    ]
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"$and": parts}
