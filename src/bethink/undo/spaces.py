"""Undo changes of a space as a whole: its texts, its options, its names; and of its keys."""

from __future__ import annotations

from typing import cast

from bethink.core.current_options import stored
from bethink.errors import Conflict, InvalidInput, ModelError, NotFound, StoreError
from bethink.files.texts import set_text
from bethink.keys import changes as key_changes
from bethink.options.choose import note_options
from bethink.records import SpaceText
from bethink.shapes.accounts import KeyChange, SpaceChange
from bethink.shapes.options import SERVER_WIDE, Options
from bethink.spaces import changes as space_changes
from bethink.store import keys, settings, spaces, texts
from bethink.store.texts import TextName
from bethink.undo.change import Change, Made


def revert_text(change: Change) -> Made:
    """Give the soul or the narrative its old text; what came back is taken away again."""
    name = cast(TextName, change.entry.noun)
    if texts.get(change.tx, change.space.id, name) != change.after.get("content", ""):
        raise change.conflict(f"the {name} has changed since")
    text = SpaceText(name=name, content=change.before.get("content", ""), updated_at=change.now)
    set_text(change.tx, change.space, name, text.content, change.now, change.actor, because=change.reason)
    return change.noted(text, name, name)


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
