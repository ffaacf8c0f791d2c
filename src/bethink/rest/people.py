"""/api/people: who lives in a space, one by one; who is meant, and who is speaking."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from bethink.records import Person, Record
from bethink.rest.callers import ReadSpace, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name, Text
from bethink.shapes.households import HouseholdChanged, PersonChange, PersonDraft, PersonMatch, Speaker

router = APIRouter(prefix="/api/people", tags=["people"], route_class=KeyRoute)

PersonId = Annotated[Name, Path(alias="id", description="The person's id.")]


class PersonList(Record):
    """People, in the order they came."""

    items: list[Person]


class Utterance(Record):
    """Something that was said, and through what."""

    text: Text = Field("", description="What was said.")
    device: Name | None = Field(None, description="The id of the device that was spoken through.")
    voice: Name | None = Field(None, description="Whom the voice recogniser heard.")
    person: Name | None = Field(None, description="Who it is, where the caller knows: an id or a name.")


@router.get("", summary="List people", response_description="Who lives there.", responses=problems())
async def list_people(space: ReadSpace) -> PersonList:
    """Everyone who lives in the space."""
    return PersonList(items=await space.people.list())


@router.post(
    "",
    status_code=201,
    summary="Add a person",
    response_description="The person.",
    responses=problems(409, body=True),
)
async def add_person(draft: PersonDraft, space: WriteSpace) -> Person:
    """Let someone live there; someone of that name who had left is back, with the facts about them."""
    given = draft.model_dump(exclude_unset=True, exclude={"id", "display_name"})
    return await space.people.add(draft.display_name or "", **given)


@router.get(
    "/resolve",
    summary="Find who is meant",
    response_description="The person, or those it could be.",
    responses=problems(),
)
async def resolve_person(
    space: ReadSpace,
    ref: Annotated[Name, Query(description="A name, alias, role or relation: `Zoë`, `mom`, `my wife`.")],
) -> PersonMatch:
    """Who a name or a relation means, whatever its capitals and accents. Nobody when it could be several."""
    return await space.people.resolve(ref)


@router.post(
    "/speaker",
    summary="Tell who is speaking",
    response_description="Who it is, how sure that is and why.",
    responses=problems(404, body=True),
)
async def tell_speaker(said: Utterance, space: ReadSpace) -> Speaker:
    """By voice, by device, because they live alone, or by what they say; nobody when none of it tells."""
    return await space.people.speaker(said.text, device=said.device, voice=said.voice, person=said.person)


@router.get("/{id:path}", summary="Get a person", response_description="The person.", responses=problems(404))
async def get_person(person_id: PersonId, space: ReadSpace) -> Person:
    """One person by id, also one who has left."""
    return await space.people.get(person_id)


@router.patch(
    "/{id:path}",
    summary="Change a person",
    response_description="The person as they are now.",
    responses=problems(404, 409, body=True),
)
async def change_person(person_id: PersonId, changes: PersonChange, space: WriteSpace) -> Person:
    """Change the fields that are sent; the others stay."""
    return await space.people.update(person_id, **changes.model_dump(exclude_unset=True))


@router.delete(
    "/{id:path}",
    summary="Let a person leave",
    response_description="The household as it is now, and what changed.",
    responses=problems(404, 409),
)
async def remove_person(person_id: PersonId, space: WriteSpace) -> HouseholdChanged:
    """Facts about them end, and are back when they are; what they said and what is remembered stays."""
    return await space.people.remove(person_id)
