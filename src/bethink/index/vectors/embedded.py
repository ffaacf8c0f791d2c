"""Vector search in this process: a resident int8 copy of each space in use, kept fresh from the store."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bethink.contracts import VectorEntry, VectorQuery
from bethink.errors import BethinkError
from bethink.index.vectors import EVERY_FILTER
from bethink.index.vectors.resident import Page, ResidentVectors
from bethink.records import Space
from bethink.store import changes, entries, vectors
from bethink.store.driver import Driver, Tx
from bethink.store.rows import LAYER_CODES, NUMBER_BITS, every_layer, micros
from bethink.store.vectors import Loaded

FEW = 20_000  # rows that are searched in less time than it takes to change threads


@dataclass
class _Copy:
    """The resident vectors of one space and signature, and the newest change they include."""

    signature: str
    rows: ResidentVectors
    seen: int = -1
    refreshing: Lock = field(default_factory=Lock)


class EmbeddedVectors:
    """Keeps the spaces in use in memory, the least recently used going first when the budget is spent."""

    name = reader = "embedded"
    filters = EVERY_FILTER

    def __init__(self, driver: Driver, *, memory_bytes: int, rescore: int) -> None:
        self._driver = driver
        self._budget, self._rescore = memory_bytes, rescore
        self._copies: OrderedDict[int, _Copy] = OrderedDict()
        self._lock = Lock()

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        """Nothing to take in: the next search looks at the rows."""

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        """Nothing to let go of: the next search looks at the rows."""

    async def wipe(self, space: int) -> None:
        """Let go of what is kept in this process: the rows are not its own."""
        self._drop(space)

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        read = self._driver.peek if self.at_hand(query.space) else self._driver.read
        return await read(self.nearest_in, query)

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
        left = set(await self._driver.read(vectors.left, space, ids))
        if copy := self._copies.get(space):
            left.update(copy.rows.held(None if ids is None else np.array(ids, np.int64)).tolist())
        return sorted(left)

    async def close(self) -> None:
        with self._lock:
            self._copies.clear()

    def nearest_in(self, tx: Tx, query: VectorQuery) -> list[tuple[int, float]]:
        space, signature, chosen = query.space, query.signature, query.chosen
        rows = self._fresh(tx, space, signature, len(query.vector))
        if not len(rows):
            return []
        layers = None if chosen.layers is None else frozenset(LAYER_CODES[layer] for layer in chosen.layers)
        allowed = query.allowed
        if allowed is None and chosen.needs_sql:
            allowed = entries.allowed(tx, space.id, chosen)
        ids_allowed = None if allowed is None else np.array(allowed, np.int64)
        depth = max(query.limit, self._rescore)  # or what is roughly the last wanted might not be so exactly
        near, roughly = rows.nearest(
            query.vector, depth, now=micros(query.now), layers=layers, allowed=ids_allowed
        )
        ids, exact = vectors.exact(tx, near[: self._rescore].tolist(), signature)
        cosines = exact @ query.vector if len(ids) else np.zeros(0, np.float32)
        best = np.lexsort((ids, -cosines))
        rescored = zip(ids[best].tolist(), cosines[best].tolist(), strict=True)
        rest = zip(near[self._rescore :].tolist(), roughly[self._rescore :].tolist(), strict=True)
        return [*rescored, *rest][: query.limit]

    def prepare(self, tx: Tx, space: Space, signature: str, dimensions: int) -> None:
        self._fresh(tx, space, signature, dimensions)

    def at_hand(self, space: Space) -> bool:
        copy = self._copies.get(space.number)
        return copy is not None and copy.seen >= 0 and len(copy.rows) <= FEW

    async def tend(self, space: Space, signature: str, dimensions: int, _made: int) -> None:
        """Take what is new into a copy that is in use, so that the next search need not."""
        copy = self._copies.get(space.number)
        if copy is not None and copy.signature == signature:
            await self._driver.read(self.prepare, space, signature, dimensions)

    def drop(self, space: Space) -> None:
        """Let go of the copy of a space; the next search loads it anew."""
        self._drop(space.number)

    def _drop(self, space_number: int) -> None:
        with self._lock:
            self._copies.pop(space_number, None)

    def _fresh(self, tx: Tx, space: Space, signature: str, dimensions: int) -> ResidentVectors:
        """The space's copy with every committed change in it, also those of other processes."""
        copy = self._copy(space.number, signature, dimensions)
        with copy.refreshing:
            newest = changes.last(tx, space.number)
            # Below what was seen when the log has been cut since, or when this transaction began earlier.
            if stale := copy.seen != newest:
                self._refresh(tx, space, copy)
                copy.seen = newest
            rows = copy.rows
        if stale:
            self._keep_to_budget()
        return rows

    def _refresh(self, tx: Tx, space: Space, copy: _Copy) -> None:
        changed = changes.since(tx, space.number, copy.seen) if copy.seen >= 0 else None
        if changed is None:
            # Only when whole: searches may be reading the old one.
            copy.rows = ResidentVectors.loaded(
                copy.rows.dimensions,
                _pages(tx, space, copy.signature),
                vectors.expiring(tx, space.number),
                room=sum(entries.last_number(tx, space, layer) for layer in every_layer()),
            )
            return
        loaded = vectors.load(tx, changed, copy.signature)
        copy.rows.remove(np.setdiff1d(np.array(changed, np.int64), loaded[0]))
        _put(copy.rows, loaded)

    def _copy(self, space_number: int, signature: str, dimensions: int) -> _Copy:
        with self._lock:
            copy = self._copies.get(space_number)
            if copy is None or copy.signature != signature:
                copy = self._copies[space_number] = _Copy(signature, ResidentVectors(dimensions))
            self._copies.move_to_end(space_number)
            return copy

    def _keep_to_budget(self) -> None:
        with self._lock:
            held = sum(copy.rows.bytes for copy in self._copies.values())
            while held > self._budget and len(self._copies) > 1:
                _, copy = self._copies.popitem(last=False)
                held -= copy.rows.bytes


def _pages(tx: Tx, space: Space, signature: str) -> Iterator[Page]:
    last = 0
    while len((page := vectors.load_space(tx, space.number, signature, last))[0]):
        ids, codes, inverse_lengths = page
        yield ids, _layers(ids), codes, inverse_lengths
        last = int(ids[-1])


def _put(rows: ResidentVectors, loaded: Loaded) -> None:
    ids, matrix, expires = loaded
    if len(ids):
        rows.put(ids, matrix, _layers(ids), expires)


def _layers(ids: NDArray[np.int64]) -> NDArray[np.uint8]:
    return (ids >> NUMBER_BITS & 0xF).astype(np.uint8)
