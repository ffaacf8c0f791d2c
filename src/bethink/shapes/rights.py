"""What people ask of the data kept about them, and what they get back."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from bethink.records import (
    Context,
    Device,
    Fact,
    JournalEntry,
    Key,
    Memory,
    Message,
    Other,
    Person,
    Record,
    Session,
    Space,
    SpaceText,
    Utc,
)
from bethink.shapes.fields import LIST_ITEMS, Content, Name, Names, Text
from bethink.shapes.households import Timezone
from bethink.shapes.insights import Insight
from bethink.shapes.options import SpaceOptions
from bethink.shapes.outcomes import DamagedRecord

_CURSOR = re.compile(r"(-?\d{1,18})\.(.{1,250})", re.DOTALL)


def cursor_of(at_micros: int, entry_id: str) -> str:
    """Where a listing, newest first, goes on."""
    return f"{at_micros}.{entry_id}"


def place_of(cursor: str) -> tuple[int, str]:
    """The time and the id that a cursor stands for."""
    found = _CURSOR.fullmatch(cursor)
    return (int(found[1]), found[2]) if found else (0, "")


def _known_cursor(cursor: str) -> str:
    if not _CURSOR.fullmatch(cursor):
        raise PydanticCustomError("cursor", "is not one that a listing gave; leave it out to begin anew")
    return cursor


Cursor = Annotated[Name, AfterValidator(_known_cursor)]


class JournalQuery(Record):
    """Which lines of the journal to list."""

    record_id: Name | None = Field(None, description="Only changes of this record.")
    noun: Name | None = Field(None, description="Only changes of such records: memory, fact, message, …")
    action: Name | None = Field(None, description="Only such changes: stored, updated, forgotten, …")
    actor: Name | None = Field(None, description="Only changes that this actor made.")
    since: Utc | None = Field(None, description="Made at this time or later.")
    until: Utc | None = Field(None, description="Made before this time.")
    cursor: Cursor | None = Field(None, description="Go on where the listing that gave this ended.")


class JournalPage(Record):
    """A piece of the journal, newest first."""

    items: list[JournalEntry]
    next_cursor: str | None = Field(
        description="What to send as `cursor` for the next piece; null at the end."
    )


Undoable = (
    Memory
    | Message
    | Fact
    | Person
    | Device
    | Session
    | Context
    | Insight
    | SpaceText
    | SpaceOptions
    | Space
    | Key
    | Other
)


class Undone(Record):
    """What undoing a change did: the record as it is now, and the journal's line about it."""

    undone: str = Field(description="The line of the journal that was undone.")
    record: Undoable = Field(
        description="What the line is about, as it is now; if undoing took it away again, as it was."
    )
    entry: JournalEntry


class EraseRequest(Record):
    """What to erase: memories, facts, messages, a person, a session, what a text matches, or everything."""

    memory_ids: Names | None = Field(None, description="These memories.")
    fact_ids: Names | None = Field(None, description="These facts, each with all its versions.")
    message_ids: Names | None = Field(None, description="These messages, and what was taken from them alone.")
    person_id: Name | None = Field(
        None,
        description="This person, what they said, and all that is about them; a conversation whose title or"
        " id holds their name loses that.",
    )
    session_id: Name | None = Field(None, description="This conversation, and the memories from it.")
    query: Annotated[Content, Field(max_length=1000)] | None = Field(
        None,
        description="All memories, messages, facts and contexts that hold this text, whatever its case; a"
        " conversation whose title or id holds it loses that.",
    )
    everything: bool = Field(False, description="All that the space holds; the space and its keys stay.")
    dry_run: bool = Field(False, description="Only say what would be erased.")

    @model_validator(mode="after")
    def _one_choice(self) -> Self:
        choices = ("memory_ids", "fact_ids", "message_ids", "person_id", "session_id", "query")
        chosen = [name for name in choices if getattr(self, name) is not None]
        if len(chosen) + self.everything != 1:
            raise PydanticCustomError(
                "choice",
                "must name one thing to erase: memoryIds, factIds, messageIds, personId, sessionId, query or"
                " everything",
            )
        return self

    @property
    def kind(self) -> str:
        """What was asked for, in a word that holds nothing of it."""
        kinds = {
            "memory_ids": "memories",
            "fact_ids": "facts",
            "message_ids": "messages",
            "person_id": "person",
            "session_id": "session",
        }
        return next((kind for name, kind in kinds.items() if getattr(self, name) is not None), "") or (
            "everything" if self.everything else "query"
        )


