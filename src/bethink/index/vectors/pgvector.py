"""Vector search by PostgreSQL itself."""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import chain
from math import isnan
from operator import itemgetter

from bethink.clock import new_id, now
from bethink.errors import StoreError
from bethink.records import Layer, Space
from bethink.store import leases, near_indexes, vectors
from bethink.store.driver import Driver, Tx
from bethink.store.filters import EntryFilter
from bethink.store.ids import every_layer
from bethink.store.vectors import Vector

LOOK_SECONDS = 30.0  # between two looks at which indexes there are
LEASE = timedelta(seconds=60)  # of a build, prolonged while it lasts
_log = logging.getLogger(__name__)


class PgVectors:
    """pgvector: nothing is kept in this process but which layers have an index."""

    name = "pgvector"

    def __init__(self, *, index_from: int) -> None:
        self._index_from = index_from
        self._indexed: dict[tuple[int, str], tuple[frozenset[Layer], float]] = {}
        self._spare: dict[tuple[int, str], int] = {}  # vectors a space can get before a layer may be large

    def drop(self, space: Space) -> None:
        """Look anew at which indexes a space has."""
        self._spare = {key: spare for key, spare in self._spare.items() if key[0] != space.number}
        self._indexed = {key: known for key, known in self._indexed.items() if key[0] != space.number}

    def nearest(
        self,
        tx: Tx,
        space: Space,
        signature: str,
        query: Vector,
        chosen: EntryFilter,
        now: datetime,
        limit: int,
    ) -> list[tuple[int, float]]:
        """By index where a layer has one; by looking at every row elsewhere, and where a filter chooses."""
        layers = frozenset(every_layer()) if chosen.layers is None else frozenset(chosen.layers)
        if chosen.needs_sql or not layers & self._layers(tx, space, signature):
            near = vectors.nearest(tx, space, signature, query, chosen, now, limit)
        else:  # the small layers too by their own ranges, so that nobody looks through the large ones
            ranked = [
                near_indexes.nearest(tx, space, layer, signature, query, now, limit) for layer in layers
            ]
            near = nlargest(limit, chain.from_iterable(ranked), key=itemgetter(1))
        return [(id_, cosine) for id_, cosine in near if not isnan(cosine)]  # as a row of zeros gives

    def prepare(self, _tx: Tx, _space: Space, _signature: str, _dimensions: int) -> None:
        """Nothing to get: the vectors stay where they are."""

    def at_hand(self, _space: Space) -> bool:
        """Never: every search is a trip to the server."""
        return False

    async def tend(self, driver: Driver, space: Space, signature: str, dimensions: int, made: int) -> None:
        """Give layers that have grown large an index, unless another process is at it."""
        key = (space.number, signature)
        self._spare[key] = self._spare.get(key, 0) - made
        if self._spare[key] > 0 or not near_indexes.can_index(signature, dimensions):
            return
        sizes = await driver.read(near_indexes.sizes, space, signature, self._index_from)
        there, names = await driver.read(near_indexes.existing, space), near_indexes.names(space, signature)
        waiting = {layer: size for layer, size in sizes.items() if not there.get(names[layer])}
        for layer, size in waiting.items():
            if size >= self._index_from:
                await self._build(driver, space, layer, signature, dimensions)
        small = [size for size in waiting.values() if size < self._index_from]
        self._spare[key] = self._index_from - max(small, default=0)

    async def _build(
        self, driver: Driver, space: Space, layer: Layer, signature: str, dimensions: int
    ) -> None:
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
