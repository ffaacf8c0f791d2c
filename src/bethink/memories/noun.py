"""Memories, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.contracts import Archived, Indexed, Noun, Reference, Taking
from bethink.index.describe import embedded_memory, memory_entry
from bethink.journal.ways import NEW
from bethink.memories.archive import fresh, index
from bethink.memories.undo import forget_memory_again, restore_memory, revert_memory
from bethink.records import Memory
from bethink.store import Tx, memories


def _texts(memory: Memory) -> list[Any]:
    said = [memory.content, memory.title, memory.key, memory.category, memory.tags]
    return [*said, memory.metadata, memory.source_ref]


def _take(taking: Taking, records: Sequence[Memory]) -> int:
    tx, space = taking.tx, taking.space
    known = set(memories.by_ids(tx, space.id, [memory.id for memory in records]))
    keys = set(memories.by_keys(tx, space.id, [memory.key for memory in records if memory.key]))
    taken = []
    for memory in records:
        if memory.id in known or memory.key in keys:
            continue
        taken.append(memory)
        known.add(memory.id)
        keys |= {memory.key} if memory.key else set()
    memories.add(tx, taken)
    index(tx, space, taken)
    return len(taken)


def _relink(tx: Tx, memory: Memory) -> None:
    """It names something no more that is gone; where that told of it, it is found again."""
    was = memories.by_ids(tx, memory.space_id, [memory.id])[memory.id]
    memories.update(tx, fresh(memory) if was.archived_into and not memory.archived_into else memory)


MEMORY = Noun(
    "memory",
    Memory,
    "memories",
    counted_as="memories",
    references=(
        Reference("person_id", "person", "about"),
        Reference("session_id", "session", "about", required=False),
        Reference("source_ref", tie="any source"),
        Reference("archived_into"),
    ),
    indexed=Indexed(
        code=2,
        brief="briefs.memories",
        entry=lambda memory, zone, _: memory_entry(memory, zone),
        embedded=lambda memory, _: embedded_memory(memory),
        index=index,
        count_access="memories.count_access",
        unless="archived_at",
    ),
    archived=Archived(long=("content", "title"), take=_take),
    texts=_texts,
    traces=lambda memory: (memory.content, memory.title),
    relink=_relink,
    ways={
        "updated": revert_memory,
        "merged": revert_memory,
        "forgotten": restore_memory,
        "withdrawn": restore_memory,
        "restored": forget_memory_again,
    },
    final={"stored": NEW.format("forget it")},
)
