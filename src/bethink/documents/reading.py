"""The text of a document, put together from its passages."""

from __future__ import annotations

from bethink.documents.changes import get
from bethink.records import Space
from bethink.shapes.documents import DocumentText
from bethink.store import Tx, documents


def text_of(tx: Tx, space: Space, document_id: str, offset: int, limit: int | None) -> DocumentText:
    """So many characters of the text from an offset."""
    document = get(tx, space, document_id)
    end = None if limit is None else offset + limit
    parts: list[str] = []
    at = 0  # so far the text is known
    for passage in documents.passages(tx, space.id, document_id):
        own = passage.text[passage.repeated :]
        first = max(passage.first, at, offset)
        last = passage.last if end is None else min(passage.last, end)
        if first < last:
            parts.append(own[first - passage.first : last - passage.first])
        at = max(at, passage.last)
    more = end is not None and end < at
    return DocumentText(
        document_id=document.id, name=document.name, text="".join(parts), offset=min(offset, at),
        characters=at, next_offset=end if more else None,
    )  # fmt: skip
