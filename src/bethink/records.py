"""What is remembered: one model per noun. Snake case in Python, camelCase in JSON; either is accepted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Never, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializeAsAny,
    field_serializer,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema

from bethink.nouns import NOUNS


def _in_utc(value: datetime) -> datetime:
    """A time without an offset is taken as UTC; one with an offset is converted."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError("the time is outside the years 1 to 9999 in UTC") from None


Utc = Annotated[datetime, AfterValidator(_in_utc)]
Json = dict[str, Any]
Count = Annotated[int, Field(ge=0)]
Percent = Annotated[int, Field(ge=0, le=100)]
DEFAULT_PERSON = "You"  # who lives in a space until someone says who
PRIMARY = "primary"  # the role that other people's roles are relative to


R = TypeVar("R", bound="Record")


def _title(name: str, _: Any) -> str:
    """What a form writes beside a field."""
    return name.replace("_", " ").capitalize()


class Record(BaseModel):
    """Base of everything that crosses a surface."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", field_title_generator=_title
    )

    @classmethod
    def made(cls, **fields: Any) -> Self:
        """A record of values that were checked before: a third of the time that copying a blank one takes.

        What is left out has its default, and a default list or object is shared: name those.
        """
        record = cls.__new__(cls)
        put = object.__setattr__  # the model's own checks what is set
        put(record, "__dict__", _defaults(cls) | fields)
        put(record, "__pydantic_fields_set__", set(fields))
        put(record, "__pydantic_extra__", None)
        put(record, "__pydantic_private__", None)
        return record


@cache
def _defaults(kind: type[Record]) -> dict[str, Any]:
    return dict(kind.model_construct().__dict__)


# A record of a noun from elsewhere, where those known here are listed. Neither the schema nor the types tell
# of it, or whoever reads a record would have to say that it is one of ours.
if TYPE_CHECKING:
    Other: TypeAlias = Never
else:
    Other = SkipJsonSchema[SerializeAsAny[Record]]


class Layer(StrEnum):
    """Which kind of record an index entry stands for; nouns from elsewhere add their own."""

    FACT = "fact"
    MEMORY = "memory"
    MESSAGE = "message"
    PASSAGE = "passage"
    SUMMARY = "summary"
    INSIGHT = "insight"

    @classmethod
    def _missing_(cls, value: object) -> Layer | None:
        return _added_layer(value) if isinstance(value, str) and value in NOUNS.codes else None


@cache
def _added_layer(name: str) -> Layer:
    """The one member that stands for a layer of a noun from elsewhere."""
    layer = str.__new__(Layer, name)
    layer._name_, layer._value_ = name.upper(), name
    return layer


class MemoryType(StrEnum):
    FACTUAL = "factual"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    SEMANTIC = "semantic"


class Role(StrEnum):
    """What a key may do: everything, its own space, or only read its own space."""

    ADMIN = "admin"
    MEMBER = "member"
    READER = "reader"


class Space(Record):
    """An isolated pool of memory. `number` is small, never reused, and leads every index id of the space."""

    id: str
    number: Count
    name: str
    display_name: str
    mode: str = "single"
    timezone: str = "UTC"
    locale: str = "en-US"
    settings: Json = Field(default_factory=dict)
    created_at: Utc
    updated_at: Utc


class SpaceText(Record):
    """A text of a space: its `soul` or its `narrative`."""

    name: str
    content: str
    updated_at: Utc


class Switch(StrEnum):
    """Something that is on or off."""

    ON = "on"
    OFF = "off"


class Key(Record):
    """An API key as we keep it: never the key itself, only its hash (which stays in the store)."""

    id: str
    space_id: str
    name: str
    role: Role
    hint: str = Field(description="The key's last characters, to tell keys apart.")
    memory: Switch | None = Field(
        None, description="Whether the gateway uses memory for this key; null leaves it to the space."
    )
    created_at: Utc
    last_used_at: Utc | None = None
    revoked_at: Utc | None = None


class Mode(StrEnum):
    """How many people a space is for."""

    SINGLE = "single"
    MULTI = "multi"


class Person(Record):
    """Someone who lives in a space. `role` is relative to the primary person: spouse, child, guest, …"""

    id: str
    space_id: str
    display_name: str
    pronouns: str | None = None
    role: str | None = None
    aliases: list[str] = Field(default_factory=list)
    birth_date: str | None = None
    notes: str | None = None
    voice_ids: list[str] = Field(
        default_factory=list, description="What a voice recogniser calls this person."
    )
    left_at: Utc | None = Field(None, description="When the person left the space; what they said stays.")
    created_at: Utc
    updated_at: Utc


class Device(Record):
    """A device of a space, known by the id its caller gives it, and who usually speaks through it."""

    id: str
    space_id: str
    name: str
    primary_person_id: str | None = None
    created_at: Utc
    updated_at: Utc


class Household(Record):
    """A space as the people in it see it."""

    id: str
    display_name: str
    mode: Mode
    timezone: str
    locale: str
    persons: list[Person]

    @classmethod
    def of(cls, space: Space, persons: Sequence[Person]) -> Household:
        """The household of a space in which these people live."""
        return Household(
            id=space.id,
            display_name=space.display_name,
            mode=space.mode,
            timezone=space.timezone,
            locale=space.locale,
            persons=list(persons),
        )


class Session(Record):
    """One conversation, known by the name its caller gives it."""

    id: str
    space_id: str
    title: str | None = None
    platform: str = "chat"
    metadata: Json = Field(default_factory=dict)
    last_message_at: Utc | None = None
    context_ids: list[str] = Field(default_factory=list, description="The contexts given to it.")
    created_at: Utc


class Context(Record):
    """A text that is given to conversations, so that nothing in it need be remembered from them."""

    id: str
    space_id: str
    name: str
    content: str
    created_at: Utc
    updated_at: Utc


class DocumentStatus(StrEnum):
    QUEUED = "queued"
    PARSING = "parsing"
    EMBEDDING = "embedding"
    READY = "ready"
    FAILED = "failed"


class Document(Record):
    """A file of the knowledge base. What it says is in its passages."""

    id: str
    space_id: str
    name: str = Field(description="The file's name.")
    kind: str = Field(description="What the file is, such as `pdf`.")
    size_bytes: Count
    content_hash: str = Field(description="SHA-256 of the file.")
    status: DocumentStatus
    problem: str | None = Field(None, description="Why it failed, or what was left out.")
    metadata: Json = Field(
        default_factory=dict, description="What the file tells of itself: title, author, pages and the like."
    )
    passages: Count = Field(0, description="Into how many passages its text was split.")
    characters: Count = Field(0, description="How long its text is.")
    original: bool = Field(True, description="Whether the file itself is kept.")
    path: str | None = Field(None, description="The file that it follows, where it came from a folder.")
    created_at: Utc
    updated_at: Utc


class Passage(Record):
    """A piece of a document: the characters `first` to `last` of its text, and where in the file they are."""

    id: str
    space_id: str
    document_id: str
    document_name: str
    position: Count = Field(description="Its place among the passages of the document, from 0.")
    text: str
    repeated: Count = Field(0, description="Characters at its start that repeat its table's header.")
    first: Count
    last: Count
    title: str | None = Field(None, description="The headings above it, outermost first.")
    part: str | None = Field(None, description="What `page` counts: page, slide, sheet, chapter.")
    page: Count | None = None
    last_page: Count | None = None
    sheet: str | None = Field(None, description="The name of a sheet or a chapter.")
    observed_at: Utc
    created_at: Utc


class MessageTier(StrEnum):
    """How far a message has come: fresh, of the last months, or kept for good."""

    SHORT = "short"
    MID = "mid"
    LONG = "long"


class Message(Record):
    """One raw turn: the ground truth. `position` orders a session, `name` is who spoke."""

    id: str
    space_id: str
    session_id: str
    position: Count
    external_id: str | None = None
    role: str
    name: str | None = None
    platform: str = "chat"
    channel: str | None = None
    contact: str | None = None
    bot_id: str | None = None
    person_id: str | None = None
    sent_at: Utc
    sent_offset: int = Field(0, ge=-1440, le=1440, description="Minutes the sender's clock was ahead of UTC.")
    content: str
    attachments: list[Json] = Field(default_factory=list)
    metadata: Json = Field(default_factory=dict)
    tier: MessageTier = MessageTier.SHORT
    importance: float = 0.0
    pinned: bool = False
    access_count: Count = 0
    last_access_at: Utc | None = None
    archived_at: Utc | None = None
    summary_id: str | None = None
    created_at: Utc


class SummaryTier(StrEnum):
    """What a summary was made of: a day of fresh messages, a week of older ones, a month of old ones."""

    L1 = "L1"
    L2 = "L2"
    L3 = "L3"


class Summary(Record):
    """What some messages come to, which are archived since. They are kept, and it opens to them."""

    id: str = Field(description="`ms_` and a hash of what it was made from.")
    space_id: str
    summary_tier: SummaryTier
    source_tier: MessageTier = Field(description="The tier in which the messages were.")
    start_at: Utc = Field(description="When the first of them was sent.")
    end_at: Utc = Field(description="When the last was.")
    message_count: Count
    source_ids: list[str] = Field(description="The messages, in the order of their times.")
    key_points: list[str] = Field(description="What they say, sentence by sentence, with who said it.")
    keywords: list[str]
    summary_text: str
    dimensions: Json = Field(description="The platform, channel, contact and bot that they have in common.")
    person_id: str | None = Field(None, description="Who said them, where it was one person.")
    quality_score: float = Field(description="How much of what was said it covers, 0 to 1.")
    model: str | None = Field(None, description="The chat model that wrote it; none for rules.")
    created_at: Utc
    updated_at: Utc


class Memory(Record):
    """A free-form note in the long tail: the unit of recall."""

    id: str
    space_id: str
    content: str
    type: MemoryType = MemoryType.FACTUAL
    key: str | None = None
    category: str | None = None
    title: str | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: Json = Field(default_factory=dict)
    person_id: str | None = None
    session_id: str | None = None
    source: str = "note"
    source_ref: Json = Field(default_factory=dict)
    observed_at: Utc
    expires_at: Utc | None = None
    confidence: Percent = 100
    pinned: bool = False
    promoted: bool = False
    access_count: Count = 0
    last_access_at: Utc | None = None
    archived_at: Utc | None = Field(None, description="Since when it is kept and found no more.")
    archived_into: str | None = Field(None, description="The memory that tells of it since.")
    created_at: Utc
    updated_at: Utc

    @property
    def said_in(self) -> list[str]:
        """The ids of the messages that it was taken from. Whoever stores it may write anything there."""
        named = self.source_ref.get("messages")
        return [one for one in named if isinstance(one, str)] if isinstance(named, list) else []


class Fact(Record):
    """One version of (person, category, key) → value. The current version has no `valid_to`."""

    id: str
    space_id: str
    person_id: str | None = None
    category: str
    key: str
    value: str
    source: str = "user_explicit"
    confidence: Percent = 90
    source_context: str | None = None
    provenance: list[str] = Field(default_factory=list)
    expires_at: Utc | None = None
    last_verified_at: Utc | None = None
    promoted: bool = False
    access_count: Count = 0
    last_access_at: Utc | None = None
    valid_from: Utc
    valid_to: Utc | None = None
    superseded_by: str | None = None
    created_at: Utc

    def until(self, end: datetime) -> Self:
        """This version, ended. One that began after its end was dated by a wrong clock: it held never."""
        return self.model_copy(update={"valid_from": min(self.valid_from, end), "valid_to": end})


class ExtractionStatus(StrEnum):
    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


class Extraction(Record):
    """One reading of a stretch of a session by an extractor: what came of it, or why nothing did.

    `reason` never quotes what was said. A failed reading is tried again until it is read or skipped.
    """

    id: str
    space_id: str
    session_id: str
    extractor: str
    first_position: Count = Field(description="The first message that was read.")
    last_position: Count = Field(description="The last one.")
    status: ExtractionStatus
    reason: str | None = None
    attempts: Count = Field(1, description="How often it was tried.")
    model: str | None = Field(None, description="The chat model that was asked; none for rules.")
    counts: dict[str, int] = Field(default_factory=dict, description="What came of it, by kind.")
    at: Utc = Field(description="When it was last tried.")


class RunStatus(StrEnum):
    DONE = "done"
    FAILED = "failed"
    SKIPPED_LOCKED = "skipped_locked"
    CANCELLED = "cancelled"


class Run(Record):
    """One run of a sweep in a space: what it did, or why it did not. It never holds what is remembered."""

    id: str
    space_id: str
    sweep: str = Field(description="The name of the sweep.")
    started_at: Utc
    finished_at: Utc
    status: RunStatus = Field(
        description="`skipped_locked` where another run of it was under way, here or in another process."
    )
    done: Count = Field(0, description="How much of what was due it has seen to.")
    counts: dict[str, int] = Field(default_factory=dict, description="What came of it, by kind.")
    error: str | None = Field(None, description="Why it failed. In the history, of what kind the error was.")
    dry_run: bool = Field(False, description="Whether it only counted, and changed nothing.")


class JournalEntry(Record):
    """Who changed what, when, and because of what."""

    id: str
    space_id: str
    at: Utc
    actor: str
    action: str
    noun: str
    record_id: str
    reason: str | None = None
    before: Json | None = None
    after: Json | None = None
    imported: bool = Field(
        False, description="Whether it came with an archive: such a line is history, and is never undone."
    )

    @field_serializer("before", "after")
    def _fields_by_alias(self, values: Json | None, info: SerializationInfo) -> Json | None:
        """The names of a record's fields as the record itself has them outside Python."""
        return (
            {to_camel(name): value for name, value in values.items()} if values and info.by_alias else values
        )
