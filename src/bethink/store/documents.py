"""Documents and their passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from bethink.records import Document, DocumentStatus, Layer, Passage, Space
from bethink.store import entries
from bethink.store.driver import Tx
from bethink.store.entries import Entry
from bethink.store.rows import Table, micros

_documents, _passages = Table(Document), Table(Passage)


def add(tx: Tx, document: Document) -> None:
    tx.run("documents.insert", _documents.columns(document))


def update(tx: Tx, document: Document) -> None:
    tx.run("documents.update", _documents.columns(document))


def by_ids(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Document]:
    rows = tx.all("documents.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return _documents.by("id", rows)


def by_hash(tx: Tx, space_id: str, content_hash: str) -> Document | None:
    """The document that holds just these bytes."""
    row = tx.one("documents.by_hash", {"space_id": space_id, "content_hash": content_hash})
    return _documents.record(row) if row else None


def by_path(tx: Tx, space_id: str, path: str) -> Document | None:
    """The document that follows a file."""
    row = tx.one("documents.by_path", {"space_id": space_id, "path": path})
    return _documents.record(row) if row else None


def page(
    tx: Tx, space_id: str, states: Sequence[DocumentStatus] | None, limit: int, offset: int
) -> tuple[list[Document], int]:
    """A piece of the documents, newest first, and how many there are; only those in some states."""
    where = "" if states is None else " AND status IN_LIST(:states)"
    values = {"space_id": space_id} | ({} if states is None else {"states": [str(one) for one in states]})
    total = tx.one("documents.count", values, where=where)
    rows = tx.all("documents.page", values | {"limit": limit, "offset": offset}, where=where)
    return _documents.records(rows), int(total["total"]) if total else 0


def in_states(tx: Tx, space_id: str, *states: DocumentStatus) -> list[Document]:
    """The documents in some states, in the order they came."""
    values = {"space_id": space_id, "states": [str(one) for one in states]}
    return _documents.records(tx.all("documents.in_states", values))


def below_path(tx: Tx, space_id: str, path: str) -> list[Document]:
    """The documents whose paths begin so; signs that mean something in a pattern must not be in it."""
    return _documents.records(tx.all("documents.below_path", {"space_id": space_id, "pattern": f"{path}%"}))


def kept_originals(tx: Tx, space_id: str) -> set[str]:
    """The hashes of the files that are kept."""
    return {row[0] for row in tx.tuples("documents.kept_originals", {"space_id": space_id})}


def delete(tx: Tx, space: Space, ids: Sequence[str]) -> None:
    """Delete documents with their passages, also from the index."""
    for id_ in ids:
        gone = list(passage_ids(tx, space.id, [id_]))
        entries.remove(tx, space, Layer.PASSAGE, gone)
        tx.run("passages.delete", {"space_id": space.id, "ids": gone})
    tx.run("documents.delete", {"space_id": space.id, "ids": list(ids)})


def set_ready(tx: Tx, space_id: str, signature: str | None, now: datetime) -> int:
    """Let documents be ready all of whose passages have vectors of this signature; how many are now.

    Where nothing makes vectors, they are ready as they are: found by their words.
    """
    values = {"space_id": space_id, "now": micros(now)}
    if signature is None:
        return tx.run("documents.ready_by_words", values)
    return tx.run("documents.ready", values | {"signature": signature})


def awaiting(tx: Tx, space_id: str, document_id: str, signature: str) -> int:
    """How many passages of a document still need a vector of this signature."""
    values = {"space_id": space_id, "document_id": document_id, "signature": signature}
    row = tx.one("documents.awaiting", values)
    return int(row["total"]) if row else 0


def put_passages(
    tx: Tx, space: Space, new: Iterable[Passage], moved: Iterable[Passage], described: Sequence[Entry]
) -> None:
    """Store and index new passages, and give those that stay their new places: they keep their vectors."""
    tx.many("passages.insert", map(_passages.columns, new))
    tx.many("passages.move", map(_passages.columns, moved))
    entries.put(tx, space, described)


def passages_by_ids(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Passage]:
    rows = tx.all("passages.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return _passages.by("id", rows)


def passages(tx: Tx, space_id: str, document_id: str) -> Iterator[Passage]:
    """The passages of a document, in order."""
    values = {"space_id": space_id, "document_id": document_id}
    return (one for one, _ in _passages.with_rows(tx.each("passages.of_document", values)))


def passage_ids(tx: Tx, space_id: str, document_ids: Sequence[str]) -> dict[str, str]:
    """The ids of the passages of documents, each with that of its document."""
    values = {"space_id": space_id, "ids": list(document_ids)}
    return dict(tx.tuples("passages.ids_of_documents", values)) if document_ids else {}


def delete_passages(tx: Tx, space: Space, ids: Sequence[str]) -> None:
    """Delete passages, also from the index."""
    if ids:
        entries.remove(tx, space, Layer.PASSAGE, list(ids))
        tx.run("passages.delete", {"space_id": space.id, "ids": list(ids)})


def recount(tx: Tx, space_id: str, ids: Sequence[str]) -> None:
    """Let documents that lost passages for good say so: how many are left, and that the file is not kept."""
    tx.run("documents.recount", {"space_id": space_id, "ids": list(ids)})
