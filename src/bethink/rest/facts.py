"""/api/facts: (category, key) → value, every version kept."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from bethink.errors import NotFound
from bethink.records import Fact, Record, Utc
from bethink.rest.admission import in_turn
from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.pages import FactList, Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Content, Name, Title
from bethink.shapes.inputs import FactDraft
from bethink.shapes.outcomes import Doubt, FactSet, FactsFound, Status

router = APIRouter(prefix="/api/facts", tags=["facts"], route_class=KeyRoute)


class DoubtList(Record):
    """Facts worth confirming."""

    items: list[Doubt]


Person = Annotated[Name | None, Query(alias="personId", description="Whose fact it is; nobody's by default.")]


AsOf = Annotated[Utc | None, Query(alias="asOf", description="What held at this time; now, when left out.")]


@router.get(
    "",
    summary="List or search facts",
    response_description="The facts, and how they were found.",
    responses=problems(),
)
async def list_facts(
    space: ReadSpace,
    http: Request,
    secrets: Secrets,
    category: Annotated[Name | None, Query(description="Only of this category.")] = None,
    person_id: Annotated[
        Name | None, Query(alias="personId", description="Only this person's facts.")
    ] = None,
    promoted: Annotated[bool | None, Query(description="Only promoted ones, or only the others.")] = None,
    as_of: AsOf = None,
    q: Annotated[Content | None, Query(description="Find the facts that answer this.")] = None,
    limit: Limit = 200,
) -> FactsFound:
    """The facts that hold, by category and key. With `q`, those near to it in meaning, nearest first; when
    none are near enough, those whose category, key or value holds its text. `foundBy` says which.
    """
    chosen: dict[str, Any] = {
        "category": category,
        "person_id": person_id,
        "promoted": promoted,
        "as_of": as_of,
        "secrets": secrets,
    }
    if q is not None:
        return await in_turn(http, lambda: space.facts.search(q, limit=limit, **chosen))
    return FactsFound(items=await space.facts.list(**chosen, limit=limit))


@router.get(
    "/doubts",
    summary="List facts worth confirming",
    response_description="The facts, those first that are most worth asking about.",
    responses=problems(),
)
async def list_doubts(space: ReadSpace, secrets: Secrets, limit: Limit = 5) -> DoubtList:
    """Facts that nobody has confirmed for the half-life of their kind. Set one again to confirm it."""
    return DoubtList(items=await space.facts.doubts(limit=limit, secrets=secrets))


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


@router.delete(
    "", summary="End a fact", response_description="The version that has ended.", responses=problems(404)
)
async def forget_fact(
    space: WriteSpace,
    category: Name,
    key: Name,
    person_id: Person = None,
    reason: Annotated[Title | None, Query(description="Why, for the journal.")] = None,
) -> Fact:
    """End the current version of a fact; its history stays."""
    return await space.facts.forget(category, key, person_id=person_id, reason=reason)


@router.post(
    "/{id:path}/restore",
    summary="Restore a version of a fact",
    response_description="What is current now, and what was before.",
    responses=problems(404),
)
async def restore_fact(
    fact_id: Annotated[Name, Path(alias="id", description="The version's id, from the fact's history.")],
    space: WriteSpace,
    reason: Annotated[Title | None, Query(description="Why, for the journal.")] = None,
) -> FactSet:
    """Make an earlier version current again, as a new one. Nothing of the history is lost."""
    return await space.facts.restore(fact_id, reason=reason)


@router.get(
    "/current", summary="Get a fact", response_description="Its current version.", responses=problems(404)
)
async def get_fact(
    space: ReadSpace,
    secrets: Secrets,
    category: Name,
    key: Name,
    person_id: Person = None,
    as_of: AsOf = None,
) -> Fact:
    """The version of a fact that holds now, or held at a time."""
    if found := await space.facts.get(category, key, person_id=person_id, as_of=as_of, secrets=secrets):
        return found
    if as_of is not None:
        raise NotFound(f"No fact {category}/{key} held at that time in this space.", field="key")
    raise NotFound(f"There is no current fact {category}/{key} in this space.", field="key")


@router.get(
    "/history", summary="Get a fact's history", response_description="Its versions.", responses=problems()
)
async def get_history(
    space: ReadSpace, secrets: Secrets, category: Name, key: Name, person_id: Person = None
) -> FactList:
    """Every version of a fact, newest first; none for a fact that was never set."""
    return FactList(items=await space.facts.history(category, key, person_id=person_id, secrets=secrets))
