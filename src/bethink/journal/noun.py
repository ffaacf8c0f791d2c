"""The journal, as the rest of the system has to know it. Erasing and copying know its lines by name."""

from __future__ import annotations

from bethink.contracts import Archived, Noun
from bethink.records import JournalEntry

JOURNAL = Noun(
    "journal",
    JournalEntry,
    "journal",
    archived=Archived(long=("reason",)),
    own_words=False,
    on_everything="renewed",  # with the line about erasing
)
