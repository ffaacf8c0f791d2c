"""Vector indexes: what those have in common that search the database's own rows, and which of them it is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bethink.contracts import VectorIndex, VectorQuery
from bethink.records import Space
from bethink.settings import IndexSettings
from bethink.store.driver import Driver, Tx
from bethink.store.queries import Dialect

EVERY_FILTER = frozenset({
    "layers", "person_ids", "session_ids", "types", "tags", "categories", "sources", "pinned", "since",
    "until", "alive_at", "as_of", "now",
})  # fmt: skip


@runtime_checkable
class RowsIndex(Protocol):
    """An index whose vectors are rows of the database. It need not be fed, and besides what every index does
    it can search in a transaction, the one that a recall searches terms and reads records in.
    """

    def nearest_in(self, tx: Tx, query: VectorQuery, /) -> list[tuple[int, float]]:
        """The nearest entries and their cosines, best first."""

    def prepare(self, tx: Tx, space: Space, signature: str, dimensions: int, /) -> None:
        """Get what can be got before the query is known."""

    def at_hand(self, space: Space, /) -> bool:
        """Whether a search of this space is a matter of less than a millisecond."""

    async def tend(self, space: Space, signature: str, dimensions: int, made: int, /) -> None:
        """See to what a space needs that has grown by the vectors `made`."""

    def drop(self, space: Space) -> None:
        """Let go of what is kept of a space in this process."""


def ground_name(dialect: Dialect) -> str:
    """The index over the rows of this database, which always is there."""
    return "embedded" if dialect == "sqlite" else "pgvector"


def open_ground(settings: IndexSettings, driver: Driver) -> VectorIndex:
    """The index over the rows of this database."""
    if ground_name(driver.dialect) == "pgvector":
        from bethink.index.vectors.pgvector import PgVectors

        return PgVectors(driver, index_from=settings.hnsw_from)
    from bethink.index.vectors.embedded import EmbeddedVectors

    return EmbeddedVectors(driver, memory_bytes=settings.memory_mb << 20, rescore=settings.rescore)
