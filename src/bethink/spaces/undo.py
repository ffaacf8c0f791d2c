"""Undo changes of what a space is called."""

from __future__ import annotations

from bethink.errors import Conflict
from bethink.journal.change import Change, Made
from bethink.shapes.accounts import SpaceChange
from bethink.spaces import changes as space_changes
from bethink.store import spaces


def revert_names(change: Change) -> Made:
    """Call a space what it was called."""
    if change.id != change.space.id:
        raise change.conflict("it tells of another space")
    current = spaces.get(change.tx, change.space.id)
    change.check_unchanged(current)
    asked = SpaceChange.model_validate({name: change.before[name] for name in change.names})
    try:
        space_changes.change(
            change.tx, current, asked, change.setup.default_space, change.now, change.actor,
            reason=change.reason,
        )  # fmt: skip
    except Conflict as error:
        raise change.refusal(error) from None
    return change.noted(spaces.get(change.tx, change.space.id), change.id, "space")
