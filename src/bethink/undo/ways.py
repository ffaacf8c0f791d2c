"""How each kind of change is undone, and why the others cannot be: one table for all that is journalled."""

from __future__ import annotations

from collections.abc import Callable

from bethink.undo import facts, memories, people, sessions, spaces
from bethink.undo.change import Change, Made

Kind = tuple[str, str]  # the noun and the action of a line

WAYS: dict[Kind, Callable[[Change], Made]] = {
    ("memory", "updated"): memories.revert_memory,
    ("memory", "merged"): memories.revert_memory,
    ("memory", "forgotten"): memories.restore_memory,
    ("memory", "withdrawn"): memories.restore_memory,
    ("memory", "restored"): memories.forget_memory_again,
    ("message", "edited"): memories.revert_message,
    ("fact", "superseded"): facts.revert_value,
    ("fact", "forgotten"): facts.restore_value,
    ("fact", "withdrawn"): facts.restore_value,
    ("fact", "restored"): facts.drop_again,
    ("fact", "verified"): facts.revert_assessment,
    ("fact", "updated"): facts.revert_assessment,
    ("person", "updated"): people.revert_person,
    ("person", "left"): people.bring_back,
    ("person", "returned"): people.send_away_again,
    ("device", "updated"): people.revert_device,
    ("device", "forgotten"): people.restore_device,
    ("device", "restored"): people.remove_device_again,
    ("space", "updated"): people.revert_household,
    ("space", "renamed"): spaces.revert_names,
    ("session", "updated"): sessions.revert_session,
    ("context", "updated"): sessions.revert_context,
    ("context", "forgotten"): sessions.restore_context,
    ("context", "restored"): sessions.remove_context_again,
    ("soul", "updated"): spaces.revert_text,
    ("soul", "forgotten"): spaces.revert_text,
    ("soul", "restored"): spaces.revert_text,
    ("narrative", "updated"): spaces.revert_text,
    ("narrative", "forgotten"): spaces.revert_text,
    ("narrative", "restored"): spaces.revert_text,
    ("options", "updated"): spaces.revert_options,
    ("key", "renamed"): spaces.revert_key,
    ("key", "switched"): spaces.revert_key,
}

_NEW = "it was new and replaced nothing; {} instead"

FINAL: dict[Kind, str] = {
    ("memory", "stored"): _NEW.format("forget it"),
    ("fact", "stored"): _NEW.format("forget it"),
    ("fact", "held"): "the fact stayed as it was; set it to give it the other value",
    ("person", "stored"): _NEW.format("remove the person"),
    ("device", "stored"): _NEW.format("remove it"),
    ("context", "stored"): _NEW.format("remove it"),
    ("session", "stored"): _NEW.format("erase the session"),
    ("session", "observed"): "messages are what was said and replaced nothing; erase the session instead",
    ("soul", "stored"): _NEW.format("set another, or an empty one,"),
    ("narrative", "stored"): _NEW.format("set another, or an empty one,"),
    ("space", "created"): _NEW.format("delete the space"),
    ("space", "deleted"): "a space is deleted with all that it held, for good",
    ("key", "created"): _NEW.format("revoke the key"),
    ("key", "rotated"): "the old secret was given up for good; rotate the key again for another",
    ("key", "revoked"): "a revoked key never opens anything again; make another",
    ("archive", "imported"): "it replaced nothing; forget or erase what you do not want of it",
    ("erasure", "erased"): "what was erased is gone for good",
}
