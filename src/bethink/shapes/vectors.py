"""Where vectors are searched beside the database: what is set, tried out and cleaned up there."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr

from bethink.records import Layer, Record
from bethink.settings import Quantisation, VectorStoreName
from bethink.shapes.fields import Content

MOST_FOUND = 20


class VectorPlace(Record):
    """Which store is searched, and where it is. Its key is never shown."""

    enabled: bool = Field(description="Whether a store beside the database is searched.")
    store: str = Field(description="Which store that is, or what is searched instead.")
    host: str
    port: int | None = Field(description="Its HTTP port; null is 6333 for Qdrant, 8000 for Chroma.")
    grpc_port: int | None = Field(description="Port of Qdrant's gRPC; null takes HTTP.")
    tls: bool
    collection: str
    quantisation: Quantisation
    has_api_key: bool


class VectorPlaceChange(Record):
    """What of it to change; what is left out stays."""

    enabled: bool | None = Field(
        None,
        description="False searches the database's rows; true takes `store`, or Qdrant if none is named.",
    )
    store: Annotated[VectorStoreName, Field(max_length=100)] | None = None
    host: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    grpc_port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    tls: bool | None = None
    collection: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")] | None = None
    quantisation: Quantisation | None = None
    api_key: SecretStr | None = Field(None, max_length=1000, description="An empty one takes the key away.")


class StoreHealth(Record):
    """Whether the store that was chosen answers."""

    store: str
    ok: bool
    latency_ms: float
    error: str | None = None


class VectorSearch(Record):
    """A search of the store alone."""

    query: Annotated[Content, Field(max_length=20_000)]
    top_k: int = Field(5, ge=1, le=MOST_FOUND, description="At most so many.")


class VectorHit(Record):
    """A record that the store found."""

    id: str
    layer: Layer
    text: str
    score: float = Field(description="The cosine of its vector and the query's.")


class VectorsFound(Record):
    """What the store found by itself, best first."""

    store: str
    latency_ms: float
    hits: list[VectorHit]


class VectorsCleaned(Record):
    """What a store held that it need not, counted before, and what was done about it."""

    store: str
    dry_run: bool
    expired: int = Field(description="Entries whose time has ended. They stay: the past can be asked for.")
    older: int = Field(description="Entries older than `retentionDays`, which recall leaves out.")
    awaiting: int = Field(description="Entries it had not been told of.")
    added: int = Field(0, description="Entries that it had lost and has again.")
    removed: int = Field(0, description="Entries that are no longer in the database and are gone from it.")
