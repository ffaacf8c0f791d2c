"""Keyword arguments of the verbs. Written by `python -m bethink.shapes.write_keywords`; do not edit."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, Required, TypeAlias, TypedDict

from pydantic import SecretStr

from bethink.records import ExtractionStatus, Layer, MemoryType, MessageTier, Mode, Role, SummaryTier, Switch
from bethink.settings.sections import Strings
from bethink.shapes.audits import Finding
from bethink.shapes.households import PersonDraft
from bethink.shapes.insights import Importance, InsightKind, InsightStatus, Urgency

ExtractionWord: TypeAlias = ExtractionStatus | Literal["ok", "failed", "skipped"]
FindingWord: TypeAlias = (
    Finding
    | Literal["duplicate", "near-duplicate", "junk", "secret", "contradiction", "stale-fact", "split-fact"]
)
InsightWord: TypeAlias = (
    InsightKind
    | Literal[
        "decision",
        "task",
        "question",
        "meeting",
        "incident",
        "bug_report",
        "feature_request",
        "relationship",
        "preference",
        "event",
    ]
)


class MemoryFields(TypedDict, total=False):
    """What a memory may have beside its content."""

    type: MemoryType | Literal["factual", "episodic", "procedural", "semantic"]
    key: str | None
    """Storing the same key again updates the memory it names."""
    category: str | None
    title: str | None
    tags: Strings
    metadata: Mapping[str, Any]
    person_id: str | None
    session_id: str | None
    source: str
    source_ref: Mapping[str, Any]
    observed_at: datetime | date | str | None
    """When it was observed; now, when left out."""
    expires_at: datetime | date | str | None
    confidence: int
    pinned: bool


class MemoryInput(MemoryFields, total=False):
    """A memory to store, as a dict."""

    content: Required[str]


class MemoryChanges(TypedDict, total=False):
    """What of a memory to change; what is left out stays."""

    content: str
    type: MemoryType | Literal["factual", "episodic", "procedural", "semantic"]
    key: str | None
    category: str | None
    title: str | None
    tags: Strings
    metadata: Mapping[str, Any]
    """Merged into the metadata there is, one level deep."""
    person_id: str | None
    session_id: str | None
    source: str
    source_ref: Mapping[str, Any]
    observed_at: datetime | date | str
    expires_at: datetime | date | str | None
    confidence: int
    pinned: bool
    archived: bool
    """Whether it is kept and found no more."""


class MemoryFilters(TypedDict, total=False):
    """Which memories are meant; an empty list matches nothing."""

    types: Sequence[MemoryType | Literal["factual", "episodic", "procedural", "semantic"]] | None
    person_ids: Strings | None
    session_ids: Strings | None
    tags: Strings | None
    categories: Strings | None
    sources: Strings | None
    pinned: bool | None
    archived: bool
    """Those that are archived, rather than the others."""
    since: datetime | date | str | None
    until: datetime | date | str | None


class RecallOptions(TypedDict, total=False):
    """Where to look, and how much to bring back."""

    limit: int | None
    max_tokens: int | None
    """Token budget; brought into 1…8000."""
    strategy: Literal["recent", "semantic", "hybrid"] | None
    tier: Literal["fast", "balanced", "best"] | None
    """Quality against time."""
    rerank: bool | None
    """Whether a model reads the first hits again; as in tier `best`, when left out."""
    layers: Sequence[Layer | Literal["fact", "memory", "message", "passage", "summary", "insight"]] | None
    types: Sequence[MemoryType | Literal["factual", "episodic", "procedural", "semantic"]] | None
    person_ids: Strings | None
    """Only records about these people."""
    person_hints: Strings
    """Records about these people rank higher."""
    session_ids: Strings | None
    tags: Strings | None
    """Only memories with at least one of these tags."""
    categories: Strings | None
    sources: Strings | None
    pinned: bool | None
    since: datetime | date | str | None
    until: datetime | date | str | None
    as_of: datetime | date | str | None
    """Answer as of this time: what was known then."""
    recency: Literal["boost", "neutral"]
    min_similarity: float | None
    first_turn: bool
    """A bare greeting on the first turn brings nothing back."""
    fallback: bool
    """When nothing matches, the most recent memories come back."""
    catch_up: bool
    """Whether the vectors of the newest records are made first; off, the answer does not wait and finds those
    by their words.
    """
    include_global: bool | None
    """Whether to look in the space `global` too; if left out, as the options say."""
    secrets: bool
    """Show passwords, PINs, codes and the like as they are, not masked; the journal notes it. Those of the
    space `global` stay masked.
    """


class VectorPlaceChanges(TypedDict, total=False):
    """What of the vector store to change."""

    enabled: bool | None
    """False searches the database's rows; true takes `store`, or Qdrant if none is named."""
    store: str | None
    host: str | None
    port: int | None
    grpc_port: int | None
    tls: bool | None
    collection: str | None
    quantisation: Literal["none", "int8", "binary"] | None
    api_key: str | SecretStr | None
    """An empty one takes the key away."""


