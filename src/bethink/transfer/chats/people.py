"""Who took part in the chats of a file, and which of them is the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bethink.errors import InvalidInput
from bethink.people.resolve import names_of
from bethink.records import PRIMARY, Person
from bethink.text.fold import bare
from bethink.transfer.chats.said import Said
from bethink.transfer.chats.sources import Source

NAMES_SHOWN = 12


@dataclass
class People:
    """Who spoke, how often, and what else they go by."""

    messages: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)  # bare
    owner_told: bool = False

    def add(self, said: Said) -> None:
        self.owner_told |= said.is_me
        self.messages[said.name or "?"] += 1
        self.names |= names_in(said)


@dataclass(frozen=True)
class Me:
    """How to know the user's own messages."""

    names: frozenset[str] = frozenset()  # bare
    person_id: str | None = None

    def said(self, message: Said) -> bool:
        return message.is_me or not self.names.isdisjoint(names_in(message))


def names_in(said: Said) -> set[str]:
    """All that a message says of who sent it, made comparable."""
    return {bare(name) for name in (said.name, *said.known_as) if name}


def who_is_me(source: Source, people: People, given: Sequence[str] | None, persons: Sequence[Person]) -> Me:
    """The user among the people of a file: as given, as the file says, or as the household is called.

    Raises `InvalidInput` with the names there are when that cannot be told: once a message is stored as
    somebody else's, importing it again would not make it the user's.
    """
    if given is not None:
        wanted = frozenset(bare(name) for name in given) - {""}
        if people.messages and wanted and wanted.isdisjoint(people.names):
            raise _unclear(source, people, f"nobody in it is called {' or '.join(given)}")
        return Me(wanted, person_called(wanted, persons))
    if not people.messages or people.owner_told:
        return Me()
    ours = [person for person in persons if person.role == PRIMARY] or list(persons)
    fits = [p for p in ours if not people.names.isdisjoint(names_of(p))]
    if len(fits) == 1:
        return Me(frozenset(names_of(fits[0])), fits[0].id)
    raise _unclear(source, people, "it does not say which of its people you are")


def person_called(names: frozenset[str], persons: Sequence[Person]) -> str | None:
    """The one person of the household who goes by one of these names."""
    fits = [person.id for person in persons if not names.isdisjoint(names_of(person))]
    return fits[0] if len(fits) == 1 else None


def _unclear(source: Source, people: People, problem: str) -> InvalidInput:
    shown = ", ".join(name for name, _ in people.messages.most_common(NAMES_SHOWN))
    more = len(people.messages) - NAMES_SHOWN
    return InvalidInput(
        f"me: {source.name}: {problem}. Give your name there as `me`, or an empty one if you are"
        f" none of them: {shown}{f' and {more} more' if more > 0 else ''}.",
        field="me",
    )
