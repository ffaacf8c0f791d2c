"""Undo changes of facts. What is undone stays in the history, because it was believed for a while."""

from __future__ import annotations

from bethink.facts.versions import drop_fact, open_fact
from bethink.journal.change import Change, Made
from bethink.records import Fact
from bethink.shapes.inputs import FactDraft
from bethink.store import facts

_ASSESSED = {"last_verified_at", "confidence", "promoted"}


def revert_value(change: Change) -> Made:
    """Open a new version with the value that was superseded."""
    return _reopened(change, _current(change))


def restore_value(change: Change) -> Made:
    """Open a version with the value that was dropped."""
    old = change.restored(Fact, "fact")
    if facts.current(change.tx, change.space.id, old.person_id, old.category, old.key):
        raise change.conflict(f"the fact {old.category}/{old.key} was set since")
    return _reopened(change, None)


def drop_again(change: Change) -> Made:
    """End a value that had come back."""
    fact = _current(change)
    name = (fact.person_id, fact.category, fact.key)
    dropped = drop_fact(change.tx, change.space, *name, change.now, change.actor, reason=change.reason)
    return change.noted(dropped, dropped.id, "fact")


def revert_assessment(change: Change) -> Made:
    """Let a version be as sure, as recently seen and as promoted as it was."""
    current = _current(change)
    fact = change.reverted(current, _ASSESSED)
    facts.assess(change.tx, fact)
    return change.updated(fact, current)


def _current(change: Change) -> Fact:
    """The version that the change made or left, which must still hold."""
    found = facts.by_ids(change.tx, change.space.id, [change.id]).get(change.id)
    if found is None or found.valid_to is not None:
        raise change.conflict("the fact has changed since")
    return found


def _reopened(change: Change, current: Fact | None) -> Made:
    draft = FactDraft.model_validate({name: change.before.get(name) for name in FactDraft.model_fields})
    change.check_person(draft.person_id)
    fact = open_fact(change.tx, change.space, draft, current, change.now, change.actor, because=change.reason)
    return change.noted(fact, fact.id, "fact")
