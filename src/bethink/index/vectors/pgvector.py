"""Vector search by PostgreSQL itself."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from heapq import nlargest
from itertools import chain
from math import isnan
from operator import itemgetter

from bethink.clock import new_id, now
from bethink.contracts import VectorEntry, VectorQuery
from bethink.errors import BethinkError, StoreError
from bethink.index.vectors import EVERY_FILTER
from bethink.records import Layer, Space
from bethink.store import leases, near_indexes, vectors
from bethink.store.driver import Driver, Tx
from bethink.store.rows import every_layer

LOOK_SECONDS = 30.0  # between two looks at which indexes there are
LEASE = timedelta(seconds=60)  # of a build, prolonged while it lasts
_log = logging.getLogger(__name__)


class PgVectors:
    """pgvector: nothing is kept in this process but which layers have an index."""

    name = reader = "pgvector"
    filters = EVERY_FILTER

    def __init__(self, driver: Driver, *, index_from: int) -> None:
        self._driver, self._index_from = driver, index_from
        self._indexed: dict[tuple[int, str], tuple[frozenset[Layer], float]] = {}
        self._spare: dict[tuple[int, str], int] = {}  # vectors a space can get before a layer may be large

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        """Nothing to take in: the vectors are columns of the rows."""

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        """Nothing to let go of: the vectors went with their rows."""

    async def wipe(self, space: int) -> None:
        """Let go of what is kept in this process: the rows are not its own."""
        self._drop(space)

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        return await self._driver.read(self.nearest_in, query)

    async def count(self, space: int, signature: str) -> int:
        return await self._driver.read(vectors.count, space, signature)

    async def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        return (await self._driver.read(vectors.ids, space, signature, after, None))[:limit]

    async def health(self) -> str | None:
        try:
            await self._driver.read(vectors.check)
        except BethinkError as error:
            return error.message
        return None

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        return sorted(await self._driver.read(vectors.left, space, ids))

    async def close(self) -> None:
        """Nothing to let go of but the database, which is closed by whoever opened it."""

    def drop(self, space: Space) -> None:
        """Look anew at which indexes a space has."""
        self._drop(space.number)

    def _drop(self, number: int) -> None:
        self._spare = {key: spare for key, spare in self._spare.items() if key[0] != number}
        self._indexed = {key: known for key, known in self._indexed.items() if key[0] != number}

    def nearest_in(self, tx: Tx, query: VectorQuery) -> list[tuple[int, float]]:
        """By index where a layer has one; by looking at every row elsewhere, and where a filter chooses."""
        space, signature, chosen, limit = query.space, query.signature, query.chosen, query.limit
        layers = frozenset(every_layer()) if chosen.layers is None else frozenset(chosen.layers)
        filtered = query.allowed is not None or chosen.needs_sql
        if filtered or not layers & self._layers(tx, space, signature):
            near = vectors.nearest(
                tx, space, signature, query.vector, chosen, query.now, limit, query.allowed
            )
        else:  # the small layers too by their own ranges, so that nobody looks through the large ones
            ranked = [
                near_indexes.nearest(tx, space, layer, signature, query.vector, query.now, limit)
                for layer in layers
            ]
            near = nlargest(limit, chain.from_iterable(ranked), key=itemgetter(1))
        return [(id_, cosine) for id_, cosine in near if not isnan(cosine)]  # as a row of zeros gives

    def prepare(self, _tx: Tx, _space: Space, _signature: str, _dimensions: int) -> None:
        """Nothing to get: the vectors stay where they are."""

    def at_hand(self, _space: Space) -> bool:
        """Never: every search is a trip to the server."""
        return False

    async def tend(self, space: Space, signature: str, dimensions: int, made: int) -> None:
        """Give layers that have grown large an index, unless another process is at it."""
        key = (space.number, signature)
        self._spare[key] = self._spare.get(key, 0) - made
        if self._spare[key] > 0 or not near_indexes.can_index(signature, dimensions):
            return
        driver = self._driver
        sizes = await driver.read(near_indexes.sizes, space, signature, self._index_from)
        there, names = await driver.read(near_indexes.existing, space), near_indexes.names(space, signature)
        waiting = {layer: size for layer, size in sizes.items() if not there.get(names[layer])}
        for layer, size in waiting.items():
            if size >= self._index_from:
                await self._build(space, layer, signature, dimensions)
        small = [size for size in waiting.values() if size < self._index_from]
        self._spare[key] = self._index_from - max(small, default=0)

    async def _build(self, space: Space, layer: Layer, signature: str, dimensions: int) -> None:
        driver = self._driver
        lease, token = f"near:{layer}:{space.id}", new_id()
        if not await driver.write(leases.take, lease, token, now(), LEASE):
            return
        async with leases.prolonged(driver, lease, token, LEASE):
            try:
                await near_indexes.build(driver, space, layer, signature, dimensions)
                self._indexed.clear()
            except StoreError as error:
                _log.warning("Vectors are searched without an index: %s", error.message)

    def _layers(self, tx: Tx, space: Space, signature: str) -> frozenset[Layer]:
        """The layers of a space that have an index."""
        known = self._indexed.get((space.number, signature))
        if known and time.monotonic() - known[1] < LOOK_SECONDS:
            return known[0]
        there = near_indexes.existing(tx, space)
        found = frozenset(
            layer for layer, name in near_indexes.names(space, signature).items() if there.get(name)
        )
        self._indexed[space.number, signature] = (found, time.monotonic())
        return found
