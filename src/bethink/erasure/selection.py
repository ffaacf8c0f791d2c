"""What an erasure takes with it: the records asked for, and those derived from nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bethink.contracts import Reference
from bethink.errors import NotFound
from bethink.nouns import NOUNS
from bethink.records import Fact, Message, Person, Record, Session
from bethink.shapes.fields import is_storable
from bethink.shapes.rights import EraseRequest, Place
from bethink.store import Tx, archive, facts, journal, memories, messages, persons, sessions
from bethink.text.traces import Traces, compared, strings_in

Wanted = Callable[[str, Any], bool]  # whether a record of a noun was asked for


@dataclass
class Selection:
    """The records to erase, by noun and id."""

    found: dict[str, dict[str, Record]] = field(default_factory=dict)
    person: Person | None = None
    session: Session | None = None
    titled: dict[str, Session] = field(default_factory=dict)  # whose title or metadata holds the text or name
    misnamed: dict[str, Session] = field(default_factory=dict)  # whose id does
    bygone: set[str] = field(default_factory=set)  # ids of records that only the journal still knows
    query: str | None = None

    def of(self, noun: str) -> dict[str, Record]:
        """The records of a noun, by id."""
        return self.found.setdefault(noun, {})

    @property
    def ids(self) -> set[str]:
        own = {self.person.id} if self.person else set()
        talk = {self.session.id} if self.session else set()
        return {id_ for records in self.found.values() for id_ in records} | self.bygone | own | talk

    @property
    def records(self) -> Iterator[Place]:
        for noun in erasable():
            yield from (Place(noun=noun, id=id_) for id_ in self.of(noun))
        if self.person:
            yield Place(noun="person", id=self.person.id)
        if self.session:
            yield Place(noun="session", id=self.session.id)
        yield from (Place(noun="session", id=id_, field="title") for id_ in self.titled)
        yield from (Place(noun="session", id=id_, field="id") for id_ in self.misnamed)

    def traces(self) -> Traces:
        """The texts and ids that must not be found afterwards."""
        gone = [record for records in self.found.values() for record in records.values()]
        gone += [one for one in (self.person, self.session) if one]
        texts = [
            text
            for record in gone
            for part in NOUNS.by_record[type(record)].traces_of(record)
            for text in strings_in(part)
        ]
        texts += [*self.misnamed, *(session.title for session in self.titled.values() if session.title)]
        ids = self.ids - ({self.session.id} if self.session else set())  # a caller's own word, in any text
        return Traces((text for text in texts if text), ids, [self.query] if self.query else [])


def erasable() -> list[str]:
    """The nouns that are erased by what they say, by what they are about and by their sources."""
    return [noun.name for noun in NOUNS if noun.texts]


def choose(tx: Tx, space_id: str, asked: EraseRequest) -> Selection:
    """The records that are asked for, and what was derived from them alone."""
    selection = Selection(query=asked.query)
    wanted = _wanted(tx, space_id, asked, selection)
    nouns = erasable()
    if asked.memory_ids is not None:
        ids = [id_ for id_ in asked.memory_ids if is_storable(id_)]
        selection.of("memory").update(memories.by_ids(tx, space_id, ids))
        nouns = nouns[nouns.index("memory") :]  # some memories tell of others
    elif asked.message_ids is not None:
        selection.of("message").update(_messages(tx, space_id, asked.message_ids))
        nouns = nouns[nouns.index("message") + 1 :]
    elif asked.fact_ids is not None:
        nouns = nouns[nouns.index("fact") :]
    for noun in nouns:  # in this order: what is derived comes after what it is derived from
        while _choose(tx, space_id, noun, wanted, selection) and _is_of_its_kind(noun):
            pass
    _choose_sessions(tx, space_id, selection)
    _check(tx, space_id, asked, selection)
    return selection


def _choose(tx: Tx, space_id: str, noun: str, wanted: Wanted, selection: Selection) -> bool:
    """What of a noun goes, in one pass over it; whether that was anything new."""
    before = len(selection.of(noun))
    gone = {id_ for records in selection.found.values() for id_ in records}
    references = NOUNS.by_name[noun].references
    for record in archive.each(tx, space_id, noun):
        if wanted(noun, record) or any(_is_derived(record, reference, gone) for reference in references):
            selection.of(noun)[record.id] = record
    return len(selection.of(noun)) > before


def _is_of_its_kind(noun: str) -> bool:
    """Whether its records may be made from others of the noun."""
    return any(
        reference.tie == "any source" and reference.to is None for reference in NOUNS.by_name[noun].references
    )


def _choose_sessions(tx: Tx, space_id: str, selection: Selection) -> None:
    """Conversations that are called by the text, or by a name of the person, that is erased."""
    if not (sought := _sought(selection)):
        return
    for session in archive.each(tx, space_id, "session"):
        if any(sought.search(compared(text)) for text in strings_in([session.title, session.metadata])):
            selection.titled[session.id] = session
        if sought.search(compared(session.id)):
            selection.misnamed[session.id] = session


def _sought(selection: Selection) -> re.Pattern[str] | None:
    """A text anywhere; a name where it is a word of its own, or erasing Ana would take bananas too."""
    if selection.query is not None:
        return re.compile(re.escape(sought)) if (sought := compared(selection.query)).strip() else None
    names = [selection.person.display_name, *selection.person.aliases] if selection.person else []
    words = "|".join(re.escape(folded) for name in names if (folded := compared(name).strip()))
    return re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])") if words else None


def _is_derived(record: Any, reference: Reference, gone: set[str]) -> bool:
    """Whether a record was made from what goes."""
    if reference.tie == "any source":
        return not gone.isdisjoint(strings_in(getattr(record, reference.field)))
    if reference.tie == "all sources":
        sources = set(strings_in(getattr(record, reference.field)))
        return bool(sources) and gone.issuperset(sources)
    return False


def _wanted(tx: Tx, space_id: str, asked: EraseRequest, selection: Selection) -> Wanted:
    if asked.memory_ids is not None or asked.message_ids is not None:
        return lambda _, __: False  # they are looked up by their ids
    if asked.fact_ids is not None:
        named = {(fact.person_id, fact.category, fact.key) for fact in _facts(tx, space_id, asked.fact_ids)}
        return lambda noun, record: (
            noun == "fact" and (record.person_id, record.category, record.key) in named
        )
    if asked.person_id is not None:
        person_id = asked.person_id
        selection.person = persons.find(tx, space_id, person_id)
        if selection.person is None:
            raise NotFound(f"There is no person {person_id!r} in this space.", field="person_id")
        return lambda noun, record: _is_about(noun, record, "person", person_id)
    if asked.session_id is not None:
        session_id = asked.session_id
        selection.session = sessions.find(tx, space_id, session_id)
        if selection.session is None:
            raise NotFound(f"There is no session {session_id!r} in this space.", field="session_id")
        return lambda noun, record: _is_about(noun, record, "session", session_id)
    query = compared(asked.query or "")
    return lambda noun, record: _holds(noun, record, query)


def _is_about(noun: str, record: Record, other: str, id_: str) -> bool:
    return any(
        reference.to == other and reference.tie == "about" and getattr(record, reference.field) == id_
        for reference in NOUNS.by_name[noun].references
    )


def _holds(noun: str, record: Record, sought: str) -> bool:
    texts = NOUNS.by_name[noun].texts if sought.strip() else None  # what nobody sees is in no text
    return texts is not None and any(
        sought in compared(text) for part in texts(record) for text in strings_in(part)
    )


def _facts(tx: Tx, space_id: str, ids: list[str]) -> list[Fact]:
    found = facts.by_ids(tx, space_id, ids)
    for id_ in ids:
        if id_ not in found:
            raise NotFound(f"There is no fact {id_!r} in this space.", field="fact_ids")
    return list(found.values())


def _messages(tx: Tx, space_id: str, ids: list[str]) -> dict[str, Message]:
    found = messages.by_ids(tx, space_id, [id_ for id_ in ids if is_storable(id_)])
    for id_ in ids:
        if id_ not in found:
            raise NotFound(f"There is no message {id_!r} in this space.", field="message_ids")
    return found


def _check(tx: Tx, space_id: str, asked: EraseRequest, selection: Selection) -> None:
    """A memory that was forgotten may still be in the journal, and can be erased from there."""
    for id_ in asked.memory_ids or ():
        if id_ in selection.of("memory"):
            continue
        if not is_storable(id_) or not journal.newest(tx, space_id, record_id=id_, limit=1):
            raise NotFound(f"There is no memory {id_!r} in this space.", field="memory_ids")
        selection.bygone.add(id_)
