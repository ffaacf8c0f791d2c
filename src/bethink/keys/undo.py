"""Undo changes of keys."""

from __future__ import annotations

from bethink.errors import Conflict, NotFound
from bethink.journal.change import Change, Made
from bethink.keys import changes as key_changes
from bethink.shapes.accounts import KeyChange
from bethink.store import keys


def revert_key(change: Change) -> Made:
    """Give a key its old name, or the gateway its old way with it. Its secret stays the one it has."""
    try:
        key = key_changes.active(change.tx, change.id)
    except (Conflict, NotFound) as error:
        raise change.refusal(error) from None
    if key.space_id != change.space.id:
        raise change.conflict("it tells of a key of another space")
    change.check_unchanged(key)
    wanted = KeyChange.model_validate({name: change.before[name] for name in change.names})
    key_changes.change(change.tx, key.id, wanted, change.now, change.actor, reason=change.reason)
    found = keys.get(change.tx, key.id)
    return change.noted(found[0] if found else key, key.id, "key")
