"""Devices: added, changed and removed."""

from __future__ import annotations

from datetime import datetime

from bethink.errors import InvalidInput, NotFound
from bethink.records import Device, Person, Space
from bethink.shapes.households import DeviceDraft
from bethink.store import Tx, devices, journal, persons
from bethink.store.journal import note, values_of

_OWNER = {"primary_person_id"}


def put(tx: Tx, space: Space, device_id: str, draft: DeviceDraft, now: datetime, actor: str) -> Device:
    """Add the device of this id, or change it."""
    if draft.primary_person_id and not lives_here(tx, space, draft.primary_person_id):
        raise InvalidInput(
            f"primary_person_id: nobody in this space has the id {draft.primary_person_id!r}; "
            "add the person first.",
            field="primary_person_id",
        )
    known = devices.find(tx, space.id, device_id)
    device = Device(
        id=device_id,
        space_id=space.id,
        name=draft.name,
        primary_person_id=draft.primary_person_id,
        created_at=known.created_at if known else now,
        updated_at=now,
    )
    if known is None:
        devices.put(tx, device)
        journal.add(tx, [note(space, now, actor, "stored", device)])
        return device
    changes = {
        name for name in ("name", "primary_person_id") if getattr(known, name) != getattr(device, name)
    }
    if not changes:
        return known
    devices.put(tx, device)
    before, after = values_of(known, changes), values_of(device, changes)
    journal.add(tx, [note(space, now, actor, "updated", device, before=before, after=after)])
    return device


def get(tx: Tx, space: Space, device_id: str) -> Device:
    """A device of this space, or NotFound."""
    if found := devices.find(tx, space.id, device_id):
        return found
    raise NotFound(f"There is no device {device_id!r} in this space.", field="id")


def remove(
    tx: Tx, space: Space, device_id: str, now: datetime, actor: str, *, reason: str | None = None
) -> Device:
    """Remove a device; the journal keeps what it was."""
    found = get(tx, space, device_id)
    devices.delete(tx, space.id, device_id)
    journal.add(tx, [note(space, now, actor, "forgotten", found, reason=reason, before=values_of(found))])
    return found


def release(tx: Tx, space: Space, person: Person, now: datetime, actor: str, reason: str) -> None:
    """Let the devices of someone who leaves be nobody's."""
    for device in devices.list_all(tx, space.id):
        if device.primary_person_id == person.id:
            assign(tx, space, device, None, now, actor, reason)


def assign(
    tx: Tx, space: Space, device: Device, person_id: str | None, now: datetime, actor: str, reason: str
) -> None:
    """Let another person, or nobody, be the one who usually speaks through a device."""
    changed = device.model_copy(update={"primary_person_id": person_id, "updated_at": now})
    devices.put(tx, changed)
    before, after = values_of(device, _OWNER), values_of(changed, _OWNER)
    journal.add(tx, [note(space, now, actor, "updated", changed, reason=reason, before=before, after=after)])


def lives_here(tx: Tx, space: Space, person_id: str) -> bool:
    """Whether someone is known there and has not left."""
    found = persons.find(tx, space.id, person_id)
    return found is not None and found.left_at is None
