"""What can be added to Bethink without changing it: every extension point, in one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray
    from starlette.types import ASGIApp, Scope

    from bethink.records import Layer, Space
    from bethink.store.filters import EntryFilter


@dataclass(frozen=True)
class Surface:
    """Another application under this roof: where it is, how much it takes, how it says no.

    `paths`, `shapes` and `security` are its part of the OpenAPI document.
    """

    prefix: str
    app: ASGIApp
    max_body_bytes: int
    setting: str
    refuse: Callable[[Scope, str, int, str], ASGIApp]
    paths: Mapping[str, Any] = field(default_factory=dict)
    shapes: Mapping[str, Any] = field(default_factory=dict)
    security: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """An entry as a vector index is given it: its vector, and what filters can look at."""

    id: int
    layer: Layer
    vector: NDArray[np.float32]
    observed_at: datetime
    expires_at: datetime | None = None
    person_id: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """What to look for in a vector index.

    Only entries of this space and signature count. Where `allowed` is given, only these entries count, and
    nothing else need be looked at: they are what the filter and the time leave.
    """

    space: Space
    signature: str
    vector: NDArray[np.float32]
    chosen: EntryFilter
    now: datetime
    limit: int
    allowed: Sequence[int] | None = None


class VectorIndex(Protocol):
    """Finds the entries whose vectors are nearest to a query's.

    The rows of the database are the truth, and an index follows them: it is told what changed, in the order
    of the commits, once at least, and is emptied and filled anew where that cannot be told. It is never
    called in a transaction. `space` is the number of a space, which no other space ever gets. Each method
    raises `StoreError`, saying what to do, when the index cannot answer.
    """

    @property
    def name(self) -> str:
        """What users call this kind of index, as in `index.vector_store`."""

    @property
    def reader(self) -> str:
        """Under which name the database keeps how far this index has been fed: another server, collection or
        file is another reader.
        """

    @property
    def filters(self) -> frozenset[str]:
        """The fields of `EntryFilter` that `nearest` looks at itself, and `now` if it leaves out what has
        expired. Where a search needs others, it is given the ids that they allow, or asked for more than is
        wanted.
        """

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        """Take in entries. What was there under their ids goes, of whatever signature it was."""

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        """Let go of entries; one that is not there is passed over."""

    async def wipe(self, space: int) -> None:
        """Let go of all entries of a space."""

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        """The nearest entries and their cosines, best first. An empty list in the filter allows nothing."""

    async def count(self, space: int, signature: str) -> int:
        """How many entries of a space it holds, to notice that it has lost some."""

    async def health(self) -> str | None:
        """What is wrong with it, and what to do; None when it works. Never raises."""

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        """Which of these entries it still holds; with None, those of the whole space, or some of them."""

    async def close(self) -> None:
        """Let go of connections, threads and memory."""
