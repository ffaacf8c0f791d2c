"""Vector indexes: each searches the vectors of one space inside a read transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from bethink.errors import SettingsError
from bethink.records import Space
from bethink.settings import IndexSettings
from bethink.store.driver import Driver, Tx
from bethink.store.filters import EntryFilter
from bethink.store.queries import Dialect
from bethink.store.vectors import Vector


class VectorIndex(Protocol):
    """One way to search vectors."""

    @property
    def name(self) -> str: ...

    def nearest(
        self,
        tx: Tx,
        space: Space,
        signature: str,
        query: Vector,
        chosen: EntryFilter,
        now: datetime,
        limit: int,
    ) -> list[tuple[int, float]]:
        """The entries nearest to the query with their cosines, best first."""

    def prepare(self, tx: Tx, space: Space, signature: str, dimensions: int, /) -> None:
        """Get what can be got before the query is known."""

    def at_hand(self, space: Space, /) -> bool:
        """Whether a search of this space is a matter of less than a millisecond."""

    async def tend(self, driver: Driver, space: Space, signature: str, dimensions: int, made: int, /) -> None:
        """See to what a space needs that has grown by the vectors `made`."""

    def drop(self, space: Space) -> None:
        """Let go of what is kept of a space in this process."""


def open_index(settings: IndexSettings, dialect: Dialect) -> VectorIndex:
    """The vector index that the settings ask for on this database."""
    wanted = settings.vector_store
    if wanted == "auto":
        wanted = "embedded" if dialect == "sqlite" else "pgvector"
    if (wanted == "embedded") != (dialect == "sqlite"):
        fit = "embedded" if dialect == "sqlite" else "pgvector"
        raise SettingsError(
            f"index.vector_store: {wanted!r} does not work with this database; use 'auto' or {fit!r}.",
            field="index.vector_store",
        )
    if wanted == "pgvector":
        from bethink.index.vectors.pgvector import PgVectors

        return PgVectors(index_from=settings.hnsw_from)
    from bethink.index.vectors.embedded import EmbeddedVectors

    return EmbeddedVectors(memory_bytes=settings.memory_mb << 20, rescore=settings.rescore)
