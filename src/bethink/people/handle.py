"""The façade's part about people: the household, who lives there, through what they speak."""

from __future__ import annotations

from typing import Unpack

from bethink.clock import now
from bethink.core import Handle
from bethink.errors import NotFound
from bethink.people import devices as device_changes
from bethink.people import household
from bethink.people.resolve import resolve_person
from bethink.people.speaker import infer
from bethink.records import Device, Household, Person
from bethink.shapes.fields import check_name, checked
from bethink.shapes.households import (
    DeviceDraft,
    HouseholdChanged,
    HouseholdDraft,
    PersonDraft,
    PersonMatch,
    Speaker,
)
from bethink.shapes.keywords import HouseholdChanges, PersonChanges, PersonFields
from bethink.store import devices, persons


class AsyncHousehold:
    """The household of a space: its name, mode, timezone and locale, and the people in it."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def get(self) -> Household:
        """The household as it is."""
        core, space = await self._space.inside.here()
        return await core.driver.read(household.get, space.id)

    async def update(self, **changes: Unpack[HouseholdChanges]) -> HouseholdChanged:
        """Change what is given: all of it happens, or nothing.

        `persons` is everyone who is to live there; who is left out leaves. Someone known is meant by `id`, or
        by their name.
        """
        core, space = await self._space.inside.here()
        draft = checked(HouseholdDraft, changes)
        changed = await core.driver.write(household.replace, space.id, draft, now(), self._space.inside.actor)
        await core.changed("person", space)
        return changed


class AsyncPeople:
    """The people of a space."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def list(self) -> list[Person]:
        """Who lives there, in the order they came."""
        core, space = await self._space.inside.here()
        return await core.driver.read(persons.list_all, space.id)

    async def get(self, person_id: str) -> Person:
        """One person by id, also one who has left."""
        core, space = await self._space.inside.here()
        check_name(person_id, "id")
        if found := await core.driver.read(persons.find, space.id, person_id):
            return found
        raise NotFound(f"There is no person {person_id!r} in this space.", field="id")

    async def add(self, display_name: str, **fields: Unpack[PersonFields]) -> Person:
        """Let someone live there: `await memory.people.add("Anna", role="spouse")`."""
        core, space = await self._space.inside.here()
        draft = checked(PersonDraft, {"display_name": display_name, **fields})
        added = await core.driver.write(
            household.add_person, space.id, draft, now(), self._space.inside.actor
        )
        await core.changed("person", space)
        return added

    async def update(self, person_id: str, **changes: Unpack[PersonChanges]) -> Person:
        """Change what is known of someone; what is left out stays."""
        core, space = await self._space.inside.here()
        draft = checked(PersonDraft, {**changes, "id": person_id})
        changed = await core.driver.write(
            household.change_person, space.id, person_id, draft, now(), self._space.inside.actor
        )
        await core.changed("person", space)
        return changed

    async def remove(self, person_id: str) -> HouseholdChanged:
        """Let someone leave: facts about them end, what they said and what is remembered of them stays."""
        core, space = await self._space.inside.here()
        check_name(person_id, "id")
        changed = await core.driver.write(
            household.remove_person, space.id, person_id, now(), self._space.inside.actor
        )
        await core.changed("person", space)
        return changed

    async def resolve(self, ref: str) -> PersonMatch:
        """Who is meant by a name, an alias, a role or a relation (`Zoë`, `mom`, `my wife`).

        Nobody when it could be several; then the candidates are listed.
        """
        return resolve_person(ref, await self.list())

    async def speaker(
        self,
        text: str = "",
        *,
        device: str | None = None,
        voice: str | None = None,
        person: str | None = None,
    ) -> Speaker:
        """Who is speaking: by their voice, by the device, because they live alone, or by what they say.

        `person`, an id or a name, is for a caller who knows.
        """
        core, space = await self._space.inside.here()
        return await infer(core, space, text, device=device, voice=voice, person=person)


class AsyncDevices:
    """The devices of a space, by the ids their callers give them."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def list(self) -> list[Device]:
        """Every device, in the order they came."""
        core, space = await self._space.inside.here()
        return await core.driver.read(devices.list_all, space.id)

    async def get(self, device_id: str) -> Device:
        """One device by its id."""
        core, space = await self._space.inside.here()
        check_name(device_id, "id")
        return await core.driver.read(device_changes.get, space, device_id)

    async def put(self, device_id: str, *, name: str, primary_person_id: str | None = None) -> Device:
        """Add a device, or change the one of this id; `primary_person_id` usually speaks through it."""
        core, space = await self._space.inside.here()
        check_name(device_id, "id")
        draft = checked(DeviceDraft, {"name": name, "primary_person_id": primary_person_id})
        return await core.driver.write(
            device_changes.put, space, device_id, draft, now(), self._space.inside.actor
        )

    async def remove(self, device_id: str) -> Device:
        """Remove a device; what it was is returned and kept in the journal."""
        core, space = await self._space.inside.here()
        check_name(device_id, "id")
        return await core.driver.write(
            device_changes.remove, space, device_id, now(), self._space.inside.actor
        )
