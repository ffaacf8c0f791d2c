"""Undo a change whose old value is still in the journal.

Undoing is a change like any other: it is noted, with the change it undoes as its reason, and can be undone
itself. Values that are no longer those that the change left are not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from recollect.capture.facts import set_fact
from recollect.capture.note import note, values_of
from recollect.capture.observe import index_messages
from recollect.errors import Conflict, NotFound
from recollect.fields import is_storable
from recollect.index.describe import Style, memory_entry
from recollect.inputs import FactDraft
from recollect.records import Fact, JournalEntry, Json, Memory, Message, Space
from recollect.rights import Undone
from recollect.store import Tx, entries, facts, journal, memories, messages, persons


def undo(tx: Tx, space: Space, entry_id: str, now: datetime, actor: str, style: Style) -> Undone:
    """Undo the change that a line of the journal tells of."""
    entry = journal.find(tx, space.id, entry_id) if is_storable(entry_id) else None
    if entry is None:
        raise NotFound(f"There is no journal line {entry_id!r} in this space.", field="id")
    way = _WAYS.get((entry.noun, entry.action))
    if way is None:
        raise Conflict(
            f"id: this line says that a {entry.noun} was {entry.action}, which cannot be undone. What can be:"
            " memories updated, merged, forgotten or withdrawn, messages edited, facts superseded, forgotten"
            " or withdrawn.",
            field="id",
        )
    if entry.before is None:
        raise Conflict("id: the old value is no longer kept, so this cannot be undone.", field="id")
    record, line = way(_Change(tx, space, entry, entry.before, now, actor, style))
    return Undone(undone=entry.id, record=record, entry=line)


@dataclass(frozen=True)
class _Change:
    """The change to undo, and what is needed for it."""

    tx: Tx
    space: Space
    entry: JournalEntry
    before: Json
    now: datetime
    actor: str
    style: Style

    @property
    def reason(self) -> str:
        return f"undo of {self.entry.id}"

    def note(self, action: str, record: Memory | Message, was: Memory | Message | None) -> JournalEntry:
        """Note what undoing did: which values it replaced, and by what."""
        names = set(self.before) if was else None
        line = note(
            self.space, self.now, self.actor, action, record,
            reason=self.reason, before=values_of(was, names) if was else None, after=values_of(record, names),
        )  # fmt: skip
        journal.add(self.tx, [line])
        return line

    def check_unchanged(self, current: Memory | Message) -> None:
        """Refuse when what the change left is not what there is."""
        if self.entry.after is None:  # from a time when the journal did not keep it
            latest = journal.newest(self.tx, self.space.id, record_id=current.id, limit=1)
            stale = not latest or latest[0].id != self.entry.id
        else:
            stale = values_of(current, set(self.entry.after)) != self.entry.after
        if stale:
            raise self.conflict(f"the {self.entry.noun} {current.id} has changed since")

    def check_person(self, person_id: str | None) -> None:
        if person_id is not None and persons.find(self.tx, self.space.id, person_id) is None:
            raise self.conflict(f"the person {person_id} that it is about is no longer there")

    def check_key(self, memory: Memory) -> None:
        other = memories.by_keys(self.tx, self.space.id, [memory.key]).get(memory.key) if memory.key else None
        if other and other.id != memory.id:
            raise self.conflict(f"its key {memory.key!r} now names the memory {other.id}")

    @staticmethod
    def conflict(why: str) -> Conflict:
        return Conflict(f"id: this cannot be undone, because {why}. Nothing was changed.", field="id")


_Made = tuple[Memory | Message | Fact, JournalEntry]


def _revert_memory(change: _Change) -> _Made:
    """Give the fields that were changed their old values; fields changed by others stay."""
    tx, space, id_ = change.tx, change.space, change.entry.record_id
    current = memories.by_ids(tx, space.id, [id_]).get(id_)
    if current is None:
        raise change.conflict(f"the memory {id_} was forgotten; undo that first")
    change.check_unchanged(current)
    memory = Memory.model_validate(values_of(current) | change.before | {"updated_at": change.now})
    change.check_person(memory.person_id)
    change.check_key(memory)
    memories.update(tx, memory)
    entries.put(tx, space, [memory_entry(memory, space.timezone)])
    return memory, change.note("updated", memory, current)


def _restore_memory(change: _Change) -> _Made:
    """Bring a forgotten memory back under its own id."""
    tx, space = change.tx, change.space
    memory = Memory.model_validate(change.before | {"space_id": space.id})
    if memories.by_ids(tx, space.id, [memory.id]):
        raise change.conflict(f"the memory {memory.id} is there")
    change.check_person(memory.person_id)
    change.check_key(memory)
    memories.add(tx, [memory])
    entries.put(tx, space, [memory_entry(memory, space.timezone)])
    return memory, change.note("restored", memory, None)


def _revert_message(change: _Change) -> _Made:
    """Give an edited message its old text, in its place."""
    tx, space, id_ = change.tx, change.space, change.entry.record_id
    current = messages.by_ids(tx, space.id, [id_]).get(id_)
    if current is None:
        raise change.conflict(f"the message {id_} is no longer there")
    change.check_unchanged(current)
    message = Message.model_validate(values_of(current) | change.before)
    messages.replace_content(tx, message)
    index_messages(tx, space, message.session_id, [(message.position, message.position)], change.style)
    return message, change.note("edited", message, current)


def _revert_fact(change: _Change) -> _Made:
    """Open a new version with the old value; the version that is undone stays in the history."""
    new = facts.by_ids(change.tx, change.space.id, [change.entry.record_id]).get(change.entry.record_id)
    if new is None or new.valid_to is not None:
        raise change.conflict("the fact has changed since")
    return _reopen_fact(change)


def _restore_fact(change: _Change) -> _Made:
    """Open a version with the value that was dropped."""
    old = Fact.model_validate(change.before | {"space_id": change.space.id})
    if facts.current(change.tx, change.space.id, old.person_id, old.category, old.key):
        raise change.conflict(f"the fact {old.category}/{old.key} was set since")
    return _reopen_fact(change)


def _reopen_fact(change: _Change) -> _Made:
    draft = FactDraft.model_validate({name: change.before[name] for name in FactDraft.model_fields})
    change.check_person(draft.person_id)
    made = set_fact(change.tx, change.space, draft, change.now, change.actor, because=change.reason)
    line = journal.newest(change.tx, change.space.id, record_id=made.fact.id, limit=1)[0]
    return made.fact, line


_WAYS: dict[tuple[str, str], Callable[[_Change], _Made]] = {
    ("memory", "updated"): _revert_memory,
    ("memory", "merged"): _revert_memory,
    ("memory", "forgotten"): _restore_memory,
    ("memory", "withdrawn"): _restore_memory,
    ("message", "edited"): _revert_message,
    ("fact", "superseded"): _revert_fact,
    ("fact", "forgotten"): _restore_fact,
    ("fact", "withdrawn"): _restore_fact,
}
