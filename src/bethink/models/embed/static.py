"""The `static` source: word vectors without a network, by model2vec. Fast, small, less exact."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelError, ModelMissing
from bethink.models.embed.protocol import EmbedRole, unit
from bethink.models.weights.digests import check_folder
from bethink.models.weights.hub import fetch_files
from bethink.models.workers import Workers
from bethink.settings import EmbedSettings, Settings

DEFAULT_MODEL = "minishlab/potion-base-8M"


async def open_static(settings: Settings) -> StaticEmbedder:
    """Load the model in `embed.path`, else fetch it from the hub if that is allowed."""
    model = await asyncio.to_thread(_load, settings.embed)
    return StaticEmbedder(model, _name(settings.embed, model))


class StaticEmbedder:
    """Averages the vectors of a text's tokens; queries and documents alike."""

    source = "static"

    def __init__(self, model: Any, name: str) -> None:
        self._static = model
        # The library changes its tokenizer's state while it encodes, so only one thread may.
        self._workers = Workers()
        self.model = name
        self.dimensions = int(model.dim)

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return await self._workers.run(role, self._encode, texts)

    async def close(self) -> None:
        """End the thread."""
        self._workers.close()

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return unit(self._static.encode(whole, use_multiprocessing=False))


def _load(embed: EmbedSettings) -> Any:
    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise ModelMissing(
            "The static source needs model2vec: pip install 'bethink[static]'.", field="embed.source"
        ) from error
    folder = _find(embed)
    try:
        return StaticModel.from_pretrained(folder)
    except Exception as error:
        raise ModelError(
            f"The static model in {folder} could not be loaded: {error}. Check that model2vec made it.",
            field="embed.path",
        ) from error


def _find(embed: EmbedSettings) -> Path:
    if embed.path is not None:
        # The library would take a missing folder's name for a model on the hub, and ask for it there.
        if not embed.path.is_dir():
            raise ModelMissing(
                f"embed.path is {embed.path}, which is no folder; point it at a model2vec model.",
                field="embed.path",
            )
        check_folder(embed.path)
        return embed.path
    model = embed.model or DEFAULT_MODEL
    if not embed.allow_download:
        raise ModelMissing(
            "The static source has no weights: set embed.path to a model2vec model's folder, or"
            f" embed.allow_download to fetch {model}.",
            field="embed.path",
        )
    found = fetch_files(model, (["config.json"], ["tokenizer.json"], ["model.safetensors"]))
    if found[-1] is None:
        raise ModelMissing(
            f"{model} has no static model on the Hugging Face hub; choose another embed.model.",
            field="embed.model",
        )
    return found[-1].parent


def _name(embed: EmbedSettings, model: Any) -> str:
    name = embed.model or (embed.path.name if embed.path else DEFAULT_MODEL)
    # With the digest in the name, other weights under the same name never pass for these.
    return f"{name}@{hashlib.sha256(model.embedding.tobytes()).hexdigest()[:8]}"
