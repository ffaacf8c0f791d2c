"""Memories in the archive and out of it: the archived are kept, and found no more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.index.describe import Style, memory_entry
from bethink.records import Layer, Memory, Space
from bethink.store import Tx, entries, journal, memories
from bethink.store.journal import note, values_of

COMPACTED = "compaction"  # the source of a memory that tells of others, which are archived
CHANGED = "something that it tells of was changed"


def index(tx: Tx, space: Space, records: Sequence[Memory], _: Style | None = None) -> None:
    """Index memories as they are now: what is archived or gone leaves the index."""
    current = memories.by_ids(tx, space.id, [memory.id for memory in records])
    shown = [memory for memory in current.values() if memory.archived_at is None]
    there = {memory.id for memory in shown}
    entries.remove(tx, space, Layer.MEMORY, [one.id for one in records if one.id not in there])
    entries.put(tx, space, [memory_entry(memory, space.timezone) for memory in shown])


def archived(memory: Memory, now: datetime, into: str | None = None) -> Memory:
    """A memory as it is in the archive."""
    return memory.model_copy(update={"archived_at": now, "archived_into": into})


def fresh(memory: Memory) -> Memory:
    """A memory as it is outside the archive."""
    return memory.model_copy(update={"archived_at": None, "archived_into": None})


def release(tx: Tx, space: Space, changed: Sequence[Memory], now: datetime, actor: str) -> None:
    """Before memories change or go: what they were compacted into goes, and the others are found again.

    Those that a memory tells of are found again when it goes itself. All are compacted anew by the next run.
    """
    told = {memory.archived_into for memory in changed if memory.archived_into}
    tellers = memories.by_ids(tx, space.id, sorted(told))
    going = {memory.id for memory in changed} | tellers.keys()
    freed = memories.archived_into(tx, space.id, sorted(going))
    for memory in freed:
        memories.update(tx, fresh(memory))
    index(tx, space, freed)
    entries.remove(tx, space, Layer.MEMORY, sorted(tellers))
    memories.delete(tx, space.id, sorted(tellers))
    journal.add(
        tx,
        [
            note(space, now, actor, "withdrawn", one, reason=CHANGED, before=values_of(one))
            for one in tellers.values()
        ],
    )
