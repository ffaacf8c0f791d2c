"""People and their devices, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.contracts import Archived, Noun, Reference, Taking
from bethink.journal.ways import NEW
from bethink.people.undo import (
    bring_back,
    remove_device_again,
    restore_device,
    revert_device,
    revert_person,
    send_away_again,
)
from bethink.records import Device, Person, Space
from bethink.store import devices, persons
from bethink.text.fold import bare


def _damaged_person(id_: str, space: Space) -> Person:
    """Who takes the place of a damaged record, so that what belongs to them can be imported."""
    return Person(
        id=id_,
        space_id=space.id,
        display_name=f"Damaged record {id_}",
        created_at=space.created_at,
        updated_at=space.created_at,
    )


def _take_persons(taking: Taking, records: Sequence[Person]) -> int:
    known = persons.everyone(taking.tx, taking.space.id)
    ids = {person.id for person in known}
    by_name = {bare(person.display_name): person.id for person in known if person.left_at is None}
    stored = 0
    for person in records:
        if person.id in ids:
            continue
        if other := by_name.get(bare(person.display_name)):
            taking.people[person.id] = other
            continue
        persons.add(taking.tx, person)
        ids.add(person.id)
        stored += 1
    return stored


PERSON = Noun(
    "person",
    Person,
    "persons",
    counted_as="people",
    ended_by="left_at",
    archived=Archived(long=("notes",), stand_in=_damaged_person, take=_take_persons),
    traces=lambda person: (person.notes, person.display_name, *person.aliases),
    on_everything="renewed",  # someone always lives in a space
    ways={"updated": revert_person, "left": bring_back, "returned": send_away_again},
    final={"stored": NEW.format("remove the person")},
)


def _take_devices(taking: Taking, records: Sequence[Device]) -> int:
    fresh = [record for record in records if not devices.find(taking.tx, taking.space.id, record.id)]
    for record in fresh:
        devices.put(taking.tx, record)
    return len(fresh)


DEVICE = Noun(
    "device",
    Device,
    "devices",
    ids="space",
    references=(Reference("primary_person_id", "person"),),
    archived=Archived(take=_take_devices),
    ways={"updated": revert_device, "forgotten": restore_device, "restored": remove_device_again},
    final={"stored": NEW.format("remove it")},
)
