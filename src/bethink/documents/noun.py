"""Documents and passages, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.contracts import Archived, Indexed, Line, Noun, Reference, Taking
from bethink.documents.describe import citation, embedded_passage, passage_entry
from bethink.journal.ways import NEW
from bethink.records import Document, DocumentStatus, Passage, Space
from bethink.store import Tx, documents

_UNFINISHED = (DocumentStatus.QUEUED, DocumentStatus.PARSING)
_NO_FILE = "It came with an archive, without its file; add the file again."
_GONE = "its file was deleted; add it again instead"


def _damaged(id_: str, space: Space) -> Document:
    """What takes the place of a damaged document, so that its passages can be imported."""
    return Document(
        id=id_, space_id=space.id, name=f"Damaged record {id_}", kind="txt", size_bytes=0, content_hash=id_,
        status=DocumentStatus.EMBEDDING, original=False, created_at=space.created_at,
        updated_at=space.created_at,
    )  # fmt: skip


def _take(taking: Taking, records: Sequence[Document]) -> int:
    """Documents come without their files, so what was not read of them yet cannot be."""
    tx, space, stored = taking.tx, taking.space, 0
    known = documents.by_ids(tx, space.id, [one.id for one in records])
    for one in records:
        if one.id in known or documents.by_hash(tx, space.id, one.content_hash):
            continue
        unread = {"status": DocumentStatus.FAILED, "problem": _NO_FILE} if one.status in _UNFINISHED else {}
        documents.add(tx, one.model_copy(update={"original": False, "path": None, **unread}))
        stored += 1
    return stored


def _take_passages(taking: Taking, records: Sequence[Passage]) -> int:
    tx, space = taking.tx, taking.space
    there = documents.by_ids(tx, space.id, list({one.document_id for one in records}))
    known = documents.passages_by_ids(tx, space.id, [one.id for one in records])
    fresh = [one for one in records if one.document_id in there and one.id not in known]
    documents.put_passages(tx, space, fresh, [], [passage_entry(one) for one in fresh])
    return len(fresh)


def _erase(tx: Tx, space: Space, ids: Sequence[str]) -> None:
    """A file that says what is erased is not kept either; the rest of its text is."""
    of = documents.passages_by_ids(tx, space.id, ids)
    documents.delete_passages(tx, space, ids)
    documents.recount(tx, space.id, list({one.document_id for one in of.values()}))


DOCUMENT = Noun(
    "document",
    Document,
    "documents",
    counted_as="documents",
    archived=Archived(
        long=("name", "problem", "path"), local=("original", "path"), stand_in=_damaged, take=_take
    ),
    texts=lambda document: (document.name, document.path, document.metadata),
    traces=lambda document: (document.name, document.path),
    erase=lambda tx, space, ids: documents.delete(tx, space, ids),
    final={
        "stored": NEW.format("remove it"),
        "replaced": "the file that it had is gone; replace it again instead",
        "forgotten": _GONE,
    },
)

PASSAGE = Noun(
    "passage",
    Passage,
    "passages",
    counted_as="passages",
    references=(Reference("document_id", "document", "any source"),),
    indexed=Indexed(
        code=4,
        brief="briefs.passages",
        entry=lambda passage, _zone, _style: passage_entry(passage),
        embedded=lambda passage, _: embedded_passage(passage),
        line=lambda passage, text: Line(text, speaker=citation(passage)),
    ),
    archived=Archived(long=("text", "title", "document_name", "sheet"), take=_take_passages),
    texts=lambda passage: (passage.text, passage.title, passage.sheet),
    erase=_erase,
)
