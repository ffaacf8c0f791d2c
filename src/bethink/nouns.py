"""Every kind of record there is: filled by `wiring`, and read by whatever treats all kinds alike.

One registry for the process, not a parameter: the ids of the index, named queries, migrations and the check
of a request's layers all depend on it, and none of them has an open memory at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from bethink.contracts import Archived, Indexed, Noun
from bethink.errors import SettingsError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from bethink.journal.change import Change, Made

MOST_LAYERS = 15  # four bits of an entry's id
Kind = tuple[str, str]  # the noun and the action of a line of the journal


class Nouns:
    """The nouns in the order of an archive: none refers to one that comes after it."""

    def __init__(self) -> None:
        self.by_name: dict[str, Noun[Any]] = {}
        self.by_record: dict[type[Any], Noun[Any]] = {}
        self.codes: dict[str, int] = {}  # of the layers
        self.by_code: dict[int, str] = {}
        self.indexed: dict[str, Indexed[Any]] = {}
        self.archived: dict[str, Archived[Any]] = {}
        self.referred: frozenset[str] = frozenset()  # nouns that an archive must hold what is named of
        self.ways: dict[Kind, Callable[[Change], Made]] = {}
        self.final: dict[Kind, str] = {}
        self.folders: tuple[Traversable, ...] = ()  # of SQL that nouns from elsewhere bring

    def __iter__(self) -> Iterator[Noun[Any]]:
        return iter(self.by_name.values())

    def name_of(self, record: type[Any]) -> str:
        """What a kind of record is called."""
        noun = self.by_record.get(record)
        return noun.name if noun else record.__name__.lower()

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of all nouns, those first that others refer to."""
        return tuple(table for noun in self for table in (noun.table, *noun.derived, *noun.attached))

    def register(self, *nouns: Noun[Any]) -> None:
        """Add kinds of records, before a memory is opened."""
        for noun in nouns:
            self._check(noun)
            self.by_name[noun.name] = noun
            self._arrange()

    def remove(self, name: str) -> None:
        """Take a kind of record away again."""
        del self.by_name[name]
        self._arrange()

    def _check(self, noun: Noun[Any]) -> None:
        problem = None
        if noun.name in self.by_name or noun.table in self.tables:
            problem = "its name or its table is taken"
        elif noun.indexed and not 0 < noun.indexed.code <= MOST_LAYERS:
            problem = f"the code of its layer must be 1 to {MOST_LAYERS}"
        elif noun.indexed and noun.indexed.code in self.by_code:
            problem = f"the code {noun.indexed.code} of its layer is taken"
        elif noun.archived is None and (noun.texts or noun.relink or noun.quotes):
            problem = "what is erased is read as for an archive, so it must say how it is archived"
        elif unknown := {one.to for one in noun.references} - {None, noun.name, *self.by_name}:
            problem = f"it refers to {min(map(str, unknown))!r}, which must be registered before it"
        elif alone := [one.to for one in noun.references if one.required and not self._can_stand_in(one.to)]:
            problem = f"it must name {alone[0]!r}, which has no stand-in for records that are damaged"
        if problem:
            raise SettingsError(f"The noun {noun.name!r} cannot be registered: {problem}.")

    def _can_stand_in(self, name: str | None) -> bool:
        archived = self.archived.get(name) if name else None
        return name is None or (archived is not None and archived.stand_in is not None)

    def _arrange(self) -> None:
        """What is asked for often, ready to be had."""
        self.by_record = {noun.record: noun for noun in self}
        self.indexed = {noun.name: noun.indexed for noun in self if noun.indexed}
        self.archived = {noun.name: noun.archived for noun in self if noun.archived}
        self.folders = tuple(noun.sql for noun in self if noun.sql is not None)
        required = {one.to for noun in self if noun.archived for one in noun.references if one.required}
        self.referred = frozenset(name for name in required if name)
        self.by_code = {indexed.code: name for name, indexed in self.indexed.items()}
        self.codes.clear()
        self.codes.update({name: indexed.code for name, indexed in self.indexed.items()})
        self.ways.clear()
        self.final.clear()
        for noun in self:
            for name in noun.names:
                self.ways.update({(name, action): way for action, way in noun.ways.items()})
                self.final.update({(name, action): why for action, why in noun.final.items()})


NOUNS = Nouns()
