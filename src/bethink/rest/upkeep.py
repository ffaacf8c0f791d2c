"""/api/upkeep: the sweeps that keep a space in order, running one now, and what they did."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from bethink.records import Record, Run
from bethink.rest.callers import ReadSpace, WriteSpace
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name
from bethink.shapes.upkeep import SweepStatus

router = APIRouter(prefix="/api/upkeep", tags=["upkeep"], route_class=KeyRoute)


class SweepList(Record):
    """Every sweep of a space."""

    items: list[SweepStatus]


class RunList(Record):
    """Runs of sweeps, newest first."""

    items: list[Run]


class RunRequest(Record):
    """How to run a sweep."""

    dry_run: bool = Field(False, description="Only count what it would do.")


@router.get("", summary="List sweeps", response_description="The sweeps.", responses=problems())
async def list_sweeps(space: ReadSpace) -> SweepList:
    """Every sweep: how much is due, whether it is running here, its newest run and its last failure."""
    return SweepList(items=await space.upkeep.list())


@router.get("/history", summary="What sweeps did", response_description="The runs.", responses=problems())
async def list_runs(
    space: ReadSpace,
    name: Annotated[Name | None, Query(description="Only runs of this sweep.")] = None,
    limit: Limit = 50,
) -> RunList:
    """Runs that did something, failed or were asked for. It holds numbers, and nothing that is remembered."""
    return RunList(items=await space.upkeep.history(name, limit=limit))


@router.post(
    "/{name}/run",
    summary="Run a sweep now",
    response_description="What came of it.",
    responses=problems(body=True),
)
async def run_sweep(
    space: WriteSpace,
    name: Annotated[Name, Path(description="The sweep, as the list names it.")],
    wanted: RunRequest | None = None,
) -> Run:
    """Run a sweep to its end, or count what it would do.

    The status is `skipped_locked` when a run of it is under way, here or in another process, and `failed`
    when it could not go on; `error` says why.
    """
    return await space.upkeep.run(name, dry_run=wanted.dry_run if wanted else False)
