"""The façade's part about undoing: the change in the database, and what this process must know of it."""

from __future__ import annotations

from bethink.clock import now
from bethink.core import Core
from bethink.files.folder import SpaceFiles
from bethink.journal.change import Setup
from bethink.records import Message, Record, Session, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.rights import Undone
from bethink.store import Tx, journal, spaces
from bethink.undo import undo


async def undo_change(core: Core, space: Space, journal_id: str, actor: str) -> Undone:
    """Undo the change that a line of the journal tells of."""
    # First, so that an edit of a file is not taken for a contradiction.
    await core.part(SpaceFiles).sync(space)
    setup = Setup(core.settings.index.text_form, core.settings.space, core.options.checked)
    names = await core.driver.peek(_names, space, journal_id)
    async with core.part(SpaceFiles).alone(*names):
        undone = await core.driver.write(undo, space, journal_id, now(), actor, setup)
        if isinstance(undone.record, Space):
            space = undone.record
            if names:
                await core.part(SpaceFiles).move(names[0], space)
    await core.changed("undo", space, session_id=_session(undone.record))
    return undone


def _session(record: Record) -> str | None:
    """The conversation in which something else was said now, or need not be remembered any more."""
    match record:
        case Message(session_id=session_id) | Session(id=session_id):
            return session_id
    return None


def _names(tx: Tx, space: Space, journal_id: str) -> list[Space]:
    """A space as it is called and as it will be, if that is what is undone; else none."""
    line = journal.find(tx, space.id, journal_id) if is_storable(journal_id) else None
    is_name = line and (line.noun, line.action) == ("space", "renamed") and not line.imported
    before = line.before if line and is_name else None
    if before is None or not isinstance(before.get("name"), str):
        return []
    current = spaces.get(tx, space.id)
    return [current, current.model_copy(update={"name": before["name"]})]
