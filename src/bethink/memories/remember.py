"""Store memories: a new one, a merge into the one its key names, or a duplicate that is left as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.errors import InvalidInput
from bethink.index.describe import memory_entry
from bethink.memories.archive import fresh, release
from bethink.records import JournalEntry, Layer, Memory, Space
from bethink.shapes.inputs import MemoryDraft
from bethink.shapes.outcomes import Remembered, Status
from bethink.store import Tx, entries, journal, memories, persons
from bethink.store.entries import Entry
from bethink.store.journal import note, values_of

_Said = tuple[str, str | None, str | None]

# Fields that a merge takes from the draft when the caller set them.
_MERGED = (
    "content", "type", "category", "title", "person_id", "session_id", "source", "source_ref", "observed_at",
    "expires_at", "confidence", "pinned",
)  # fmt: skip


def remember(
    tx: Tx, space: Space, drafts: Sequence[MemoryDraft], now: datetime, actor: str
) -> list[Remembered]:
    """Store each draft; the outcomes are in the order of the drafts."""
    check_persons(tx, space, {draft.person_id for draft in drafts if draft.person_id})
    work = _Work(tx, space, now, actor)
    fresh = [_new(space, draft, now) for draft in drafts]
    work.described = {memory.id: memory_entry(memory, space.timezone) for memory in fresh}
    work.known = memories.by_keys(tx, space.id, [draft.key for draft in drafts if draft.key])
    work.alike = _alike(tx, space, [work.described[memory.id] for memory in fresh if not memory.key])
    outcomes = [work.take(draft, memory) for draft, memory in zip(drafts, fresh, strict=True)]
    work.store()
    return outcomes


def turns(space: Space, drafts: Iterable[MemoryDraft]) -> list[str]:
    """By what drafts without a key wait for those that say the same, so that one of them finds the other."""
    return [f"{space.id} {draft.content}" for draft in drafts if not draft.key]


def check_persons(tx: Tx, space: Space, ids: set[str]) -> None:
    """Refuse a person that does not live in the space."""
    for person_id in sorted(ids):
        if persons.find(tx, space.id, person_id) is None:
            raise InvalidInput(
                f"person_id: there is no person {person_id!r} in this space; add the person first.",
                field="person_id",
            )


class _Work:
    """One call of `remember`: what is there, what is new, what changes."""

    def __init__(self, tx: Tx, space: Space, now: datetime, actor: str) -> None:
        self._tx, self._space, self._now, self._actor = tx, space, now, actor
        self.known: dict[str, Memory] = {}
        self.alike: dict[_Said, Memory] = {}
        self.described: dict[str, Entry] = {}
        self._added: dict[str, Memory] = {}
        self._changed: dict[str, Memory] = {}
        self._notes: list[JournalEntry] = []

    def take(self, draft: MemoryDraft, fresh: Memory) -> Remembered:
        """Decide what becomes of one draft."""
        if draft.key and (found := self.known.get(draft.key)):
            return self._merge(draft, found, f"the key {draft.key!r} was known")
        if not draft.key and (found := self.alike.get(_said(fresh))):
            return self._merge(draft, found, "the same text was known")
        self._added[fresh.id] = fresh
        self._notes.append(note(self._space, self._now, self._actor, "stored", fresh))
        if fresh.key:
            self.known[fresh.key] = fresh
        else:
            self.alike[_said(fresh)] = fresh
        return Remembered(status=Status.STORED, id=fresh.id, memory=fresh)

    def _merge(self, draft: MemoryDraft, found: Memory, reason: str) -> Remembered:
        if found.archived_into:  # said again, it speaks for itself
            release(self._tx, self._space, [found], self._now, self._actor)
        merged = _merged(draft, found, self._now)
        changes = {name for name in type(found).model_fields if getattr(found, name) != getattr(merged, name)}
        if not changes:
            return Remembered(
                status=Status.DUPLICATE, id=found.id, memory=found, reason=f"{reason}; nothing changed"
            )
        merged = merged.model_copy(update={"updated_at": self._now})
        self.described[merged.id] = memory_entry(merged, self._space.timezone)
        if found.id in self._added:
            self._added[found.id] = merged
        else:
            self._changed[found.id] = merged
        before, after = values_of(found, changes), values_of(merged, changes)
        self._notes.append(
            note(
                self._space, self._now, self._actor, "merged", merged,
                reason=reason, before=before, after=after,
            )
        )  # fmt: skip
        if found.key:
            self.known[found.key] = merged
        else:
            self.alike[_said(found)] = merged
        return Remembered(
            status=Status.MERGED,
            id=merged.id,
            memory=merged,
            reason=f"{reason}; changed {', '.join(sorted(changes))}",
        )

    def store(self) -> None:
        memories.add(self._tx, self._added.values())
        for memory in self._changed.values():
            memories.update(self._tx, memory)
        touched = [self.described[id_] for id_ in (*self._added, *self._changed)]
        entries.put(self._tx, self._space, touched)
        journal.add(self._tx, self._notes)


def _new(space: Space, draft: MemoryDraft, now: datetime) -> Memory:
    fields = {name: getattr(draft, name) for name in type(draft).model_fields}
    fields["observed_at"] = draft.observed_at or now
    fields["tags"] = list(dict.fromkeys(draft.tags))
    return Memory.made(**fields, id=new_id(), space_id=space.id, created_at=now, updated_at=now)


def _merged(draft: MemoryDraft, found: Memory, now: datetime) -> Memory:
    """The memory with what the caller set laid over it: tags united, metadata merged one level deep."""
    update: dict[str, Any] = {
        name: getattr(draft, name) for name in _MERGED if name in draft.model_fields_set
    }
    update["observed_at"] = draft.observed_at or found.observed_at
    update["tags"] = list(dict.fromkeys([*found.tags, *draft.tags]))
    update["metadata"] = found.metadata | draft.metadata
    if found.expires_at and found.expires_at <= now:  # said again, it is alive again
        update["expires_at"] = draft.expires_at
    return fresh(found).model_copy(update=update)


def _said(memory: Memory) -> _Said:
    """What makes two memories without a key the same."""
    return memory.content, memory.title, memory.person_id


def _alike(tx: Tx, space: Space, fresh: Sequence[Entry]) -> dict[_Said, Memory]:
    """Memories without a key whose indexed text is that of a new one, by what they say and of whom."""
    prints = dict.fromkeys(entry.fingerprint for entry in fresh)
    found = entries.by_fingerprints(tx, space.id, Layer.MEMORY, list(prints))
    loaded = memories.by_ids(tx, space.id, [id_ for ids in found.values() for id_ in ids])
    return {_said(memory): memory for memory in loaded.values() if memory.key is None}
