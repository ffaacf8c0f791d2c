"""The `local` reranker: reads a query and a text together and says how well the one answers the other.

ms-marco-MiniLM-L-12-v2 in int8, from the same installed package as the embedding model.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bethink.models.onnx import OnnxModel, batches, load_model
from bethink.models.weights import MODELS, located, required
from bethink.models.workers import Workers

NAME = MODELS["rerank"].name
_MOST_TEXTS, _MOST_PADDED_TOKENS = 8, 512


class LocalReranker:
    """Runs the cross-encoder on its own threads; loads it when the first pair comes."""

    source = "local"
    model = NAME

    def __init__(self, threads: int = 0) -> None:
        self._workers = Workers(threads or min(4, os.cpu_count() or 1))
        self._loading = threading.Lock()
        self._model: OnnxModel | None = None

    @staticmethod
    def available() -> bool:
        """Whether the weights are installed."""
        return located(MODELS["rerank"]) is not None

    async def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text answers the query: higher is better, on no fixed scale."""
        if not texts:
            return np.zeros(0, np.float32)
        pairs = [(query, text) for text in texts]
        rows, kinds = await self._workers.run("query", lambda: self._loaded().pairs(pairs))
        scores = np.zeros(len(rows), np.float32)
        due = list(batches([len(row) for row in rows], _MOST_TEXTS, _MOST_PADDED_TOKENS))
        waiting = iter(due)

        async def work() -> None:
            for batch in waiting:
                chosen = [rows[i] for i in batch], [kinds[i] for i in batch]
                output, _ = await self._workers.run("query", self._loaded().output, *chosen)
                scores[batch] = output.reshape(len(batch), -1)[:, 0]

        await asyncio.gather(*(work() for _ in due[: self._workers.threads]))
        return scores

    async def close(self) -> None:
        """End the threads; the model's memory goes with this object."""
        self._workers.close()
        self._model = None

    def _loaded(self) -> OnnxModel:
        if (model := self._model) is not None:
            return model
        with self._loading:
            if self._model is None:
                self._model = load_model(required(MODELS["rerank"]))
            return self._model