class Place(Record):
    """Where something is: a record, and which field of it."""

    noun: str
    id: str
    field: str | None = None


class Proof(Record):
    """What was found of the erased texts and ids when every table and the index were searched afterwards."""

    tables: int = Field(description="Tables searched.")
    rows: int = Field(description="Rows searched.")
    texts: int = Field(description="Texts looked for.")
    ids: int = Field(description="Ids looked for.")
    ids_found: list[Place] = Field(description="Where an erased id still stands; empty when all is well.")
    texts_found: list[Place] = Field(
        description="Where an erased text still stands in the journal or derived data; none when all is well."
    )
    terms_found: int = Field(
        description="Terms of the index that nothing holds any more; 0 when all is well."
    )
    elsewhere: list[Place] = Field(
        description="Other records that say the same in their own right, which were not asked to be erased."
    )


class Storage(Record):
    """What was done to the place where the bytes were."""

    database: Literal["sqlite", "postgres"]
    scrubbed: bool = Field(
        description="Whether the files were rewritten, so that no freed page holds old bytes."
    )
    notes: list[str] = Field(default_factory=list, description="What remains to be done, or to be known.")


class Receipt(Record):
    """What was erased, and the proof that it is gone. It holds nothing of what was erased."""

    id: str
    at: Utc
    actor: str
    space: str
    asked: str = Field(
        description="What was asked for: memories, facts, messages, person, session, query, everything or"
        " space."
    )
    dry_run: bool = False
    erased: dict[str, int] = Field(description="How many rows of each kind were erased, or would be.")
    records: list[Place] = Field(
        default_factory=list, description="In a dry run, the records that would go; at most 1000."
    )
    proof: Proof | None = Field(None, description="Null in a dry run.")
    storage: Storage | None = Field(None, description="Null in a dry run.")
    complete: bool = Field(description="Whether the search found nothing that should be gone.")


EXPORTED = "x-bethink-exported"  # the header in which a server says what the archive it sends holds


class Exported(Record):
    """What an archive holds."""

    counts: dict[str, int]
    bytes: int
    masked: int = Field(
        0, description="Records whose secrets are masked in it; `secrets` exports them as they are."
    )
    damaged: list[DamagedRecord] = Field(
        default_factory=list, description="Records that could not be read and are not in it."
    )


DateOrder = Literal["dmy", "mdy", "ymd"]


class ImportRequest(Record):
    """How a file is to be read."""

    format: Name | None = Field(None, description="What the file is; found out when left out.")
    me: Annotated[list[Text], Field(max_length=LIST_ITEMS)] | None = Field(
        None,
        description="Your names or addresses in chats between people; an empty one: none of them is you.",
    )
    timezone: Timezone | None = Field(
        None, description="Where times without an offset were written; the space's own when left out."
    )
    date_order: DateOrder | None = Field(None, description="How dates in digits are written, where unclear.")
    name: Text | None = Field(None, description="What the file is called, when it has no name of its own.")

    @field_validator("me", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class Imported(Record):
    """What an import did with each kind of record."""

    format: str = Field(description="bethink, mem0, chroma, list, or one of the formats of conversations.")
    stored: dict[str, int] = Field(default_factory=dict)
    duplicates: dict[str, int] = Field(
        default_factory=dict, description="Known already, and left as they were."
    )
    restored: bool = Field(
        False, description="Whether the space was empty and is now what the archive says, to the byte."
    )
    notes: list[str] = Field(default_factory=list, description="What was left out, and why.")
