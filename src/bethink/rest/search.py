"""/api/search and /api/stats: the whole space at once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from bethink.rest.admission import in_turn
from bethink.rest.callers import Asking, ReadSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.outcomes import Growth, RecallResult, Stats
from bethink.shapes.status import SpaceMap
from bethink.status.map import MOST_POINTS
from bethink.status.vitals import FARTHEST_DAYS

router = APIRouter(prefix="/api", tags=["space"], route_class=KeyRoute)


@router.post(
    "/search",
    summary="Recall from every layer",
    response_description="The hits, best first, with every part of their scores.",
    responses=problems(body=True),
)
async def search_everything(
    request: RecallRequest, space: ReadSpace, asking: Asking, http: Request
) -> RecallResult:
    """Find the facts, memories and messages that answer a query; `layers` chooses among them.

    `secrets` needs a key that may write in the space.
    """
    if request.secrets:
        asking.require_writing(space)
    return await in_turn(http, lambda: space.recall(**request.model_dump(exclude_unset=True)))


@router.get(
    "/stats",
    summary="What the space holds",
    response_description="Counts, and the state of the index.",
    responses=problems(),
)
async def get_stats(space: ReadSpace) -> Stats:
    """How many records of each layer there are, how many await a vector, and what is degraded."""
    return await space.stats()


@router.get(
    "/stats/growth",
    summary="How the space has grown",
    response_description="How many records each day has brought.",
    responses=problems(),
)
async def get_growth(
    space: ReadSpace,
    days: Annotated[
        int, Query(ge=1, le=FARTHEST_DAYS, description="How many days back, today included.")
    ] = 90,
) -> Growth:
    """How many records of each layer are of each day, and how many are older."""
    return await space.index.growth(days=days)


@router.get(
    "/map",
    summary="The records on a plane",
    response_description="A point for each of the newest records.",
    responses=problems(),
)
async def get_map(
    space: ReadSpace,
    limit: Annotated[int, Query(ge=1, le=MOST_POINTS, description="How many records at most.")] = 1000,
) -> SpaceMap:
    """The newest records along the two directions in which their vectors differ most.

    Those that mean the like lie near each other.
    """
    return await space.index.map(limit=limit)