class PromptOptions(TypedDict, total=False):
    """The turn that a prompt is for."""

    messages: Sequence[Mapping[str, Any]]
    """The conversation so far: chat messages with a role and content. What is in it already is not recalled
    again.
    """
    session_id: str | None
    """The conversation's session; without `messages`, none of it is recalled."""
    person: str | None
    """Who is speaking, where the caller knows: an id or a name."""
    device: str | None
    """The id of the device that is spoken through."""
    voice: str | None
    """Whom the voice recogniser heard."""
    layers: Sequence[Layer | Literal["fact", "memory", "message", "passage", "summary", "insight"]] | None
    """Where to recall from; everywhere, when left out."""
    limit: int | None
    """Most memories recalled."""
    max_tokens: int | None
    """Token budget of the whole."""
    first_turn: bool | None
    """Whether the conversation begins here; when left out, `messages` and `session_id` tell."""
    guidelines: bool | None
    """Whether to tell the model when to search, save and forget memories."""
    catch_up: bool
    """Whether the vectors of the newest records are made first; off, the answer does not wait and finds those
    by their words.
    """
    recall_seconds: float | None
    """How long recall may take; after that the prompt holds only what stands in every prompt, and `degraded`
    says so. As the settings say, when left out.
    """
    enabled: bool
    """Off, the answer is empty."""
    explain: bool
    """Whether `leftOut.lines` tells what was recalled but is not in the prompt, and why."""
    shape: Literal["openai", "responses", "anthropic", "gemini"] | None
    """Also answer with the body of a provider's request."""


class MessageInput(TypedDict, total=False):
    """A message of a conversation, as a dict."""

    role: Literal["user", "assistant", "system", "developer", "tool", "contact"]
    """`contact` is another person in a chat between people: not the user."""
    content: Required[str | Sequence[Mapping[str, Any] | str] | None]
    """A text, or a list of parts as OpenAI and Anthropic have them: their texts are joined."""
    id: str | None
    """The platform's own id: observing it again changes nothing."""
    name: str | None
    """Who said it."""
    sent_at: datetime | date | str | None
    """When it was said; now, when left out."""
    sent_offset: int | None
    """Minutes ahead of UTC on the sender's clock: from `sentAt`, or where that tells none, the space's
    timezone.
    """
    platform: str
    channel: str | None
    contact: str | None
    bot_id: str | None
    person_id: str | None
    attachments: Sequence[Mapping[str, Any]]
    metadata: Mapping[str, Any]
    importance: float
    pinned: bool
    tool_calls: Sequence[Mapping[str, Any]] | None
    """The tools that an assistant calls, as OpenAI has them; kept in `metadata`."""
    tool_call_id: str | None
    """The call that a tool's result answers; kept in `metadata`."""


