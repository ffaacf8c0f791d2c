"""/api/insights: what is going on in the channels of a space, and how much it counts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import Field

from bethink.memory import FARTHEST
from bethink.records import Record, Run, Utc
from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Content, Name, Names, Title
from bethink.shapes.insights import (
    MOST_DAYS,
    Activity,
    Digest,
    Importance,
    Insight,
    InsightChange,
    InsightDraft,
    InsightKind,
    InsightPage,
    InsightStatus,
    InsightUsage,
    RankedInsight,
    Trend,
    Urgency,
    Weighed,
)
from bethink.shapes.outcomes import InsightSet, Status

router = APIRouter(prefix="/api/insights", tags=["insights"], route_class=KeyRoute)

InsightId = Annotated[Name, Path(alias="id", description="The insight's id.")]
Person = Annotated[
    Name | None,
    Query(alias="personId", description="Whose views, favourites and weights count; by default nobody's."),
]
Offset = Annotated[int, Query(ge=0, le=FARTHEST, description="How many to skip.")]


class Because(Record):
    """Why an insight is closed."""

    because: Title = "done"
    message_id: Name | None = Field(None, description="The message that closes it.")


class Others(Record):
    """What is merged into an insight."""

    others: Annotated[Names, Field(min_length=1)]


def _filters(
    person_id: Person = None,
    kind: Annotated[list[InsightKind] | None, Query(description="Only of these kinds.")] = None,
    status: Annotated[InsightStatus | None, Query(description="Only open ones, or closed ones.")] = None,
    importance: Annotated[list[Importance] | None, Query(description="Only so important.")] = None,
    urgency: Annotated[list[Urgency] | None, Query(description="Only so urgent.")] = None,
    task_label: Annotated[list[Name] | None, Query(alias="taskLabel")] = None,
    person: Annotated[list[Name] | None, Query(description="Only what concerns one of these names.")] = None,
    platform: Annotated[list[Name] | None, Query(description="Only from these platforms.")] = None,
    channel: Annotated[list[Name] | None, Query(description="Only from these channels.")] = None,
    favourite: Annotated[bool | None, Query(description="Only favourites, or only the others.")] = None,
    activity: Annotated[Activity | None, Query(description="Viewed in thirty days, or not.")] = None,
    trend: Annotated[Trend | None, Query(description="Only those that are viewed so.")] = None,
    q: Annotated[Content | None, Query(description="Only those that hold this text.")] = None,
    since: Annotated[Utc | None, Query(description="Something was said of it then or later.")] = None,
    until: Annotated[Utc | None, Query(description="Nothing was said of it then or later.")] = None,
    due_before: Annotated[Utc | None, Query(alias="dueBefore", description="Due before this.")] = None,
) -> dict[str, Any]:
    chosen = {
        "person_id": person_id, "kinds": kind, "status": status, "importances": importance,
        "urgencies": urgency, "task_labels": task_label, "people": person, "platforms": platform,
        "channels": channel,
        "favourite": favourite, "activity": activity, "trend": trend, "query": q, "since": since,
        "until": until, "due_before": due_before,
    }  # fmt: skip
    return {name: value for name, value in chosen.items() if value is not None}


Filters = Annotated[dict[str, Any], Depends(_filters)]


@router.get("", summary="List insights", response_description="The insights, ranked.", responses=problems())
async def list_insights(
    space: ReadSpace, filters: Filters, limit: Limit = 50, offset: Offset = 0
) -> InsightPage:
    """Insights with their weights, those that count most first."""
    return await space.insights.list(**filters, limit=limit, offset=offset)


@router.post(
    "",
    status_code=201,
    summary="Add an insight",
    response_description="The insight was not known and is stored.",
    responses=problems(body=True) | {200: {"model": InsightSet, "description": "One has its key."}},
)
async def add_insight(draft: InsightDraft, space: WriteSpace, response: Response) -> InsightSet:
    """Store an insight; one with the same bot and key is extended by what is new."""
    outcome = await space.insights.add(**draft.model_dump(exclude_unset=True))
    if outcome.status is not Status.STORED:
        response.status_code = 200
    response.headers["location"] = f"/api/insights/{outcome.id}"
    return outcome


@router.get(
    "/usage", summary="Usage of insights", response_description="How they are used.", responses=problems()
)
async def insight_usage(space: ReadSpace, filters: Filters) -> InsightUsage:
    """Views, activity and trend over all insights, or over those that the filters choose."""
    return await space.insights.usage(**filters)


@router.post(
    "/generate",
    summary="Read what is new in the channels",
    response_description="What came of it.",
    responses=problems(),
)
async def generate_insights(space: WriteSpace) -> Run:
    """Make insights of the messages of channels that were not read yet; a sweep does so by itself."""
    return await space.insights.generate()


@router.get(
    "/{id:path}", summary="Get an insight", response_description="The insight.", responses=problems(404)
)
async def get_insight(
    insight_id: InsightId, space: ReadSpace, secrets: Secrets, person_id: Person = None
) -> RankedInsight:
    """One insight and how much it counts. That it was looked at is noted by `POST …/view` only."""
    return await space.insights.get(insight_id, person_id=person_id, secrets=secrets)


@router.patch(
    "/{id:path}",
    summary="Change an insight",
    response_description="The insight as it is now.",
    responses=problems(404, body=True),
)
async def change_insight(insight_id: InsightId, change: InsightChange, space: WriteSpace) -> Insight:
    """Change some of its fields; what is left out stays."""
    return await space.insights.update(insight_id, **change.model_dump(exclude_unset=True))


@router.post(
    "/{id:path}/view",
    summary="View an insight",
    response_description="The insight and how much it counts now.",
    responses=problems(404),
)
async def view_insight(insight_id: InsightId, space: WriteSpace, person_id: Person = None) -> RankedInsight:
    """Note that somebody looked at it, which lets it count more."""
    return await space.insights.view(insight_id, person_id=person_id)


@router.post(
    "/{id:path}/favourite",
    summary="Make an insight a favourite",
    response_description="The insight and how much it counts now.",
    responses=problems(404),
)
async def favour_insight(insight_id: InsightId, space: WriteSpace, person_id: Person = None) -> RankedInsight:
    """Make it a favourite; for a week it counts half as much again."""
    return await space.insights.favourite(insight_id, person_id=person_id)


@router.delete(
    "/{id:path}/favourite",
    summary="Make an insight no favourite",
    response_description="The insight and how much it counts now.",
    responses=problems(404),
)
async def unfavour_insight(
    insight_id: InsightId, space: WriteSpace, person_id: Person = None
) -> RankedInsight:
    """It is no favourite any longer."""
    return await space.insights.favourite(insight_id, False, person_id=person_id)


@router.put(
    "/{id:path}/weight",
    summary="Weigh an insight",
    response_description="The insight and how much it counts now.",
    responses=problems(404, body=True),
)
async def weigh_insight(
    insight_id: InsightId, wanted: Weighed, space: WriteSpace, person_id: Person = None
) -> RankedInsight:
    """Let it count so many times as much."""
    return await space.insights.weigh(insight_id, wanted.multiplier, person_id=person_id)


@router.post(
    "/{id:path}/resolve",
    summary="Close an insight",
    response_description="The insight as it is now.",
    responses=problems(404, body=True),
)
async def resolve_insight(insight_id: InsightId, why: Because, space: WriteSpace) -> Insight:
    """Close it: the task is done, the question answered, the meeting over."""
    return await space.insights.resolve(insight_id, why.because, message_id=why.message_id)


@router.post(
    "/{id:path}/reopen",
    summary="Open an insight again",
    response_description="The insight as it is now.",
    responses=problems(404),
)
async def reopen_insight(insight_id: InsightId, space: WriteSpace) -> Insight:
    """Open a closed insight again."""
    return await space.insights.reopen(insight_id)


@router.post(
    "/{id:path}/merge",
    summary="Merge insights",
    response_description="The insight as it is now.",
    responses=problems(404, body=True),
)
async def merge_insights(insight_id: InsightId, wanted: Others, space: WriteSpace) -> Insight:
    """Let others become part of this one: what was said of them, and done with them."""
    return await space.insights.merge(insight_id, *wanted.others)


digests = APIRouter(prefix="/api/digest", tags=["insights"], route_class=KeyRoute)


@router.delete(
    "/{id:path}", summary="Forget an insight", response_description="What it was.", responses=problems(404)
)
async def forget_insight(
    insight_id: InsightId,
    space: WriteSpace,
    reason: Annotated[Title | None, Query(description="Why, for the journal.")] = None,
) -> Insight:
    """Delete an insight and what was done with it."""
    return (await space.insights.forget(insight_id, reason=reason))[0]


@digests.get("", summary="Digest of some days", response_description="The digest.", responses=problems())
async def get_digest(
    space: ReadSpace, days: Annotated[int, Query(ge=1, le=MOST_DAYS, description="How far to look back.")] = 7
) -> Digest:
    """What was decided, what is due, what waits for an answer, what changed about whom."""
    return await space.digest(days)
