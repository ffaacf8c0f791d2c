"""Who lives in a space: one transaction for every change, under the same rules whoever asks.

A household has at least one person, at most one of them primary, and in single mode only one. From single to
multi the person there is becomes primary; from multi to single only one person may be left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bethink.errors import Conflict, NotFound
from bethink.facts.versions import drop_fact, open_fact
from bethink.people.devices import release
from bethink.people.members import Place, members
from bethink.records import DEFAULT_PERSON, PRIMARY, Household, JournalEntry, Mode, Person, Space
from bethink.shapes.households import HouseholdChanged, HouseholdDraft, PersonDraft
from bethink.shapes.inputs import FactDraft
from bethink.store import Tx, facts, journal, persons, spaces
from bethink.store.journal import note, values_of
from bethink.text.fold import bare

_SETTINGS = ("display_name", "mode", "timezone", "locale")
_EVERY = 1_000_000  # more facts than anyone has


def ensure(tx: Tx, name: str, seed: HouseholdDraft | None, now: datetime) -> Space:
    """The space called `name`, made now if there is none; who lives in a new one is in `seed`, or "You"."""
    return ensure_people(tx, spaces.ensure(tx, name, now), seed, now)


def ensure_people(tx: Tx, space: Space, seed: HouseholdDraft | None, now: datetime) -> Space:
    """Let someone live in a space where nobody does, whatever it is called by now."""
    if persons.list_all(tx, space.id):
        return space
    space = spaces.claim(tx, space.id, now)
    if persons.list_all(tx, space.id):  # another process was quicker
        return space
    draft = seed or HouseholdDraft()
    wanted = draft.persons or [PersonDraft(display_name=DEFAULT_PERSON, role=PRIMARY)]
    space = _settled(space, draft, now)
    for person in members([Place(person) for person in wanted], space, None, now):
        persons.add(tx, person)
    spaces.update(tx, space)
    return space


def get(tx: Tx, space_id: str) -> Household:
    """The household of a space as it is now."""
    return Household.of(spaces.get(tx, space_id), persons.list_all(tx, space_id))


def replace(
    tx: Tx,
    space_id: str,
    draft: HouseholdDraft,
    now: datetime,
    actor: str,
    *,
    reason: str | None = None,
    leaving_as: Mapping[str, Any] | None = None,
) -> HouseholdChanged:
    """Change the settings that are given, and if `persons` are, who lives there. All of it, or nothing.

    `leaving_as` is what those who leave are to be as they go.
    """
    before = spaces.claim(tx, space_id, now)
    current = persons.list_all(tx, space_id)
    after = _settled(before, draft, now)
    wanted = _as_they_are(current) if draft.persons is None else draft.persons
    places = _places(wanted, current, persons.everyone(tx, space_id), before)
    work = _Work(tx, after, now, actor, reason)
    for place, person in zip(places, members(places, after, before, now), strict=True):
        work.settle(place.known, person)
    staying = {place.known.id for place in places if place.known}
    for person in current:
        if person.id not in staying:
            work.leave(person, leaving_as or {})
    work.finish(before)
    done = work.done
    return HouseholdChanged(**Household.of(after, persons.list_all(tx, space_id)).__dict__, **done.__dict__)


def add_person(tx: Tx, space_id: str, draft: PersonDraft, now: datetime, actor: str) -> Person:
    """Let someone live there; someone of that name who had left is back."""
    current = persons.list_all(tx, space_id)
    if taken := [p for p in current if bare(p.display_name) == bare(draft.display_name or "")]:
        raise Conflict(f"display_name: {taken[0].display_name} lives here already.", field="display_name")
    wanted = [*_as_they_are(current), draft.model_copy(update={"id": None})]
    changed = replace(tx, space_id, HouseholdDraft(persons=wanted), now, actor)
    return _one(changed.persons, (changed.added or changed.returned)[0])


def change_person(
    tx: Tx, space_id: str, person_id: str, draft: PersonDraft, now: datetime, actor: str
) -> Person:
    """Change what is known of someone who lives there."""
    current = persons.list_all(tx, space_id)
    _one(current, person_id)
    wanted = [draft if p.id == person_id else PersonDraft(id=p.id) for p in current]
    return _one(replace(tx, space_id, HouseholdDraft(persons=wanted), now, actor).persons, person_id)


def remove_person(tx: Tx, space_id: str, person_id: str, now: datetime, actor: str) -> HouseholdChanged:
    """Let someone leave: their facts end, what they said stays."""
    current = persons.list_all(tx, space_id)
    gone = _one(current, person_id)
    others = [person for person in current if person is not gone]
    if not others:
        raise Conflict(f"id: {gone.display_name} is the only person here, and someone must be.", field="id")
    return replace(tx, space_id, HouseholdDraft(persons=_as_they_are(others)), now, actor)


def _as_they_are(people: Sequence[Person]) -> list[PersonDraft]:
    return [PersonDraft(id=person.id) for person in people]


def _one(people: Sequence[Person], person_id: str) -> Person:
    for person in people:
        if person.id == person_id:
            return person
    raise NotFound(f"There is no person {person_id!r} in this space.", field="id")


@dataclass
class _Done:
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    removed: list[Person] = field(default_factory=list)
    facts_closed: int = 0


class _Work:
    """One change of a household: who comes, stays, goes."""

    def __init__(self, tx: Tx, space: Space, now: datetime, actor: str, reason: str | None) -> None:
        self._tx, self._space, self._now, self._actor, self._reason = tx, space, now, actor, reason
        self._notes: list[JournalEntry] = []
        self.done = _Done()

    def settle(self, known: Person | None, person: Person) -> None:
        """Store someone new, or what has changed about someone known."""
        if known is None:
            persons.add(self._tx, person)
            self.done.added.append(person.id)
            self._note("stored", person)
            return
        changes = {name for name in Person.model_fields if getattr(known, name) != getattr(person, name)}
        changes -= {"updated_at"}
        if not changes:
            return
        persons.update(self._tx, person)
        self._note("returned" if known.left_at else "updated", person, before=(known, changes))
        if known.left_at:
            self.done.returned.append(person.id)
            self._restore_facts(person, known.left_at)
        else:
            self.done.changed.append(person.id)

    def leave(self, person: Person, leaving_as: Mapping[str, Any]) -> None:
        """Someone leaves: their facts end, their devices are nobody's, what they said stays."""
        tx, reason = self._tx, self._reason or f"{person.display_name} left the household"
        for fact in facts.list_current(tx, self._space.id, person_id=person.id, limit=_EVERY):
            name = (fact.person_id, fact.category, fact.key)
            drop_fact(tx, self._space, *name, self._now, self._actor, reason=reason)
            self.done.facts_closed += 1
        release(tx, self._space, person, self._now, self._actor, reason)
        left = person.model_copy(update={**leaving_as, "left_at": self._now, "updated_at": self._now})
        persons.update(tx, left)
        self._note("left", left, before=(person, {"left_at", *leaving_as}))
        self.done.removed.append(left)

    def finish(self, before: Space) -> None:
        """Store the settings and what the journal says."""
        spaces.update(self._tx, self._space)
        changes = {name for name in _SETTINGS if getattr(before, name) != getattr(self._space, name)}
        if changes:
            was, now = values_of(before, changes), values_of(self._space, changes)
            self._notes.append(
                note(self._space, self._now, self._actor, "updated", self._space, before=was, after=now)
            )
        journal.add(self._tx, self._notes)

    def _restore_facts(self, person: Person, left_at: datetime) -> None:
        """The facts that ended when someone left hold again when they are back."""
        tx, space, because = self._tx, self._space, self._reason or f"{person.display_name} is back"
        for fact in facts.dropped_at(tx, space.id, person.id, left_at):
            if facts.current(tx, space.id, fact.person_id, fact.category, fact.key):
                continue  # it was set anew meanwhile
            draft = FactDraft(**{name: getattr(fact, name) for name in FactDraft.model_fields})
            open_fact(tx, space, draft, None, self._now, self._actor, because=because)

    def _note(self, action: str, person: Person, *, before: tuple[Person, set[str]] | None = None) -> None:
        was = values_of(*before) if before else None
        now = values_of(person, before[1]) if before else None
        self._notes.append(
            note(
                self._space, self._now, self._actor, action, person,
                reason=self._reason, before=was, after=now,
            )
        )  # fmt: skip


def _places(
    wanted: Sequence[PersonDraft], current: Sequence[Person], everyone: Sequence[Person], space: Space
) -> list[Place]:
    """Who of those known each of the wanted people is."""
    places = [Place(draft) for draft in wanted]
    for number, place in enumerate(places):
        place.find(number, current, everyone, places)
    if space.mode == Mode.SINGLE and len(current) == 1:
        _take_over(places, current[0])
    return places


def _take_over(places: Sequence[Place], only: Person) -> None:
    """The one person of a single space is the primary one of the new people, or else the first of them."""
    fresh = [place for place in places if place.known is None]
    if fresh and only not in [place.known for place in places]:
        next((place for place in fresh if place.is_primary), fresh[0]).known = only


def _settled(space: Space, draft: HouseholdDraft, now: datetime) -> Space:
    given = {name: getattr(draft, name) for name in _SETTINGS if getattr(draft, name) is not None}
    return space.model_copy(update={**given, "updated_at": now})
