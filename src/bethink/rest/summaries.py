"""/api/summaries: what old messages come to."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from bethink.records import Message, Record, Summary, SummaryTier, Utc
from bethink.rest.callers import ReadSpace, Secrets
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name, Names
from bethink.shapes.outcomes import SummaryList
from bethink.shapes.rights import Cursor

SummaryId = Annotated[Name, Path(alias="id", description="The summary's id.")]

router = APIRouter(prefix="/api/summaries", tags=["summaries"], route_class=KeyRoute)


class Summarised(Record):
    """The messages that a summary was made from, in order."""

    items: list[Message]


@router.get(
    "",
    summary="List summaries",
    response_description="The summaries, and how many there are in all.",
    responses=problems(),
)
async def list_summaries(
    space: ReadSpace,
    tier: Annotated[list[SummaryTier] | None, Query(description="Of this tier.")] = None,
    person_id: Annotated[Names | None, Query(alias="personId", description="Of what they said.")] = None,
    since: Annotated[Utc | None, Query(description="Of messages up to this time or later.")] = None,
    until: Annotated[Utc | None, Query(description="Of messages that end before this time.")] = None,
    limit: Limit = 50,
    cursor: Annotated[
        Cursor | None, Query(description="The `nextCursor` of the piece before, with the same filters.")
    ] = None,
) -> SummaryList:
    """Summaries, those of the newest messages first."""
    return await space.summaries.list(
        tiers=tier, person_ids=person_id, since=since, until=until, limit=limit, cursor=cursor
    )


@router.get("/{id}", summary="Get a summary", response_description="The summary.", responses=problems(404))
async def get_summary(summary_id: SummaryId, space: ReadSpace) -> Summary:
    """One summary by its id."""
    return await space.summaries.get(summary_id)


@router.get(
    "/{id}/messages",
    summary="Open a summary",
    response_description="The messages.",
    responses=problems(404),
)
async def get_summarised(summary_id: SummaryId, space: ReadSpace, secrets: Secrets) -> Summarised:
    """The messages that a summary was made from, as they were said."""
    return Summarised(items=await space.summaries.messages(summary_id, secrets=secrets))
