"""A space's own texts: set, and noted in the journal."""

from __future__ import annotations

from datetime import datetime

from bethink.clock import new_id
from bethink.records import JournalEntry, Space
from bethink.store import Tx, journal, spaces
from bethink.store.spaces import TextName


def set_text(
    tx: Tx,
    space: Space,
    name: TextName,
    content: str,
    now: datetime,
    actor: str,
    *,
    because: str | None = None,
) -> bool:
    """Replace a text; whether it was another. The journal keeps the one before.

    `because` says why a text of old is set again.
    """
    before = spaces.text(tx, space.id, name)
    if before == content:
        return False
    spaces.set_text(tx, space.id, name, content, now)
    entry = JournalEntry(
        id=new_id(),
        space_id=space.id,
        at=now,
        actor=actor,
        action=_action(before, content, again=because is not None),
        noun=name,
        record_id=name,
        reason=because,
        before={"content": before} if before else None,
        after={"content": content} if content else None,
    )
    journal.add(tx, [entry])
    return True


def _action(before: str, content: str, *, again: bool) -> str:
    if not content:
        return "forgotten"
    return "updated" if before else "restored" if again else "stored"
