"""A round trip through store and index: something is written, found by its words and vector, deleted.

The memory itself is gone when its transaction ends, so nobody ever sees it; its entry in the index stays for
the search. An entry without a record is in no answer, and one that is called a probe is neither counted nor
made vectors for by anyone else.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from bethink.clock import new_id, now
from bethink.errors import BethinkError, ModelError, StoreError
from bethink.index.describe import embedded_memory, memory_entry
from bethink.index.search import Index, Search
from bethink.records import Layer, Memory, Space
from bethink.shapes.status import HealthStep
from bethink.store import Driver, Tx, entries, memories, vectors
from bethink.store.filters import EntryFilter
from bethink.text.terms import query_terms

SOURCE = "health-check"
_BEGAN = datetime(1970, 1, 2, tzinfo=UTC)
_BETWEEN = _BEGAN + timedelta(hours=1)
_EXPIRED = timedelta(days=1)  # how long ago a probe ended when it was made, whoever's clock is asked
_LEFT_OVER = timedelta(minutes=5)  # a round trip this old was cut short by a crash
_LETTERS = str.maketrans("0123456789abcdef-", "bcdfghjklmnpqrstv")
_DEPTH = 50


class RoundTrip:
    """One round trip in a space; `steps` tells how it went."""

    def __init__(self, driver: Driver, index: Index, space: Space) -> None:
        self._driver, self._index, self._space = driver, index, space
        self.steps: list[HealthStep] = []
        moment, word = now(), new_id()[-17:].translate(_LETTERS)
        self._memory = Memory(
            id=f"{entries.PROBE}{new_id()}",
            space_id=space.id,
            content=f"The health check looks for {word}",
            source=SOURCE,
            observed_at=_BEGAN,
            expires_at=moment - _EXPIRED,
            created_at=moment,
            updated_at=moment,
        )
        self._word = word
        self._entry_id = 0

    async def run(self) -> list[HealthStep]:
        """All steps; each says what went wrong. What was written is deleted in any case."""
        if await self._step("write", self._write):
            try:
                await self._step("terms", self._find_by_terms)
                if await self._step("embed", self._embed):
                    await self._step("vector", self._find_by_vector)
            finally:
                await self._step("delete", self._delete)
        return self.steps

    async def _step(self, name: str, work: Callable[[], Awaitable[None]]) -> bool:
        started, problem = time.perf_counter(), None
        try:
            await work()
        except BethinkError as error:
            problem = error.message
        took = round((time.perf_counter() - started) * 1000, 3)
        self.steps.append(
            HealthStep.model_validate(
                {"name": name, "ok": problem is None, "milliseconds": took, "problem": problem}
            )
        )
        return problem is None

    async def _write(self) -> None:
        self._entry_id = await self._driver.write(_write, self._space, self._memory)

    async def _embed(self) -> None:
        maker = self._index.vector_maker
        current = await maker.ready()
        (vector,) = await maker.make([embedded_memory(self._memory)])
        entry = memory_entry(self._memory)
        made = [(self._entry_id, entry.fingerprint, vector)]
        await self._driver.write(vectors.put, self._space, current, made)

    async def _find_by_terms(self) -> None:
        found = await self._driver.read(self._index.terms, self._search())
        self._check(found, "the index of terms")

    async def _find_by_vector(self) -> None:
        signature, query = await self._index.vector_maker.query(self._memory.content)
        (near,) = await self._index.nearest([(self._search(), query)], signature)
        self._check(near.ranked, f"the vector index {self._index.ladder.name}")

    async def _delete(self) -> None:
        await self._driver.write(_delete, self._space, self._memory.id, now() - _EXPIRED - _LEFT_OVER)

    def _search(self) -> Search:
        chosen = EntryFilter(layers=[Layer.MEMORY], until=_BETWEEN)
        words = query_terms(self._word)
        return Search(self._space, words, self._word, self._word, chosen, _BETWEEN, _DEPTH)

    def _check(self, found: list[tuple[int, float]], where: str) -> None:
        if self._entry_id not in [id_ for id_, _ in found]:
            raise ModelError(f"What was just written is not found in {where}; run 'bethink reindex --force'.")


def _write(tx: Tx, space: Space, memory: Memory) -> int:
    """Write the memory, read it and delete it; the id of its entry, which stays."""
    memories.add(tx, [memory])
    if memories.by_ids(tx, space.id, [memory.id]) != {memory.id: memory}:
        raise StoreError("The store failed: what was just written is not read as it was.")
    memories.delete(tx, space.id, [memory.id])
    entries.put(tx, space, [memory_entry(memory)])
    return next(id_ for id_, record_id in entries.probes(tx, space.id).items() if record_id == memory.id)


def _delete(tx: Tx, space: Space, memory_id: str, before: datetime) -> None:
    """Delete it, and with it what a crash left of others."""
    old = entries.probes(tx, space.id, before).values()
    entries.remove(tx, space, Layer.MEMORY, [memory_id, *old])
