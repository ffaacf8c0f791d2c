"""Contexts: added, changed, removed, and given to sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.clock import new_id
from bethink.errors import InvalidInput, NotFound
from bethink.records import Context, Session, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.inputs import ContextChange, ContextDraft
from bethink.store import Tx, contexts, journal, sessions
from bethink.store.journal import note, values_of

DETACHED = "a context was removed"
_GIVEN = {"context_ids"}


def add(tx: Tx, space: Space, draft: ContextDraft, now: datetime, actor: str) -> Context:
    """Store a context."""
    context = Context(
        id=new_id(), space_id=space.id, name=draft.name, content=draft.content, created_at=now, updated_at=now
    )
    contexts.add(tx, context)
    journal.add(tx, [note(space, now, actor, "stored", context)])
    return context


def get(tx: Tx, space: Space, context_id: str) -> Context:
    """A context of this space, or NotFound."""
    if is_storable(context_id) and (found := contexts.by_ids(tx, space.id, [context_id]).get(context_id)):
        return found
    raise NotFound(f"There is no context {context_id!r} in this space.", field="id")


def change(
    tx: Tx, space: Space, context_id: str, wanted: ContextChange, now: datetime, actor: str
) -> Context:
    """Give it another name or another text."""
    found = get(tx, space, context_id)
    values = {name: value for name in ("name", "content") if (value := getattr(wanted, name)) is not None}
    changes = {name for name, value in values.items() if getattr(found, name) != value}
    if not changes:
        return found
    changed = found.model_copy(update={**values, "updated_at": now})
    contexts.update(tx, changed)
    before, after = values_of(found, changes), values_of(changed, changes)
    journal.add(tx, [note(space, now, actor, "updated", changed, before=before, after=after)])
    return changed


def remove(
    tx: Tx, space: Space, context_id: str, now: datetime, actor: str, *, reason: str | None = None
) -> Context:
    """Take it from every session and delete it; the journal keeps what it was, and which had it."""
    found = get(tx, space, context_id)
    for before, after in detach_everywhere(tx, space, context_id):
        note_contexts(tx, space, before, after, now, actor, reason or DETACHED)
    contexts.delete(tx, space.id, context_id)
    journal.add(tx, [note(space, now, actor, "forgotten", found, reason=reason, before=values_of(found))])
    return found


def detach_everywhere(tx: Tx, space: Space, context_id: str) -> list[tuple[Session, Session]]:
    """Take a context from every session that has it; those sessions as they were, and as they are."""
    changed = []
    for session in sessions.with_contexts(tx, space.id):
        if context_id in session.context_ids:
            left = [id_ for id_ in session.context_ids if id_ != context_id]
            without = session.model_copy(update={"context_ids": left})
            sessions.update(tx, without)
            changed.append((session, without))
    return changed


def note_contexts(
    tx: Tx, space: Space, before: Session, after: Session, now: datetime, actor: str, reason: str
) -> None:
    """Note that a session has other contexts."""
    was, is_now = values_of(before, _GIVEN), values_of(after, _GIVEN)
    journal.add(tx, [note(space, now, actor, "updated", after, reason=reason, before=was, after=is_now)])


def of_session(tx: Tx, space_id: str, session_id: str) -> list[Context]:
    """The contexts given to a session, in the order they were given."""
    session = sessions.find(tx, space_id, session_id)
    ids = session.context_ids if session else []
    found = contexts.by_ids(tx, space_id, ids)
    return [found[id_] for id_ in ids if id_ in found]


def check_known(tx: Tx, space: Space, ids: Sequence[str]) -> None:
    """Refuse a context that is not of this space."""
    if unknown := set(ids) - set(contexts.by_ids(tx, space.id, ids)):
        raise InvalidInput(
            f"context_ids: there is no context {min(unknown)!r} in this space; add it first.",
            field="context_ids",
        )
