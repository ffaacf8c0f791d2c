"""The contract every embedding source keeps, and the signature that tells their vectors apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EmbedRole = Literal["query", "document"]


class Embedder(Protocol):
    """Turns texts into vectors.

    An embedder that holds threads or connections also has `async def close(self) -> None`; one that knows
    how much its model reads at once, `async def split(self, text: str) -> list[str]`; one that asks a host,
    `at_once: int`, how many texts it sends in one call: what a call gave is stored before the next.
    """

    @property
    def source(self) -> str:
        """Where the vectors come from, as in `embed.source`."""

    @property
    def model(self) -> str:
        """The model; two that give different vectors never share a name."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row of length 1 per text, in their order; a row of zeros where the model knows no word.

        `role` says whether the texts are searched for or searched with: some models want it known.
        Raises `ModelError` when the model cannot answer.
        """


def signature(embedder: Embedder) -> str:
    """What a vector was made with. Vectors of two signatures are never compared."""
    return f"{embedder.source}:{embedder.model}:{embedder.dimensions}"


class Opened(Embedder, Protocol):
    """An embedder as Bethink uses it: opened, and its answers checked."""

    @property
    def signature(self) -> str:
        """What marks its vectors."""


def is_finite(rows: NDArray[Any]) -> bool:
    """Whether every number of the rows is one."""
    import numpy as np

    return bool(np.isfinite(rows).all())


def unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    """The rows scaled to length 1; a row of zeros stays as it is."""
    import numpy as np

    exact = rows.astype(np.float32, copy=False)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = (exact / lengths).astype(np.float32, copy=False)
    return scaled
