"""The vectors that systems are given, made in the driver by Bethink's local model or by another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from bench import corpus
from bench.corpus import Corpus, Vectors
from bethink import Settings
from bethink.models.embed.local import LocalEmbedder, open_local


class Embedding:
    """Documents' vectors are made once and looked up; a query's are made whenever it is asked."""

    def __init__(self, folder: Path | None = None) -> None:
        self._runner = asyncio.Runner()
        self._model: LocalEmbedder = self._runner.run(open_local(Settings.load(embed={"path": folder})))
        self._documents: dict[str, Vectors] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._model.close())
        self._runner.close()

    @property
    def name(self) -> str:
        """The model."""
        return self._model.model

    def query(self, text: str) -> Vectors:
        """The vector of one query."""
        made: Vectors = self._runner.run(self._model.embed([text], "query"))[0]
        return made

    def documents(self, texts: Sequence[str]) -> list[Vectors]:
        """The vectors of texts to store."""
        new = [text for text in dict.fromkeys(texts) if text not in self._documents]
        if new:
            made = self._runner.run(self._model.embed(new, "document"))
            self._documents |= zip(new, made, strict=True)
        return [self._documents[text] for text in texts]

    def sentences(self, size: int, queries: int) -> Corpus:
        """Real sentences with their vectors, which are kept for later runs."""
        found = self._runner.run(corpus.load(self._model, size, queries))
        self._documents |= zip(found.texts, found.vectors, strict=True)
        return found
