"""The people of a household as they are to be, checked against the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.errors import Conflict, InvalidInput, NotFound
from bethink.records import PRIMARY, Mode, Person, Space
from bethink.shapes.households import PersonDraft
from bethink.text.fold import bare


@dataclass
class Place:
    """Someone who is to live in the household, and who of those known it is."""

    draft: PersonDraft
    known: Person | None = None

    @property
    def is_primary(self) -> bool:
        return bare(self.draft.role or "") == PRIMARY

    def find(
        self, number: int, current: Sequence[Person], everyone: Sequence[Person], places: Sequence[Place]
    ) -> None:
        """Find who is meant: by id, or by the name of someone who lives there or has left."""
        draft = self.draft
        if draft.id is not None:
            self.known = next((person for person in everyone if person.id == draft.id), None)
            if self.known is None:
                raise NotFound(
                    f"persons.{number}.id: there is no person {draft.id!r} in this space; "
                    "leave the id out to add someone.",
                    field=f"persons.{number}.id",
                )
        else:
            name = bare(draft.display_name or "")
            asked_for = {place.draft.id for place in places}
            free = [person for person in (*current, *everyone) if person.id not in asked_for]
            self.known = next((person for person in free if bare(person.display_name) == name), None)
        earlier = [place.known.id for place in places[:number] if place.known]
        if self.known and self.known.id in earlier:
            raise InvalidInput(
                f"persons.{number}: {self.known.display_name} is in the list twice.",
                field=f"persons.{number}",
            )


def members(places: Sequence[Place], space: Space, before: Space | None, now: datetime) -> list[Person]:
    """The people of a space once it is as wanted; or why it cannot be so."""
    people = [_person(place, space, now) for place in places]
    if space.mode == Mode.SINGLE and len(people) > 1:
        raise _in_the_way(people)
    if before and before.mode == Mode.SINGLE and space.mode == Mode.MULTI:
        people = _with_primary(people, places)
    _check(people)
    return people


def _person(place: Place, space: Space, now: datetime) -> Person:
    given: dict[str, Any] = {name: getattr(place.draft, name) for name in place.draft.model_fields_set}
    given.pop("id", None)
    if "aliases" in given:
        given["aliases"] = list(dict.fromkeys(given["aliases"]))
    if place.known is None:
        return Person(id=new_id(), space_id=space.id, created_at=now, updated_at=now, **given)
    person = place.known.model_copy(update={**given, "left_at": None})
    return person if person == place.known else person.model_copy(update={"updated_at": now})


def _with_primary(people: Sequence[Person], places: Sequence[Place]) -> list[Person]:
    """The person of a single space is primary among the others, unless someone else is."""
    if any(_is_primary(person) for person in people):
        return list(people)
    there = [place.known is not None for place in places]
    first = there.index(True) if any(there) else 0
    return [
        person.model_copy(update={"role": PRIMARY}) if number == first else person
        for number, person in enumerate(people)
    ]


def _in_the_way(people: Sequence[Person]) -> Conflict:
    stays = next((person for person in people if _is_primary(person)), people[0])
    others = ", ".join(person.display_name for person in people if person is not stays)
    return Conflict(
        f"mode: a household in single mode has one person, and {others} would live there besides "
        f"{stays.display_name}; remove them first, or use multi mode.",
        field="mode",
    )


def _check(people: Sequence[Person]) -> None:
    names: dict[str, int] = {}
    voices: dict[str, int] = {}
    primary: int | None = None
    for number, person in enumerate(people):
        _once(names, bare(person.display_name), number, "display_name", "name", people)
        for voice in person.voice_ids:
            _once(voices, voice, number, "voice_ids", "voice", people)
        if _is_primary(person):
            if primary is not None:
                raise InvalidInput(
                    f"persons.{number}.role: {people[primary].display_name} is already primary; "
                    f"give {person.display_name} another role.",
                    field=f"persons.{number}.role",
                )
            primary = number


def _once(
    seen: dict[str, int], value: str, number: int, field: str, noun: str, people: Sequence[Person]
) -> None:
    other = seen.setdefault(value, number)
    if other != number:
        raise InvalidInput(
            f"persons.{number}.{field}: {people[other].display_name} has the same {noun}; "
            "everyone in a household needs their own.",
            field=f"persons.{number}.{field}",
        )


def _is_primary(person: Person) -> bool:
    return bare(person.role or "") == PRIMARY
