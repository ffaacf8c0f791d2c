"""Embeddings kept in memory for a while, so that the same text is not sent to the model again."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from bethink.models.embed.protocol import Embedder, EmbedRole, signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """How often a text was found (`hits`) or had to be embedded (`misses`), and how many are kept."""

    hits: int
    misses: int
    size: int


class CachedEmbedder:
    """An embedder that remembers its last `size` vectors, each for `seconds`.

    Only what is missing goes to the model, each distinct text once. For one event loop: nothing is
    awaited between reading and writing an entry.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        size: int = 1000,
        seconds: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder = embedder
        self.source, self.model, self.dimensions = embedder.source, embedder.model, embedder.dimensions
        self.signature = signature(embedder)
        self._size = size
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, NDArray[np.float32]]] = OrderedDict()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}  # for a vector that is on its way
        self._hits = 0
        self._misses = 0

    @property
    def statistics(self) -> CacheStatistics:
        """Counts since the embedder was opened."""
        return CacheStatistics(self._hits, self._misses, len(self._kept))

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text, from memory where it is known."""
        import numpy as np

        start = f"{self.signature}:{role}:"
        keys = [start + sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        rows: dict[str, NDArray[np.float32]] = {}
        missing: dict[str, str] = {}
        for key, text in zip(keys, texts, strict=True):
            if key in rows or key in missing:
                self._hits += 1
            elif (row := self._look_up(key)) is not None:
                self._hits += 1
                rows[key] = row
            else:
                self._misses += 1
                missing[key] = text
        if len(missing) == 1:
            [(key, text)] = missing.items()
            rows[key] = await self._once(key, text, role)
        elif missing:
            fresh = await self._embedder.embed(list(missing.values()), role)
            rows.update(zip(missing, fresh, strict=True))
            self._keep({key: rows[key] for key in missing})
        result = np.empty((len(keys), self.dimensions), np.float32)
        for position, key in enumerate(keys):
            result[position] = rows[key]
        return result

    async def _once(self, key: str, text: str, role: EmbedRole) -> NDArray[np.float32]:
        """The vector of a text that several may want at the same time: the model is asked once."""
        if (waiting := self._waiting.get(key)) is not None:
            waiting.append(here := asyncio.get_running_loop().create_future())
            await here
            if (row := self._look_up(key)) is not None:
                return row
        mine = self._waiting.setdefault(key, [])
        try:
            fresh: NDArray[np.float32] = (await self._embedder.embed([text], role))[0]
            self._keep({key: fresh})
            return fresh
        finally:
            if self._waiting.get(key) is mine:
                del self._waiting[key]
            for one in mine:
                if not one.done():
                    one.set_result(None)
            mine.clear()

    async def close(self) -> None:
        """Forget everything. Closing the embedder underneath is left to whoever opened it."""
        self.clear()

    def clear(self) -> None:
        """Forget every vector."""
        self._kept.clear()

    def _look_up(self, key: str) -> NDArray[np.float32] | None:
        entry = self._kept.get(key)
        if entry is None:
            return None
        expires, row = entry
        if self._clock() >= expires:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return row

    def _keep(self, fresh: dict[str, NDArray[np.float32]]) -> None:
        expires = self._clock() + self._seconds
        for key, row in fresh.items():
            # A copy, because a row of a batch would hold the whole batch in memory.
            self._kept[key] = (expires, row.copy())
            self._kept.move_to_end(key)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
