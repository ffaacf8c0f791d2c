"""Another embedding model on a store with 6,000 memories: recall answers all the way through.

Vectors of the two models lie in spaces of their own, at right angles, and those of one model all point a
little the same way. So two vectors of one model have a cosine of at least a half, and a vector of the old
model compared with a query of the new one would show by a cosine of 0.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bethink import AsyncBethink
from bethink.contracts import VectorQuery
from bethink.index.search import WAITING
from bethink.models.embed import EmbedRole
from bethink.shapes.status import ReindexStatus
from bethink.store.driver import Tx
from tests.opened import Home, texts

MANY = 6_000
BATCH = 3_000
HALF = 32
LEAST_OF_ONE_MODEL = 0.4


class HalfSpaceEmbedder:
    """As quick as can be: a text's vector is one of a table, in the half of the space of this model."""

    source = "testing"
    dimensions = 2 * HALF

    def __init__(self, model: str, half: int) -> None:
        self.model = model
        self.made = 0
        rows = np.random.default_rng(half).standard_normal((4096, HALF)) / np.sqrt(HALF)
        rows[:, 0] = 1.5
        table = np.zeros((4096, self.dimensions), np.float32)
        table[:, half * HALF : (half + 1) * HALF] = rows
        self._table = table / np.linalg.norm(table, axis=1, keepdims=True)

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if role == "document":
            self.made += len(texts)
        places = [crc32(text.encode()) % len(self._table) for text in texts]
        found: NDArray[np.float32] = self._table[places]
        return found


async def watch_comparisons(memory: AsyncBethink) -> list[tuple[str, float]]:
    """The signature and the least cosine of every search from now on."""
    index: Any = (await memory.inside.opened()).index.ladder.ground.index
    seen: list[tuple[str, float]] = []
    real: Callable[[Tx, VectorQuery], list[tuple[int, float]]] = index.nearest_in

    def nearest_in(tx: Tx, query: VectorQuery) -> list[tuple[int, float]]:
        found = real(tx, query)
        seen.append((query.signature, min((cosine for _, cosine in found), default=1.0)))
        return found

    index.nearest_in = nearest_in
    return seen


def note(number: int) -> str:
    return f"Note number{number} tells of item{number % 97} and thing{number % 89}"


async def ask(memory: AsyncBethink, number: int) -> list[str]:
    """Ask for one of the notes, which is found by its words whether or not it has its vector; what was
    degraded.
    """
    result = await memory.recall(note(number), limit=5)
    assert note(number) in texts(result)
    assert result.engine == "hybrid"
    return result.degraded


async def converted_to(memory: AsyncBethink, most: int) -> tuple[ReindexStatus, list[int]]:
    """Ask, and look at the progress, until no more than `most` await their vectors."""
    pending: list[int] = []
    while not pending or pending[-1] > most:
        status = await memory.index.reindex_status()
        pending.append(status.pending)
        degraded = await ask(memory, (len(pending) * 1237) % MANY)
        assert degraded in ([WAITING], [])
        await asyncio.sleep(0.02)
    assert pending == sorted(pending, reverse=True)
    return status, pending


async def test_recall_answers_while_every_vector_is_made_anew(home: Home) -> None:
    old = HalfSpaceEmbedder("old", 0)
    async with home.memory(old) as memory:
        for start in range(0, MANY, BATCH):
            await memory.remember_many([{"content": note(n)} for n in range(start, start + BATCH)])
        await memory.reindex()
        assert await ask(memory, 4321) == []

    new = HalfSpaceEmbedder("new", 1)
    async with home.memory(new) as memory:
        seen = await watch_comparisons(memory)
        assert await ask(memory, 17) == [WAITING]
        assert (await memory.index.status()).degraded == [WAITING]
        assert (await memory.index.start_reindex()).started
        status, pending = await converted_to(memory, MANY // 2)
        assert status.running
        assert len(set(pending)) > 2
    first = new.made

    again = HalfSpaceEmbedder("new", 1)
    async with home.memory(again) as memory:  # a restart in the middle
        later = await watch_comparisons(memory)
        left = await memory.index.reindex_status()
        assert 0 < left.pending <= pending[-1]
        assert (await memory.index.start_reindex()).pending == left.pending
        await converted_to(memory, 0)
        assert await ask(memory, MANY - 1) == []
        stats = await memory.stats()
        assert (stats.signature, stats.awaiting_vectors) == ("testing:new:64", 0)
        assert (await memory.index.check()).working
    assert again.made <= MANY - first + 2_000  # it went on, and did not begin anew
    seen += later
    assert {signature for signature, _ in seen} == {"testing:new:64"}
    assert min(cosine for _, cosine in seen) > LEAST_OF_ONE_MODEL
