"""Store the records of an archive: as they are in an empty space, merged into one that is not.

Known ids, message ids of a platform and keys are left as they are, so an import that was broken off can
simply be run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.contracts import Taking
from bethink.index.describe import Style
from bethink.index.tell import tell
from bethink.nouns import NOUNS
from bethink.people import household
from bethink.records import JournalEntry, Space
from bethink.shapes.rights import Imported
from bethink.store import Tx, archive, journal, persons, rows, spaces
from bethink.transfer.check import Line
from bethink.transfer.lines import ArchivedSpace
from bethink.transfer.rename import named_ids, renamed


@dataclass
class Taken:
    """What became of some records."""

    stored: Counter[str] = field(default_factory=Counter)
    duplicates: Counter[str] = field(default_factory=Counter)
    people: dict[str, str] = field(default_factory=dict)  # people of the archive who are known by another id
    mixed: dict[str, bool] = field(default_factory=dict)  # sessions that came, and whether they were in use

    def add(self, other: Taken) -> None:
        self.stored += other.stored
        self.duplicates += other.duplicates
        self.people |= other.people
        self.mixed |= other.mixed


def begin(tx: Tx, space: Space, archived: ArchivedSpace, *, has_people: bool) -> bool:
    """Make an empty space what the archive says it was; whether it was empty."""
    held = [noun for noun in NOUNS.archived if noun != "person" and archive.count(tx, space.id, noun)]
    if held:
        return False
    if has_people:  # those there are came with the space, and nobody has spoken of them yet
        for person in persons.everyone(tx, space.id):
            persons.delete(tx, space.id, person.id)
    current = spaces.get(tx, space.id)
    update = {name: getattr(archived, name) for name in ArchivedSpace.model_fields}
    spaces.restore(tx, current.model_copy(update=update))
    return True


def finish(tx: Tx, space: Space, done: Imported, now: datetime, actor: str) -> None:
    """See that someone lives there; note a merge. A restored space has the archive's journal and no other."""
    household.ensure_people(tx, space, None, now)
    if done.restored:
        return
    told = ", ".join(f"{number} {noun}" for noun, number in done.stored.items() if number)
    line = JournalEntry(
        id=new_id(), space_id=space.id, at=now, actor=actor, action="imported", noun="archive",
        record_id=new_id(), reason=f"{done.format}: {told or 'nothing new'}",
    )  # fmt: skip
    journal.add(tx, [line])


def any_of_others(tx: Tx, space: Space, batch: Sequence[Line]) -> bool:
    """Whether another space of the database has one of these records, or one that they refer to."""
    by_noun: dict[str, set[str]] = {}
    for line in batch:
        for noun, ids in named_ids(line.noun, line.record):
            by_noun.setdefault(noun, set()).update(ids)
    return any(archive.of_others(tx, noun, sorted(ids), besides=space.id) for noun, ids in by_noun.items())


def take(tx: Tx, space: Space, batch: Sequence[Line], before: Taken, style: Style, *, copying: bool) -> Taken:
    """Store some records of an archive, after others `before`; with `copying` under ids of their own."""
    work = _Work(tx, space, before, style)
    by_noun: dict[str, list[Any]] = {}
    for line in batch:
        record = renamed(space.id, line.noun, line.record) if copying else line.record
        by_noun.setdefault(line.noun, []).append(record)
    for noun, records in by_noun.items():
        work.store(noun, records)
    return work.taken


class _Work:
    """One batch."""

    def __init__(self, tx: Tx, space: Space, before: Taken, style: Style) -> None:
        self._taking = Taking(tx, space, style, dict(before.people), dict(before.mixed))
        self._known = set(before.people)
        self._counted = Taken()

    @property
    def taken(self) -> Taken:
        """What became of the batch."""
        people = {old: new for old, new in self._taking.people.items() if old not in self._known}
        return Taken(self._counted.stored, self._counted.duplicates, people, self._taking.mixed)

    def store(self, noun: str, records: Sequence[Any]) -> None:
        if noun == "space":
            return
        own = [self._own(noun, record) for record in records]
        take = NOUNS.archived[noun].take
        stored = take(self._taking, own) if take else _take(self._taking, noun, own)
        self._counted.stored[noun] += stored
        self._counted.duplicates[noun] += len(own) - stored

    def _own(self, noun: str, record: Any) -> Any:
        """The record as one of this space, about people of this space."""
        update: dict[str, Any] = {}
        if "space_id" in type(record).model_fields:
            update["space_id"] = self._taking.space.id
        for reference in NOUNS.by_name[noun].references:
            if reference.to == "person" and (person_id := getattr(record, reference.field)):
                update[reference.field] = self._taking.people.get(person_id, person_id)
        return record.model_copy(update=update)


def _take(taking: Taking, noun: str, records: Sequence[Any]) -> int:
    """Store those whose ids are new."""
    known = archive.known(taking.tx, taking.space.id, noun, [record.id for record in records])
    fresh = {record.id: record for record in records if record.id not in known}
    rows.add(taking.tx, noun, fresh.values())
    tell(taking.tx, taking.space, noun, list(fresh.values()), taking.style)
    return len(fresh)
