"""/api/audit: look through what is remembered, and mend what is found."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from bethink.records import Record
from bethink.rest.callers import ReadSpace, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.audits import Audit, Finding, Fixed
from bethink.shapes.fields import Names

router = APIRouter(prefix="/api/audit", tags=["journal"], route_class=KeyRoute)


class FixRequest(Record):
    """Which findings to mend: some by their ids, or all of some kinds."""

    ids: Names = Field(default_factory=list, description="The findings' ids.")
    kinds: list[Finding] = Field(default_factory=list, description="All findings of these kinds.")


@router.get("", summary="Audit a space", response_description="What was found.", responses=problems())
async def audit(space: ReadSpace) -> Audit:
    """Duplicates, near-duplicates, likely junk, secrets, contradictions and stale facts; changes nothing."""
    return await space.audit()


@router.post(
    "/fix",
    summary="Mend what an audit found",
    response_description="What was done.",
    responses=problems(body=True),
)
async def fix(wanted: FixRequest, space: WriteSpace) -> Fixed:
    """Merge what says the same, forget junk, keep the newest of contradictions, end stale facts.

    That is in the journal and can be brought back from there. A memory, fact or message with a secret in it
    is erased as a whole, for good.
    """
    return await space.fix(*wanted.ids, kinds=wanted.kinds)
