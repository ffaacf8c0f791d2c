"""Devices: added, changed and removed."""

from __future__ import annotations

from datetime import datetime

from recollect.capture.note import note, values_of
from recollect.errors import InvalidInput, NotFound
from recollect.households import DeviceDraft
from recollect.records import Device, Space
from recollect.store import Tx, devices, journal, persons


def put(tx: Tx, space: Space, device_id: str, draft: DeviceDraft, now: datetime, actor: str) -> Device:
    """Add the device of this id, or change it."""
    if draft.primary_person_id and not _lives_here(tx, space, draft.primary_person_id):
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
    devices.put(tx, device)
    before = values_of(known) if known else None
    action = "updated" if known else "stored"
    after = values_of(device) if known else None
    journal.add(tx, [note(space, now, actor, action, device, before=before, after=after)])
    return device


def get(tx: Tx, space: Space, device_id: str) -> Device:
    """A device of this space, or NotFound."""
    if found := devices.find(tx, space.id, device_id):
        return found
    raise NotFound(f"There is no device {device_id!r} in this space.", field="id")


def remove(tx: Tx, space: Space, device_id: str, now: datetime, actor: str) -> Device:
    """Remove a device; the journal keeps what it was."""
    found = get(tx, space, device_id)
    devices.delete(tx, space.id, device_id)
    journal.add(tx, [note(space, now, actor, "forgotten", found, before=values_of(found))])
    return found


def _lives_here(tx: Tx, space: Space, person_id: str) -> bool:
    found = persons.find(tx, space.id, person_id)
    return found is not None and found.left_at is None
