"""Who lives in a space and through what they speak, over HTTP. As the library has it."""

from __future__ import annotations

import builtins
from typing import Unpack

from bethink.client.http import Http, body_of, segment
from bethink.records import Device, Household, Person, Record
from bethink.shapes.fields import checked
from bethink.shapes.households import (
    DeviceDraft,
    HouseholdChanged,
    HouseholdDraft,
    PersonChange,
    PersonDraft,
    PersonMatch,
    Speaker,
)
from bethink.shapes.keywords import HouseholdChanges, PersonChanges, PersonFields


class _People(Record):
    items: list[Person]


class _Devices(Record):
    items: list[Device]


class ClientHousehold:
    """The household of a space: its name, mode, timezone and locale, and the people in it."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def get(self) -> Household:
        """The household as it is."""
        return await self._http.get("/api/household", Household)

    async def update(self, **changes: Unpack[HouseholdChanges]) -> HouseholdChanged:
        """Change what is given: all of it happens, or nothing."""
        body = body_of(HouseholdDraft, changes)
        return await self._http.post("/api/household", HouseholdChanged, body, method="PUT")


class ClientPeople:
    """The people of a space."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def list(self) -> builtins.list[Person]:
        """Everyone who lives there."""
        return (await self._http.get("/api/people", _People)).items

    async def get(self, person_id: str) -> Person:
        """One person by their id, also one who has left."""
        return await self._http.get(_person(person_id), Person)

    async def add(self, display_name: str, **fields: Unpack[PersonFields]) -> Person:
        """Let someone live there."""
        body = body_of(PersonDraft, {"display_name": display_name, **fields})
        return await self._http.post("/api/people", Person, body)

    async def update(self, person_id: str, **changes: Unpack[PersonChanges]) -> Person:
        """Change what is known of someone; what is left out stays."""
        body = body_of(PersonChange, changes)
        return await self._http.post(_person(person_id), Person, body, method="PATCH")

    async def remove(self, person_id: str) -> HouseholdChanged:
        """Let someone leave: facts about them end, what they said and what is remembered of them stays."""
        return await self._http.post(_person(person_id), HouseholdChanged, method="DELETE")

    async def resolve(self, ref: str) -> PersonMatch:
        """Who is meant by a name, an alias or a role."""
        return await self._http.get("/api/people/resolve", PersonMatch, ref=ref)

    async def speaker(
        self,
        text: str = "",
        *,
        device: str | None = None,
        voice: str | None = None,
        person: str | None = None,
    ) -> Speaker:
        """Who is speaking: by their voice, by the device, because they live alone, or by what they say."""
        body = {"text": text, "device": device, "voice": voice, "person": person}
        return await self._http.post("/api/people/speaker", Speaker, body)


class ClientDevices:
    """The devices of a space, by the ids their callers give them."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def list(self) -> builtins.list[Device]:
        """Every device, in the order they came."""
        return (await self._http.get("/api/devices", _Devices)).items

    async def get(self, device_id: str) -> Device:
        """One device by its id."""
        return await self._http.get(_device(device_id), Device)

    async def put(self, device_id: str, *, name: str, primary_person_id: str | None = None) -> Device:
        """Add a device, or change the one of this id; `primary_person_id` usually speaks through it."""
        draft = checked(DeviceDraft, {"name": name, "primary_person_id": primary_person_id})
        body = draft.model_dump(mode="json", by_alias=True)
        return await self._http.post(_device(device_id), Device, body, method="PUT")

    async def remove(self, device_id: str) -> Device:
        """Remove a device; the journal keeps what it was."""
        return await self._http.post(_device(device_id), Device, method="DELETE")


def _person(person_id: str) -> str:
    return f"/api/people/{segment(person_id)}"


def _device(device_id: str) -> str:
    return f"/api/devices/{segment(device_id)}"
