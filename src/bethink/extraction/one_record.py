"""One thing, one record: a draft goes where what it is about is known already, by whatever name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.extraction.extractors.contract import NOBODY
from bethink.records import Fact, Message, Mode, Person, Space
from bethink.shapes.inputs import FactDraft
from bethink.store import Tx, facts, journal, persons
from bethink.store.journal import note, values_of
from bethink.text.fold import bare
from bethink.text.slots import named

MOST_ALIASES = 20
_EVERY = 1_000_000  # more facts than anyone has


def as_one_person(space: Space, turns: Sequence[Message]) -> Sequence[Message]:
    """The turns of a space where one person lives: whatever name or id came with them, they are theirs."""
    if space.mode != Mode.SINGLE:
        return turns
    return [
        turn.model_copy(update={"person_id": None, "name": None}) if turn.role == "user" else turn
        for turn in turns
    ]


def all_placed(tx: Tx, space: Space, drafts: Sequence[FactDraft]) -> list[FactDraft]:
    """Each draft under the names of the fact that is about the same thing, if there is one."""
    known = [facts.current(tx, space.id, one.person_id, one.category, one.key) for one in drafts]
    current = facts.list_current(tx, space.id, limit=_EVERY) if None in known else []
    return [
        draft if fact else _placed(space, draft, current) for draft, fact in zip(drafts, known, strict=True)
    ]


def _placed(space: Space, draft: FactDraft, current: Sequence[Fact]) -> FactDraft:
    theirs = [fact for fact in current if space.mode == Mode.SINGLE or fact.person_id == draft.person_id]
    if (known := _same(theirs, draft)) is None:
        return draft
    update = {"category": known.category, "key": known.key, "person_id": known.person_id}
    about = named(known.category, known.key, known.value)
    if about and about.object is not None and not about.slot.aspects:
        update["value"] = known.value  # "peanut" says nothing new beside "peanuts"
    return draft.model_copy(update=update)


def _same(current: Sequence[Fact], draft: FactDraft) -> Fact | None:
    exact = [fact for fact in current if (fact.category, fact.key) == (draft.category, draft.key)]
    about = named(draft.category, draft.key, draft.value)
    same = [fact for fact in current if about and named(fact.category, fact.key, fact.value) == about]
    return min(exact or same, key=lambda fact: (fact.valid_from, fact.id), default=None)


def learn_names(tx: Tx, space: Space, turns: Sequence[Message], now: datetime, actor: str) -> None:
    """In a space of one person, the names that come with their turns become their aliases."""
    if space.mode != Mode.SINGLE:
        return
    said = {turn.name for turn in turns if turn.role == "user" and turn.name}
    people = persons.list_all(tx, space.id) if said else []
    if len(people) != 1:
        return
    (person,) = people
    known = {bare(name) for name in (person.display_name, *person.aliases)} | NOBODY
    fresh = {bare(name): name for name in sorted(said) if bare(name) and bare(name) not in known}
    room = max(MOST_ALIASES - len(person.aliases), 0)
    if new := list(fresh.values())[:room]:
        _rename(tx, space, person, [*person.aliases, *new], now, actor)


def _rename(tx: Tx, space: Space, person: Person, aliases: list[str], now: datetime, actor: str) -> None:
    changed = person.model_copy(update={"aliases": aliases, "updated_at": now})
    persons.update(tx, changed)
    before, after = values_of(person, {"aliases"}), values_of(changed, {"aliases"})
    reason = "their turns came with this name"
    journal.add(tx, [note(space, now, actor, "updated", changed, reason=reason, before=before, after=after)])
