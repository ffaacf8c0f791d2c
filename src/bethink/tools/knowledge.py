"""The tools over documents, and the digest: search_knowledge_base, get_document, list_documents, digest."""

from __future__ import annotations

from bethink.records import Document
from bethink.shapes.documents import DocumentHit
from bethink.shapes.tools import DigestTold, DocumentItem, DocumentRead, Documents, Item, Items
from bethink.tools.arguments import DigestArguments, DocumentArguments, DocumentsArguments, PassageArguments
from bethink.tools.contract import Calling
from bethink.tools.fit import NOTE_TOKENS, beginning

MOST_CHARS = 60_000  # of a document in one answer, however many tokens it may have
_FRAME_TOKENS = 2 * NOTE_TOKENS  # of all that stands around the text


async def search_knowledge_base(calling: Calling, asked: PassageArguments) -> Items:
    """The passages that answer, best first."""
    found = await calling.space.documents.search(
        asked.query, limit=asked.limit, document_ids=asked.document_ids
    )
    return Items(items=[_passage(hit) for hit in found.hits], degraded=found.degraded or None)


async def get_document(calling: Calling, asked: DocumentArguments) -> DocumentRead:
    """The text of a document, as much of it from an offset as an answer holds."""
    core, _ = await calling.space.inside.here()
    most = min(asked.limit or MOST_CHARS, MOST_CHARS)
    found = await calling.space.documents.text(asked.id, offset=asked.offset, limit=most)
    text = beginning(found.text, max(core.settings.tools.max_tokens - _FRAME_TOKENS, 1))
    ends = found.offset + len(text)
    return DocumentRead(
        id=found.document_id,
        name=found.name,
        text=text,
        offset=found.offset,
        characters=found.characters,
        next_offset=ends if ends < found.characters else None,
    )


async def list_documents(calling: Calling, asked: DocumentsArguments) -> Documents:
    """The documents, newest first, piece by piece."""
    page = await calling.space.documents.list(limit=asked.limit, offset=asked.offset, status=asked.status)
    ends = asked.offset + len(page.items)
    return Documents(
        items=[_document(one) for one in page.items],
        total=page.total,
        next_offset=ends if ends < page.total else None,
    )


async def digest(calling: Calling, asked: DigestArguments) -> DigestTold:
    """What happened in the last days."""
    told = await calling.space.digest(asked.days)
    return DigestTold(since=told.since, until=told.until, markdown=told.markdown)


def _passage(hit: DocumentHit) -> Item:
    return Item(
        id=hit.passage_id,
        layer="passage",
        text=hit.text,
        document_id=hit.document_id,
        citation=hit.citation,
        score=round(hit.score, 3),
    )


def _document(one: Document) -> DocumentItem:
    return DocumentItem(
        id=one.id,
        name=one.name,
        kind=one.kind,
        status=one.status.value,
        problem=one.problem,
        passages=one.passages,
        characters=one.characters,
        added_at=one.created_at,
    )
