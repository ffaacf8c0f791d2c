"""Vector search in this process: a resident int8 copy of each space in use, kept fresh from the store."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bethink.index.vectors.resident import Page, ResidentVectors
from bethink.records import Space
from bethink.store import entries, vectors
from bethink.store.columns import micros
from bethink.store.driver import Driver, Tx
from bethink.store.filters import EntryFilter
from bethink.store.ids import LAYER_CODES, NUMBER_BITS, every_layer
from bethink.store.vectors import Loaded, Vector

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

    name = "embedded"

    def __init__(self, *, memory_bytes: int, rescore: int) -> None:
        self._budget, self._rescore = memory_bytes, rescore
        self._copies: OrderedDict[int, _Copy] = OrderedDict()
        self._lock = Lock()

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
        rows = self._fresh(tx, space, signature, len(query))
        if not len(rows):
            return []
        layers = None if chosen.layers is None else frozenset(LAYER_CODES[layer] for layer in chosen.layers)
        allowed = np.array(entries.allowed(tx, space.id, chosen), np.int64) if chosen.needs_sql else None
        near, roughly = rows.nearest(query, limit, now=micros(now), layers=layers, allowed=allowed)
        ids, exact = vectors.exact(tx, near[: self._rescore].tolist(), signature)
        cosines = exact @ query if len(ids) else np.zeros(0, np.float32)
        best = np.lexsort((ids, -cosines))
        rescored = zip(ids[best].tolist(), cosines[best].tolist(), strict=True)
        rest = zip(near[self._rescore :].tolist(), roughly[self._rescore :].tolist(), strict=True)
        return [*rescored, *rest]

    def prepare(self, tx: Tx, space: Space, signature: str, dimensions: int) -> None:
        self._fresh(tx, space, signature, dimensions)

    def at_hand(self, space: Space) -> bool:
        copy = self._copies.get(space.number)
        return copy is not None and copy.seen >= 0 and len(copy.rows) <= FEW

    async def tend(self, driver: Driver, space: Space, signature: str, dimensions: int, _made: int) -> None:
        """Take what is new into a copy that is in use, so that the next search need not."""
        copy = self._copies.get(space.number)
        if copy is not None and copy.signature == signature:
            await driver.read(self.prepare, space, signature, dimensions)

    def drop(self, space: Space) -> None:
        """Let go of the copy of a space; the next search loads it anew."""
        with self._lock:
            self._copies.pop(space.number, None)

    def _fresh(self, tx: Tx, space: Space, signature: str, dimensions: int) -> ResidentVectors:
        """The space's copy with every committed change in it, also those of other processes."""
        copy = self._copy(space.number, signature, dimensions)
        with copy.refreshing:
            newest = vectors.last_change(tx, space.number)
            # Below what was seen when the log has been cut since, or when this transaction began earlier.
            if stale := copy.seen != newest:
                self._refresh(tx, space, copy)
                copy.seen = newest
            rows = copy.rows
        if stale:
            self._keep_to_budget()
        return rows

    def _refresh(self, tx: Tx, space: Space, copy: _Copy) -> None:
        changed = vectors.changed_since(tx, space.number, copy.seen) if copy.seen >= 0 else None
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
