"""What comes back of the notes."""

from __future__ import annotations

from pydantic import Field

from bethink.records import DocumentStatus, Record, Utc


class Note(Record):
    """A file of notes, and how far it is as a document."""

    file: str = Field(description="Its place in the folder, such as `people/anna.md`.")
    kind: str = Field(description="The folder that it is in, such as `people`.")
    size_bytes: int
    changed_at: Utc
    document_id: str | None = Field(
        None, description="As what document it is searched; null for an empty one."
    )
    status: DocumentStatus | None = None
    problem: str | None = Field(None, description="Why it cannot be read.")


class NoteList(Record):
    """The notes of a space, by their names."""

    items: list[Note]
    total: int


class NoteLine(Record):
    """A line of a note that holds what was looked for."""

    file: str
    line: int = Field(description="Its number, from 1.")
    text: str = Field(description="The line, or the part of a long one around the match.")
    marks: list[tuple[int, int]] = Field(description="Where in the text the matches are.")


class NoteLines(Record):
    """The lines that hold a text, by file and number."""

    query: str
    items: list[NoteLine]
    more: bool = Field(description="Whether there are more than the limit.")


class NoteText(Record):
    """A note as it is."""

    file: str
    text: str


class NotesSynced(Record):
    """What the notes were found to be. Those that are new or changed are read next, as documents."""

    added: list[str] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list)
    removed: list[str] = Field(default_factory=list)
    problems: list[str] = Field(default_factory=list)
