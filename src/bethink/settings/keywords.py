"""Settings as keyword arguments. Written by `python -m bethink.shapes.write_keywords`; do not edit."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

from pydantic import SecretStr

from bethink.settings.sections import Strings


class EmbedOverrides(TypedDict, total=False):
    """Where vectors come from."""

    source: str
    """Embedding source: `auto` (a configured remote, else multilingual where that is installed and the texts
    are not English, else local, else static, else none), `local`, `multilingual`, `openai`, `ollama`,
    `static`, `sentence-transformers`, `none`, or one a package adds.
    """
    model: str | None
    """Model name; each source has its own default."""
    base_url: str | None
    """Embedding host, separate from the chat host and falling back to `chat.base_url`."""
    api_key: str | SecretStr | None
    """Key for the embedding host; falls back to `chat.api_key` where both are one host."""
    dimensions: int | None
    """Ask a remote model for this many dimensions."""
    path: str | PathLike[str] | None
    """Folder with `model.onnx` and `tokenizer.json` (or a static model)."""
    static_enabled: bool
    """May `auto` take a static model?"""
    transformers_enabled: bool
    """May `auto` take sentence-transformers, after the others?"""
    allow_download: bool
    """May weights be fetched from the Hugging Face hub?"""
    query_prefix: str | None
    """Text put before queries; known models have their own."""
    document_prefix: str | None
    """Text put before documents; known models have their own."""
    batch_size: int
    """Texts sent to the model at once; the local model takes at most 8."""
    pause_seconds: float
    """Pause after each batch of texts that a remote model is sent in the background."""
    threads: int
    """Threads of the local model; 0 uses the machine's cores, at most 4."""
    timeout_seconds: float
    """How long a remote embedding call may take."""
    cache_size: int
    """Embeddings kept in memory; 0 turns the cache off."""
    cache_seconds: float
    """How long a kept embedding is used."""
    retry_seconds: float
    """Rest after a failed embedding call before the next try."""


class ChatOverrides(TypedDict, total=False):
    """The OpenAI-compatible chat host; the embedding host when that has none of its own."""

    base_url: str | None
    """For example http://localhost:11434/v1; with only a key, OpenAI's own."""
    api_key: str | SecretStr | None
    """Key for the chat host."""
    model: str | None
    """Model that writes prose, such as the narrative; the extraction model when unset."""
    extraction_model: str | None
    """Model that extracts memories. Unset, or not among the host's models: the first of `small_models` that
    the host has, else the smallest by its name.
    """
    small_models: str | Strings
    """Small models by preference: a list, or text with commas."""
    small: bool | None
    """Whether the extraction model is small: it is asked about one message at a time, and what it says must
    stand in words worth a fact. Unset: by its name, up to 9 billion parameters.
    """
    timeout_seconds: float
    """How long one try of a chat call may take."""
    max_retries: int
    """More tries after 429, 5xx or a lost connection; Retry-After is heeded."""
    concurrency: int
    """Most chat calls at the same time."""
    templates: str | PathLike[str] | None
    """Folder with prompt templates of your own, each in place of the packaged one."""


class ExtractionOverrides(TypedDict, total=False):
    """How conversations become memories."""

    worth: bool
    """Whether a small model decides what is worth keeping; off, only rules do."""
    least_worth: float
    """What no rule finds is kept if the model takes it so surely for worth it."""
    every_messages: int
    """`facts` reads after so many messages."""
    idle_minutes: float
    """`stale` reads a session that has rested for so long."""
    known_memories: int
    """Existing memories that the prompt of `one-fact` shows."""
    result_chars: int
    """Characters of a tool's result in the transcript of `stale`."""
    transcript_chars: int
    """Characters of a transcript; the middle of more is dropped."""
    max_tokens: int
    """Longest answer of the model."""


class CaptureOverrides(TypedDict, total=False):
    """What becomes of secrets in what is taken in: passwords, PINs, codes, keys, card numbers."""

    secrets: Literal["mask", "drop", "keep"]
    """`mask` stores messages as they were said and shows a mark such as `[password]` in place of each secret;
    `drop` also puts the mark in its place before anything is stored; `keep` shows secrets as they are.
    """


