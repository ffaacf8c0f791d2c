"""Undo changes of memories."""

from __future__ import annotations

from bethink.journal.change import Change, Made
from bethink.memories.archive import index
from bethink.memories.revise import forget
from bethink.records import Memory
from bethink.shapes.inputs import MemoryDraft
from bethink.store import memories

_MUTABLE = {*MemoryDraft.model_fields, "promoted", "archived_at", "archived_into"}


def revert_memory(change: Change) -> Made:
    """Give the fields that were changed their old values."""
    current = _found(change)
    memory = change.reverted(current, _MUTABLE)
    _check(change, memory)
    if memory.archived_into:
        raise change.conflict("what told of it is gone; it is compacted anew")
    memories.update(change.tx, memory)
    index(change.tx, change.space, [memory])
    return change.updated(memory, current)


def restore_memory(change: Change) -> Made:
    """Bring a forgotten memory back under its own id."""
    memory = change.restored(Memory, "memory")
    if memories.by_ids(change.tx, change.space.id, [memory.id]):
        raise change.conflict(f"the memory {memory.id} is there")
    _check(change, memory)
    memories.add(change.tx, [memory])
    index(change.tx, change.space, [memory])
    return change.brought_back(memory)


def forget_memory_again(change: Change) -> Made:
    """Forget a memory that undoing had brought back."""
    memory = _found(change)
    change.check_unchanged(memory)
    forget(change.tx, change.space, [memory.id], change.now, change.actor, reason=change.reason)
    return change.noted(memory, memory.id, "memory")


def _found(change: Change) -> Memory:
    found = memories.by_ids(change.tx, change.space.id, [change.id]).get(change.id)
    if found is None:
        raise change.conflict(f"the memory {change.id} was forgotten; undo that first")
    return found


def _check(change: Change, memory: Memory) -> None:
    """Refuse what refers to someone who is gone, or has a key that names another memory by now."""
    change.check_person(memory.person_id)
    named = memories.by_keys(change.tx, change.space.id, [memory.key]) if memory.key else {}
    other = named.get(memory.key or "")
    if other and other.id != memory.id:
        raise change.conflict(f"its key {memory.key!r} now names the memory {other.id}")
