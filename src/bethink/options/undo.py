"""Undo changes of options."""

from __future__ import annotations

from bethink.core.current_options import stored
from bethink.errors import InvalidInput, ModelError, StoreError
from bethink.journal.change import Change, Made
from bethink.options.choose import note_options
from bethink.shapes.options import SERVER_WIDE, Options
from bethink.store import settings


def revert_options(change: Change) -> Made:
    """Choose what was chosen before, and take back what was not."""
    place = settings.SERVER if change.id == "server" else change.space.id
    now = settings.of_space(change.tx, place)
    if {name: now[name] for name in change.names if name in now} != change.after:
        raise change.conflict("the options have changed since")
    Options.model_validate(change.before)
    if place != settings.SERVER and (shared := change.names & SERVER_WIDE):
        raise change.conflict(f"the option {min(shared)} is the server's")
    for name in change.names:
        if name in change.before:
            settings.put(change.tx, place, name, change.before[name], change.now)
        else:
            settings.remove(change.tx, place, name)
    try:
        options = change.setup.options(*stored(change.tx, change.space.id))
    except (InvalidInput, ModelError) as error:
        raise change.refusal(error) from None
    line = note_options(change.tx, change.space, place, change.now, change.actor, now, reason=change.reason)
    if line is None:
        raise StoreError("The options did not change.")
    return Made(options, line)
