"""The façade's part about undoing: the change in the database, and what this process must know of it."""

from __future__ import annotations

from recollect.capture.undo import undo
from recollect.capture.undo.change import Setup
from recollect.clock import now
from recollect.engine import Engine
from recollect.records import Message, Session, Space
from recollect.rights import Undone


async def undo_change(engine: Engine, space: Space, journal_id: str, actor: str) -> Undone:
    """Undo the change that a line of the journal tells of."""
    await engine.files.sync(space)  # first, so that an edit of a file is not taken for a contradiction
    setup = Setup(engine.settings.index.document, engine.settings.space, engine.options.checked)
    async with engine.files.alone(space):
        undone = await engine.driver.write(undo, space, journal_id, now(), actor, setup)
        engine.options.forget()
        engine.spaces_changed()
        if isinstance(undone.record, Space):
            await engine.files.move(space, undone.record)
            space = undone.record
    await engine.files.sync(space)
    await engine.options.look(space)  # another embedding source is used from now on
    engine.backfill.nudge(space)
    match undone.record:  # what was said, or need not be remembered, is another now
        case Message(session_id=session_id) | Session(id=session_id):
            engine.readings.nudge(space, session_id)
    return undone
