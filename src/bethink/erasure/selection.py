"""What an erasure takes with it: the records asked for, and those derived from nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bethink.errors import NotFound
from bethink.records import Context, Device, Fact, Memory, Message, Person, Session
from bethink.shapes.fields import is_storable
from bethink.shapes.rights import EraseRequest, Place
from bethink.store import Tx, archive, facts, journal, memories, persons, sessions
from bethink.text.traces import Needles, strings_in

_Record = Memory | Message | Fact
_Told = _Record | Context


@dataclass
class Chosen:
    """The records to erase, by id."""

    memories: dict[str, Memory] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    person: Person | None = None
    session: Session | None = None
    devices: dict[str, Device] = field(default_factory=dict)
    contexts: dict[str, Context] = field(default_factory=dict)
    titled: dict[str, Session] = field(default_factory=dict)  # whose title or metadata holds the text or name
    misnamed: dict[str, Session] = field(default_factory=dict)  # whose id does
    bygone: set[str] = field(default_factory=set)  # ids of records that only the journal still knows
    query: str | None = None

    @property
    def ids(self) -> set[str]:
        own = {self.person.id} if self.person else set()
        talk = {self.session.id} if self.session else set()
        return {*self.memories, *self.messages, *self.facts, *self.contexts, *self.bygone} | own | talk

    @property
    def records(self) -> Iterator[Place]:
        for noun, found in (("memory", self.memories), ("message", self.messages), ("fact", self.facts)):
            yield from (Place(noun=noun, id=id_) for id_ in found)
        yield from (Place(noun="context", id=id_) for id_ in self.contexts)
        if self.person:
            yield Place(noun="person", id=self.person.id)
        if self.session:
            yield Place(noun="session", id=self.session.id)
        yield from (Place(noun="session", id=id_, field="title") for id_ in self.titled)
        yield from (Place(noun="session", id=id_, field="id") for id_ in self.misnamed)

    def needles(self) -> Needles:
        """The texts and ids that must not be found afterwards."""
        texts = [text for memory in self.memories.values() for text in (memory.content, memory.title)]
        texts += [message.content for message in self.messages.values()]
        texts += [text for fact in self.facts.values() for text in (fact.value, fact.source_context)]
        texts += [text for context in self.contexts.values() for text in (context.name, context.content)]
        if self.person:
            texts += [self.person.notes, self.person.display_name, *self.person.aliases]
        if self.session:
            texts.append(self.session.title)
        texts += [*self.misnamed, *(session.title for session in self.titled.values())]
        ids = self.ids - ({self.session.id} if self.session else set())  # a caller's own word, in any text
        return Needles((text for text in texts if text), ids, [self.query] if self.query else [])


def choose(tx: Tx, space_id: str, asked: EraseRequest) -> Chosen:
    """The records that are asked for, and what was derived from them alone."""
    chosen = Chosen(query=asked.query)
    wanted = _wanted(tx, space_id, asked, chosen)
    if asked.memory_ids is not None:
        chosen.memories = memories.by_ids(tx, space_id, [id_ for id_ in asked.memory_ids if is_storable(id_)])
    elif asked.fact_ids is None:
        _choose_said(tx, space_id, wanted, chosen)
    if asked.query is not None:
        chosen.contexts = {
            context.id: context
            for context in archive.each(tx, space_id, "context")
            if _holds(context, asked.query)
        }
    _choose_sessions(tx, space_id, chosen)
    gone = {*chosen.messages, *chosen.memories}
    for fact in archive.each(tx, space_id, "fact"):
        if wanted(fact) or (fact.provenance and gone.issuperset(fact.provenance)):
            chosen.facts[fact.id] = fact
    _check(tx, space_id, asked, chosen)
    return chosen


def _choose_sessions(tx: Tx, space_id: str, chosen: Chosen) -> None:
    """Conversations that are called by the text, or by a name of the person, that is erased."""
    if not (sought := _sought(chosen)):
        return
    for session in archive.each(tx, space_id, "session"):
        if any(sought.search(text.casefold()) for text in strings_in([session.title, session.metadata])):
            chosen.titled[session.id] = session
        if sought.search(session.id.casefold()):
            chosen.misnamed[session.id] = session


def _sought(chosen: Chosen) -> re.Pattern[str] | None:
    """A text anywhere; a name where it is a word of its own, or erasing Ana would take bananas too."""
    if chosen.query is not None:
        return re.compile(re.escape(chosen.query.casefold()))
    names = [chosen.person.display_name, *chosen.person.aliases] if chosen.person else []
    words = "|".join(re.escape(name.casefold().strip()) for name in names if name.strip())
    return re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])") if words else None


def _choose_said(tx: Tx, space_id: str, wanted: Callable[[_Record], bool], chosen: Chosen) -> None:
    """Messages and memories, in one pass over each."""
    for message in archive.each(tx, space_id, "message"):
        if wanted(message):
            chosen.messages[message.id] = message
    gone = chosen.messages.keys()
    for memory in archive.each(tx, space_id, "memory"):
        if wanted(memory) or not gone.isdisjoint(strings_in(memory.source_ref)):
            chosen.memories[memory.id] = memory


def _wanted(tx: Tx, space_id: str, asked: EraseRequest, chosen: Chosen) -> Callable[[_Record], bool]:
    if asked.memory_ids is not None:
        return lambda _: False  # they are looked up by their ids
    if asked.fact_ids is not None:
        named = {(fact.person_id, fact.category, fact.key) for fact in _facts(tx, space_id, asked.fact_ids)}
        return lambda record: (
            isinstance(record, Fact) and (record.person_id, record.category, record.key) in named
        )
    if asked.person_id is not None:
        person_id = asked.person_id
        chosen.person = persons.find(tx, space_id, person_id)
        if chosen.person is None:
            raise NotFound(f"There is no person {person_id!r} in this space.", field="person_id")
        return lambda record: record.person_id == person_id
    if asked.session_id is not None:
        session_id = asked.session_id
        chosen.session = sessions.find(tx, space_id, session_id)
        if chosen.session is None:
            raise NotFound(f"There is no session {session_id!r} in this space.", field="session_id")
        return lambda record: not isinstance(record, Fact) and record.session_id == session_id
    query = asked.query or ""
    return lambda record: _holds(record, query)


def _holds(record: _Told, query: str) -> bool:
    sought = query.casefold()
    return any(sought in text.casefold() for text in _texts(record))


def _texts(record: _Told) -> Iterator[str]:
    """Every text of a record that a person wrote."""
    match record:
        case Memory():
            said: list[Any] = [record.content, record.title, record.key, record.category, record.tags]
            said += [record.metadata, record.source_ref]
        case Message():
            said = [record.content, record.name, record.contact, record.channel]
            said += [record.attachments, record.metadata]
        case Context():
            said = [record.name, record.content]
        case Fact():
            said = [record.category, record.key, record.value, record.source_context]
    for part in said:
        yield from strings_in(part)


def _facts(tx: Tx, space_id: str, ids: list[str]) -> list[Fact]:
    found = facts.by_ids(tx, space_id, ids)
    for id_ in ids:
        if id_ not in found:
            raise NotFound(f"There is no fact {id_!r} in this space.", field="fact_ids")
    return list(found.values())


def _check(tx: Tx, space_id: str, asked: EraseRequest, chosen: Chosen) -> None:
    """A memory that was forgotten may still be in the journal, and can be erased from there."""
    for id_ in asked.memory_ids or ():
        if id_ in chosen.memories:
            continue
        if not is_storable(id_) or not journal.newest(tx, space_id, record_id=id_, limit=1):
            raise NotFound(f"There is no memory {id_!r} in this space.", field="memory_ids")
        chosen.bygone.add(id_)
