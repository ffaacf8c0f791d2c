"""Vectors in Qdrant: a collection for each signature, in which every point says whose space it is of."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TypeVar

from qdrant_client import AsyncQdrantClient, models

from bethink.contracts import VectorEntry, VectorQuery
from bethink.errors import StoreError
from bethink.index.vectors.conditions import FILTERS, Condition, conditions, payload
from bethink.settings import Quantisation, VectorSettings
from bethink.store.rows import id_range
from bethink.store.vectors import LEFT_SHOWN

PORT = 6333
QUANTILE = 0.99  # of the numbers keep their place between the ends of an int8; the few beyond are cut
AGAIN: dict[Quantisation, tuple[int, int]] = {"int8": (2, 0), "binary": (32, 1_000)}
"""How many times as many as are wanted are looked at again by the vectors themselves; how many at least."""
MOST_AGAIN = 5_000
LINKS = 16  # of a point in the graph of its space
PAGE = 1_000
_NUMBERS = ("observed_at", "expires_at")
_WORDS = ("layer", "person_id", "session_id")
_T = TypeVar("_T")


class QdrantVectors:
    """Qdrant over HTTP or gRPC."""

    name = "qdrant"
    filters = FILTERS

    def __init__(
        self, client: AsyncQdrantClient, settings: VectorSettings, database: str, *, is_server: bool = True
    ) -> None:
        self._client, self._settings, self._is_server = client, settings, is_server
        self._where = f"{settings.host}:{settings.port or PORT}"
        self._prefix = f"{settings.collection}_{database[-12:]}_"
        self._suffix = f"_{settings.quantisation}"
        self.reader = f"{self.name}:{self._where}/{settings.collection}:{settings.quantisation}"

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        name, ids = self._collection(signature), [entry.id for entry in entries]
        there = await self._collections()
        for other in there:
            if other != name:
                await self._drop_points(other, ids)
        if name not in there and entries:
            await self._make(name, len(entries[0].vector))
        for first in range(0, len(entries), self._settings.batch):
            part = entries[first : first + self._settings.batch]
            points = [
                models.PointStruct(
                    id=entry.id, vector=entry.vector.tolist(), payload={"space": str(space)} | payload(entry)
                )
                for entry in part
            ]
            await self._call(self._client.upsert(name, points, wait=self._settings.wait))

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        low, high = id_range(space)
        own = [id_ for id_ in ids if low <= id_ <= high]
        for name in await self._collections():
            await self._drop_points(name, own)

    async def wipe(self, space: int) -> None:
        for name in await self._collections():
            await self._call(self._client.delete(name, models.FilterSelector(filter=_of(space)), wait=True))
            if not (await self._call(self._client.count(name))).count:
                await self._call(self._client.delete_collection(name))

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        wanted, name = conditions(query), self._collection(query.signature)
        if wanted is None or not await self._call(self._client.collection_exists(name)):
            return []
        must: list[models.Condition] = [_in(query.space.number), *map(_condition, wanted)]
        if query.allowed is not None:
            must.append(models.HasIdCondition(has_id=list(query.allowed)))
        found = await self._call(
            self._client.query_points(
                name,
                query=query.vector.tolist(),
                query_filter=models.Filter(must=must),
                limit=query.limit,
                with_payload=False,
                search_params=self._search_params(query.limit),
            )
        )
        ranked = [(int(point.id), float(point.score)) for point in found.points]
        return sorted(ranked, key=lambda item: (-item[1], item[0]))

    async def count(self, space: int, signature: str) -> int:
        name = self._collection(signature)
        if not await self._call(self._client.collection_exists(name)):
            return 0
        if not self._settings.wait:  # what was sent before is done once this is
            await self._drop_points(name, [0])
        return (await self._call(self._client.count(name, _of(space), exact=True))).count

    async def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        name = self._collection(signature)
        if not await self._call(self._client.collection_exists(name)):
            return []
        return await self._scrolled(name, _of(space), limit, after + 1)

    async def health(self) -> str | None:
        try:
            if self._is_server:
                await self._call(self._ready())
            await self._collections()
        except StoreError as error:
            return error.message
        return None

    async def _ready(self) -> None:
        with suppress(
            ValueError
        ):  # a server that is ready says so in plain text, which the client reads as JSON
            await self._client.http.service_api.readyz()

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        found: set[int] = set()
        parts: list[Sequence[int] | None] = [None]
        if ids is not None:
            parts = [ids[first : first + PAGE] for first in range(0, len(ids), PAGE)]
        for name in await self._collections():
            for part in parts:
                must: list[models.Condition] = [_in(space)]
                if part is not None:
                    must.append(models.HasIdCondition(has_id=list(part)))
                limit = LEFT_SHOWN if part is None else PAGE
                found.update(await self._scrolled(name, models.Filter(must=must), limit))
        return sorted(found)

    async def close(self) -> None:
        await self._client.close()

    def _collection(self, signature: str) -> str:
        return f"{self._prefix}{sha256(signature.encode()).hexdigest()[:12]}{self._suffix}"

    async def _collections(self) -> list[str]:
        """The collections of this database and quantisation, of whatever signature."""
        found = await self._call(self._client.get_collections())
        names = [one.name for one in found.collections]
        return [name for name in names if name.startswith(self._prefix) and name.endswith(self._suffix)]

    async def _make(self, name: str, dimensions: int) -> None:
        # A graph for each space: one over all would find the nearest of others.
        graph = models.HnswConfigDiff(m=0, payload_m=LINKS) if self._is_server else None
        await self._call(
            self._client.create_collection(
                name,
                vectors_config=models.VectorParams(size=dimensions, distance=models.Distance.COSINE),
                hnsw_config=graph,
                quantization_config=self._quantised(),
            )
        )
        if not self._is_server:
            return
        word, number = models.KeywordIndexType.KEYWORD, models.IntegerIndexType.INTEGER
        fields: dict[str, models.KeywordIndexParams | models.IntegerIndexParams] = {
            "space": models.KeywordIndexParams(type=word, is_tenant=True)
        }
        # A graph for each value of these, as it would make, takes thirty times as long as one for each space.
        for field in _WORDS:
            fields[field] = models.KeywordIndexParams(type=word, enable_hnsw=False)
        for field in _NUMBERS:
            fields[field] = models.IntegerIndexParams(
                type=number, lookup=False, range=True, enable_hnsw=False
            )
        for field, kind in fields.items():
            await self._call(self._client.create_payload_index(name, field, kind, wait=True))

    def _quantised(self) -> models.ScalarQuantization | models.BinaryQuantization | None:
        if self._settings.quantisation == "int8":
            int8 = models.ScalarQuantizationConfig(
                type=models.ScalarType.INT8, quantile=QUANTILE, always_ram=True
            )
            return models.ScalarQuantization(scalar=int8)
        if self._settings.quantisation == "binary":
            return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
        return None

    def _search_params(self, limit: int) -> models.SearchParams | None:
        if self._settings.quantisation == "none" or not self._is_server:
            return None
        times, least = AGAIN[self._settings.quantisation]
        candidates = max(limit, min(max(times * limit, least), MOST_AGAIN))
        again = models.QuantizationSearchParams(rescore=True, oversampling=candidates / limit)
        return models.SearchParams(quantization=again)

    async def _drop_points(self, name: str, ids: Sequence[int]) -> None:
        for first in range(0, len(ids), PAGE):
            points = models.PointIdsList(points=list(ids[first : first + PAGE]))
            await self._call(self._client.delete(name, points, wait=True))

    async def _scrolled(
        self, name: str, chosen: models.Filter, limit: int, start: int | None = None
    ) -> list[int]:
        call = self._client.scroll(
            name, scroll_filter=chosen, limit=limit, offset=start, with_payload=False, with_vectors=False
        )
        points, _ = await self._call(call)
        return sorted(int(point.id) for point in points)

    async def _call(self, call: Awaitable[_T]) -> _T:
        """What Qdrant answers; what went wrong in words that quote nothing it was sent."""
        try:
            return await call
        except Exception as error:
            status = getattr(error, "status_code", None)
            code = getattr(error, "code", None)
            why = f"HTTP {status}" if status else str(code()) if callable(code) else type(error).__name__
            raise StoreError(
                f"Qdrant at {self._where} does not answer as it should ({why}): is it running, and is its key"
                " right?"
            ) from error


def connect(settings: VectorSettings) -> AsyncQdrantClient:
    """A client of the server that the settings name. It makes no call yet."""
    with warnings.catch_warnings():  # of a key that is sent without TLS, as to a server on this machine
        warnings.simplefilter("ignore")
        return AsyncQdrantClient(
            host=settings.host,
            port=settings.port or PORT,
            grpc_port=settings.grpc_port or PORT + 1,
            prefer_grpc=settings.grpc_port is not None,
            https=settings.tls,
            api_key=settings.api_key.get_secret_value() if settings.api_key else None,
            timeout=max(1, round(settings.timeout_seconds)),
            check_compatibility=False,
        )


def _in(space: int) -> models.FieldCondition:
    return models.FieldCondition(key="space", match=models.MatchValue(value=str(space)))


def _of(space: int) -> models.Filter:
    return models.Filter(must=[_in(space)])


def _condition(wanted: Condition) -> models.FieldCondition:
    if not isinstance(wanted.value, int):
        return models.FieldCondition(key=wanted.field, match=models.MatchAny(any=list(wanted.value)))
    bounds = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
    return models.FieldCondition(key=wanted.field, range=models.Range(**{bounds[wanted.is_]: wanted.value}))
