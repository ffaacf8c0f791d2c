"""How people see, correct and take away what a space knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import IO, Any

from bethink.audit.auditing import audit_space, fix_findings
from bethink.erasure.erasing import erase_for_good
from bethink.errors import InvalidInput
from bethink.facts.handle import AsyncFacts as AsyncFacts
from bethink.journal.history import history
from bethink.records import Space
from bethink.shapes.audits import Audit, Finding, Fixed
from bethink.shapes.inputs import (
    checked,
)
from bethink.shapes.limits import FARTHEST as FARTHEST
from bethink.shapes.limits import PAGE_LIMIT as PAGE_LIMIT
from bethink.shapes.limits import check_page
from bethink.shapes.outcomes import (
    Progress,
)
from bethink.shapes.rights import (
    EraseRequest,
    Exported,
    Imported,
    ImportRequest,
    JournalPage,
    JournalQuery,
    Receipt,
    Undone,
)
from bethink.transfer.moving import export_space, import_space
from bethink.undo.undoing import undo_change
from bethink.wiring import Handle


class Overseeing(Handle):
    """How people see, correct and take away what a space knows."""

    async def journal(self, *, limit: int = 50, **filters: Any) -> JournalPage:
        """Who changed what, newest first; `filters` are those of `JournalQuery`: record_id, since, …"""
        engine, space = await self._here()
        check_page(limit)
        return await engine.driver.read(history, space.id, checked(JournalQuery, filters), limit)

    async def undo(self, journal_id: str) -> Undone:
        """Undo a change of the journal: whatever was updated, merged, edited, forgotten, removed or renamed.

        Raises `Conflict` when what it changed has changed since. Undoing is noted too, and can be undone.
        """
        engine, space = await self._here()
        undone = await undo_change(engine, space, journal_id, self._actor)
        if isinstance(undone.record, Space):
            self.name = undone.record.name
        return undone

    async def audit(self) -> Audit:
        """Look for duplicates, near-duplicates, junk, secrets, contradictions and stale facts.

        Changes nothing; each finding names the one step that mends it.
        """
        engine, space = await self._here()
        return await audit_space(engine, space)

    async def fix(self, *findings: str, kinds: Sequence[Finding | str] = ()) -> Fixed:
        """Mend findings of an audit, by their ids or all of some kinds; the journal keeps what was before."""
        engine, space = await self._here()
        try:
            wanted = [Finding(kind) for kind in kinds]
        except ValueError as error:
            known = ", ".join(kind.value for kind in Finding)
            raise InvalidInput(f"kinds: {error}; known are {known}.", field="kinds") from None
        return await fix_findings(engine, space, self._actor, findings, wanted)

    async def erase(self, **choice: Any) -> Receipt:
        """Erase every trace of something, and prove it: `memory_ids`, `fact_ids`, `person_id`, `session_id`,
        a `query` that texts hold, or `everything`. With `dry_run` the receipt only says what would go.
        """
        engine, space = await self._here()
        return await erase_for_good(engine, space, checked(EraseRequest, choice), self._actor)

    async def export(
        self, file: str | PathLike[str] | IO[bytes], *, progress: Callable[[Progress], None] | None = None
    ) -> Exported:
        """Write all that the space holds to one JSON Lines archive, at a path or to a binary stream."""
        engine, space = await self._here()
        return await export_space(engine, space, file, progress)

    async def import_(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        **options: Any,
    ) -> Imported:
        """Take in an archive, conversations of other programs, or what mem0, Chroma or a list in JSON holds.

        An empty space becomes what the archive was, to the byte; in another, what is known stays as it is.
        `options` are the fields of `ImportRequest`: format, me, timezone, …
        """
        engine, space = await self._here()
        request = checked(ImportRequest, options)
        return await import_space(engine, space, file, request, self._actor, progress)
