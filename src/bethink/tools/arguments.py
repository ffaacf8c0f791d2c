"""What the tools take. A model reads the descriptions, so they say all that it must know."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bethink.records import DocumentStatus, Layer, MemoryType, Percent, Record, Utc
from bethink.shapes.fields import Content, Name, Names, Text, Title
from bethink.shapes.insights import MOST_DAYS, InsightKind, InsightStatus
from bethink.shapes.rights import Cursor

Source = Literal["tool_call", "user_explicit", "web", "guess"]
CONFIDENCES: dict[Source, int] = {"tool_call": 95, "user_explicit": 80, "web": 50, "guess": 30}
MOST_ITEMS = 50
_WHOM = "Whom it is about, by name, alias, role or relation, such as `Anna` or `mom`."


class RecallArguments(Record):
    query: Text | None = Field(
        None, description="What to look for, as a question or some words. Left out: the newest comes first."
    )
    id: Name | None = Field(None, description="Read one record whole, by the id that a result gave.")
    category: Name | None = Field(None, description="Only this category.")
    key: Name | None = Field(
        None,
        description="Read exactly what is kept under this key, without searching; `category` narrows it.",
    )
    layers: list[Layer] | None = Field(None, description="Only these kinds of records.")
    types: list[MemoryType] | None = Field(None, description="Only memories of these types.")
    tags: Names | None = Field(None, description="Only memories with one of these tags.")
    since: Utc | None = Field(None, description="Only from this time on, such as 2026-03-01.")
    until: Utc | None = Field(None, description="Only from before this time.")
    limit: int = Field(8, ge=1, le=MOST_ITEMS, description="Most records.")
    max_tokens: int | None = Field(None, ge=1, le=8000, description="Most tokens of what is recalled.")


class RecallInHousehold(RecallArguments):
    person: Name | None = Field(None, description=f"Only records about somebody. {_WHOM}")


class RememberArguments(Record):
    content: Content = Field(
        description="One thing to remember: a sentence that makes sense by itself, or the value of a fact."
    )
    category: Name | None = Field(None, description="Such as preferences, people, plans.")
    key: Name | None = Field(
        None,
        description="With `category`, and no `type`: a fact, such as preferences / coffee_order, which stands"
        " in every prompt; a new value replaces the old one. Else a note, which the same key updates.",
    )
    type: MemoryType | None = Field(None, description="What kind of note.")
    title: Title | None = Field(None, description="Title of a note.")
    tags: Names | None = Field(None, description="Tags of a note.")
    source: Source = Field(
        "user_explicit", description="Where it comes from: sure in this order, 95, 80, 50 and 30 percent."
    )
    confidence: Percent | None = Field(None, description="How sure it is; by its source, when left out.")
    source_context: Text | None = Field(None, description="How it came up, in a few words.")
    expires_days: float | None = Field(
        None, gt=0, le=36_500, description="Forget it by itself after so many days."
    )
    observed_at: Utc | None = Field(None, description="When it was so, if that is not now.")


class RememberInHousehold(RememberArguments):
    person: Name | None = Field(None, description=_WHOM)


class ForgetArguments(Record):
    id: Name | None = Field(None, description="The record, by the id that a result gave.")
    key: Name | None = Field(None, description="Whatever is kept under this key.")
    category: Name | None = Field(None, description="Together with `key`: only the fact of this category.")
    type: MemoryType | None = Field(None, description="All notes of this type.")
    older_than_days: float | None = Field(
        None, gt=0, le=36_500, description="All notes observed longer ago than so many days."
    )
    dry_run: bool = Field(False, description="Only say what would be forgotten.")
    reason: Title | None = Field(None, description="Why, for the journal.")


class ForgetInHousehold(ForgetArguments):
    person: Name | None = Field(None, description=f"Only what is about somebody. {_WHOM}")


class ListArguments(Record):
    kind: Literal["fact", "memory"] | None = Field(None, description="Only facts, or only notes.")
    category: Name | None = Field(None, description="Only this category.")
    type: MemoryType | None = Field(None, description="Only notes of this type.")
    tags: Names | None = Field(None, description="Only notes with one of these tags.")
    limit: int = Field(20, ge=1, le=MOST_ITEMS, description="Most records.")
    cursor: Cursor | None = Field(None, description="The `next_cursor` of the answer before, for more.")


class ListInHousehold(ListArguments):
    person: Name | None = Field(None, description=f"Only records about somebody. {_WHOM}")


class InsightArguments(Record):
    query: Content | None = Field(None, description="Only those that hold this text.")
    kinds: list[InsightKind] | None = Field(None, description="Only of these kinds.")
    status: InsightStatus | None = Field(None, description="Only open ones, or only closed ones.")
    due_before: Utc | None = Field(None, description="Only what is due before this time.")
    since: Utc | None = Field(None, description="Only what something was said of at this time or later.")
    limit: int = Field(10, ge=1, le=MOST_ITEMS, description="Most insights.")


class PassageArguments(Record):
    query: Text = Field(description="What to look for, as a question or some words.")
    document_ids: Names | None = Field(None, description="Only in these documents.")
    limit: int = Field(5, ge=1, le=MOST_ITEMS, description="Most passages.")


class DocumentArguments(Record):
    id: Name = Field(
        description="The document, by the `document_id` of a passage or an id of list_documents."
    )
    offset: int = Field(0, ge=0, description="Where to begin, in characters; the `next_offset` of before.")
    limit: int | None = Field(None, ge=1, description="Most characters; as many as an answer holds, if not.")


class DocumentsArguments(Record):
    status: DocumentStatus | None = Field(None, description="Only documents in this state.")
    limit: int = Field(20, ge=1, le=MOST_ITEMS, description="Most documents.")
    offset: int = Field(0, ge=0, description="The `next_offset` of the answer before, for more.")


class DigestArguments(Record):
    days: int = Field(7, ge=1, le=MOST_DAYS, description="Of how many days, up to now.")


class PersonArguments(Record):
    name: Name = Field(description="A name, an alias, a role or a relation, such as `Zoë`, `mom`, `my wife`.")
