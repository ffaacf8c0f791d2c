"""Late interaction: one vector per token, so that a query's words each find their best match in a text.

answerai-colbert-small-v1 in int8, from the same installed package as the embedding model. Its 384 dimensions
are reduced to 96 by a fixed projection that `bench/fit_projection.py` fits on text of its own.
"""

from __future__ import annotations

import asyncio
import os
import string
import threading
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bethink.models.onnx import OnnxModel, batches, load_model
from bethink.models.product import product
from bethink.models.weights import MODELS, checked_file, located, required
from bethink.models.workers import Workers

NAME = MODELS["late"].name
DIMENSIONS = 96
_QUERY_MARK, _DOCUMENT_MARK = 1, 2  # the model's [unused0] and [unused1]
_MOST_TEXTS, _MOST_PADDED_TOKENS = 8, 512

Tokens = NDArray[np.float32]  # (tokens, DIMENSIONS), unit rows


class LateEncoder:
    """Runs the token model on its own threads; loads it when the first text comes."""

    signature = f"late:{NAME}:{DIMENSIONS}"

    def __init__(self, threads: int = 0) -> None:
        self._workers = Workers(threads or min(4, os.cpu_count() or 1), own_query_thread=True)
        self._loading = threading.Lock()
        self._model: OnnxModel | None = None

    @staticmethod
    def available() -> bool:
        """Whether the weights are installed."""
        return located(MODELS["late"]) is not None

    async def documents(self, texts: Sequence[str]) -> list[Tokens]:
        """The token vectors of each text."""
        rows = await self._workers.run("document", self._rows, texts, _DOCUMENT_MARK)
        made: list[Tokens] = [np.zeros((0, DIMENSIONS), np.float32)] * len(rows)
        due = list(batches([len(row) for row in rows], _MOST_TEXTS, _MOST_PADDED_TOKENS))
        waiting = iter(due)

        async def work() -> None:
            for batch in waiting:
                vectors = await self._workers.run(
                    "document", self._vectors, [rows[i] for i in batch], self._skipped
                )
                for position, tokens in zip(batch, vectors, strict=True):
                    made[position] = tokens

        await asyncio.gather(*(work() for _ in due[: self._workers.threads]))
        return made

    async def query(self, text: str) -> Tokens:
        """The token vectors of a query."""
        return (await self._workers.run("query", self._query, text))[0]

    async def close(self) -> None:
        """End the threads; the model's memory goes with this object."""
        self._workers.close()
        self._model = None

    def _query(self, text: str) -> list[Tokens]:
        return self._vectors(self._rows([text], _QUERY_MARK), frozenset())

    def _rows(self, texts: Sequence[str], mark: int) -> list[list[int]]:
        return [[row[0], mark, *row[1:]] for row in self._loaded().tokens(texts)]

    def _vectors(self, rows: Sequence[list[int]], skipped: frozenset[int]) -> list[Tokens]:
        output, _ = self._loaded().output(rows)
        kept = [[place for place, token in enumerate(row) if token not in skipped] for row in rows]
        return [
            _unit(product(hidden[places], self._projection))
            for hidden, places in zip(output, kept, strict=True)
        ]

    @cached_property
    def _skipped(self) -> frozenset[int]:
        """Punctuation says nothing about a text."""
        numbers = (self._loaded().number_of(sign) for sign in string.punctuation)
        return frozenset(number for number in numbers if number is not None)

    @cached_property
    def _projection(self) -> NDArray[np.float32]:
        file = checked_file(MODELS["projection"], "projection.npy")
        projection: NDArray[np.float32] = np.load(file).astype(np.float32)
        return projection

    def _loaded(self) -> OnnxModel:
        if (model := self._model) is not None:
            return model
        with self._loading:
            if self._model is None:
                self._model = load_model(required(MODELS["late"]))
            return self._model


def _unit(rows: NDArray[np.float32]) -> Tokens:
    unit: Tokens = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
