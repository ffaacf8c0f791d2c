"""What a tool is: its name, its words for the model, what it takes, what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bethink.errors import InvalidInput
from bethink.records import Json, Mode, Person, Record
from bethink.tools.schemas import plain_schema

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace


@dataclass(frozen=True)
class Calling:
    """A call under way: the space it works in, and who lives there where that matters."""

    space: AsyncSpace
    mode: Mode
    people: list[Person]

    @property
    def names(self) -> dict[str, str]:
        """The people's names by their ids; none where one person lives alone."""
        return {person.id: person.display_name for person in self.people}

    async def person_id(self, ref: str | None) -> str | None:
        """The id of whoever is meant; an error that lists them when it is not clear."""
        if ref is None:
            return None
        match = await self.space.people.resolve(ref)
        if match.person:
            return match.person.id
        could_be = ", ".join(person.display_name for person in match.candidates or self.people)
        raise InvalidInput(f"person: {ref[:100]!r} is {match.reason}; there are {could_be}.", field="person")


@dataclass(frozen=True)
class Tool:
    """Something a model may call.

    `in_household` are the arguments where several people live; a tool without them has none about people.
    """

    name: str
    title: str
    description: str
    arguments: type[Record]
    result: type[Record] | None  # None where it differs from call to call
    run: Callable[[Calling, Any], Awaitable[Record]]
    in_household: type[Record] | None = None
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    only_in_household: bool = False
    recalls: bool = False  # searches, which a server lets only so many do at once

    def takes(self, mode: Mode) -> type[Record]:
        """What it takes in a space of this mode."""
        return (self.in_household if mode is Mode.MULTI else None) or self.arguments

    def input_schema(self, mode: Mode) -> Json:
        """The JSON schema of what it takes."""
        return _schema(self.takes(mode))

    def output_schema(self) -> Json | None:
        """The JSON schema of what it answers."""
        return _schema(self.result) if self.result else None


@cache
def _schema(kind: type[Record]) -> Json:
    return plain_schema(kind)
