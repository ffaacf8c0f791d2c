"""Undo changes of sessions, of their messages, and of the contexts that are given to them."""

from __future__ import annotations

from typing import Any

from bethink.conversations import contexts as context_changes
from bethink.conversations.messages import ATTRIBUTION, MUTABLE, forget
from bethink.conversations.observe import EDITABLE, edit
from bethink.conversations.summarised import release
from bethink.conversations.withdraw import withdraw
from bethink.index.messages import index_around, index_messages
from bethink.journal.change import Change, Made
from bethink.records import Context, Json, Message
from bethink.store import contexts, extractions, journal, messages, sessions, units
from bethink.store.journal import note

_SESSION = {"title", "platform", "metadata", "context_ids"}
_CONTEXT = {"name", "content"}
WITHDRAWN_UNITS = "withdrawn_units"  # in a line of the journal: the numbers of what was withdrawn


def revert_session(change: Change) -> Made:
    """Give a session its old title, platform, metadata or contexts."""
    current = sessions.find(change.tx, change.space.id, change.id)
    if current is None:
        raise change.conflict(f"the session {change.id!r} is no longer there")
    session = change.reverted(current, _SESSION)
    known = contexts.by_ids(change.tx, change.space.id, session.context_ids)
    if gone := [id_ for id_ in session.context_ids if id_ not in known]:
        raise change.conflict(f"the context {gone[0]} is no longer there; undo its removal instead")
    sessions.update(change.tx, session)
    return change.updated(session, current)


def revert_message(change: Change) -> Made:
    """Give an edited message its old text, in its place. It is read again, as after any edit."""
    tx, space = change.tx, change.space
    message = change.reverted(_message(change), EDITABLE)
    style = change.setup.style
    line = edit(tx, space, message, change.now, change.actor, style, reason=change.reason)
    index_messages(tx, space, message.session_id, [(message.position, message.position)], change.setup.style)
    return Made(message, line)


def revert_details(change: Change) -> Made:
    """Let a message have been said by whom it was, and be pinned, archived and worth what it was."""
    current = _message(change)
    message = change.reverted(current, MUTABLE)
    change.check_person(message.person_id)
    messages.mark(change.tx, [message])
    if change.names & ATTRIBUTION:
        withdraw(change.tx, change.space, message, change.now, change.actor)
        release(change.tx, change.space, [message], change.setup.style)
    index_around(change.tx, change.space, [message], change.setup.style)
    return change.updated(message, current)


def restore_message(change: Change) -> Made:
    """Bring a forgotten message back under its own id, in its place, or at the end where that is taken."""
    tx, space = change.tx, change.space
    message = change.restored(Message, "message")
    change.check_person(message.person_id)
    if messages.by_ids(tx, space.id, [message.id]):
        raise change.conflict(f"the message {message.id} is there")
    if sessions.find(tx, space.id, message.session_id) is None:
        raise change.conflict(f"the session {message.session_id!r} is no longer there")
    named = [message.external_id] if message.external_id else []
    if messages.by_external_ids(tx, space.id, message.platform, named):
        raise change.conflict(f"its id {message.external_id!r} now names another message")
    if messages.window(tx, space.id, message.session_id, message.position, message.position):
        last = messages.last_position(tx, space.id, message.session_id)
        message = message.model_copy(update={"position": last + 1})
    messages.add(tx, [message])
    extractions.reopen(tx, space.id, message.session_id, message.position)  # it is read again
    index_around(tx, space, [message], change.setup.style)
    return change.brought_back(message)


def restore_units(change: Change) -> Made:
    """Let be found again what somebody asked to forget. What was made of it is undone line by line."""
    return _show_units(change, change.after.get(WITHDRAWN_UNITS), withdrawn=False)


def take_away_again(change: Change) -> Made:
    """Withdraw what undoing had let be found again, or forget the message that it had brought back."""
    if WITHDRAWN_UNITS in change.before:
        return _show_units(change, change.before[WITHDRAWN_UNITS], withdrawn=True)
    message = _message(change)
    change.check_unchanged(message)
    style = change.setup.style
    forget(change.tx, change.space, message.id, change.now, change.actor, style, reason=change.reason)
    return change.noted(message, message.id, "message")


def _show_units(change: Change, numbers: Any, *, withdrawn: bool) -> Made:
    tx, space, message = change.tx, change.space, _message(change)
    read = [one.unit for one in units.of_messages(tx, space.id, [message.id]).get(message.id, [])]
    due = [unit for unit in read if unit.number in (numbers or ()) and unit.withdrawn is not withdrawn]
    if not due:
        raise change.conflict(f"the message {change.id} says something else now")
    units.withdraw(tx, due, withdrawn=withdrawn)
    index_messages(tx, space, message.session_id, [(message.position, message.position)], change.setup.style)
    told: Json = {WITHDRAWN_UNITS: [unit.number for unit in due]}
    before, after = ({}, told) if withdrawn else (told, {})
    action = "withdrawn" if withdrawn else "restored"
    line = note(
        space, change.now, change.actor, action, message, reason=change.reason, before=before, after=after
    )
    journal.add(tx, [line])
    return Made(message, line)


def _message(change: Change) -> Message:
    found = messages.by_ids(change.tx, change.space.id, [change.id]).get(change.id)
    if found is None:
        raise change.conflict(f"the message {change.id} is no longer there")
    return found


def revert_context(change: Change) -> Made:
    """Give a context its old name or text."""
    current = _found(change)
    context = change.reverted(current, _CONTEXT)
    contexts.update(change.tx, context)
    return change.updated(context, current)


def restore_context(change: Change) -> Made:
    """Bring a context back under its own id, and to the sessions that nobody gave other contexts since."""
    context = change.restored(Context, "context")
    if contexts.by_ids(change.tx, change.space.id, [context.id]):
        raise change.conflict(f"the context {context.id} is there")
    contexts.add(change.tx, context)
    for line in change.lines_with_it("session"):
        before, after = (line.before or {}).get("context_ids", []), (line.after or {}).get("context_ids")
        session = sessions.find(change.tx, change.space.id, line.record_id)
        if context.id not in before or session is None or session.context_ids != after:
            continue
        if len(contexts.by_ids(change.tx, change.space.id, before)) < len(set(before)):
            continue  # another of them is gone meanwhile
        given = session.model_copy(update={"context_ids": before})
        sessions.update(change.tx, given)
        context_changes.note_contexts(
            change.tx, change.space, session, given, change.now, change.actor, change.reason
        )
    return change.brought_back(context)


def remove_context_again(change: Change) -> Made:
    """Remove a context that undoing had brought back."""
    context = _found(change)
    change.check_unchanged(context)
    context_changes.remove(
        change.tx, change.space, context.id, change.now, change.actor, reason=change.reason
    )
    return change.noted(context, context.id, "context")


def _found(change: Change) -> Context:
    found = contexts.by_ids(change.tx, change.space.id, [change.id]).get(change.id)
    if found is None:
        raise change.conflict(f"the context {change.id} was removed; undo that first")
    return found
