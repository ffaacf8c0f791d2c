"""The `sentence-transformers` source: any model that library runs, on its PyTorch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelError, ModelMissing
from bethink.models.embed.measure import measured
from bethink.models.embed.prefixes import Prefixes
from bethink.models.embed.protocol import EmbedRole, unit
from bethink.models.weights.digests import file_sha256
from bethink.models.workers import Workers
from bethink.settings import EmbedSettings, Settings

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"


async def open_sentence_transformers(settings: Settings) -> SentenceTransformersEmbedder:
    """Load the model in `embed.path`, or `embed.model` from the library's cache or, if allowed, the hub."""
    embed = settings.embed
    model = await asyncio.to_thread(_load, embed)
    return await measured(SentenceTransformersEmbedder(model, _name(embed), embed))


class SentenceTransformersEmbedder:
    """Runs the model on one thread of its own; PyTorch spreads each call over the cores itself."""

    source = "sentence-transformers"

    def __init__(self, model: Any, name: str, embed: EmbedSettings) -> None:
        self._transformer = model
        self._prefixes = Prefixes.of(name, embed)
        self._own_prompts = (
            self._prefixes == Prefixes() and embed.query_prefix is None and embed.document_prefix is None
        )
        self._batch_size = embed.batch_size
        # Its tokenizer must not be entered by two threads at once.
        self._workers = Workers()
        self.model = name + self._prefixes.tag
        self.dimensions = 0

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return await self._workers.run(role, self._encode, texts, role)

    async def measure(self) -> None:
        """Learn the length of the model's vectors by making one."""
        self.dimensions = (await self._workers.run("query", self._encode, ["bethink"], "query")).shape[1]

    async def close(self) -> None:
        """End the thread."""
        self._workers.close()

    def _encode(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        prepared = self._prefixes.apply(texts, role)
        options = {"batch_size": self._batch_size, "show_progress_bar": False, "convert_to_numpy": True}
        if self._own_prompts:
            # No prefix is known to us, but the model's own files may name some.
            encode = self._transformer.encode_query if role == "query" else self._transformer.encode_document
            return unit(encode(prepared, **options))
        return unit(self._transformer.encode(prepared, prompt="", **options))


def _load(embed: EmbedSettings) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ModelMissing(
            "The sentence-transformers source needs its package:"
            " pip install 'bethink[sentence-transformers]'.",
            field="embed.source",
        ) from error
    wanted = str(embed.path or embed.model or DEFAULT_MODEL)
    try:
        return SentenceTransformer(wanted, local_files_only=not embed.allow_download)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise ModelError(
            f"The model {wanted} could not be loaded: {reason}. Set embed.path to its folder, or"
            " embed.allow_download to fetch it.",
            field="embed.path" if embed.path else "embed.model",
        ) from error


def _name(embed: EmbedSettings) -> str:
    if embed.path is None:
        return embed.model or DEFAULT_MODEL
    name = embed.model or embed.path.name
    file = embed.path / "model.safetensors"
    return f"{name}@{file_sha256(file)[:8]}" if file.is_file() else name
