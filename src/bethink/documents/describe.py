"""What the index is told of a passage, and how it is quoted. Pure."""

from __future__ import annotations

from pathlib import PurePath

from bethink.index.describe import fingerprint, lean_text, terms_of
from bethink.records import Layer, Passage
from bethink.store.entries import Entry
from bethink.text.secrets import masked_record


def passage_entry(passage: Passage) -> Entry:
    """A passage as an entry, which is found by its headings and by its file's name too."""
    passage = masked_record(passage)
    return Entry(
        layer=Layer.PASSAGE,
        record_id=passage.id,
        observed_at=passage.observed_at,
        fingerprint=fingerprint(_embedded(passage)),
        body=terms_of([passage.text]),
        context=terms_of([passage.title, passage.sheet, PurePath(passage.document_name).stem]),
        session_id=passage.document_id,  # what is found together: a filter chooses documents by it
    )


def embedded_passage(passage: Passage) -> str:
    """The text that is embedded: the headings above it, and what it says."""
    return _embedded(masked_record(passage))


def _embedded(passage: Passage) -> str:
    return lean_text(f"{passage.title}. {passage.text}" if passage.title else passage.text, None)


def citation(passage: Passage) -> str:
    """Where a passage stands: `handbook.pdf, page 3, Leave > Sick leave`."""
    parts = [passage.document_name]
    if passage.sheet:
        parts.append(f"{passage.part or 'sheet'} {passage.sheet}")
    elif passage.page is not None:
        several = passage.last_page is not None and passage.last_page != passage.page
        pages = f"s {passage.page}–{passage.last_page}" if several else f" {passage.page}"
        parts.append(f"{passage.part or 'page'}{pages}")
    if passage.title and passage.title != passage.sheet:
        parts.append(passage.title)
    return ", ".join(parts)
