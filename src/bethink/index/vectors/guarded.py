"""A store beside the database behind a breaker: no call of it takes longer than it may."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from bethink.contracts import VectorEntry, VectorIndex, VectorQuery
from bethink.errors import BethinkError, StoreError
from bethink.index.vectors.breaker import Breaker
from bethink.settings import VectorSettings

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class Guarded:
    """Passes every call on. What fails or is late is a `StoreError`, and opens the breaker."""

    def __init__(self, index: VectorIndex, settings: VectorSettings, on_failure: Callable[[], None]) -> None:
        self.index, self._on_failure = index, on_failure
        self.name, self.reader, self.filters = index.name, index.reader, index.filters
        self._seconds, self._search_seconds = settings.timeout_seconds, settings.budget_seconds
        self.breaker = Breaker(settings.rest_seconds)

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        await self._in_time(self.index.put(space, signature, entries))

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        await self._in_time(self.index.delete(space, ids))

    async def wipe(self, space: int) -> None:
        await self._in_time(self.index.wipe(space))

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        return await self._in_time(self.index.nearest(query), self._search_seconds)

    async def count(self, space: int, signature: str) -> int:
        return await self._in_time(self.index.count(space, signature))

    async def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        return await self._in_time(self.index.ids(space, signature, after, limit))

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        return await self._in_time(self.index.prove(space, ids))

    async def health(self) -> str | None:
        """What is wrong with it; this too may not take long."""
        try:
            problem = await self._in_time(self.index.health(), self._search_seconds)
        except StoreError as error:
            return error.message
        if problem:
            self.failed(problem)
        return problem

    async def close(self) -> None:
        await self.index.close()

    def failed(self, problem: str) -> StoreError:
        """Note that it failed, and let it rest; the error to raise."""
        if not self.breaker.is_open:
            _log.warning("The vector store %s rests: %s", self.name, problem)
        self.breaker.failed(problem)
        self._on_failure()
        return StoreError(problem)

    async def _in_time(self, call: Awaitable[_T], seconds: float | None = None) -> _T:
        seconds = seconds or self._seconds
        try:
            async with asyncio.timeout(seconds):
                return await call
        except TimeoutError:
            raise self.failed(f"no answer came within {seconds:g} s") from None
        except BethinkError as error:
            raise self.failed(error.message) from error
        except Exception as error:  # of a client of whatever kind: a search goes on without it
            raise self.failed(f"{type(error).__name__}: {error}") from error
