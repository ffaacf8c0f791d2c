"""Extractions, as the rest of the system has to know them."""

from __future__ import annotations

from bethink.contracts import Archived, Noun, Reference
from bethink.records import Extraction
from bethink.store import erasure

EXTRACTION = Noun(
    "extraction",
    Extraction,
    "extractions",
    references=(Reference("session_id", "session"),),
    archived=Archived(long=("reason",)),
    own_words=False,
    quotes=lambda one: (one.reason,) if one.reason else (),  # a host may have said it back
    blank=erasure.extractions,
)
