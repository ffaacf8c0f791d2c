"""The façade's part about the index: how it is doing."""

from __future__ import annotations

from recollect.engine import Handle
from recollect.outcomes import CacheStats


class AsyncIndex:
    """The index of a space, and the models behind it."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def cache(self) -> CacheStats:
        """How the cache of embeddings is doing."""
        engine, _ = await self._space._here()
        return engine.cache()