class StoreOverrides(TypedDict, total=False):
    """How the database is used."""

    readers: int
    """Threads that read an SQLite file at the same time."""
    pool_size: int
    """Connections to PostgreSQL at most."""
    build_mb: int
    """Memory that PostgreSQL may use to make an HNSW index; a graph that outgrows it is made much more
    slowly.
    """
    busy_seconds: float
    """How long to wait for another process's write to finish."""
    vacuum_mb: int
    """An SQLite file up to this size is rewritten by the erasure itself, which takes well under a second; a
    larger one at the next quiet moment.
    """
    quiet_seconds: float
    """So long nobody may have written before an SQLite file is rewritten after an erasure."""


class IndexOverrides(TypedDict, total=False):
    """How records are made findable."""

    vector_store: str
    """Vector index: `auto` is `embedded` with SQLite and `pgvector` with PostgreSQL; beside either, `sqlite-
    vec`, `qdrant`, `chroma`, or one a package adds.
    """
    memory_mb: int
    """Memory for resident vectors; the least used space goes first."""
    hnsw_from: int
    """On PostgreSQL, a layer of a space with this many vectors gets an HNSW index."""
    rescore: int
    """How many of the nearest are scored again in full precision."""
    text_form: Literal["lean", "aaak"]
    """What is embedded for a message: speaker and text, or the full AAAK text."""
    lazy_limit: int
    """At most so many missing vectors are made before a search."""


class VectorOverrides(TypedDict, total=False):
    """Where vectors are searched beside the database, if `index.vector_store` names such a place."""

    host: str
    """Host of the Qdrant or Chroma server."""
    port: int | None
    """Its HTTP port; 6333 for Qdrant and 8000 for Chroma if left out."""
    grpc_port: int | None
    """Port of Qdrant's gRPC, usually 6334; left out, HTTP is used."""
    tls: bool
    """Is the server spoken to over TLS?"""
    api_key: str | SecretStr | None
    """Key for the server."""
    collection: str
    """What the names of collections begin with; the database and the model follow."""
    path: str | PathLike[str] | None
    """The file of sqlite-vec, by default beside the database; or a folder, for Chroma with no server."""
    quantisation: Literal["none", "int8", "binary"]
    """What is looked through first: the vectors, or coarse copies of a fourth (`int8`) or a thirty-second
    (`binary`) of their size. Only Qdrant and sqlite-vec have it.
    """
    batch: int
    """Vectors that are sent at once."""
    wait: bool
    """Does a write to Qdrant wait until searches see it? Else it is seen soon."""
    top_k: int | None
    """Nearest vectors that a search takes; as many as `recall.candidates` if left out."""
    budget_seconds: float
    """How long a search waits for the store before it goes on without."""
    timeout_seconds: float
    """How long any other call to the store may take."""
    rest_seconds: float
    """Rest after a failure before the next try; longer if that fails too."""


class RecallOverrides(TypedDict, total=False):
    """How memories are found, ranked and cut."""

    strategy: Literal["recent", "semantic", "hybrid"]
    """Default recall strategy."""
    limit: int
    """Hits returned when the caller names no limit."""
    max_tokens: int
    """Token budget of a recall."""
    tier: Literal["auto", "fast", "balanced", "best"]
    """`fast` ranks by terms and vectors; `balanced` adds late interaction; `best` adds a cross-encoder on the
    first hits. `auto` is balanced with the local models, else fast.
    """
    candidates: int
    """Best entries taken from each list before fusion."""
    documents: bool
    """Whether documents take part in recall where no layers are named, and in prompts."""
    rrf_k: float
    """Reciprocal rank fusion constant."""
    score_share: float
    """Part of the fused score that comes from the lists' own scores; the rest is by rank."""
    terms_weight: float
    """Weight of the terms list in fusion."""
    vector_weight: float
    """Weight of the vector list in fusion."""
    late_weight: float
    """Weight of the late interaction list in fusion."""
    terms_weight_with_late: float
    """Weight of the terms list where late interaction ranks too."""
    vector_weight_with_late: float
    """Weight of the vector list where late interaction ranks too."""
    foreign_vectors: float
    """Times the vectors' weight where the query is not English and the model reads it."""
    unread_vectors: float
    """Times the vectors' weight where the query is not English and the model reads only that."""
    document_terms: float
    """Times the terms' weight where only documents are searched: who asks has other words."""
    few_memories: int
    """With this many memories in scope or fewer, all of them come back."""
    least_messages: int | None
    """Where a search of messages finds fewer, summaries are searched too; none: fewer than its limit. 0 never
    searches them.
    """
    min_similarity: float | None
    """Vector hits below this cosine are dropped; by default no cut."""
    expand_terms: str
    """Words added to a short first-person question; empty adds none."""
    pinned_boost: float
    """Added to a pinned record's score."""
    person_boost: float
    """Added when the record is about a hinted person."""
    age_penalty: float
    """Taken from a record `age_days` old; less for younger ones."""
    age_days: float
    """Age at which the whole penalty applies."""
    speaker_boost: float
    """Added when the one participant named in the query said it."""
    time_boost: float
    """Added when the record is of the time that the query names, or speaks of it."""
    when_boost: float
    """Added when the query asks for a time and the record speaks of one."""
    answer_share: float
    """Share of its question's score an answer inherits."""
    kept_searches: int
    """Searches whose outcome is kept, to be used again while nothing changed; 0 for none."""
    answer_floor: float
    """Only what the question scores above this is inherited."""


