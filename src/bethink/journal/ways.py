"""The usual ways to undo: for nouns whose changes need no rules of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bethink.index.tell import tell
from bethink.journal.change import Change, Made
from bethink.nouns import NOUNS
from bethink.records import Layer
from bethink.store import entries, journal, rows
from bethink.store.journal import note, values_of

NEW = "it was new and replaced nothing; {} instead"  # why a line that says `stored` is final


def revert(change: Change) -> Made:
    """Give the fields that were changed their old values."""
    current = _found(change)
    record = change.reverted(current, NOUNS.by_name[change.entry.noun].mutable)
    _check_people(change, record)
    rows.update(change.tx, change.entry.noun, record)
    tell(change.tx, change.space, change.entry.noun, [record], change.setup.style)
    return change.updated(record, current)


def restore(change: Change) -> Made:
    """Bring back under its own id what was forgotten."""
    noun = change.entry.noun
    record = change.restored(NOUNS.by_name[noun].record, noun)
    if rows.by_ids(change.tx, change.space.id, noun, [change.id]):
        raise change.conflict(f"the {noun} {change.id} is there")
    _check_people(change, record)
    rows.add(change.tx, noun, [record])
    tell(change.tx, change.space, noun, [record], change.setup.style)
    return change.brought_back(record)


def forget_again(change: Change) -> Made:
    """Forget what undoing had brought back."""
    tx, space, noun = change.tx, change.space, change.entry.noun
    record = _found(change)
    change.check_unchanged(record)
    rows.delete(tx, space.id, noun, [change.id])
    if noun in NOUNS.indexed:
        entries.remove(tx, space, Layer(noun), [change.id])
    before = values_of(record)
    line = note(space, change.now, change.actor, "forgotten", record, reason=change.reason, before=before)
    journal.add(tx, [line])
    return Made(record, line)


USUAL: Mapping[str, Callable[[Change], Made]] = {
    "updated": revert, "forgotten": restore, "restored": forget_again,
}  # fmt: skip


def _found(change: Change) -> Any:
    noun = change.entry.noun
    found = rows.by_ids(change.tx, change.space.id, noun, [change.id]).get(change.id)
    if found is None:
        raise change.conflict(f"the {noun} {change.id} was forgotten; undo that first")
    return found


def _check_people(change: Change, record: Any) -> None:
    for reference in NOUNS.by_name[change.entry.noun].references:
        if reference.to == "person":
            change.check_person(getattr(record, reference.field))
