"""What callers hand in, checked once and for every surface."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, WithJsonSchema, field_validator, model_validator
from pydantic_core import PydanticCustomError

from bethink.records import Layer, MemoryType, MessageTier, Percent, Record, SummaryTier, Utc
from bethink.shapes.fields import Content, Extra, Extras, Name, Names, Text, Title
from bethink.shapes.parts import content_problem, message_values

TOOL_FIELDS = ("tool_calls", "tool_call_id")  # of a message, kept in its metadata


class MemoryDraft(Record):
    """A memory to store."""

    content: Content
    type: MemoryType = MemoryType.FACTUAL
    key: Name | None = Field(
        default=None, description="Storing the same key again updates the memory it names."
    )
    category: Name | None = None
    title: Title | None = None
    tags: Names = Field(default_factory=list)
    metadata: Extra = Field(default_factory=dict)
    person_id: Name | None = None
    session_id: Name | None = None
    source: Name = "note"
    source_ref: Extra = Field(default_factory=dict)
    observed_at: Utc | None = Field(default=None, description="When it was observed; now, when left out.")
    expires_at: Utc | None = None
    confidence: Percent = 100
    pinned: bool = False


class MemoryChange(Record):
    """New values for some fields of a memory; a field that is left out stays as it is."""

    content: Content | None = None
    type: MemoryType | None = None
    key: Name | None = None
    category: Name | None = None
    title: Title | None = None
    tags: Names | None = None
    metadata: Extra | None = Field(None, description="Merged into the metadata there is, one level deep.")
    person_id: Name | None = None
    session_id: Name | None = None
    source: Name | None = None
    source_ref: Extra | None = None
    observed_at: Utc | None = None
    expires_at: Utc | None = None
    confidence: Percent | None = None
    pinned: bool | None = None
    archived: bool | None = Field(None, description="Whether it is kept and found no more.")

    @field_validator(
        "content", "type", "tags", "metadata", "source", "source_ref", "observed_at", "confidence", "pinned",
        "archived", mode="before",
    )  # fmt: skip
    @classmethod
    def _keep_what_must_be(cls, value: Any) -> Any:
        if value is None:
            raise PydanticCustomError("required", "cannot be emptied; leave it out to keep it as it is")
        return value


SPOKEN = {
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "object", "additionalProperties": True}},
        {"type": "null"},
    ]
}
SpeakerRole = Literal["user", "assistant", "system", "tool", "contact"]


class MessageDraft(Record):
    """A message of a conversation."""

    role: SpeakerRole = Field(
        default="user", description="`contact` is another person in a chat between people: not the user."
    )
    content: Annotated[Text, WithJsonSchema(SPOKEN)] = Field(
        description="A text, or a list of parts as OpenAI and Anthropic have them: their texts are joined."
    )
    external_id: Name | None = Field(
        default=None, alias="id", description="The platform's own id: observing it again changes nothing."
    )
    name: Name | None = Field(default=None, description="Who said it.")
    sent_at: Utc | None = Field(default=None, description="When it was said; now, when left out.")
    sent_offset: int | None = Field(
        default=None,
        ge=-1440,
        le=1440,
        description="Minutes ahead of UTC on the sender's clock: from `sentAt`, or where that tells none, the"
        " space's timezone.",
    )
    platform: Name = "chat"
    channel: Name | None = None
    contact: Name | None = None
    bot_id: Name | None = None
    person_id: Name | None = None
    attachments: Extras = Field(default_factory=list)
    metadata: Extra = Field(default_factory=dict)
    importance: float = Field(default=0.0, ge=0, le=1)
    pinned: bool = False
    tool_calls: Extras | None = Field(
        default=None, description="The tools that an assistant calls, as OpenAI has them; kept in `metadata`."
    )
    tool_call_id: Name | None = Field(
        default=None, description="The call that a tool's result answers; kept in `metadata`."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_any_shape(cls, values: Any) -> Any:
        """The shapes of OpenAI's and Anthropic's clients; and the offset of the sender's clock, before the
        time itself is turned into UTC."""
        values = message_values(values)
        if not isinstance(values, dict) or {"sent_offset", "sentOffset"} & values.keys():
            return values
        offset = _offset_of(values.get("sent_at") or values.get("sentAt"))
        return values | {"sent_offset": offset} if offset else values

    @field_validator("content", mode="before")
    @classmethod
    def _is_text(cls, content: Any) -> Any:
        if problem := content_problem(content):
            raise PydanticCustomError("content", "{problem}", {"problem": problem})
        return content

    @model_validator(mode="after")
    def _keep_tools(self) -> Self:
        told = {name: value for name in TOOL_FIELDS if (value := getattr(self, name)) is not None}
        if told:
            self.metadata = self.metadata | told
        return self


class MessageChange(Record):
    """New values for some fields of a message; a field that is left out stays. What was said never changes
    so: who said it may turn out later, and what it is worth.
    """

    person_id: Name | None = Field(None, description="Who said it; null when nobody known did.")
    name: Name | None = Field(None, description="Who said it, in words.")
    importance: float | None = Field(None, ge=0, le=1)
    pinned: bool | None = None
    archived: bool | None = Field(
        None, description="An archived message is kept, and no longer found by a recall."
    )

    @field_validator("importance", "pinned", "archived", mode="before")
    @classmethod
    def _keep_what_must_be(cls, value: Any) -> Any:
        if value is None:
            raise PydanticCustomError("required", "cannot be emptied; leave it out to keep it as it is")
        return value


class MessageQuery(Record):
    """Which messages to list."""

    tiers: list[MessageTier] | None = None
    platforms: Names | None = None
    channels: Names | None = None
    contacts: Names | None = Field(None, description="The other side of a chat between people.")
    person_ids: Names | None = None
    names: Names | None = Field(None, description="Said under one of these names.")
    session_ids: Names | None = None
    pinned: bool | None = None
    archived: bool | None = Field(None, description="Only archived ones, or only the others.")
    since: Utc | None = None
    until: Utc | None = None


class MessageSearch(Record):
    """What to look for in messages, and when to look in summaries too."""

    query: Text = Field(description="May be empty where a time is given: then the newest of it come back.")
    limit: int = Field(20, ge=1, le=200)
    least: int | None = Field(
        None,
        ge=0,
        description="With fewer messages than this, summaries are searched too; 0 never does. As the setting"
        " `recall.least_messages` when left out.",
    )
    person_ids: Names | None = Field(None, description="Only said by these people.")
    session_ids: Names | None = None
    since: Utc | None = Field(None, description="Of this time or later.")
    until: Utc | None = Field(None, description="Of before this time.")
    secrets: bool = Field(
        False, description="Show passwords, PINs, codes and the like as they are; the journal notes it."
    )


class SummaryQuery(Record):
    """Which summaries to list."""

    tiers: list[SummaryTier] | None = None
    person_ids: Names | None = Field(None, description="Of what this person said alone.")
    since: Utc | None = Field(None, description="Of messages up to this time or later.")
    until: Utc | None = None


class SessionDraft(Record):
    """A conversation to begin, or to change."""

    title: Title | None = None
    platform: Name = "chat"
    metadata: Extra = Field(default_factory=dict)
    context_ids: Names = Field(default_factory=list, description="The contexts given to it.")


class ContextDraft(Record):
    """A text to give to conversations."""

    name: Name
    content: Content


class ContextChange(Record):
    """A change of a context; what is left out stays."""

    name: Name | None = None
    content: Content | None = None


# How sure a fact is by its source, where nothing else is said; and one from anywhere else.
FACT_CONFIDENCE = {"tool_call": 95, "auto_discovery": 95, "user_explicit": 90, "web": 50, "guess": 30}
OTHER_CONFIDENCE = 70


class FactDraft(Record):
    """A fact to set: (person, category, key) → value."""

    category: Name
    key: Name
    value: Content
    person_id: Name | None = None
    source: Name = Field(
        "user_explicit",
        description="`tool_call`, `auto_discovery`, `user_explicit`, `web`, `guess`, or another.",
    )
    confidence: Percent = Field(
        90, description="How sure it is. Left out: by its source 95, 95, 90, 50, 30, and 70 from another."
    )
    source_context: Text | None = None
    provenance: Names = Field(default_factory=list)
    expires_at: Utc | None = None
    promoted: bool = Field(False, description="One of the few in MEMORY.md; once it is, it stays so.")

    @model_validator(mode="after")
    def _as_sure_as_its_source(self) -> Self:
        if "confidence" not in self.model_fields_set:
            self.confidence = FACT_CONFIDENCE.get(self.source, OTHER_CONFIDENCE)
        return self


class FactName(Record):
    """Which fact: (person, category, key)."""

    category: Name
    key: Name
    person_id: Name | None = None


class FactsQuery(Record):
    """Which facts to list or to search."""

    category: Name | None = None
    person_id: Name | None = None
    promoted: bool | None = None
    as_of: Utc | None = Field(None, description="Those that held at this time; now, when left out.")


class MemoryQuery(Record):
    """Which memories to list."""

    types: list[MemoryType] | None = None
    person_ids: Names | None = None
    session_ids: Names | None = None
    tags: Names | None = None
    categories: Names | None = None
    sources: Names | None = None
    pinned: bool | None = None
    archived: bool = Field(False, description="Those that are archived, rather than the others.")
    since: Utc | None = None
    until: Utc | None = None


class CompactRequest(Record):
    """Old memories that one tells of, or, with `maxTokens`, those cut to their first sentences."""

    older_than_days: int | None = Field(None, ge=0, le=36_500, description="180, when left out.")
    max_tokens: int | None = Field(
        None, ge=0, le=10_000_000, description="Tokens that memories may take; the newest stay whole."
    )
    session_id: Name | None = Field(None, description="With `maxTokens`: only those of this conversation.")
    dry_run: bool = Field(False, description="Only count.")

    @model_validator(mode="after")
    def _check_one_way(self) -> Self:
        if self.max_tokens is not None and self.older_than_days is not None:
            raise PydanticCustomError("one", "say either olderThanDays or maxTokens")
        if self.max_tokens is None and self.session_id is not None:
            raise PydanticCustomError(
                "one", "sessionId goes with maxTokens; leave it out, or say maxTokens too"
            )
        return self

    @property
    def older_than(self) -> int:
        """From what age on memories are compacted."""
        return 180 if self.older_than_days is None else self.older_than_days


class RecallRequest(Record):
    """What to look for, where, and how much of it to bring back."""

    query: Text
    limit: int | None = Field(None, ge=1, le=200)
    max_tokens: int | None = Field(None, description="Token budget; brought into 1…8000.")
    strategy: Literal["recent", "semantic", "hybrid"] | None = None
    tier: Literal["fast", "balanced", "best"] | None = Field(None, description="Quality against time.")
    rerank: bool | None = Field(
        None, description="Whether a model reads the first hits again; as in tier `best`, when left out."
    )
    layers: list[Layer] | None = None
    types: list[MemoryType] | None = None
    person_ids: Names | None = Field(None, description="Only records about these people.")
    person_hints: Names = Field(default_factory=list, description="Records about these people rank higher.")
    session_ids: Names | None = None
    tags: Names | None = Field(None, description="Only memories with at least one of these tags.")
    categories: Names | None = None
    sources: Names | None = None
    pinned: bool | None = None
    since: Utc | None = None
    until: Utc | None = None
    as_of: Utc | None = Field(None, description="Answer as of this time: what was known then.")
    recency: Literal["boost", "neutral"] = "boost"
    min_similarity: float | None = Field(None, ge=-1, le=1)
    first_turn: bool = Field(False, description="A bare greeting on the first turn brings nothing back.")
    fallback: bool = Field(False, description="When nothing matches, the most recent memories come back.")
    catch_up: bool = Field(
        True,
        description="Whether the vectors of the newest records are made first; off, the answer does not wait"
        " and finds those by their words.",
    )
    include_global: bool | None = Field(
        None,
        description="Whether to look in the space `global` too; if left out, as the options say.",
    )
    secrets: bool = Field(
        False,
        description="Show passwords, PINs, codes and the like as they are, not masked; the journal notes it."
        " Those of the space `global` stay masked.",
    )


def _offset_of(value: Any) -> int:
    """Minutes ahead of UTC of a time as callers write it; 0 where it has no offset or is no time."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return 0  # the field's own validation will say what is wrong with it
    offset = value.utcoffset() if isinstance(value, datetime) else None
    return int(offset.total_seconds() // 60) if offset else 0