class RerankOverrides(TypedDict, total=False):
    """A model that reads the query and the first hits together, to better their order."""

    source: Literal["off", "local", "http"]
    """`local` is the packaged cross-encoder, `http` a host with a `/rerank` (Cohere, Jina, TEI and the like):
    either reads the first hits of every recall. `off` leaves it to tier `best`, which takes the packaged one.
    """
    base_url: str | None
    """The host, for example https://api.cohere.com/v2 or http://localhost:8080."""
    model: str | None
    """The host's model; not needed where it has but one."""
    api_key: str | SecretStr | None
    """Key for the host."""
    candidates: int
    """Hits that are read."""
    weight: float
    """Score added per standard deviation a hit is rated higher."""
    seconds: float
    """Past this time the order stands without it."""
    retry_seconds: float
    """Rest after a host failed before the next try."""


class SimilarityOverrides(TypedDict, total=False):
    """How near is near enough, on a scale common to all models; measured models have their own for it."""

    facts_distance: float
    """A fact farther from the query than this does not answer it."""
    messages: float
    """A message less like the query of `messages.search` than this answers by its words only."""
    dedupe: float
    """Two memories at least this similar say the same; 1 keeps all apart."""


class PromptOverrides(TypedDict, total=False):
    """What the memory part of a prompt holds."""

    enabled: bool
    """The kill switch: off, the memory part of every prompt is empty."""
    recall: bool
    """Whether recalled memories are part of it; off, only what is in every prompt."""
    guidelines: bool
    """Whether it tells the model when to search, save and forget memories."""
    facts: int
    """Most facts in it; the rest can still be recalled."""
    said_tokens: int
    """Tokens of what the user said that stands in every prompt."""
    recall_tokens: int
    """Tokens recalled for one turn, unless the caller sets a limit."""
    document_tokens: int
    """Tokens of passages of documents for one turn, where they take part."""
    floor: bool
    """Whether only what is near enough to the question is recalled for a prompt."""
    max_tokens: int
    """Token budget of the whole."""
    recall_seconds: float
    """So long recall may take; then it goes out without its memories."""
    recall_share: float
    """Share of the budget kept for recalled memories; more if it is left."""


class HouseholdOverrides(TypedDict, total=False):
    """Who lives in the default space when it is made; afterwards the database says so."""

    file: str | PathLike[str] | None
    """JSON file that has all of this, instead of these settings."""
    display_name: str | None
    """The household's name."""
    mode: str | None
    """`single` or `multi`: how many people live there."""
    timezone: str | None
    """For example America/New_York; UTC when left out."""
    locale: str | None
    """For example en-US."""
    members: Sequence[Mapping[str, Any]]
    """The people: display_name, and what is known of pronouns, role, aliases, birth_date, notes, voice_ids.
    In the environment: a JSON list.
    """


class FilesOverrides(TypedDict, total=False):
    """SOUL.md and MEMORY.md of each space, kept as files that people can edit."""

    folder: str | PathLike[str] | None
    """Folder with a folder per space; by default `spaces` in the home when the database is there too,
    otherwise none.
    """
    enabled: bool
    """Whether there are such files at all."""


class DocumentOverrides(TypedDict, total=False):
    """The knowledge base: how large a file may be, where it is kept, and what reading it may take."""

    store: str | None
    """Where the files themselves are kept: a folder, or an fsspec URL such as `s3://bucket/bethink`; by
    default a folder beside the database.
    """
    max_bytes: int
    """Largest file."""
    max_characters: int
    """Longest text of a file."""
    parse_seconds: float
    """So long reading a file may take."""
    parse_mb: int
    """Memory that reading a file may take (Linux)."""
    floor: bool
    """Whether a search leaves out what is not near enough, where that is measured."""


