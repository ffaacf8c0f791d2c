"""Store the records of an archive: as they are in an empty space, merged into one that is not.

Known ids, message ids of a platform and keys are left as they are, so an import that was broken off can
simply be run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bethink.clock import new_id
from bethink.facts.versions import close_fact
from bethink.index.describe import Style, fact_entry, memory_entry
from bethink.index.messages import index_messages
from bethink.people import household
from bethink.records import (
    Context,
    Extraction,
    Fact,
    JournalEntry,
    Memory,
    Message,
    Person,
    Session,
    Space,
    SpaceText,
)
from bethink.shapes.rights import Imported
from bethink.store import (
    Tx,
    archive,
    contexts,
    devices,
    entries,
    extractions,
    facts,
    journal,
    memories,
    messages,
    persons,
    sessions,
    settings,
    spaces,
    texts,
)
from bethink.text.names import bare
from bethink.transfer.check import Line
from bethink.transfer.lines import ArchivedSpace
from bethink.transfer.rename import named_ids, renamed


@dataclass
class Taken:
    """What became of some records."""

    stored: Counter[str] = field(default_factory=Counter)
    duplicates: Counter[str] = field(default_factory=Counter)
    people: dict[str, str] = field(default_factory=dict)  # people of the archive who are known by another id

    def add(self, other: Taken) -> None:
        self.stored += other.stored
        self.duplicates += other.duplicates
        self.people |= other.people


def begin(tx: Tx, space: Space, archived: ArchivedSpace, *, has_people: bool) -> bool:
    """Make an empty space what the archive says it was; whether it was empty."""
    held = [noun for noun in archive.NOUNS if noun != "person" and archive.count(tx, space.id, noun)]
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
    household.ensure(tx, space.name, None, now)
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
    by_noun: dict[archive.Noun, set[str]] = {}
    for line in batch:
        for noun, ids in named_ids(line.noun, line.record):
            by_noun.setdefault(noun, set()).update(ids)
    return any(archive.of_others(tx, noun, sorted(ids), besides=space.id) for noun, ids in by_noun.items())


def take(
    tx: Tx, space: Space, batch: Sequence[Line], people: Mapping[str, str], style: Style, *, copying: bool
) -> Taken:
    """Store some records of an archive; with `copying` under ids of their own."""
    work = _Work(tx, space, people, style)
    by_noun: dict[str, list[Any]] = {}
    for line in batch:
        record = renamed(space.id, line.noun, line.record) if copying else line.record
        by_noun.setdefault(line.noun, []).append(record)
    for noun, records in by_noun.items():
        work.store(noun, records)
    return work.taken


class _Work:
    """One batch."""

    def __init__(self, tx: Tx, space: Space, people: Mapping[str, str], style: Style) -> None:
        self._tx, self._space, self._style = tx, space, style
        self._people = dict(people)
        self.taken = Taken()

    def store(self, noun: str, records: Sequence[Any]) -> None:
        ways: dict[str, Any] = {
            "space": lambda _: 0,
            "setting": self._settings,
            "text": self._texts,
            "context": self._contexts,
            "person": self._persons,
            "device": self._devices,
            "session": self._sessions,
            "message": self._messages,
            "extraction": self._extractions,
            "memory": self._memories,
            "fact": self._facts,
            "journal": self._journal,
        }
        own = [self._own(record) for record in records]
        stored = ways[noun](own)
        self.taken.stored[noun] += stored
        self.taken.duplicates[noun] += 0 if noun == "space" else len(own) - stored

    def _own(self, record: Any) -> Any:
        """The record as one of this space, about people of this space."""
        update: dict[str, Any] = {}
        if "space_id" in type(record).model_fields:
            update["space_id"] = self._space.id
        for name in ("person_id", "primary_person_id"):
            if (person_id := getattr(record, name, None)) in self._people:
                update[name] = self._people[person_id]
        return record.model_copy(update=update)

    def _settings(self, records: Sequence[archive.Setting]) -> int:
        known = settings.of_space(self._tx, self._space.id)
        fresh = [record for record in records if record.name not in known]
        for record in fresh:
            settings.put(self._tx, self._space.id, record.name, record.value, record.updated_at)
        return len(fresh)

    def _texts(self, records: Sequence[SpaceText]) -> int:
        stored = 0
        for record in records:
            name: Any = record.name
            if not texts.get(self._tx, self._space.id, name):
                texts.put(self._tx, self._space.id, name, record.content, record.updated_at)
                stored += 1
        return stored

    def _contexts(self, records: Sequence[Context]) -> int:
        known = contexts.by_ids(self._tx, self._space.id, [context.id for context in records])
        fresh = [context for context in records if context.id not in known]
        for context in fresh:
            contexts.add(self._tx, context)
        return len(fresh)

    def _persons(self, records: Sequence[Person]) -> int:
        known = persons.everyone(self._tx, self._space.id)
        ids = {person.id for person in known}
        by_name = {bare(person.display_name): person.id for person in known if person.left_at is None}
        stored = 0
        for person in records:
            if person.id in ids:
                continue
            if other := by_name.get(bare(person.display_name)):
                self._people[person.id] = self.taken.people[person.id] = other
                continue
            persons.add(self._tx, person)
            ids.add(person.id)
            stored += 1
        return stored

    def _devices(self, records: Sequence[Any]) -> int:
        fresh = [record for record in records if not devices.find(self._tx, self._space.id, record.id)]
        for record in fresh:
            devices.put(self._tx, record)
        return len(fresh)

    def _sessions(self, records: Sequence[Session]) -> int:
        stored = 0
        for session in records:
            if sessions.find(self._tx, self._space.id, session.id) is None:
                sessions.add(self._tx, session)
                stored += 1
            elif session.last_message_at:
                sessions.touch(self._tx, self._space.id, session.id, session.last_message_at)
        return stored

    def _messages(self, records: Sequence[Message]) -> int:
        tx, space = self._tx, self._space
        known = set(messages.by_ids(tx, space.id, [message.id for message in records]))
        by_platform: dict[str, set[str]] = {}
        for platform in {message.platform for message in records if message.external_id}:
            ids = [m.external_id for m in records if m.external_id and m.platform == platform]
            by_platform[platform] = set(messages.by_external_ids(tx, space.id, platform, ids))
        last: dict[str, int] = {}
        fresh: list[Message] = []
        for message in records:
            named = by_platform.get(message.platform, set())
            if message.id in known or message.external_id in named:
                continue
            session_id = message.session_id
            if session_id not in last:
                last[session_id] = messages.last_position(tx, space.id, session_id)
            position = max(message.position, last[session_id] + 1)
            last[session_id] = position
            fresh.append(message.model_copy(update={"position": position}))
            known.add(message.id)
            if message.external_id:
                named.add(message.external_id)
        messages.add(tx, fresh)
        for session_id in last:
            places = [message.position for message in fresh if message.session_id == session_id]
            index_messages(tx, space, session_id, [(min(places), max(places))], self._style)
        return len(fresh)

    def _extractions(self, records: Sequence[Extraction]) -> int:
        known = archive.known(self._tx, self._space.id, "extraction", [record.id for record in records])
        fresh = {record.id: record for record in records if record.id not in known}
        extractions.add(self._tx, fresh.values())
        return len(fresh)

    def _memories(self, records: Sequence[Memory]) -> int:
        tx, space = self._tx, self._space
        known = set(memories.by_ids(tx, space.id, [memory.id for memory in records]))
        keys = set(memories.by_keys(tx, space.id, [memory.key for memory in records if memory.key]))
        fresh = []
        for memory in records:
            if memory.id in known or memory.key in keys:
                continue
            fresh.append(memory)
            known.add(memory.id)
            keys |= {memory.key} if memory.key else set()
        memories.add(tx, fresh)
        entries.put(tx, space, [memory_entry(memory, space.timezone) for memory in fresh])
        return len(fresh)

    def _facts(self, records: Sequence[Fact]) -> int:
        known = set(facts.by_ids(self._tx, self._space.id, [fact.id for fact in records]))
        stored = 0
        for fact in records:
            if fact.id in known or (made := self._made_room(fact)) is None:
                continue
            facts.add(self._tx, made)
            entries.put(self._tx, self._space, [fact_entry(made)])
            known.add(fact.id)
            stored += 1
        return stored

    def _made_room(self, fact: Fact) -> Fact | None:
        """Two current values cannot be: the one that is valid since later stands. None for the same value."""
        if fact.valid_to is not None:
            return fact.until(fact.valid_to)
        tx, space = self._tx, self._space
        current = facts.current(tx, space.id, fact.person_id, fact.category, fact.key)
        if current is None:
            return fact
        if current.value == fact.value:
            return None
        if current.valid_from >= fact.valid_from:
            return fact.model_copy(update={"valid_to": current.valid_from, "superseded_by": current.id})
        close_fact(tx, space, current, fact.valid_from, superseded_by=fact.id)
        return fact

    def _journal(self, records: Sequence[JournalEntry]) -> int:
        known = archive.known(self._tx, self._space.id, "journal", [line.id for line in records])
        fresh = {
            line.id: line.model_copy(update={"imported": True}) for line in records if line.id not in known
        }
        journal.add(self._tx, fresh.values())
        return len(fresh)
