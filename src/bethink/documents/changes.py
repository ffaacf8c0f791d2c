"""Documents in the database: added, replaced, removed, and what was read of them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.documents.split import Piece
from bethink.errors import Conflict, NotFound
from bethink.records import Document, DocumentStatus, Passage, Space
from bethink.shapes.documents import DocumentAdded
from bethink.shapes.fields import is_storable
from bethink.store import Tx, documents, journal
from bethink.store.entries import Entry
from bethink.store.journal import note

AT_ONCE = 1000  # passages deleted in one statement
SAME = "the same file is there"
OWN = "bethink:"  # how the path begins of what Bethink keeps as it is elsewhere: the personal text, the notes
Old = dict[str, list[str]]  # the passages there are, by what they say


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file that has come whole."""

    name: str
    kind: str
    size_bytes: int
    content_hash: str
    path: str | None = None


def add(tx: Tx, space: Space, file: Incoming, now: datetime, actor: str) -> DocumentAdded:
    """Queue a new document; the same file twice is one document, and a followed file replaces itself."""
    if same := documents.by_hash(tx, space.id, file.content_hash):
        if file.path and same.path is None:
            same = same.model_copy(update={"path": file.path})
            documents.update(tx, same)
        return DocumentAdded(status="duplicate", document=same, reason=SAME)
    if file.path and (followed := documents.by_path(tx, space.id, file.path)):
        return _replaced(tx, space, followed, file, now, actor)
    document = Document(
        id=new_id(), space_id=space.id, name=file.name, kind=file.kind, size_bytes=file.size_bytes,
        content_hash=file.content_hash, status=DocumentStatus.QUEUED, path=file.path, created_at=now,
        updated_at=now,
    )  # fmt: skip
    documents.add(tx, document)
    journal.add(tx, [note(space, now, actor, "stored", document)])
    return DocumentAdded(status="stored", document=document)


def replace(
    tx: Tx, space: Space, document_id: str, file: Incoming, now: datetime, actor: str
) -> DocumentAdded:
    """Give a document another file; what it said stays until that is read."""
    document = get(tx, space, document_id)
    if same := documents.by_hash(tx, space.id, file.content_hash):
        if same.id != document.id:
            raise Conflict(f"That file is the document {same.id} ({same.name}); remove one of them.")
        return DocumentAdded(status="duplicate", document=same, reason=SAME)
    return _replaced(tx, space, document, file, now, actor)


def _replaced(
    tx: Tx, space: Space, document: Document, file: Incoming, now: datetime, actor: str
) -> DocumentAdded:
    changed = document.model_copy(
        update={
            "name": file.name, "kind": file.kind, "size_bytes": file.size_bytes,
            "content_hash": file.content_hash, "status": DocumentStatus.QUEUED, "problem": None,
            "original": True, "updated_at": now,
        }
    )  # fmt: skip
    documents.update(tx, changed)
    journal.add(tx, [note(space, now, actor, "replaced", changed)])
    return DocumentAdded(status="replaced", document=changed)


def get(tx: Tx, space: Space, document_id: str) -> Document:
    """A document of this space, or NotFound."""
    known = documents.by_ids(tx, space.id, [document_id]) if is_storable(document_id) else {}
    if found := known.get(document_id):
        return found
    raise NotFound(f"There is no document {document_id!r} in this space.", field="id")


def remove(tx: Tx, space: Space, document_id: str, now: datetime, actor: str) -> Document:
    """Delete a document with its passages."""
    found = get(tx, space, document_id)
    documents.delete(tx, space, [document_id])
    journal.add(tx, [note(space, now, actor, "forgotten", found)])
    return found


def retry(tx: Tx, space: Space, document_id: str, now: datetime) -> Document:
    """Queue a document again that failed."""
    found = get(tx, space, document_id)
    if not found.original:
        raise Conflict(f"The file of {found.name} is not kept; add it again.")
    if found.status is not DocumentStatus.FAILED:
        return found
    queued = found.model_copy(update={"status": DocumentStatus.QUEUED, "problem": None, "updated_at": now})
    documents.update(tx, queued)
    return queued


def begin(tx: Tx, space: Space, document: Document, now: datetime) -> Old | None:
    """Say that a document is being read; the passages there are of it. None when it is gone."""
    if _change(tx, space, document, now, status=DocumentStatus.PARSING) is None:
        return None
    old: defaultdict[str, list[str]] = defaultdict(list)
    for passage in documents.passages(tx, space.id, document.id):
        old[digest(passage.text, passage.title)].append(passage.id)
    return old


def put(
    tx: Tx,
    space: Space,
    document: Document,
    new: Sequence[Passage],
    moved: Sequence[Passage],
    described: Sequence[Entry],
    now: datetime,
) -> bool:
    """Store some passages; False when the document was removed or replaced meanwhile."""
    end = max(one.last for one in (*new, *moved))
    count = max(one.position for one in (*new, *moved)) + 1
    if _change(tx, space, document, now, passages=count, characters=end) is None:
        return False
    documents.put_passages(tx, space, new, moved, described)
    return True


def finish(
    tx: Tx, space: Space, document: Document, gone: Sequence[str], told: Mapping[str, Any], now: datetime
) -> bool:
    """Say how the reading went, and delete the passages that are not in the document any more."""
    if _change(tx, space, document, now, **told) is None:
        return False
    for start in range(0, len(gone), AT_ONCE):
        documents.delete_passages(tx, space, gone[start : start + AT_ONCE])
    return True


def fail(
    tx: Tx, space: Space, document: Document, problem: str, told: Mapping[str, Any], now: datetime
) -> None:
    """Say why a document cannot be read; nothing of it is found any more."""
    changes = {"status": DocumentStatus.FAILED, "problem": problem, "passages": 0, "characters": 0}
    if _change(tx, space, document, now, **told, **changes):
        documents.delete_passages(tx, space, list(documents.passage_ids(tx, space.id, [document.id])))


def _change(tx: Tx, space: Space, document: Document, now: datetime, **changes: Any) -> Document | None:
    """Change a document that has still the same file."""
    found = documents.by_ids(tx, space.id, [document.id]).get(document.id)
    if found is None or found.content_hash != document.content_hash:
        return None
    changed = found.model_copy(update={**changes, "updated_at": now})
    documents.update(tx, changed)
    return changed


def passages_of(
    space: Space, document: Document, pieces: Sequence[Piece], start: int, old: Old, now: datetime
) -> tuple[list[Passage], list[Passage]]:
    """The passages that pieces become: new ones, and those that are there already, at their new places."""
    new: list[Passage] = []
    moved: list[Passage] = []
    for position, piece in enumerate(pieces, start):
        known = old.get(digest(piece.text, piece.title))
        there = known.pop() if known else None
        passage = Passage(
            id=there or new_id(), space_id=space.id, document_id=document.id, document_name=document.name,
            position=position, text=piece.text, repeated=piece.repeated, first=piece.first, last=piece.last,
            title=piece.title, part=piece.part, page=piece.page, last_page=piece.last_page,
            sheet=piece.sheet, observed_at=document.created_at, created_at=now,
        )  # fmt: skip
        (moved if there else new).append(passage)
    return new, moved


def digest(text: str, title: str | None) -> str:
    """What is the same for passages that say the same under the same headings."""
    return hashlib.blake2b(f"{title or ''}\0{text}".encode("utf-8", "replace"), digest_size=16).hexdigest()
