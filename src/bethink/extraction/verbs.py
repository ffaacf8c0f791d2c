"""What a space does to remember what is said in its conversations."""

from __future__ import annotations

from bethink.core import Handle
from bethink.errors import InvalidInput
from bethink.extraction.sweep import Readings
from bethink.records import Extraction, ExtractionStatus
from bethink.shapes.fields import check_page
from bethink.shapes.keywords import ExtractionWord
from bethink.shapes.outcomes import ExtractRun
from bethink.store import extractions


class Extracting(Handle):
    """What a space does to remember what is said in its conversations."""

    async def extract(self, *, retry: bool = False) -> ExtractRun:
        """Read now what is due of the conversations, rather than in the background.

        With `retry` also what could not be read before.
        """
        core, space = await self.inside.here()
        return await core.part(Readings).run(space, retry=retry)

    async def extractions(
        self, *, status: ExtractionWord | None = None, session: str | None = None, limit: int = 50
    ) -> list[Extraction]:
        """What was read of the conversations, by which extractor, and what failed; newest first."""
        core, space = await self.inside.here()
        check_page(limit)
        try:
            wanted = None if status is None else ExtractionStatus(status)
        except ValueError as error:
            known = ", ".join(one.value for one in ExtractionStatus)
            raise InvalidInput(f"status: {error}; known are {known}.", field="status") from None
        return await core.driver.read(
            extractions.newest, space.id, status=wanted, session_id=session, limit=limit
        )
