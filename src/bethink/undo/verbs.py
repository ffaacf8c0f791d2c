"""How people see what was changed in a space, and take it back."""

from __future__ import annotations

from typing import Unpack

from bethink.core import Handle
from bethink.journal.history import history
from bethink.records import Space
from bethink.shapes.fields import check_page, checked
from bethink.shapes.keywords import JournalFilters
from bethink.shapes.rights import JournalPage, JournalQuery, Undone
from bethink.undo.undoing import undo_change


class Undoing(Handle):
    """How people see what was changed, and take it back."""

    async def journal(self, *, limit: int = 50, **filters: Unpack[JournalFilters]) -> JournalPage:
        """Who changed what, newest first; the `next_cursor` of one page is the `cursor` of the next."""
        core, space = await self.inside.here()
        check_page(limit)
        page = await core.driver.read(history, space.id, checked(JournalQuery, filters), limit)
        return await self.inside.shown(page)

    async def undo(self, journal_id: str) -> Undone:
        """Undo a change of the journal: whatever was updated, merged, edited, forgotten, removed or renamed.

        Raises `Conflict` when what it changed has changed since. Undoing is noted too, and can be undone.
        """
        core, space = await self.inside.here()
        undone = await undo_change(core, space, journal_id, self.inside.actor)
        if isinstance(undone.record, Space):
            self.name = undone.record.name
        return await self.inside.shown(undone)
