"""What can be made for an entry from its text: its vector, and its token vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bethink.errors import InvalidInput
from bethink.index.describe import Style
from bethink.index.late import pack
from bethink.models.embed import EmbedRole, Resolution
from bethink.models.embed.protocol import Opened, unit
from bethink.models.late import LateEncoder
from bethink.records import Space
from bethink.store import Tx, token_vectors, vectors
from bethink.store.entries import Mark
from bethink.store.vectors import Vector


class Maker(Protocol):
    """Makes one kind of derived data and stores it under a signature."""

    @property
    def mark(self) -> Mark:
        """Which column of an entry says what it has of this kind."""

    @property
    def enabled(self) -> bool:
        """Whether this kind is wanted at all."""

    @property
    def at_once(self) -> int | None:
        """How many texts to make it for before what was made is stored; None where that does not matter."""

    @property
    def pause(self) -> float:
        """Seconds to wait after that, in the background."""

    async def ready(self) -> str:
        """The current signature. Raises `ModelError` while the model cannot be used."""

    async def make(self, texts: Sequence[str]) -> Sequence[Any]:
        """What is stored for each text."""

    def keep(self, tx: Tx, space: Space, current: str, made: Sequence[tuple[int, str, Any]], /) -> None:
        """Store what was made for (entry id, fingerprint)."""


class VectorMaker:
    """Vectors, by the embedding source that was chosen."""

    mark: Mark = "signature"

    def __init__(self, resolution: Resolution, style: Style) -> None:
        self._resolution, self.style = resolution, style

    @property
    def enabled(self) -> bool:
        return self._resolution.enabled

    @property
    def at_once(self) -> int | None:
        return self._resolution.at_once

    @property
    def pause(self) -> float:
        return self._resolution.pause

    async def ready(self) -> str:
        """The model, and the form of the text when it is not the usual one."""
        return self.signature_of(await self._resolution.ready())

    def signature_of(self, embedder: Opened) -> str:
        """What marks a vector of this embedder."""
        return embedder.signature if self.style == "lean" else f"{embedder.signature}:{self.style}"

    async def make(self, texts: Sequence[str]) -> Sequence[Any]:
        return (await self.documents(texts))[1]

    async def documents(self, texts: Sequence[str]) -> tuple[str, list[Vector]]:
        """The vectors of texts as they would be stored, and the signature of the model that made them."""
        made_by, rows = await self._embed(texts, "document")
        return made_by, list(rows)

    async def query(self, text: str) -> tuple[str, Vector]:
        """The vector of a query, and the signature of the model that made it."""
        made_by, rows = await self._embed([text], "query")
        return made_by, rows[0]

    async def fit(self, vector: Vector) -> tuple[str, Vector]:
        """A query's vector that the caller made, if it is of this model's length."""
        embedder = await self._resolution.ready()
        wanted = embedder.dimensions
        if vector.shape != (wanted,):
            raise InvalidInput(
                f"vector: has {len(vector)} numbers where {wanted} are due; make it with the model of this"
                " memory, or leave it out.",
                field="vector",
            )
        return self.signature_of(embedder), unit(vector[None])[0]

    async def _embed(self, texts: Sequence[str], role: EmbedRole) -> tuple[str, NDArray[np.float32]]:
        embedder = await self._resolution.ready()
        return self.signature_of(embedder), await embedder.embed(texts, role)

    def keep(self, tx: Tx, space: Space, current: str, made: Sequence[tuple[int, str, Any]]) -> None:
        vectors.put(tx, space, current, made)


class TokenMaker:
    """Token vectors for late interaction."""

    mark: Mark = "late"

    def __init__(self, encoder: LateEncoder | None) -> None:
        self.encoder = encoder

    @property
    def enabled(self) -> bool:
        return self.encoder is not None

    @property
    def at_once(self) -> int | None:
        return None

    @property
    def pause(self) -> float:
        return 0.0

    async def ready(self) -> str:
        return LateEncoder.signature

    async def make(self, texts: Sequence[str]) -> Sequence[Any]:
        return [pack(tokens) for tokens in await self.encoder.documents(texts)] if self.encoder else []

    def keep(self, tx: Tx, _space: Space, current: str, made: Sequence[tuple[int, str, Any]]) -> None:
        token_vectors.put(tx, current, made)
