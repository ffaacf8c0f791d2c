"""How the engine is doing: its parts, what each is made of, and what is wrong with it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bethink.records import Layer, Record, Utc
from bethink.shapes.outcomes import CacheStats, KeptSearchStats, LayerCount, RecallResult

PartState = Literal["ready", "off", "missing", "unopened", "failing"]


class PartError(Record):
    """What failed last in a part of the engine. It may work again since."""

    part: str = Field(description="embedding, vectors, search or reranking.")
    message: str
    at: Utc


class TermsStatus(Record):
    """Search by words."""

    engine: str = Field(description="fts5 on SQLite, gin on PostgreSQL; both ranked by BM25.")
    state: PartState
    problem: str | None = None


class PassedOverSource(Record):
    """A source that `auto` did not take, and why."""

    source: str
    reason: str


class EmbeddingStatus(Record):
    """Where vectors come from."""

    source: str
    state: PartState
    reason: str = Field(description="Why this source was chosen.")
    problem: str | None = Field(None, description="Why it does not work at the moment.")
    advice: str | None = Field(None, description="Which model would find more in the languages of the texts.")
    model: str | None = None
    dimensions: int | None = None
    signature: str | None = Field(None, description="What marks a vector as current.")
    calibrated: bool = Field(False, description="Whether the model's own thresholds are known.")
    passed_over: list[PassedOverSource] = Field(default_factory=list)
    cache: CacheStats


class VectorRung(Record):
    """A store beside the database, and how it is doing."""

    name: str
    state: Literal["ready", "filling", "resting", "leaving"] = Field(
        description="`filling` until it holds the space, `resting` after a failure, `leaving` when it was"
        " chosen before and is to be emptied."
    )
    problem: str | None = Field(None, description="Why it rests.")
    since: Utc | None = Field(None, description="Since when.")
    next_try_seconds: float | None = Field(None, description="When it is tried again by itself.")
    awaiting: int = Field(0, description="Entries of the space that it has to be told of.")


class VectorStoreStatus(Record):
    """Where vectors are searched."""

    name: str
    chosen: str = Field(description="What the settings or options ask for.")
    state: Literal["ready", "failing"] = "ready"
    problem: str | None = None
    answering: str = Field(description="What answers a search of the space at this moment.")
    top_k: int = Field(description="Nearest vectors that a search takes.")
    vec_loaded: bool = Field(description="Whether the one that was asked for is installed and answers.")
    active_dim: int | None = Field(None, description="The length of the vectors.")
    quantisation: str = Field("none", description="What is looked through first.")
    last_reset_at: Utc | None = Field(
        None, description="When the space's vectors were last filled anew there."
    )
    by_rows: list[str] = Field(
        default_factory=list, description="Filters that it does not know, which the rows see to."
    )
    stores: list[VectorRung] = Field(
        default_factory=list, description="Beside the database, the chosen first."
    )
    left_behind: list[str] = Field(
        default_factory=list,
        description="Stores of before that hold something and cannot be reached any more.",
    )


class LateStatus(Record):
    """Late interaction, which the tiers `balanced` and `best` have."""

    state: PartState
    model: str | None = None
    awaiting: int = Field(0, description="Entries without token vectors.")


class RerankStatus(Record):
    """The model that reads the first hits again."""

    enabled: bool = Field(description="Whether every recall of the space uses it.")
    source: str
    model: str | None
    state: PartState
    problem: str | None = None
    candidates: int
    seconds: float


class WorthStatus(Record):
    """The model that says what of a conversation is worth keeping; without it, rules alone decide."""

    state: PartState
    model: str
    problem: str | None = Field(None, description="Why it does not work, once that is known.")


class ReindexStatus(Record):
    """How far a reindex has come."""

    running: bool = Field(description="Whether this server is making vectors of the space now.")
    pending: int = Field(description="Entries that still await something, by the rows themselves.")
    done: int = Field(0, description="Made since it was started here.")
    total: int = Field(0, description="How many there were to make then.")
    started_at: Utc | None = None
    finished_at: Utc | None = None
    error: str | None = Field(None, description="Why it ended before it was done.")


class ReindexStarted(Record):
    """What asking for a reindex did."""

    started: bool = Field(description="False when one was under way already.")
    pending: int


class EngineStatus(Record):
    """How a space is searched, with what, and what is wrong."""

    space: str
    tier: str
    terms: TermsStatus
    embedding: EmbeddingStatus
    vector_store: VectorStoreStatus
    kept_searches: KeptSearchStats
    layers: dict[Layer, LayerCount]
    awaiting_vectors: int
    astray: dict[str, int] = Field(
        default_factory=dict,
        description="Where records and index do not agree, by kind; the sweep `repair` mends it.",
    )
    late: LateStatus
    reranker: RerankStatus
    worth: WorthStatus
    reindex: ReindexStatus
    degraded: list[str]
    last_errors: list[PartError]


class EmbeddingSource(Record):
    """One place where vectors can come from."""

    source: str
    in_use: bool
    available: bool = Field(description="Whether it could be chosen as things are.")
    reason: str = Field(description="Why, or why not.")
    needs_key: bool
    has_key: bool
    model: str | None = Field(description="The model it uses, or would use.")
    dimensions: int | None = Field(description="The length of its vectors, where that is known.")


class EmbeddingSources(Record):
    """Every place where vectors can come from."""

    items: list[EmbeddingSource]


class HealthStep(Record):
    """One step of a round trip."""

    name: Literal["write", "embed", "terms", "vector", "delete"]
    ok: bool
    milliseconds: float
    problem: str | None = None


class Health(Record):
    """Whether something written is found again by its words and by its meaning."""

    working: bool = Field(description="False when any step failed or anything is degraded.")
    latency_ms: float
    error: str | None = Field(None, description="The reasons in one line; null when all is well.")
    reasons: list[str] = Field(default_factory=list)
    steps: list[HealthStep] = Field(default_factory=list)


class MapPoint(Record):
    """A record on the map."""

    layer: Layer
    id: str
    text: str = Field(description="How it begins.")
    x: float = Field(description="From -1 to 1.")
    y: float = Field(description="From -1 to 1.")
    category: str | None = Field(None, description="A fact's category, a memory's type, and the like.")
    person_id: str | None = None
    observed_at: Utc


class SpaceMap(Record):
    """The newest records on a plane: those that mean the like lie near each other."""

    points: list[MapPoint] = Field(description="Those that have a vector, the newest of them.")
    signature: str | None = Field(description="The model whose vectors they are; null without one.")
    kept: float = Field(description="How much of what tells them apart is seen on the plane, from 0 to 1.")


class ChatHealth(Record):
    """Whether the chat model answers."""

    working: bool
    source: str
    model: str | None = None
    latency_ms: float = 0.0
    error: str | None = Field(None, description="Why not.")


class Preview(RecallResult):
    """What a recall would bring back, and with what. Nothing is counted as used."""

    times: dict[str, float] = Field(
        default_factory=dict,
        description="Milliseconds by stage. `search` holds `terms`, `embed`, `vector`, `tokens` and `late`,"
        " some of which go side by side; `gather` holds `rerank`.",
    )
    signature: str | None = Field(None, description="The model whose vectors were compared.")
    vector_store: str
    embedding_source: str
    reranker: str | None = Field(None, description="The model that read the first hits, if one did.")
