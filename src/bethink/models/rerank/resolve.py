"""Which reranker the settings mean, used within its time, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from bethink.errors import ModelError, ModelMissing, SettingsError
from bethink.models.embed.guard import Rest
from bethink.models.rerank.http import HttpReranker
from bethink.models.rerank.local import NAME, LocalReranker
from bethink.models.rerank.protocol import Reranker
from bethink.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RerankState = Literal["missing", "ready", "failing"]


def check_reranker(settings: Settings) -> None:
    """Refuse settings that can never work."""
    rerank = settings.rerank
    if rerank.source == "http" and rerank.base_url is None:
        raise SettingsError(
            "Reranking by a host needs its address: set rerank.base_url, for example"
            " https://api.cohere.com/v2 or http://localhost:8080.",
            field="rerank.base_url",
        )


class Reranking:
    """The reranker in use. What takes too long or fails is a `ModelError`, and the order then stands."""

    def __init__(self, settings: Settings) -> None:
        self._use(settings)

    @property
    def source(self) -> str:
        """`local` or `http`."""
        return self._source

    @property
    def model(self) -> str | None:
        """The model that rates."""
        return self._model

    @property
    def problem(self) -> str | None:
        """Why it cannot be used, or why its last use failed; None when all is well."""
        return self._missing or self.rest.problem

    @property
    def state(self) -> RerankState:
        """Whether it can be used."""
        return "missing" if self._missing else "failing" if self.rest.problem else "ready"

    async def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A rating for each text, within the time that the settings allow."""
        if self._reranker is None:
            raise ModelMissing(self._missing)
        reranker, rest = self._reranker, self.rest
        rest.check()
        try:
            async with asyncio.timeout(self._seconds):
                ratings = await reranker.score(query, texts)
        except TimeoutError as error:
            failure = ModelError(
                f"It took longer than rerank.seconds, which is {self._seconds:g} s.", field="rerank.seconds"
            )
            rest.begin(failure)
            raise failure from error
        except ModelError as error:
            rest.begin(error)
            raise
        rest.end()
        return ratings

    async def become(self, settings: Settings) -> None:
        """Use what these settings mean from now on."""
        old = self._reranker
        self._use(settings)
        if old is not None:
            await old.close()

    async def close(self) -> None:
        """Let go of threads and connections."""
        if self._reranker is not None:
            await self._reranker.close()

    def _use(self, settings: Settings) -> None:
        rerank = settings.rerank
        self._source = "http" if rerank.source == "http" else "local"
        self._model = rerank.model if rerank.source == "http" else NAME
        self._seconds = rerank.seconds
        # The local model is slow now and then, which a rest would not better; a host may be down.
        self.rest = Rest(rerank.retry_seconds if rerank.source == "http" else 0)
        self._reranker: Reranker | None = None
        self._missing: str | None = None
        try:
            check_reranker(settings)
        except SettingsError as error:
            self._missing = error.message
            return
        if rerank.source == "http":
            self._reranker = HttpReranker(rerank)
        elif LocalReranker.available():
            self._reranker = LocalReranker(settings.embed.threads)
        else:
            self._missing = "its model is not installed"
