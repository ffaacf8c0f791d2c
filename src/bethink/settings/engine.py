"""Sections of the settings about storing and finding: vectors, database, index, recall, limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from bethink.settings.sections import HostUrl, Section, UserPath
from bethink.settings.vectors import VectorStoreName

EMBED_SOURCES = (
    "auto", "local", "multilingual", "openai", "ollama", "static", "sentence-transformers", "none",
)  # fmt: skip
Tier = Literal["fast", "balanced", "best"]  # how much is done to rank what a recall finds
EMBEDDER_PLUGINS = "bethink.embedders"  # the entry point group by which other packages add sources


def known_source(name: str) -> str:
    """The name of an embedding source; an error for one that nobody has."""
    if name in EMBED_SOURCES:
        return name
    from importlib.metadata import entry_points  # only here, because it is slow to import

    known = [*EMBED_SOURCES, *sorted(entry_points(group=EMBEDDER_PLUGINS).names)]
    if name not in known:
        raise ValueError(f"{name!r} is no embedding source; known are {', '.join(known)}")
    return name


class EmbedSettings(Section):
    """Where vectors come from."""

    source: Annotated[str, AfterValidator(known_source)] = Field(
        "auto",
        description="Embedding source: `auto` (a configured remote, else multilingual where that is installed"
        " and the texts are not English, else local, else static, else none), `local`, `multilingual`,"
        " `openai`, `ollama`, `static`, `sentence-transformers`, `none`, or one a package adds.",
    )
    model: str | None = Field(None, description="Model name; each source has its own default.")
    base_url: HostUrl | None = Field(
        None, description="Embedding host, separate from the chat host and falling back to `chat.base_url`."
    )
    api_key: SecretStr | None = Field(
        None, description="Key for the embedding host; falls back to `chat.api_key` where both are one host."
    )
    dimensions: int | None = Field(
        None, ge=8, le=8192, description="Ask a remote model for this many dimensions."
    )
    path: UserPath | None = Field(
        None, description="Folder with `model.onnx` and `tokenizer.json` (or a static model)."
    )
    static_enabled: bool = Field(True, description="May `auto` take a static model?")
    transformers_enabled: bool = Field(
        False, description="May `auto` take sentence-transformers, after the others?"
    )
    allow_download: bool = Field(False, description="May weights be fetched from the Hugging Face hub?")
    query_prefix: str | None = Field(
        None, description="Text put before queries; known models have their own."
    )
    document_prefix: str | None = Field(
        None, description="Text put before documents; known models have their own."
    )
    batch_size: int = Field(
        32, ge=1, le=2048, description="Texts sent to the model at once; the local model takes at most 8."
    )
    pause_seconds: float = Field(
        0.0,
        ge=0,
        le=3600,
        description="Pause after each batch of texts that a remote model is sent in the background.",
    )
    threads: int = Field(
        0, ge=0, description="Threads of the local model; 0 uses the machine's cores, at most 4."
    )
    timeout_seconds: float = Field(30.0, gt=0, description="How long a remote embedding call may take.")
    cache_size: int = Field(1000, ge=0, description="Embeddings kept in memory; 0 turns the cache off.")
    cache_seconds: float = Field(300.0, ge=0, description="How long a kept embedding is used.")
    retry_seconds: float = Field(
        15.0, ge=0, description="Rest after a failed embedding call before the next try."
    )


class StoreSettings(Section):
    """How the database is used."""

    readers: int = Field(4, ge=1, le=64, description="Threads that read an SQLite file at the same time.")
    pool_size: int = Field(10, ge=1, le=500, description="Connections to PostgreSQL at most.")
    build_mb: int = Field(
        512,
        ge=1,
        le=1_000_000,
        description="Memory that PostgreSQL may use to make an HNSW index; a graph that outgrows it is made"
        " much more slowly.",
    )
    busy_seconds: float = Field(
        30.0, gt=0, description="How long to wait for another process's write to finish."
    )
    vacuum_mb: int = Field(
        32,
        ge=0,
        le=1_000_000,
        description="An SQLite file up to this size is rewritten by the erasure itself, which takes well"
        " under a second; a larger one at the next quiet moment.",
    )
    quiet_seconds: float = Field(
        2.0,
        gt=0,
        le=3600,
        description="So long nobody may have written before an SQLite file is rewritten after an erasure.",
    )


class IndexSettings(Section):
    """How records are made findable."""

    vector_store: VectorStoreName = Field(
        "auto",
        description="Vector index: `auto` is `embedded` with SQLite and `pgvector` with PostgreSQL; beside"
        " either, `sqlite-vec`, `qdrant`, `chroma`, or one a package adds.",
    )
    memory_mb: int = Field(
        1024, ge=1, description="Memory for resident vectors; the least used space goes first."
    )
    hnsw_from: int = Field(
        10_000,
        ge=1,
        description="On PostgreSQL, a layer of a space with this many vectors gets an HNSW index.",
    )
    rescore: int = Field(20, ge=10, description="How many of the nearest are scored again in full precision.")
    text_form: Literal["lean", "aaak"] = Field(
        "lean", description="What is embedded for a message: speaker and text, or the full AAAK text."
    )
    lazy_limit: int = Field(64, ge=0, description="At most so many missing vectors are made before a search.")


class RecallSettings(Section):
    """How memories are found, ranked and cut."""

    strategy: Literal["recent", "semantic", "hybrid"] = Field(
        "hybrid", description="Default recall strategy."
    )
    limit: int = Field(8, ge=1, le=200, description="Hits returned when the caller names no limit.")
    max_tokens: int = Field(2000, ge=1, le=8000, description="Token budget of a recall.")
    tier: Literal["auto", "fast", "balanced", "best"] = Field(
        "auto",
        description="`fast` ranks by terms and vectors; `balanced` adds late interaction; `best` adds a"
        " cross-encoder on the first hits. `auto` is balanced with the local models, else fast.",
    )
    candidates: int = Field(
        100, ge=1, le=1000, description="Best entries taken from each list before fusion."
    )
    documents: bool = Field(
        False, description="Whether documents take part in recall where no layers are named, and in prompts."
    )
    rrf_k: float = Field(10.0, ge=0, description="Reciprocal rank fusion constant.")
    score_share: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Part of the fused score that comes from the lists' own scores; the rest is by rank.",
    )
    terms_weight: float = Field(1.5, ge=0, description="Weight of the terms list in fusion.")
    vector_weight: float = Field(1.0, ge=0, description="Weight of the vector list in fusion.")
    late_weight: float = Field(1.0, ge=0, description="Weight of the late interaction list in fusion.")
    terms_weight_with_late: float = Field(
        1.0, ge=0, description="Weight of the terms list where late interaction ranks too."
    )
    vector_weight_with_late: float = Field(
        0.5, ge=0, description="Weight of the vector list where late interaction ranks too."
    )
    foreign_vectors: float = Field(
        2.0,
        ge=0,
        description="Times the vectors' weight where the query is not English and the model reads it.",
    )
    unread_vectors: float = Field(
        0.33,
        ge=0,
        description="Times the vectors' weight where the query is not English and the model reads only that.",
    )
    document_terms: float = Field(
        0.5,
        ge=0,
        description="Times the terms' weight where only documents are searched: who asks has other words.",
    )
    few_memories: int = Field(
        5, ge=0, description="With this many memories in scope or fewer, all of them come back."
    )
    least_messages: int | None = Field(
        None,
        ge=0,
        description="Where a search of messages finds fewer, summaries are searched too; none: fewer than its"
        " limit. 0 never searches them.",
    )
    min_similarity: float | None = Field(
        None, ge=-1, le=1, description="Vector hits below this cosine are dropped; by default no cut."
    )
    expand_terms: str = Field(
        "", description="Words added to a short first-person question; empty adds none."
    )
    pinned_boost: float = Field(0.20, description="Added to a pinned record's score.")
    person_boost: float = Field(0.15, description="Added when the record is about a hinted person.")
    age_penalty: float = Field(
        0.10, ge=0, description="Taken from a record `age_days` old; less for younger ones."
    )
    age_days: float = Field(90.0, gt=0, description="Age at which the whole penalty applies.")
    speaker_boost: float = Field(
        0.30, description="Added when the one participant named in the query said it."
    )
    time_boost: float = Field(
        0.20, description="Added when the record is of the time that the query names, or speaks of it."
    )
    when_boost: float = Field(
        0.10, description="Added when the query asks for a time and the record speaks of one."
    )
    answer_share: float = Field(0.30, ge=0, description="Share of its question's score an answer inherits.")
    kept_searches: int = Field(
        500,
        ge=0,
        description="Searches whose outcome is kept, to be used again while nothing changed; 0 for none.",
    )
    answer_floor: float = Field(
        0.25, ge=0, description="Only what the question scores above this is inherited."
    )


class RerankSettings(Section):
    """A model that reads the query and the first hits together, to better their order."""

    source: Literal["off", "local", "http"] = Field(
        "off",
        description="`local` is the packaged cross-encoder, `http` a host with a `/rerank` (Cohere, Jina, TEI"
        " and the like): either reads the first hits of every recall. `off` leaves it to tier `best`, which"
        " takes the packaged one.",
    )
    base_url: HostUrl | None = Field(
        None, description="The host, for example https://api.cohere.com/v2 or http://localhost:8080."
    )
    model: str | None = Field(None, description="The host's model; not needed where it has but one.")
    api_key: SecretStr | None = Field(None, description="Key for the host.")
    candidates: int = Field(20, ge=1, le=200, description="Hits that are read.")
    weight: float = Field(0.10, ge=0, description="Score added per standard deviation a hit is rated higher.")
    seconds: float = Field(1.0, gt=0, description="Past this time the order stands without it.")
    retry_seconds: float = Field(15.0, ge=0, description="Rest after a host failed before the next try.")


class LimitSettings(Section):
    """What is refused, with a clear error, rather than stored."""

    content_chars: int = Field(1_000_000, ge=1, description="Longest content of one memory or message.")
    query_chars: int = Field(20_000, ge=1, description="Longest query.")
    batch: int = Field(10_000, ge=1, description="Most messages or memories in one call.")
