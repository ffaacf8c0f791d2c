"""The `local` source: an ONNX model on this machine's processor, by default the one that is packaged."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelMissing
from bethink.models import weights
from bethink.models.embed.measure import measured
from bethink.models.embed.prefixes import Prefixes
from bethink.models.embed.protocol import EmbedRole, unit
from bethink.models.onnx import OnnxModel, batches, load_model
from bethink.models.weights import Weights
from bethink.models.workers import Workers
from bethink.settings import EmbedSettings, Settings

# On a processor larger batches are no faster, and they need more memory. An int8 model scales its numbers
# by the batch, so a vector depends a little on its company (cosine above 0.99); alone it is always the same.
_MOST_TEXTS = 8
_MOST_PADDED_TOKENS = 512
_SHORT_CHARS = 500  # made tokens of where they are asked for: a thread would first have to wait for its turn


async def open_local(settings: Settings) -> LocalEmbedder:
    """Find the weights: in `embed.path`, in the installed package, or on the hub if that is allowed."""
    found = await asyncio.to_thread(_find, settings.embed)
    embedder = LocalEmbedder(found, settings.embed)
    return embedder if found.dimensions else await measured(embedder)


class LocalEmbedder:
    """Runs the model on its own threads; loads it when the first text comes."""

    source = "local"

    def __init__(self, found: Weights, embed: EmbedSettings) -> None:
        self._weights = found
        self._prefixes = Prefixes.of(found.name, embed)
        self._batch_size = min(embed.batch_size, _MOST_TEXTS)
        threads = embed.threads or min(4, os.cpu_count() or 1)
        self._workers = Workers(threads, own_query_thread=True)
        self._loading = threading.Lock()
        self._model: OnnxModel | None = None
        self.model = found.name + self._prefixes.tag
        self.dimensions = found.dimensions or 0

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text. Texts past the model's limit are read up to it."""
        texts = self._prefixes.apply(texts, role)
        if len(texts) == 1:  # all at one go: changing threads twice costs a query a tenth of a millisecond
            if self._model is None or len(texts[0]) > _SHORT_CHARS:
                return await self._workers.run(role, self._at_once, texts)
            return await self._workers.run(role, self._vectors, self._tokens(texts))
        rows = await self._workers.run(role, self._tokens, texts)
        result = np.zeros((len(rows), self.dimensions), np.float32)
        due = list(batches([len(row) for row in rows], self._batch_size, _MOST_PADDED_TOKENS))
        waiting = iter(due)

        async def work() -> None:
            # As many of these as threads take turns, so that calls made meanwhile are not left waiting.
            for batch in waiting:
                result[batch] = await self._workers.run(role, self._vectors, [rows[i] for i in batch])

        await asyncio.gather(*(work() for _ in due[: self._workers.threads]))
        return result

    async def split(self, text: str) -> list[str]:
        """A text in pieces that the model can read whole."""
        return await self._workers.run("document", lambda: self._loaded().pieces(text))

    async def measure(self) -> None:
        """Learn the length of the model's vectors from the model itself."""
        self.dimensions = (await self._workers.run("query", self._vectors, [[0]])).shape[1]

    async def close(self) -> None:
        """End the threads; the model's memory goes with this object."""
        self._workers.close()
        self._model = None

    def _at_once(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors(self._tokens(texts))

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return self._loaded().tokens(texts)

    def _vectors(self, rows: Sequence[list[int]]) -> NDArray[np.float32]:
        return unit(self._loaded().run(rows))

    def _loaded(self) -> OnnxModel:
        if (model := self._model) is not None:
            return model
        with self._loading:
            if self._model is None:
                self._model = load_model(self._weights)
            return self._model


def _find(embed: EmbedSettings) -> Weights:
    if embed.path is not None:
        return weights.in_folder(embed.path, embed.model)
    ours = weights.MODELS["embed"]
    model = embed.model or ours.published
    if ours.is_called(model) and (found := weights.find(ours, download=embed.allow_download)):
        return found
    if embed.allow_download:
        return weights.from_hub(model)
    raise ModelMissing(
        f"The weights of {model} are not on this machine: {ours.where.remedy} for {ours.published},"
        " set embed.path to a folder with them, or set embed.allow_download.",
        field="embed.model",
    )
