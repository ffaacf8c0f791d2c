"""End the facts that a newer statement says are over, or give them the value it says instead."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.extraction.extractors.contract import Over
from bethink.facts.versions import end_fact, set_fact
from bethink.records import Fact, Mode, Space
from bethink.shapes.fields import NAME_CHARS
from bethink.shapes.inputs import FactDraft
from bethink.shapes.outcomes import FactSet, Status
from bethink.store import Tx, facts, journal, messages
from bethink.text.slots import Named, Slot, key_for, named, ontology, value_of
from bethink.text.slug import slug
from bethink.text.values import object_of

REASON = "a newer message says that it is over"
CORRECTED = "a newer message corrects it"
EVERY = 1_000_000  # more facts than anyone has
_JOB = ("employer", "role")


def close(tx: Tx, space: Space, over: Over, now: datetime, actor: str) -> list[FactSet]:
    """End what fits among the current facts of whoever says so; nothing that was said later."""
    said = messages.by_ids(tx, space.id, [over.message_id]).get(over.message_id)
    if said is None:
        return []
    current = facts.list_current(tx, space.id, now=now, limit=EVERY)
    theirs = [fact for fact in current if space.mode == Mode.SINGLE or fact.person_id == over.person_id]
    return [
        _closed(tx, space, over, fact, said.sent_at, now, actor)
        for fact in fitting(over, theirs)
        if said_by(tx, fact) <= said.sent_at
    ]


def said_by(tx: Tx, fact: Fact) -> datetime:
    """When a fact was last said; when it was set, if it was set by hand."""
    known = messages.by_ids(tx, fact.space_id, fact.provenance) if fact.provenance else {}
    return max((message.sent_at for message in known.values()), default=fact.valid_from)


def was_ended(tx: Tx, space: Space, draft: FactDraft, since: datetime) -> bool:
    """Whether what a draft says was said to be over after it was said: an old message is read late."""
    last = next(iter(facts.versions(tx, space.id, draft.person_id, draft.category, draft.key)), None)
    if last is None or last.valid_to is None or last.valid_to <= since:
        return False
    return bool(journal.newest(tx, space.id, record_id=last.id, action="ended", limit=1))


def fitting(over: Over, current: Sequence[Fact]) -> list[Fact]:
    """The facts that are over. Pure."""
    known = [(fact, named(fact.category, fact.key, fact.value)) for fact in current]
    if not over.slots:
        same = [fact for fact, _ in known if object_of(fact.value) == object_of(over.value or "")]
        return same if len(same) == 1 else []  # which of several is meant, nobody can tell
    ours = [(fact, about) for fact, about in known if about]
    if "partner" in over.slots:
        return _of_partner(over, ours)
    if over.slots == ("pet",):
        return _of_pet(over, ours)
    whose = slug(over.subject) if over.subject else None
    mine = [(fact, about) for fact, about in ours if about.subject == whose and about.slot.name in over.slots]
    found = [fact for fact, about in mine if over.value and _is_meant(over.value, fact, about.slot)]
    if over.value is None:
        found = _all_of(mine)
    if found and tuple(over.slots) == _JOB:  # with the job goes what one was there
        found += [fact for fact, about in mine if about.slot.name == "role" and fact not in found]
    return found


def _all_of(mine: Sequence[tuple[Fact, Named]]) -> list[Fact]:
    """What a slot holds, where it holds one thing: who stops "taking pills" does not say which."""
    return [
        fact
        for fact, about in mine
        if not about.slot.by_object
        and (not about.slot.many or sum(other.slot is about.slot for _, other in mine) == 1)
    ]


def _of_partner(over: Over, ours: Sequence[tuple[Fact, Named]]) -> list[Fact]:
    """All that is known of a partner, and that there is one; not where somebody else is spoken of."""
    partners = ontology().partners
    if over.subject and slug(over.subject) not in partners:
        return []
    theirs = [
        (fact, about)
        for fact, about in ours
        if about.subject in partners or (about.subject is None and about.slot.name in over.slots)
    ]
    called = [fact for fact, about in theirs if about.slot.name in ("name", "partner")]
    if over.value and not any(_is_meant(over.value, fact, ontology().slots["name"]) for fact in called):
        return []
    return [fact for fact, _ in theirs]


def _of_pet(over: Over, ours: Sequence[tuple[Fact, Named]]) -> list[Fact]:
    """All that is known of a pet; only its name where there are others of its kind."""
    whose = slug(over.subject or "pet")
    if whose not in ontology().pets:
        return []
    theirs = [(fact, about) for fact, about in ours if about.subject == whose]
    names = [fact for fact, about in theirs if about.slot.name == "name"]
    names += [fact for fact, about in ours if about.subject is None and about.slot.name == "pet"]
    meant = [fact for fact in names if over.value and object_of(over.value) == object_of(fact.value)]
    if len(names) > 1 or (over.value and names):
        only = len(names) == 1
        return [*meant, *(fact for fact, _ in theirs if only and meant and fact not in meant)]
    return [*names, *(fact for fact, _ in theirs if fact not in names)]


def _is_meant(value: str, fact: Fact, slot: Slot) -> bool:
    """Whether an object is that of a fact: the same, or part of it where nothing is at stake."""
    said, known = slot.object(value) or object_of(value), slot.object(fact.value) or object_of(fact.value)
    if said == known or slot.by_object:
        return said == known
    return set(said.split("_")) <= set(known.split("_"))


def _closed(
    tx: Tx, space: Space, over: Over, fact: Fact, said_at: datetime, now: datetime, actor: str
) -> FactSet:
    if over.instead is None:
        ended = end_fact(tx, space, fact, said_at, now, actor, reason=REASON, provenance=[over.message_id])
        return FactSet(status=Status.MERGED, id=fact.id, reason=REASON, fact=ended)
    return _corrected(tx, space, over, fact, over.instead, said_at, now, actor)


def _corrected(
    tx: Tx, space: Space, over: Over, fact: Fact, instead: str, said_at: datetime, now: datetime, actor: str
) -> FactSet:
    """Give a fact the value that was meant; where its key holds the object, another fact takes its place."""
    fields = {name: getattr(fact, name) for name in FactDraft.model_fields}
    about = named(fact.category, fact.key, fact.value)
    value = (value_of(about.slot, instead, "") if about else None) or instead
    changes = {"value": value, "provenance": [over.message_id], "source_context": None}
    if about and about.object is not None:
        said = [over.message_id]
        end_fact(tx, space, fact, said_at, now, actor, reason=CORRECTED, provenance=said)
        subject = about.subject.replace("_", " ") if about.subject else None
        changes["key"] = key_for(about.slot, subject, value)[:NAME_CHARS]
        return set_fact(tx, space, FactDraft(**fields | changes), now, actor, since=said_at)
    return set_fact(tx, space, FactDraft(**fields | changes), now, actor, because=CORRECTED, since=said_at)
