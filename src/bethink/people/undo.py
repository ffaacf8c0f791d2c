"""Undo changes of people, of their devices, and of the household's settings."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.errors import Conflict, InvalidInput
from bethink.journal.change import Change, Made
from bethink.people import devices as device_changes
from bethink.people import household
from bethink.records import Device, Mode, Person
from bethink.shapes.households import DeviceDraft, HouseholdDraft, PersonChange, PersonDraft
from bethink.store import devices, persons, spaces
from bethink.store.journal import values_of

_HOUSEHOLD = {"display_name", "mode", "timezone", "locale"}


def revert_person(change: Change) -> Made:
    """Give what was changed about someone its old values."""
    person = _known(change)
    if person.left_at:
        raise change.conflict(f"{person.display_name} has left; undo that first")
    change.check_unchanged(person)
    others = [one for one in persons.list_all(change.tx, change.space.id) if one.id != person.id]
    return _settled(change, [*_as_they_are(others), _as_before(change)])


def bring_back(change: Change) -> Made:
    """Let someone who left be back: facts that ended with them hold again, their devices are theirs again."""
    person = _known(change)
    change.check_unchanged(person)
    current = persons.list_all(change.tx, change.space.id)
    made = _settled(change, [*_as_they_are(current), _as_before(change)])
    for line in change.lines_with_it("device"):
        device = devices.find(change.tx, change.space.id, line.record_id)
        was_theirs = (line.before or {}).get("primary_person_id") == person.id
        if was_theirs and device and device.primary_person_id is None:
            device_changes.assign(
                change.tx, change.space, device, person.id, change.now, change.actor, change.reason
            )
    return made


def send_away_again(change: Change) -> Made:
    """Let someone who came back leave again, as they were when they had left."""
    person = _known(change)
    change.check_unchanged(person)
    others = [one for one in persons.list_all(change.tx, change.space.id) if one.id != person.id]
    if not others:
        raise change.conflict(f"{person.display_name} is the only person here, and someone must be")
    return _settled(change, _as_they_are(others), leaving=True)


def revert_household(change: Change) -> Made:
    """Give the name, mode, timezone and locale of a household their old values."""
    if change.id != change.space.id:
        raise change.conflict("it tells of another space")
    current = spaces.claim(change.tx, change.space.id, change.now)
    reverted = change.reverted(current, _HOUSEHOLD)
    HouseholdDraft.model_validate(values_of(reverted, change.names & _HOUSEHOLD))
    living = persons.list_all(change.tx, change.space.id)
    if reverted.mode == Mode.SINGLE and len(living) > 1:
        names = ", ".join(person.display_name for person in living)
        raise change.conflict(f"{names} live there, and a household in single mode has one person")
    spaces.update(change.tx, reverted)
    return change.updated(reverted, current)


def revert_device(change: Change) -> Made:
    """Give a device its old name and person."""
    current = _device(change)
    device = change.reverted(current, DeviceDraft.model_fields)
    _check_owner(change, device)
    devices.put(change.tx, device)
    return change.updated(device, current)


def restore_device(change: Change) -> Made:
    """Bring a removed device back under its own id."""
    device = change.restored(Device, "device")
    if devices.find(change.tx, change.space.id, device.id):
        raise change.conflict(f"there is a device {device.id!r} again")
    _check_owner(change, device)
    devices.put(change.tx, device)
    return change.brought_back(device)


def remove_device_again(change: Change) -> Made:
    """Remove a device that undoing had brought back."""
    device = _device(change)
    change.check_unchanged(device)
    device_changes.remove(change.tx, change.space, device.id, change.now, change.actor, reason=change.reason)
    return change.noted(device, device.id, "device")


def _known(change: Change) -> Person:
    found = persons.find(change.tx, change.space.id, change.id)
    if found is None:
        raise change.conflict(f"the person {change.id} is no longer there")
    return found


def _as_they_are(people: Sequence[Person]) -> list[PersonDraft]:
    return [PersonDraft(id=person.id) for person in people]


def _as_before(change: Change) -> PersonDraft:
    known = change.names & PersonChange.model_fields.keys()
    return PersonDraft.model_validate({"id": change.id} | {name: change.before[name] for name in known})


def _settled(change: Change, people: Sequence[PersonDraft], *, leaving: bool = False) -> Made:
    """Change the household by its own rules."""
    known = change.names & PersonChange.model_fields.keys()
    as_before = {name: change.before[name] for name in known} if leaving else None
    try:
        household.replace(
            change.tx, change.space.id, HouseholdDraft(persons=list(people)), change.now, change.actor,
            reason=change.reason, leaving_as=as_before,
        )  # fmt: skip
    except (Conflict, InvalidInput) as error:
        raise change.refusal(error) from None
    return change.noted(_known(change), change.id, "person")


def _device(change: Change) -> Device:
    found = devices.find(change.tx, change.space.id, change.id)
    if found is None:
        raise change.conflict(f"the device {change.id!r} was removed; undo that first")
    return found


def _check_owner(change: Change, device: Device) -> None:
    owner = device.primary_person_id
    if owner and not device_changes.lives_here(change.tx, change.space, owner):
        raise change.conflict(f"the person {owner} who spoke through it no longer lives here")
