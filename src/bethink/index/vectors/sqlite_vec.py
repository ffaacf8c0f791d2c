"""Vectors in a file of their own: searched exactly, with no memory to hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

import apsw

from bethink.contracts import VectorEntry, VectorQuery
from bethink.errors import StoreError
from bethink.index.vectors.conditions import FILTERS, conditions, payload
from bethink.settings import Quantisation
from bethink.store.vector_file import VectorFile

_P = ParamSpec("_P")
_T = TypeVar("_T")


class SqliteVectors:
    """sqlite-vec, in a file beside the database."""

    name = "sqlite-vec"
    filters = FILTERS

    def __init__(self, path: str, *, quantisation: Quantisation = "none") -> None:
        self._path, self._quantisation = path, quantisation
        self.reader = f"{self.name}:{path}:{quantisation}"
        # Searches do not wait for an index that is being filled; in memory there is but one connection.
        self._writes = ThreadPoolExecutor(1, "bethink-vectors")
        self._reads = self._writes if path == ":memory:" else ThreadPoolExecutor(1, "bethink-near")
        self._open: dict[ThreadPoolExecutor, VectorFile] = {}

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        rows = [{"id": entry.id, "vector": entry.vector} | payload(entry) for entry in entries]
        if rows:
            await self._run(self._writes, VectorFile.put, space, signature, rows)

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        await self._run(self._writes, VectorFile.delete, space, ids)

    async def wipe(self, space: int) -> None:
        await self._run(self._writes, VectorFile.wipe, space)

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        wanted = conditions(query)
        if wanted is None:
            return []
        asked = (query.space.number, query.signature, query.vector, query.limit, wanted, query.allowed)
        return await self._run(self._reads, VectorFile.nearest, *asked)

    async def count(self, space: int, signature: str) -> int:
        return await self._run(self._reads, VectorFile.count, space, signature)

    async def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        return await self._run(self._reads, VectorFile.ids, space, signature, after, limit)

    async def health(self) -> str | None:
        try:
            await self._run(self._reads, VectorFile.look)
        except StoreError as error:
            return error.message
        return None

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        return await self._run(self._reads, VectorFile.left, space, ids)

    async def close(self) -> None:
        for pool in {self._writes, self._reads}:
            pool.shutdown(wait=True, cancel_futures=True)
        for file in self._open.values():
            file.close()
        self._open.clear()

    async def _run(
        self,
        pool: ThreadPoolExecutor,
        work: Callable[Concatenate[VectorFile, _P], _T],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Do work on a thread, with a connection that is used there only."""

        def on_thread() -> _T:
            if pool not in self._open:
                self._open[pool] = VectorFile(self._path, self._quantisation)
            return work(self._open[pool], *args, **kwargs)

        try:
            return await asyncio.wrap_future(pool.submit(on_thread))
        except RuntimeError as error:
            raise StoreError(f"The vector file {self._path} is closed.") from error
        except apsw.Error as error:
            advice = "look at the disk, or delete the file while nothing uses it: it is made anew"
            raise StoreError(f"The vector file {self._path} cannot be used ({error}): {advice}.") from error
        except OSError as error:
            raise StoreError(f"The vector file {self._path} cannot be opened: {error.strerror}.") from error