class MessageChanges(TypedDict, total=False):
    """What of a message to change; what is left out stays."""

    person_id: str | None
    """Who said it; None when nobody known did."""
    name: str | None
    """Who said it, in words."""
    importance: float
    pinned: bool
    archived: bool
    """An archived message is kept, and no longer found by a recall."""


class MessageFilters(TypedDict, total=False):
    """Which messages are meant; an empty list matches nothing."""

    tiers: Sequence[MessageTier | Literal["short", "mid", "long"]] | None
    platforms: Strings | None
    channels: Strings | None
    contacts: Strings | None
    """The other side of a chat between people."""
    person_ids: Strings | None
    names: Strings | None
    """Said under one of these names."""
    session_ids: Strings | None
    pinned: bool | None
    archived: bool | None
    """Only archived ones, or only the others."""
    since: datetime | date | str | None
    until: datetime | date | str | None


class MessageSearchOptions(TypedDict, total=False):
    """Where to look, and when in summaries too."""

    limit: int
    least: int | None
    """With fewer messages than this, summaries are searched too; 0 never does. As the setting
    `recall.least_messages` when left out.
    """
    person_ids: Strings | None
    """Only said by these people."""
    session_ids: Strings | None
    since: datetime | date | str | None
    """Of this time or later."""
    until: datetime | date | str | None
    """Of before this time."""
    secrets: bool
    """Show passwords, PINs, codes and the like as they are; the journal notes it."""


class SummaryFilters(TypedDict, total=False):
    """Which summaries are meant; an empty list matches nothing."""

    tiers: Sequence[SummaryTier | Literal["L1", "L2", "L3"]] | None
    person_ids: Strings | None
    """Of what this person said alone."""
    since: datetime | date | str | None
    """Of messages up to this time or later."""
    until: datetime | date | str | None


class SessionFields(TypedDict, total=False):
    """What is told of a conversation."""

    title: str | None
    platform: str
    metadata: Mapping[str, Any]
    context_ids: Strings
    """The contexts given to it."""


class ContextChanges(TypedDict, total=False):
    """What of a context to change; what is left out stays."""

    name: str | None
    content: str | None


class FactFields(TypedDict, total=False):
    """What a fact may have beside its value."""

    person_id: str | None
    source: str
    """`tool_call`, `auto_discovery`, `user_explicit`, `web`, `guess`, or another."""
    confidence: int
    """How sure it is. Left out: by its source 95, 95, 90, 50, 30, and 70 from another."""
    source_context: str | None
    provenance: Strings
    expires_at: datetime | date | str | None
    promoted: bool
    """One of the few in MEMORY.md; once it is, it stays so."""


class FactFilters(TypedDict, total=False):
    """Which facts are meant."""

    category: str | None
    person_id: str | None
    promoted: bool | None
    as_of: datetime | date | str | None
    """Those that held at this time; now, when left out."""


class InsightFields(TypedDict, total=False):
    """What an insight may have beside its title."""

    kind: InsightWord
    description: str
    importance: Importance | Literal["critical", "high", "medium", "low"]
    urgency: Urgency | Literal["immediate", "urgent", "medium", "low"]
    task_label: str | None
    """The kind, when left out."""
    details: Sequence[Mapping[str, Any]]
    people: Strings
    platforms: Strings
    channels: Strings
    bot_id: str
    dedupe_key: str | None
    """Made of the kind and the title, when left out."""
    preferences: Mapping[str, Any]
    provenance: Strings
    """The messages that say so."""
    due_at: datetime | date | str | None
    observed_at: datetime | date | str | None
    """When it was said; now, when left out."""


class InsightChanges(TypedDict, total=False):
    """What of an insight to change; what is left out stays."""

    title: str
    description: str
    importance: Importance | Literal["critical", "high", "medium", "low"]
    urgency: Urgency | Literal["immediate", "urgent", "medium", "low"]
    task_label: str
    people: Strings
    preferences: Mapping[str, Any]
    due_at: datetime | date | str | None