class ServerOverrides(TypedDict, total=False):
    """The HTTP server."""

    host: str
    """Address to listen on."""
    port: int
    """Port to listen on."""
    max_body_bytes: int
    """Largest request body accepted, but for uploads."""
    max_upload_bytes: int
    """Largest archive accepted by /api/import."""
    allowed_hosts: str | Strings
    """Host names under which the server answers, besides this machine's own: a list, or text with commas;
    `*.example.com` takes every subdomain, `*` every name.
    """
    allowed_origins: str | Strings
    """Other web pages that may use the server from a browser, with a key, such as `https://app.example.com`:
    a list, or text with commas; `*` takes every page.
    """
    session_days: float
    """How long a browser stays signed in."""
    sessions_per_key: int
    """Browsers that may be signed in with one key; with one more, the first is signed out."""
    secure_cookies: bool
    """Send the session's cookie over HTTPS only; for a server behind such a proxy."""
    studio: bool
    """Show the Studio, a web app, at `/`; without it a plain page."""
    requests_per_minute: int
    """How often one key may ask, per process; 0 sets no limit."""
    request_burst: int
    """How many requests a key that has waited may make at once."""
    head_seconds: float
    """A connection is closed when a request's head takes longer to arrive."""
    max_head_bytes: int
    """Largest head of a request: its address and its headers."""
    recalls_at_once: int
    """Recalls that run at once, per process; 0 is two for each processor."""
    recalls_waiting: int
    """Recalls that may wait for their turn; further ones are answered 503 at once, with `Retry-After`."""
    wrong_keys_per_minute: int
    """Wrong keys from one address that are answered at once, after the first ten; further ones wait for up to
    ten seconds. A right key never waits. 0 sets no limit.
    """
    open_metrics: bool
    """Let /metrics be read without an admin key."""
    log_level: Literal["debug", "info", "warning", "error"]
    """The least important lines of the log; requests are `info`."""
    log_format: Literal["auto", "json", "text"]
    """`text` to read, `json` to process; `auto` is text at a terminal, else JSON."""
    traces_endpoint: str | None
    """Where traces are sent by OTLP over HTTP, such as `http://localhost:4318/v1/traces`; needs the extra
    `otel`. Nothing is sent when left out.
    """


class ProviderOverrides(TypedDict, total=False):
    """A host with models, in a table of its own: `[gateway.providers.NAME]`."""

    base_url: str | None
    """Its address, as its clients know it, for example https://api.openai.com/v1; `anthropic` and `ollama`
    have one by default, `openai` too.
    """
    api_key: str | SecretStr | None
    """Key for it; Ollama needs none."""
    kind: Literal["openai", "anthropic", "ollama"]
    """What it takes a key as, and where its address begins when none is given."""
    models: str | Strings
    """Models it serves: a request for one of them goes here without a prefix, and they are listed without
    asking it.
    """
    system: Literal["any", "one", "none"] | None
    """Which system messages it takes: `any`, `one` (only the first message), `none`; by default as
    `gateway.one_system_message` and `gateway.no_system_role` say.
    """


class GatewayOverrides(TypedDict, total=False):
    """The gateway under /v1, which other clients use as if it were their provider."""

    enabled: bool
    """Whether there is a gateway at all."""
    base_url: str | None
    """Address of the one provider where no tables name several; else `chat.base_url`, else Ollama on this
    machine.
    """
    api_key: str | SecretStr | None
    """Key for the one provider."""
    kind: Literal["openai", "anthropic", "ollama"]
    """What the one provider is."""
    providers: Mapping[str, ProviderOverrides]
    """Several providers by name, each a table; a model `name/model` picks one. In the environment: a JSON
    object, or a variable for each value.
    """
    default_provider: str | None
    """Takes models that name no provider; by default the first."""
    recall_seconds: float
    """A request waits so long for its memories, then goes on without."""
    tool_rounds: int
    """How often in one answer a model may call tools of memory."""
    connect_seconds: float
    """How long connecting to a provider may take."""
    silence_seconds: float
    """How long a provider may say nothing before it counts as gone."""
    connections: int
    """Connections to providers at most."""
    max_body_bytes: int
    """Largest request body under /v1."""
    no_system_role: str | Strings
    """Providers, or beginnings of model names, that refuse the system role: memory goes into the user's
    messages.
    """
    one_system_message: str | Strings
    """Providers, or beginnings of model names, that refuse a second system message: memory joins the first,
    and the user's last message. Ollama is one of them.
    """


