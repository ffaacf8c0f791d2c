"""The façade's part about undoing: the change in the database, and what this process must know of it."""

from __future__ import annotations

from bethink.clock import now
from bethink.records import Message, Session, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.rights import Undone
from bethink.store import Tx, journal, spaces
from bethink.undo import undo
from bethink.undo.change import Setup
from bethink.wiring import Engine


async def undo_change(engine: Engine, space: Space, journal_id: str, actor: str) -> Undone:
    """Undo the change that a line of the journal tells of."""
    await engine.files.sync(space)  # first, so that an edit of a file is not taken for a contradiction
    setup = Setup(engine.settings.index.document, engine.settings.space, engine.options.checked)
    names = await engine.driver.peek(_names, space, journal_id)
    async with engine.files.alone(*names):
        undone = await engine.driver.write(undo, space, journal_id, now(), actor, setup)
        engine.options.forget()
        engine.spaces_changed()
        if isinstance(undone.record, Space):
            space = undone.record
            if names:
                await engine.files.move(names[0], space)
    await engine.files.sync(space)
    await engine.options.look(space)  # another embedding source is used from now on
    engine.backfill.nudge(space)
    match undone.record:  # what was said, or need not be remembered, is another now
        case Message(session_id=session_id) | Session(id=session_id):
            engine.readings.nudge(space, session_id)
    return undone


def _names(tx: Tx, space: Space, journal_id: str) -> list[Space]:
    """A space as it is called and as it will be, if that is what is undone; else none."""
    line = journal.find(tx, space.id, journal_id) if is_storable(journal_id) else None
    is_name = line and (line.noun, line.action) == ("space", "renamed") and not line.imported
    before = line.before if line and is_name else None
    if before is None or not isinstance(before.get("name"), str):
        return []
    current = spaces.get(tx, space.id)
    return [current, current.model_copy(update={"name": before["name"]})]