class InsightFilters(TypedDict, total=False):
    """Which insights are meant; an empty list matches nothing."""

    kinds: Sequence[InsightWord] | None
    status: InsightStatus | Literal["open", "closed"] | None
    importances: Sequence[Importance | Literal["critical", "high", "medium", "low"]] | None
    urgencies: Sequence[Urgency | Literal["immediate", "urgent", "medium", "low"]] | None
    task_labels: Strings | None
    people: Strings | None
    """Those that concern at least one of these."""
    platforms: Strings | None
    channels: Strings | None
    favourite: bool | None
    activity: Literal["active", "dormant"] | None
    trend: Literal["rising", "stable", "falling"] | None
    query: str | None
    """Those that hold this text, whatever its case."""
    since: datetime | date | str | None
    """Something was said of it at this time or later."""
    until: datetime | date | str | None
    """Nothing was said of it at this time or later."""
    due_before: datetime | date | str | None
    person_id: str | None
    """Whose views, favourites and weights count; nobody's in particular by default."""


class PersonFields(TypedDict, total=False):
    """What is known of someone beside their name."""

    pronouns: str | None
    """For example she/her."""
    role: str | None
    """primary, or what they are to the primary person."""
    aliases: Strings
    """Other names: mom, Dr. Miller."""
    birth_date: str | None
    """YYYY-MM-DD."""
    notes: str | None
    voice_ids: Strings
    """What a voice recogniser calls this person."""


class PersonChanges(PersonFields, total=False):
    """What to change about someone; what is left out stays."""

    display_name: str


class PersonInput(PersonChanges, total=False):
    """Someone of a household, as a dict: by name or by id."""

    id: str | None
    """Who is meant; when left out, whoever has this name."""


class HouseholdChanges(TypedDict, total=False):
    """What of a household to change; what is left out stays."""

    display_name: str | None
    mode: Mode | Literal["single", "multi"] | None
    timezone: str | None
    """For example America/New_York."""
    locale: str | None
    """For example en-US."""
    persons: Sequence[PersonDraft | PersonInput | Mapping[str, Any]] | None
    """Everyone who is to live there; who is left out leaves."""


class OptionChanges(TypedDict, total=False):
    """Which options to change; the others stay."""

    enabled: bool
    """Whether the gateway uses memory at all. Off by default, because what is woven into a request is paid
    for. The library, the API and the command line work either way.
    """
    injection: bool
    """Whether the gateway weaves memories into requests."""
    extraction: bool
    """Whether the gateway takes in conversations."""
    skills_enabled: bool
    """Whether the gateway gives models the tools of memory, and runs what they call. Off by default, because
    every round is paid for.
    """
    max_tokens: int
    """Token budget of recalled memories; 0 weaves none into prompts."""
    retention_days: int | None
    """What was said or noted is found no more once it is older, unless it is pinned; None keeps everything.
    """
    auto_summarize: bool
    """Whether memories are compacted daily once they are old; see `compact_days`."""
    strategy: Literal["recent", "semantic", "hybrid"]
    """How recall looks."""
    include_global: bool
    """Whether recall also looks in the space `global`, which admins fill."""
    documents: bool
    """Whether documents take part: in recall where no layers are named, and in prompts in a section of their
    own.
    """
    extractors: Sequence[Literal["patterns", "facts", "one-fact", "stale"]]
    """How conversations become memories: `patterns` needs no model; `facts` (every 5 messages), `one-fact`
    (after each reply) and `stale` (when a session has rested) ask a chat model.
    """
    insights: Literal["auto", "rules", "off"]
    """How channels become insights: `auto` asks the chat model where there is one, `rules` never does, `off`
    makes none.
    """
    insight_people: Strings
    """People whose insights are one step more important."""
    insight_topics: Strings
    """Words whose insights are one step more important."""
    ingest: Mapping[str, Mapping[str, Any]]
    """Where in what each platform posts to `/api/ingest/{platform}` its parts are."""
    muted_channels: Strings
    """Channels that make no insights."""
    prompt_digest_days: int
    """Prompts hold a digest of so many days; 0 puts none in."""
    rerank_enabled: bool
    """Whether a cross-encoder reads the first hits again; better, and slower."""
    rerank_provider_model: str | None
    """Model of the rerank host; None uses the packaged one."""
    embedding_source: str
    """Where vectors come from, as the setting `embed.source`; `remote` and `transformers` are other names for
    `openai` and `sentence-transformers`.
    """
    embedding_provider_model: str | None
    """Embedding model, as `model` or `source/model`."""
    transformers_enabled: bool
    """Whether `auto` may take sentence-transformers when it is installed."""
    static_enabled: bool
    """Whether `auto` may take a static model."""
    vector_store: str
    """Where vectors are searched, as the setting `index.vector_store`. Another store is filled in the
    background, and the one before answers until then.
    """
    vector_host: str
    """Host of the Qdrant or Chroma server."""
    vector_port: int | None
    """Its HTTP port; None is 6333 for Qdrant, 8000 for Chroma."""
    vector_grpc_port: int | None
    """Port of Qdrant's gRPC; None takes HTTP."""
    vector_tls: bool
    """Whether that server is spoken to over TLS."""
    vector_collection: str
    """What the names of its collections begin with."""
    vector_quantisation: Literal["none", "int8", "binary"]
    """Whether Qdrant or sqlite-vec look through coarse copies first."""


