"""/api/household: a space's settings and people as a whole."""

from __future__ import annotations

from fastapi import APIRouter

from bethink.records import Household
from bethink.rest.callers import ReadSpace, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.households import HouseholdChanged, HouseholdDraft

router = APIRouter(prefix="/api/household", tags=["people"], route_class=KeyRoute)


@router.get("", summary="Get the household", response_description="The household.", responses=problems())
async def get_household(space: ReadSpace) -> Household:
    """The household's name, mode, timezone and locale, and everyone who lives there."""
    return await space.household.get()


@router.put(
    "",
    summary="Change the household",
    response_description="The household as it is now, and what changed.",
    responses=problems(404, 409, body=True),
)
async def put_household(draft: HouseholdDraft, space: WriteSpace) -> HouseholdChanged:
    """Change what is sent; `persons` are replaced as a whole, and who is left out leaves.

    All of it happens, or nothing. Someone known is meant by `id`, or by their name; what is not sent about
    them stays. From single to multi the person there is becomes primary; back, only one may be left.
    """
    return await space.household.update(**draft.model_dump(exclude_unset=True))
