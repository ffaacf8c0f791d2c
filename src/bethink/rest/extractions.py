"""/api/extractions: what was read of the conversations, and what failed; and read again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from bethink.records import Extraction, ExtractionStatus, Record
from bethink.rest.callers import ReadSpace, WriteSpace
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name
from bethink.shapes.outcomes import ExtractRun

router = APIRouter(prefix="/api", tags=["sessions"], route_class=KeyRoute)


class ExtractionList(Record):
    """Readings of conversations, newest first."""

    items: list[Extraction]


@router.get(
    "/extractions", summary="List extractions", response_description="The readings.", responses=problems()
)
async def list_extractions(
    space: ReadSpace,
    status: Annotated[ExtractionStatus | None, Query(description="Only ok, failed or skipped ones.")] = None,
    session_id: Annotated[Name | None, Query(alias="sessionId", description="Of this conversation.")] = None,
    limit: Limit = 50,
) -> ExtractionList:
    """Which extractor read which messages, what came of it, what was left out and why, and what failed."""
    return ExtractionList(items=await space.extractions(status=status, session=session_id, limit=limit))


@router.post(
    "/upkeep/extract",
    summary="Read conversations now",
    response_description="What came of it.",
    responses=problems(),
)
async def extract(
    space: WriteSpace,
    retry: Annotated[bool, Query(description="Also what could not be read before.")] = False,
) -> ExtractRun:
    """Read what is due of the conversations now, rather than in the background."""
    return await space.extract(retry=retry)