class KeyFields(TypedDict, total=False):
    """What a key may have beside its name."""

    role: Role | Literal["admin", "member", "reader"]
    """`admin`: everything. `member`: its own space. `reader`: only reads it."""
    space: str | None
    """The space it opens, made if there is none; your own when left out."""


class KeyChanges(TypedDict, total=False):
    """What of a key to change; what is left out stays."""

    name: str
    memory: Switch | Literal["on", "off"] | None
    """Whether the gateway uses memory for this key; None leaves it to the space."""


class SpaceChanges(TypedDict, total=False):
    """What of a space to change; what is left out stays."""

    name: str | None
    """Requests that still use the old name find nothing."""
    display_name: str | None


class JournalFilters(TypedDict, total=False):
    """Which lines of the journal are meant."""

    record_id: str | None
    """Only changes of this record."""
    noun: str | None
    """Only changes of such records: memory, fact, message, …"""
    action: str | None
    """Only such changes: stored, updated, forgotten, …"""
    actor: str | None
    """Only changes that this actor made."""
    since: datetime | date | str | None
    """Made at this time or later."""
    until: datetime | date | str | None
    """Made before this time."""
    cursor: str | None
    """Go on where the listing that gave this ended."""


class EraseChoice(TypedDict, total=False):
    """What to erase: one of these, with `dry_run` or without."""

    memory_ids: Strings | None
    """These memories."""
    fact_ids: Strings | None
    """These facts, each with all its versions."""
    message_ids: Strings | None
    """These messages, and what was taken from them alone."""
    person_id: str | None
    """This person, what they said, and all that is about them; a conversation whose title or id holds their
    name loses that.
    """
    session_id: str | None
    """This conversation, and the memories from it."""
    query: str | None
    """All memories, messages, facts and contexts that hold this text, whatever its case; a conversation whose
    title or id holds it loses that.
    """
    everything: bool
    """All that the space holds; the space and its keys stay."""
    dry_run: bool
    """Only say what would be erased."""


class ImportOptions(TypedDict, total=False):
    """How a file is to be read."""

    format: str | None
    """What the file is; found out when left out."""
    me: str | Strings | None
    """Your names or addresses in chats between people; an empty one: none of them is you."""
    timezone: str | None
    """Where times without an offset were written; the space's own when left out."""
    date_order: Literal["dmy", "mdy", "ymd"] | None
    """How dates in digits are written, where unclear."""
    name: str | None
    """What the file is called, when it has no name of its own."""
