"""What comes back from the knowledge base."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bethink.records import Document, DocumentStatus, Record


class DocumentAdded(Record):
    """What became of a file that was added.

    `duplicate`: the same file is there already, as `document`. `replaced`: the document has another text now.
    """

    status: Literal["stored", "duplicate", "replaced"]
    document: Document
    reason: str | None = None


class DocumentPage(Record):
    """A piece of the list of documents, newest first."""

    items: list[Document]
    total: int = Field(description="How many there are in all.")


class DocumentText(Record):
    """The text of a document, or a piece of it."""

    document_id: str
    name: str
    text: str
    offset: int = Field(description="Where in the whole text it begins, in characters.")
    characters: int = Field(description="How long the whole text is.")
    next_offset: int | None = Field(description="Where to go on; null at the end.")


class DocumentProgress(Record):
    """How far a document is."""

    id: str
    status: DocumentStatus
    problem: str | None = None
    passages: int = Field(description="Passages so far: they can be found by their words.")
    embedded: int = Field(description="Those of them that can be found by their meaning too.")

    @property
    def is_over(self) -> bool:
        """Whether it goes no further by itself."""
        return self.status in (DocumentStatus.READY, DocumentStatus.FAILED)


class UploadProgress(Record):
    """How much of a file is there that is sent piece by piece."""

    sha256: str
    received: int = Field(description="Bytes; where the next piece begins.")
    added: DocumentAdded | None = Field(None, description="What became of it, once it is whole.")


class DocumentHit(Record):
    """A passage that answers, and where it stands."""

    document_id: str
    document_name: str
    passage_id: str
    text: str
    snippet: str = Field(description="The part of the text that matches best.")
    marks: list[tuple[int, int]] = Field(description="Where in the snippet the words of the query are.")
    citation: str = Field(description="The file, the page, slide or sheet, and the headings.")
    title: str | None = Field(None, description="The headings above it, outermost first.")
    part: str | None = Field(None, description="What `page` counts: a page, slide, sheet or chapter.")
    page: int | None = None
    last_page: int | None = Field(None, description="Where it ends, if that is on a later page.")
    sheet: str | None = None
    first: int = Field(description="Where in the text of the document it begins.")
    last: int
    score: float
    vector: float | None = Field(None, description="Cosine between query and passage.")


class DocumentResults(Record):
    """The passages that answer, best first. `degraded` says what was not working."""

    query: str
    hits: list[DocumentHit]
    engine: str
    degraded: list[str] = Field(default_factory=list)
