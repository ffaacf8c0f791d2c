"""Change and forget memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bethink.errors import Conflict, NotFound
from bethink.memories.archive import fresh, index, release
from bethink.memories.remember import check_persons
from bethink.records import Layer, Memory, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.inputs import MemoryChange, MemoryDraft
from bethink.store import Tx, entries, journal, memories
from bethink.store.filters import MemoryFilter
from bethink.store.journal import note, values_of


def update(
    tx: Tx,
    space: Space,
    memory_id: str,
    change: MemoryChange,
    now: datetime,
    actor: str,
    *,
    reason: str | None = None,
) -> Memory:
    """Lay the fields that are set over a memory; a new title or content is embedded anew."""
    found = get(tx, space, memory_id)
    values = {name: getattr(change, name) for name in change.model_fields_set}
    if "metadata" in values:
        values["metadata"] = found.metadata | values["metadata"]
    if (archived := values.pop("archived", None)) is not None and archived != bool(found.archived_at):
        values["archived_at"] = now if archived else None
    return _lay_over(tx, space, found, values, now, actor, reason)


def replace(
    tx: Tx,
    space: Space,
    memory_id: str,
    draft: MemoryDraft,
    now: datetime,
    actor: str,
    *,
    reason: str | None = None,
) -> Memory:
    """Make a memory what a draft says; what it leaves out has its default, but for when it was observed."""
    found = get(tx, space, memory_id)
    values = {name: getattr(draft, name) for name in MemoryDraft.model_fields}
    values["observed_at"] = draft.observed_at or found.observed_at
    return _lay_over(tx, space, found, values, now, actor, reason)


def _lay_over(
    tx: Tx,
    space: Space,
    found: Memory,
    values: dict[str, Any],
    now: datetime,
    actor: str,
    reason: str | None,
) -> Memory:
    if "tags" in values:
        values["tags"] = list(dict.fromkeys(values["tags"]))
    changes = {name for name, value in values.items() if getattr(found, name) != value}
    if not changes:
        return found
    check_persons(tx, space, {values["person_id"]} if values.get("person_id") else set())
    if "key" in changes and values["key"] and (other := memories.by_keys(tx, space.id, [values["key"]])):
        taken = other[values["key"]].id
        raise Conflict(
            f"key: {values['key']!r} already names the memory {taken}; choose another.", field="key"
        )
    if found.archived_into and changes != {"pinned"}:  # what tells of it would say something else now
        release(tx, space, [found], now, actor)
        values = {"archived_at": None} | values | {"archived_into": None}
        changes |= {"archived_at", "archived_into"}
    changed = found.model_copy(update=values | {"updated_at": now})
    memories.update(tx, changed)
    index(tx, space, [changed])
    before, after = values_of(found, changes), values_of(changed, changes)
    journal.add(tx, [note(space, now, actor, "updated", changed, reason=reason, before=before, after=after)])
    return changed


def forget(
    tx: Tx,
    space: Space,
    memory_ids: Sequence[str],
    now: datetime,
    actor: str,
    *,
    reason: str | None = None,
    action: str = "forgotten",
) -> list[Memory]:
    """Delete memories, from the index too. The journal keeps what they were, so that it can be undone."""
    found = [get(tx, space, memory_id) for memory_id in dict.fromkeys(memory_ids)]
    return _forget(tx, space, found, now, actor, reason, action)


def forget_some(
    tx: Tx,
    space: Space,
    chosen: MemoryFilter,
    limit: int,
    now: datetime,
    actor: str,
    *,
    reason: str | None = None,
) -> list[Memory]:
    """Delete the newest memories that a filter chooses, at most so many."""
    return _forget(tx, space, memories.page(tx, space.id, chosen, limit), now, actor, reason)


def _forget(
    tx: Tx,
    space: Space,
    found: list[Memory],
    now: datetime,
    actor: str,
    reason: str | None,
    action: str = "forgotten",
) -> list[Memory]:
    ids = [memory.id for memory in found]
    release(tx, space, found, now, actor)
    found = [fresh(memory) if memory.archived_into else memory for memory in found]
    entries.remove(tx, space, Layer.MEMORY, ids)
    memories.delete(tx, space.id, ids)
    journal.add(
        tx,
        [
            note(space, now, actor, action, memory, reason=reason, before=values_of(memory))
            for memory in found
        ],
    )
    return found


def get(tx: Tx, space: Space, memory_id: str) -> Memory:
    """A memory of this space, or NotFound."""
    if is_storable(memory_id) and (found := memories.by_ids(tx, space.id, [memory_id]).get(memory_id)):
        return found
    raise NotFound(f"There is no memory {memory_id!r} in this space.", field="id")
