"""The contract every reranker keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Reranker(Protocol):
    """Reads a query and texts together and says how well each text answers."""

    @property
    def source(self) -> str:
        """Where the ratings come from, as in `rerank.source`."""

    @property
    def model(self) -> str | None:
        """The model; None for the only one that a host has."""

    async def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A rating for each text: higher is better, on no fixed scale. Raises `ModelError`."""

    async def close(self) -> None:
        """Let go of threads and connections."""
