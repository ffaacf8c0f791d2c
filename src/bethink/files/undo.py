"""Undo changes of a space's texts."""

from __future__ import annotations

from typing import cast

from bethink.files.texts import set_text
from bethink.journal.change import Change, Made
from bethink.records import SpaceText
from bethink.store import spaces
from bethink.store.spaces import TextName


def revert_text(change: Change) -> Made:
    """Give the soul or the narrative its old text; what came back is taken away again."""
    name = cast(TextName, change.entry.noun)
    if spaces.text(change.tx, change.space.id, name) != change.after.get("content", ""):
        raise change.conflict(f"the {name} has changed since")
    text = SpaceText(name=name, content=change.before.get("content", ""), updated_at=change.now)
    set_text(change.tx, change.space, name, text.content, change.now, change.actor, because=change.reason)
    return change.noted(text, name, name)