class LifecycleOverrides(TypedDict, total=False):
    """What becomes of memory with time: tiers, summaries, and what is given up for good."""

    tiers: bool
    """Let old messages fade into summaries, daily in the server. They are kept, archived."""
    short_days: float
    """How long a message is fresh."""
    mid_days: float
    """Age at which one of the middle tier is judged."""
    long_days: float
    """Age at which one of the last tier is judged."""
    short_threshold: float
    """Score from which a fresh one stays."""
    mid_threshold: float
    """The same in the middle tier."""
    long_threshold: float
    """The same in the last tier."""
    short_window_days: int
    """Days that one summary covers, at most."""
    mid_window_days: int
    """The same in the middle tier."""
    long_window_days: int
    """The same in the last tier."""
    weighty: float
    """Importance from which a message stays as it is; above 1, none does."""
    min_group: int
    """Messages that are worth a summary, at least."""
    batch: int
    """Messages in one transaction, about."""
    promote: bool
    """Make facts of what comes up again and again, daily in the server."""
    compact_days: float
    """Age at which memories are compacted, where the option is on."""
    expired_days: float
    """How long what has expired still answers `as_of`, before it is archived."""
    purge_days: float | None
    """Delete what has been in the archive so long, for good. None: never."""
    keywords: Mapping[str, Strings]
    """Words that make a message important, by language. In the environment: a JSON object."""


class MailOverrides(TypedDict, total=False):
    """A mail account whose new mails become messages. Off unless a host is given."""

    host: str | None
    """The IMAP server, for example imap.example.org."""
    port: int | None
    """Its port; 993, or 143 unless `security` is `tls`, if left out."""
    security: Literal["tls", "starttls", "none"]
    """How the connection is kept private. `none` sends the password in the clear."""
    ca_file: str | PathLike[str] | None
    """Certificates to trust, where the server's is of nobody that this machine trusts."""
    user: str
    """Who to sign in as, often the address."""
    password: str | SecretStr | None
    """The password, or an app password."""
    password_command: str | None
    """A command that prints the password, such as `pass show mail`."""
    folders: str | Strings
    """Folders to read: a list, or text with commas. Add the one of sent mails for your own."""
    me: str | Strings
    """Your addresses, besides `user`: mails from them are your words."""
    since_days: int
    """When a folder is read for the first time, how far back."""
    every_minutes: float
    """How often to look for new mails."""
    space: str | None
    """The space that takes them in; by default `space`."""
    timeout_seconds: float
    """How long the server may take to answer."""


class ToolOverrides(TypedDict, total=False):
    """The tools that models call: over MCP, through the gateway, from programs."""

    form: Literal["many", "one"]
    """`many` tools, one for each thing to do; or `one` tool `memory` with an `action`, for small models."""
    max_tokens: int
    """Most tokens of one answer of a tool."""


class McpOverrides(TypedDict, total=False):
    """The MCP server under /mcp."""

    enabled: bool
    """Whether there is one."""
    max_body_bytes: int
    """Largest request body under /mcp."""
    url: str | None
    """Its public address, where that is not the one that a request names."""
    authorization_servers: str | Strings
    """Servers that hand out keys of Bethink by OAuth, such as `https://login.example.com`: a list, or text
    with commas. Clients find them by the metadata of the protected resource.
    """


class LimitOverrides(TypedDict, total=False):
    """What is refused, with a clear error, rather than stored."""

    content_chars: int
    """Longest content of one memory or message."""
    query_chars: int
    """Longest query."""
    batch: int
    """Most messages or memories in one call."""


class SettingOverrides(TypedDict, total=False):
    """Settings but for the database, sections as dicts."""

    home: str | PathLike[str]
    """Data directory; holds the SQLite file."""
    space: str
    """Space used when none is named."""
    embed: EmbedOverrides
    chat: ChatOverrides
    extraction: ExtractionOverrides
    capture: CaptureOverrides
    store: StoreOverrides
    index: IndexOverrides
    vectors: VectorOverrides
    recall: RecallOverrides
    rerank: RerankOverrides
    similarity: SimilarityOverrides
    prompt: PromptOverrides
    household: HouseholdOverrides
    files: FilesOverrides
    documents: DocumentOverrides
    server: ServerOverrides
    gateway: GatewayOverrides
    lifecycle: LifecycleOverrides
    mail: MailOverrides
    tools: ToolOverrides
    mcp: McpOverrides
    limits: LimitOverrides


class SettingValues(SettingOverrides, total=False):
    """Settings, sections as dicts."""

    url: str | None
    """Database: a file, `:memory:` or `postgresql://…`; by default `memory.db` in the home."""
