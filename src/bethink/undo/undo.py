"""Undo the change that a line of the journal tells of."""

from __future__ import annotations

from datetime import datetime

from pydantic import ValidationError

from bethink.errors import Conflict, NotFound
from bethink.journal.change import Change, Setup
from bethink.records import JournalEntry, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.rights import Undone
from bethink.store import Tx, journal
from bethink.undo.ways import final, ways


def undo(tx: Tx, space: Space, entry_id: str, now: datetime, actor: str, setup: Setup) -> Undone:
    """Undo a change, or refuse with the reason why it cannot be."""
    entry = journal.find(tx, space.id, entry_id) if is_storable(entry_id) else None
    if entry is None:
        raise NotFound(f"There is no journal line {entry_id!r} in this space.", field="id")
    if entry.imported:
        raise Conflict("id: this line came with an archive: it is history, and cannot be undone.", field="id")
    way = ways().get((entry.noun, entry.action))
    if way is None:
        raise _final(entry)
    change = Change(tx, space, entry, now, actor, setup)
    if (entry.after if entry.action == "restored" else entry.before) is None:
        raise Conflict("id: the old value is no longer kept, so this cannot be undone.", field="id")
    if not change.names:
        raise change.conflict("it changed nothing")
    try:
        made = way(change)
    except ValidationError:  # an older Bethink may have let such a line in
        raise change.conflict(f"what the journal keeps of it is not what a {entry.noun} can be") from None
    return Undone(undone=entry.id, record=made.record, entry=made.line)


def _final(entry: JournalEntry) -> Conflict:
    why = final().get((entry.noun, entry.action), "this version does not know such changes")
    told = f"this line says that a {entry.noun} was {entry.action}"
    return Conflict(f"id: {told}, which cannot be undone: {why}.", field="id")
