"""What comes back: the outcome of every write, and the hits of a recall with all parts of their scores."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from typing import Literal

from pydantic import Field

from bethink.records import Fact, Layer, Memory, Message, Other, Passage, Record, Summary, Utc
from bethink.shapes.insights import Insight


class Status(StrEnum):
    STORED = "stored"
    MERGED = "merged"
    DUPLICATE = "duplicate"
    HELD = "held"


class Outcome(Record):
    """What happened to one record that was written, and why."""

    status: Status
    id: str
    reason: str | None = None


class Remembered(Outcome):
    memory: Memory


class InsightSet(Outcome):
    """What adding an insight did: `stored`, `merged` into the one with its key, or `duplicate`."""

    insight: Insight


class MemoryPage(Record):
    """A piece of the list of memories, newest first, or best first for a search."""

    items: list[Memory]
    total: int | None = Field(description="How many there are in all; not known for a search.")
    tokens: int | None = Field(description="About how many tokens they all are; not known for a search.")
    next_cursor: str | None = Field(
        description="What to send as `cursor` for the next piece; null at the end."
    )
    superseded_by: dict[str, str] = Field(
        default_factory=dict,
        description="Of each memory that something newer surely took the place of, the record that says it.",
    )


class MessageDetail(Message):
    """A message, and how the index keeps it."""

    embedding_model: str | None = Field(None, description="What its vector was made with; null without one.")
    embedding_dimensions: int | None = None
    embedding_content_hash: str | None = Field(
        None, description="Of what is embedded of it, without its tier; null while it is not in the index."
    )
    embedding_updated_at: Utc | None = Field(None, description="When its vector was made.")


class MessageList(Record):
    """A piece of the list of messages, newest first."""

    items: list[Message]
    total: int = Field(description="How many there are in all.")
    next_cursor: str | None = Field(
        description="What to send as `cursor` for the next piece; null at the end."
    )


class SummaryList(Record):
    """A piece of the list of summaries, those of the newest messages first."""

    items: list[Summary]
    total: int = Field(description="How many there are in all.")
    next_cursor: str | None = Field(
        description="What to send as `cursor` for the next piece; null at the end."
    )


class Compaction(Record):
    """What compacting came to, or would."""

    candidates: int = Field(description="Memories that another tells of now, or that were cut.")
    tokens_saved: int = Field(description="About how many tokens fewer there are to be found.")
    summaries: int = Field(0, description="Memories that tell of the others.")
    dry_run: bool = Field(False, description="Whether nothing was changed.")


class Doubt(Record):
    """A fact worth asking about: nobody has confirmed it for long."""

    fact: Fact
    confirmed_at: Utc = Field(description="When it was last said.")
    doubt: float = Field(
        description="How likely it is that it holds no more, 0 to 1: a rough guess by its kind."
    )


class Forgotten(Record):
    """What forgetting by a filter did, or would do."""

    count: int = Field(description="How many memories were forgotten, or would be.")
    sample: list[Memory] = Field(description="The newest of them, at most ten.")
    dry_run: bool


class Observed(Record):
    """What happened to each message of a conversation, in order."""

    session_id: str
    outcomes: list[Outcome]
    withdrawn: int = Field(
        0,
        description="How many messages something was taken from, as the user asked in the turn before.",
    )


class FactSet(Outcome):
    """What setting a fact did; `previous` is the version it superseded.

    `held` means that the fact stayed as it was, as `reason` says: what a conversation mentions once, not as a
    change, does not replace who somebody is.
    """

    fact: Fact
    previous: Fact | None = None


class FactsFound(Record):
    """Facts, and how they were found."""

    items: list[Fact]
    found_by: Literal["list", "vector", "substring"] = Field(
        "list",
        description="`vector`: near to the query in meaning, nearest first. `substring`: none were near, or"
        " nearness is not known, and these hold its text. `list`: there was no query.",
    )
    distances: list[float] = Field(
        default_factory=list, description="With `vector`, how far each is from the query: 1 less the cosine."
    )
    degraded: list[str] = Field(default_factory=list, description="What was not working.")


class MentionedAt(Record):
    """A time that a text speaks of: the words, and the first and the last day they mean."""

    text: str
    first: date
    last: date


class Hit(Record):
    """One recalled record and how its score came about.

    `score` is `fused` plus `pinned`, `person`, `speaker`, `time`, `answer`, `rerank` and `recency`, which is
    0 or less.
    """

    layer: Layer
    id: str
    space: str | None = Field(None, description="The space it is from: the one asked in, or `global`.")
    text: str
    score: float
    fused: float = Field(description="Fused rank of the lists, 1 when first in each.")
    fused_by: dict[str, float] = Field(
        default_factory=dict, description="What of `fused` each list gave: `terms`, `vector`, `late`."
    )
    vector: float | None = Field(None, description="Cosine between query and record.")
    terms: float | None = Field(None, description="BM25 score of the query's terms.")
    late: float | None = Field(None, description="Late interaction score, token by token.")
    pinned: float = 0.0
    person: float = 0.0
    speaker: float = 0.0
    time: float = Field(
        0.0, description="For being or speaking of the time that the query names or asks for."
    )
    answer: float = 0.0
    recency: float = 0.0
    rerank: float = 0.0
    tokens: int
    engine: str = Field(description="Which lists found it: terms, vector, terms+vector, recent, few.")
    degraded: bool = False
    archived: bool = False
    observed_at: Utc
    mentioned_at: list[MentionedAt] = Field(
        default_factory=list, description="The times its text speaks of, resolved when it was said."
    )
    until: Utc | None = Field(None, description="Since when something newer surely holds in its place.")
    superseded_by: str | None = Field(None, description="The memory, or else the message, that says it.")
    record: Memory | Message | Fact | Summary | Insight | Passage | Other


class RecallResult(Record):
    """The hits, best first. `degraded` says what was not working, and is empty when all was well."""

    query: str
    hits: list[Hit]
    engine: str = Field(description="hybrid, terms, vector, recent, few, or none.")
    degraded: list[str] = Field(default_factory=list)
    strategy: str | None = Field(None, description="How it looked: recent, semantic or hybrid.")
    tier: str | None = Field(None, description="The quality asked for: fast, balanced or best.")
    tokens: int = 0
    latency_ms: float = 0.0


class MessageResults(Record):
    """What a search of messages found. `degraded` says what was not working."""

    query: str
    hits: list[Hit] = Field(description="Messages, best first; with summaries among them, newest first.")
    fallback: bool = Field(
        description="Whether too few messages answered, so that summaries were searched too."
    )
    engine: str = Field(description="hybrid, terms, vector, recent, or none.")
    degraded: list[str] = Field(default_factory=list)


class CacheStats(Record):
    """How the cache of embeddings is doing since the memory was opened; it is one for all spaces."""

    hits: int = Field(0, description="Texts whose vector was at hand.")
    misses: int = Field(0, description="Texts that went to the model.")
    size: int = Field(0, description="Vectors kept now.")
    capacity: int = Field(0, description="Vectors kept at most; 0 when there is no cache.")
    seconds: float = Field(0.0, description="How long a vector is kept.")
    hit_rate: float | None = Field(None, description="Share of hits; null before the first text.")


class KeptSearchStats(Record):
    """How the searches do that this process keeps, since the memory was opened; all spaces together."""

    hits: int = Field(0, description="Searches answered by what the same one found, since nothing changed.")
    misses: int = Field(0, description="Searches that were carried out.")
    size: int = Field(0, description="Searches kept now.")
    capacity: int = Field(0, description="Searches kept at most; 0 when none are.")
    hit_rate: float | None = Field(None, description="Share of hits; null before the first search.")


class LayerCount(Record):
    total: int
    embedded: int


class Stats(Record):
    """What a space holds, and how its index is doing."""

    space: str
    layers: dict[Layer, LayerCount]
    embedding_source: str
    embedding_state: str
    embedding_reason: str
    embedding_advice: str | None = Field(
        None, description="Which model would find more in the languages of the texts here."
    )
    signature: str | None = None
    awaiting_vectors: int = 0
    degraded: list[str] = Field(default_factory=list)


class GrowthDay(Record):
    """What one day has brought."""

    day: date
    counts: dict[Layer, int] = Field(description="How many records of each layer are of that day (UTC).")


class Growth(Record):
    """How what a space holds has grown, by the days that its records are of."""

    before: int = Field(description="How many records are older than the first of the days asked for.")
    days: list[GrowthDay] = Field(description="The days that have brought something, oldest first.")


class Vitals(Record):
    """How a whole memory is doing, in numbers: all its spaces together."""

    spaces: int
    entries: int = Field(description="Records that can be recalled.")
    entries_awaiting_vectors: int
    extractions_failed: int = Field(description="Readings of conversations that can be tried again.")
    sweeps_running: int = Field(description="Background sweeps under way in this process.")
    degraded: bool


class ExtractRun(Record):
    """What reading conversations brought."""

    sessions: int = Field(0, description="Conversations looked at.")
    stored: int = 0
    merged: int = Field(0, description="Became part of what is known, or took its place.")
    duplicate: int = Field(0, description="Known already.")
    held: int = Field(0, description="Facts that stayed: one mention of another value, not said as a change.")
    retried: int = Field(0, description="Failed readings that were tried again.")
    failed: int = Field(0, description="Readings that failed now, and can be tried again.")
    unavailable: list[str] = Field(
        default_factory=list, description="Extractors that are chosen but have no chat model to ask."
    )

    def count(self, outcomes: Iterable[Outcome]) -> None:
        """Add what became of some drafts."""
        for outcome in outcomes:
            name = outcome.status.value
            setattr(self, name, getattr(self, name) + 1)


class Progress(Record):
    """How far a reindex has come."""

    done: int
    total: int


class FilesSynced(Record):
    """What bringing SOUL.md and MEMORY.md and the database together did."""

    read: list[str] = Field(default_factory=list, description="Files whose edits were taken in.")
    written: list[str] = Field(default_factory=list, description="Files that were written anew.")
    facts_set: int = 0
    facts_dropped: int = 0
    conflicts: list[str] = Field(
        default_factory=list, description="Edits that contradict a change of the database, which stands."
    )
    problems: list[str] = Field(default_factory=list, description="What could not be read or written.")
    kept: list[str] = Field(default_factory=list, description="Files that keep what was not taken in.")


class DamagedRecord(Record):
    """A record that cannot be read."""

    noun: str
    id: str = Field(description="Its id, or its place where not even that can be read.")
    problem: str


class Integrity(Record):
    """What a look at the whole database found."""

    deep: bool = Field(description="Whether every record was read, and the database checked with all it has.")
    records: int = Field(0, description="How many records were read.")
    problems: list[str] = Field(default_factory=list, description="What the database says of itself.")
    damaged: list[DamagedRecord] = Field(default_factory=list, description="Records that cannot be read.")

    @property
    def sound(self) -> bool:
        """Was nothing wrong?"""
        return not self.problems and not self.damaged

    @property
    def summary(self) -> list[str]:
        """What is wrong, a line for each."""
        return [*self.problems, *(f"the {one.noun} {one.id}: {one.problem}" for one in self.damaged)]
