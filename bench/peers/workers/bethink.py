"""Bethink through its public API; the option is the tier, with "own" after it to embed queries itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.peers.workers.contract import Memory, Vectors, serve
from bethink import AsyncBethink, Layer, Settings
from bethink.models.embed import EmbedRole
from bethink.models.embed.local import LocalEmbedder, open_local

# The driver's model, named as Bethink itself names it, so that everything tuned to that model applies.
SOURCE, MODEL, DIMENSIONS = "local", "bge-small-en-v1.5-int8", 384


class DriversVectors:
    """An embedder that asks the driver."""

    source, model, dimensions = SOURCE, MODEL, DIMENSIONS

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text."""
        return np.array(await asyncio.to_thread(self._vectors, texts, role), np.float32)


class OwnQueries(DriversVectors):
    """An embedder that asks the driver for documents only, and reads queries with Bethink's own model."""

    def __init__(self, vectors: Vectors) -> None:
        super().__init__(vectors)
        self._model: LocalEmbedder | None = None

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if role == "document":
            return await super().embed(texts, role)
        self._model = self._model or await open_local(Settings.load())
        return await self._model.embed(texts, role)


class Bethink:
    """Turns of a conversation are observed as messages, other texts remembered."""

    def __init__(self, vectors: Vectors, folder: Path, option: str) -> None:
        tier, _, own = option.partition(" ")
        embedder = OwnQueries(vectors) if own else DriversVectors(vectors)
        self._loop = asyncio.new_event_loop()
        self._names: dict[str, str] = {}
        self._layer = Layer.MEMORY
        # The best tier gives up on its cross-encoder after a second; here it is waited for and timed.
        overrides: dict[str, Any] = {"recall": {"tier": tier}, "rerank": {"seconds": 60}}
        self._memory = AsyncBethink(folder / "memory.db", embedder=embedder, **overrides)

    def index(self, memories: Sequence[Memory]) -> None:
        """Store a batch and wait for its vectors."""
        self._loop.run_until_complete(self._index(memories))

    def search(self, query: str, k: int) -> list[str]:
        """Recall, with a budget of tokens that leaves no hit out."""
        recall = self._memory.recall(query, limit=k, max_tokens=8000, layers=[self._layer])
        result = self._loop.run_until_complete(recall)
        if result.degraded:
            raise RuntimeError("; ".join(result.degraded))
        return [self._names[hit.id] for hit in result.hits]

    async def _index(self, memories: Sequence[Memory]) -> None:
        for session, turns in groupby(memories, lambda memory: memory["session"]):
            batch = list(turns)
            if session:
                self._layer = Layer.MESSAGE
                outcomes = (await self._memory.observe(session, [_message(turn) for turn in batch])).outcomes
            else:
                drafts = [{"key": one["id"], "content": one["text"]} for one in batch]
                outcomes = list(await self._memory.remember_many(drafts))
            self._names |= {outcome.id: memory["id"] for outcome, memory in zip(outcomes, batch, strict=True)}
        await self._memory.settle()


def _message(turn: Memory) -> dict[str, str | None]:
    return {
        "id": turn["id"],
        "name": turn["speaker"] or None,
        "content": turn["text"],
        "sent_at": turn["sent_at"] or None,
    }


if __name__ == "__main__":
    serve(Bethink)
