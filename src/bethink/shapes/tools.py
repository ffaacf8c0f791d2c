"""What comes of a tool that a model called."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bethink.records import Json, Percent, Record, Utc

ToolFormat = Literal["openai", "responses", "anthropic"]


class ToolResult(Record):
    """What a tool answers a model: `text` for the conversation, the same as `data` for programs.

    With `is_error`, `text` says what was wrong with the call and how to do better.
    """

    text: str
    data: Json | None = None
    is_error: bool = False


class Item(Record):
    """A record as a tool shows it. `id` is what to name it by in further calls."""

    id: str
    layer: str = Field(description="fact, memory, message or another kind of record.")
    text: str
    category: str | None = None
    key: str | None = None
    type: str | None = None
    title: str | None = None
    tags: list[str] | None = None
    person: str | None = Field(None, description="Who it is about, or who said it.")
    source: str | None = None
    source_context: str | None = Field(None, description="How it came up.")
    confidence: Percent | None = Field(None, description="How sure it is, from 0 to 100.")
    observed_at: Utc | None = None
    expires_at: Utc | None = None
    archived: bool | None = None
    status: str | None = Field(None, description="Of an insight: open or closed.")
    due_at: Utc | None = None
    document_id: str | None = Field(None, description="Of a passage: the document to read or forget.")
    citation: str | None = Field(None, description="Of a passage: the file, the page, the headings.")
    shared: bool | None = Field(None, description="From the space that all share; not to be changed here.")
    score: float | None = None


class Items(Record):
    """Records, best or newest first."""

    items: list[Item]
    total: int | None = Field(None, description="How many there are in all, where that is known.")
    next_cursor: str | None = Field(None, description="Send it as `cursor` for more.")
    degraded: list[str] | None = Field(None, description="What was not working.")
    cut: str | None = Field(None, description="What was left out or shortened to stay short.")


class Kept(Record):
    """What became of something to remember."""

    id: str
    layer: str
    status: str = Field(description="stored, merged, duplicate or held.")
    text: str
    reason: str | None = None
    previous: str | None = Field(None, description="The value that this one replaced.")
    cut: str | None = None


class Gone(Record):
    """What was forgotten, or would be."""

    count: int
    dry_run: bool = False
    items: list[Item] = Field(description="Some of them.")
    cut: str | None = None


class DocumentRead(Record):
    """The text of a document, or a piece of it."""

    id: str
    name: str
    text: str
    offset: int = Field(description="Where in the whole text it begins, in characters.")
    characters: int = Field(description="How long the whole text is.")
    next_offset: int | None = Field(None, description="Send it as `offset` for more.")
    cut: str | None = None


class DocumentItem(Record):
    """A document as a tool shows it."""

    id: str
    name: str
    kind: str
    status: str = Field(description="queued, parsing, embedding, ready or failed.")
    problem: str | None = None
    passages: int
    characters: int
    added_at: Utc


class Documents(Record):
    """Documents, newest first."""

    items: list[DocumentItem]
    total: int
    next_offset: int | None = Field(None, description="Send it as `offset` for more.")
    cut: str | None = None


class DigestTold(Record):
    """What happened in some days, as Markdown."""

    since: Utc
    until: Utc
    markdown: str
    cut: str | None = None


class FoundPerson(Record):
    """Somebody of the household."""

    id: str
    name: str
    role: str | None = None
    pronouns: str | None = None
    aliases: list[str] | None = None
    birth_date: str | None = None
    notes: str | None = None


class PeopleFound(Record):
    """Who is meant; nobody when it could be several, who are `candidates` then."""

    person: FoundPerson | None = None
    candidates: list[FoundPerson] | None = None
    reason: str
    cut: str | None = None
