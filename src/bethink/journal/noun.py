"""The journal, as the rest of the system has to know it. Erasing and copying know its lines by name."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.contracts import Archived, Noun, Taking
from bethink.records import JournalEntry
from bethink.store import archive, journal


def _take(taking: Taking, records: Sequence[JournalEntry]) -> int:
    known = archive.known(taking.tx, taking.space.id, "journal", [line.id for line in records])
    fresh = {line.id: line.model_copy(update={"imported": True}) for line in records if line.id not in known}
    journal.add(taking.tx, fresh.values())
    return len(fresh)


JOURNAL = Noun(
    "journal",
    JournalEntry,
    "journal",
    archived=Archived(long=("reason",), take=_take),
    own_words=False,
    on_everything="renewed",  # with the line about erasing
)
