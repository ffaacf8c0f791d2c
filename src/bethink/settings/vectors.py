"""The section of the settings about a vector store beside the database."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from bethink.settings.sections import Section, UserPath

VECTOR_STORES = ("auto", "embedded", "sqlite-vec", "pgvector", "qdrant", "chroma")
VECTOR_PLUGINS = "bethink.vector_stores"  # the entry point group by which other packages add stores
Quantisation = Literal["none", "int8", "binary"]


def known_store(name: str) -> str:
    """The name of a vector store; an error for one that nobody has."""
    if name in VECTOR_STORES:
        return name
    from importlib.metadata import entry_points  # only here, because it is slow to import

    known = [*VECTOR_STORES, *sorted(entry_points(group=VECTOR_PLUGINS).names)]
    if name not in known:
        raise ValueError(f"{name!r} is no vector store; known are {', '.join(known)}")
    return name


VectorStoreName = Annotated[str, AfterValidator(known_store)]


class VectorSettings(Section):
    """Where vectors are searched beside the database, if `index.vector_store` names such a place."""

    host: str = Field(
        "localhost", min_length=1, max_length=255, description="Host of the Qdrant or Chroma server."
    )
    port: int | None = Field(
        None, ge=1, le=65_535, description="Its HTTP port; 6333 for Qdrant and 8000 for Chroma if left out."
    )
    grpc_port: int | None = Field(
        None, ge=1, le=65_535, description="Port of Qdrant's gRPC, usually 6334; left out, HTTP is used."
    )
    tls: bool = Field(False, description="Is the server spoken to over TLS?")
    api_key: SecretStr | None = Field(None, description="Key for the server.")
    collection: str = Field(
        "bethink_memory",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$",
        description="What the names of collections begin with; the database and the model follow.",
    )
    path: UserPath | None = Field(
        None,
        description="The file of sqlite-vec, by default beside the database; or a folder, for Chroma with no"
        " server.",
    )
    quantisation: Quantisation = Field(
        "none",
        description="What is looked through first: the vectors, or coarse copies of a fourth (`int8`) or a"
        " thirty-second (`binary`) of their size. Only Qdrant and sqlite-vec have it.",
    )
    batch: int = Field(500, ge=1, le=10_000, description="Vectors that are sent at once.")
    wait: bool = Field(
        True, description="Does a write to Qdrant wait until searches see it? Else it is seen soon."
    )
    top_k: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="Nearest vectors that a search takes; as many as `recall.candidates` if left out.",
    )
    budget_seconds: float = Field(
        1.0, gt=0, le=60, description="How long a search waits for the store before it goes on without."
    )
    timeout_seconds: float = Field(
        10.0, gt=0, le=600, description="How long any other call to the store may take."
    )
    rest_seconds: float = Field(
        15.0, gt=0, le=600, description="Rest after a failure before the next try; longer if that fails too."
    )
