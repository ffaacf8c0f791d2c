"""Begin a conversation, or change what is told of it."""

from __future__ import annotations

from datetime import datetime

from bethink.conversations.contexts import check_known
from bethink.records import Session, Space
from bethink.shapes.inputs import SessionDraft
from bethink.store import Tx, journal, sessions
from bethink.store.journal import note, values_of


def begin(
    tx: Tx, space: Space, session_id: str, draft: SessionDraft, now: datetime, actor: str
) -> tuple[Session, bool]:
    """The session as it is now, and whether it is new; what the draft does not say stays."""
    check_known(tx, space, draft.context_ids)
    known = sessions.find(tx, space.id, session_id)
    session = known or Session(id=session_id, space_id=space.id, platform=draft.platform, created_at=now)
    values = {name: getattr(draft, name) for name in draft.model_fields_set}
    if known and "metadata" in values:
        values["metadata"] = known.metadata | values["metadata"]
    changed = session.model_copy(update=values)
    if known is None:
        sessions.add(tx, changed)
        journal.add(tx, [note(space, now, actor, "stored", changed)])
    elif changes := {name for name in values if getattr(known, name) != values[name]}:
        sessions.update(tx, changed)
        before, after = values_of(known, changes), values_of(changed, changes)
        journal.add(tx, [note(space, now, actor, "updated", changed, before=before, after=after)])
    return changed, known is None
