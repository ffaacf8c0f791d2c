"""/api/facts: (category, key) → value, every version kept."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from recollect.errors import NotFound
from recollect.inputs import FactDraft, Name
from recollect.outcomes import FactSet, Status
from recollect.records import Fact
from recollect.rest.callers import ReadSpace, WriteSpace
from recollect.rest.pages import FactList, Limit
from recollect.rest.routes import KeyRoute, problems

router = APIRouter(prefix="/api/facts", tags=["facts"], route_class=KeyRoute)

Person = Annotated[Name | None, Query(alias="personId", description="Whose fact it is; nobody's by default.")]


@router.get("", summary="List facts", response_description="The current facts.", responses=problems())
async def list_facts(
    space: ReadSpace,
    category: Name | None = None,
    person_id: Annotated[
        Name | None, Query(alias="personId", description="Only this person's facts.")
    ] = None,
    limit: Limit = 200,
) -> FactList:
    """Current facts, by category and key."""
    return FactList(items=await space.facts.list(category=category, person_id=person_id, limit=limit))


@router.put(
    "",
    status_code=201,
    summary="Set a fact",
    response_description="The fact was not known and is stored.",
    responses=problems(body=True)
    | {200: {"model": FactSet, "description": "It was known: a new version of it, or verified again."}},
)
async def set_fact(draft: FactDraft, space: WriteSpace, response: Response) -> FactSet:
    """Make a value current. Another value than before closes the old version, which `previous` shows."""
    outcome = await space.facts.set(**draft.model_dump(exclude_unset=True))
    if outcome.status is not Status.STORED:
        response.status_code = 200
    return outcome


@router.get(
    "/current", summary="Get a fact", response_description="Its current version.", responses=problems(404)
)
async def get_fact(space: ReadSpace, category: Name, key: Name, person_id: Person = None) -> Fact:
    """The current version of a fact."""
    if found := await space.facts.get(category, key, person_id=person_id):
        return found
    raise NotFound(f"There is no current fact {category}/{key} in this space.", field="key")


@router.get(
    "/history", summary="Get a fact's history", response_description="Its versions.", responses=problems()
)
async def get_history(space: ReadSpace, category: Name, key: Name, person_id: Person = None) -> FactList:
    """Every version of a fact, newest first; none for a fact that was never set."""
    return FactList(items=await space.facts.history(category, key, person_id=person_id))
