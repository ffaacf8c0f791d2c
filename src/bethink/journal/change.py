"""A change that is to be undone, and what every way of undoing needs of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from bethink.errors import BethinkError, Conflict, StoreError
from bethink.index.describe import Style
from bethink.records import JournalEntry, Json, Record, Space
from bethink.shapes.options import SpaceOptions
from bethink.shapes.rights import Undoable
from bethink.store import Tx, archive, journal, persons
from bethink.store.journal import note, undo_reason, values_of

R = TypeVar("R", bound=Record)
_EVERY = 100_000  # more lines than one change leaves
# What changes without anyone having changed the record.
_PASSING = {"updated_at", "access_count", "last_access_at"}


@dataclass(frozen=True)
class Setup:
    """What undoing must know of the memory it works in."""

    style: Style
    default_space: str
    options: Callable[
        [Mapping[str, Any], Mapping[str, Any]], SpaceOptions
    ]  # as stored; refuses impossible ones


class Made(NamedTuple):
    """What undoing did: the record as it is now, and the journal's line about it."""

    record: Undoable
    line: JournalEntry


@dataclass(frozen=True)
class Change:
    """The change to undo: `before` is what it replaced, `after` what it left."""

    tx: Tx
    space: Space
    entry: JournalEntry
    now: datetime
    actor: str
    setup: Setup

    @property
    def id(self) -> str:
        return self.entry.record_id

    @property
    def before(self) -> Json:
        return self.entry.before or {}

    @property
    def after(self) -> Json:
        return self.entry.after or {}

    @property
    def names(self) -> set[str]:
        """The fields that the change gave other values."""
        if self.entry.after is None:  # from a time when the journal did not keep it
            return set(self.before) - _PASSING
        named = self.before.keys() | self.after.keys()
        return {name for name in named if self._differs(name)} - _PASSING

    def _differs(self, name: str) -> bool:
        both = name in self.before and name in self.after
        return not both or self.before[name] != self.after[name]

    @property
    def reason(self) -> str:
        return undo_reason(self.entry)

    def check_unchanged(self, current: Record) -> None:
        """Refuse when what the change left is not what there is."""
        if self.entry.after is None:
            latest = journal.newest(self.tx, self.space.id, record_id=self.id, limit=1)
            stale = not latest or latest[0].id != self.entry.id
        else:
            names = self.names if self.entry.before is not None else set(self.after) - _PASSING
            stale = values_of(current, names) != {name: self.after.get(name) for name in names}
        if stale:
            raise self.conflict(f"the {self.entry.noun} {self.id} has changed since")

    def reverted(self, current: R, mutable: Collection[str]) -> R:
        """A record with the old values of what the change gave others; what others have changed stays.

        Only the fields in `mutable` ever go back: a line decides neither which record it is nor whose.
        """
        self.check_unchanged(current)
        there = values_of(current)
        fixed = self.names.difference(mutable)
        if other := {name for name in fixed if self.before.get(name) != there.get(name)}:
            raise self.conflict(f"it says that {min(other)} changed, which of a {self.entry.noun} never does")
        values = there | {name: self.before.get(name) for name in self.names - fixed}
        if "updated_at" in type(current).model_fields:
            values["updated_at"] = self.now
        return type(current).model_validate(values)

    def restored(self, kind: type[R], noun: str) -> R:
        """A record that was deleted, as it was, under its own id, in this space."""
        if archive.has_own_ids(noun) and archive.of_others(self.tx, noun, [self.id], besides=self.space.id):
            raise self.conflict(f"the {noun} {self.id} is not of this space")
        return kind.model_validate(self.before | {"id": self.id, "space_id": self.space.id})

    def updated(self, record: Undoable, was: Record) -> Made:
        """Note that the old values are back in place of those there were."""
        names = self.names
        return self._noted("updated", record, values_of(was, names), values_of(record, names))

    def brought_back(self, record: Undoable) -> Made:
        """Note that a record that was deleted is there again."""
        return self._noted("restored", record, None, values_of(record))

    def _noted(self, action: str, record: Undoable, before: Json | None, after: Json) -> Made:
        line = note(
            self.space, self.now, self.actor, action, record, reason=self.reason, before=before, after=after
        )
        journal.add(self.tx, [line])
        return Made(record, line)

    def noted(self, record: Undoable, record_id: str, noun: str) -> Made:
        """What undoing did where what it called has noted it."""
        for line in self._at(self.now, noun):
            if (line.record_id, line.reason) == (record_id, self.reason):
                return Made(record, line)
        raise StoreError(f"The undoing of {self.entry.id} left no line in the journal.")

    def lines_with_it(self, noun: str) -> list[JournalEntry]:
        """What the same change did to records of another kind."""
        return [line for line in self._at(self.entry.at, noun) if not line.imported]

    def _at(self, at: datetime, noun: str) -> list[JournalEntry]:
        until = at + timedelta(microseconds=1)
        return journal.newest(self.tx, self.space.id, noun=noun, since=at, until=until, limit=_EVERY)

    def check_person(self, person_id: str | None) -> None:
        """Refuse when someone that it is about was erased."""
        if person_id is not None and persons.find(self.tx, self.space.id, person_id) is None:
            raise self.conflict(f"the person {person_id} that it is about is no longer there")

    @staticmethod
    def conflict(why: str) -> Conflict:
        """Why it cannot be undone."""
        return Conflict(f"id: this cannot be undone, because {why}. Nothing was changed.", field="id")

    def refusal(self, error: BethinkError) -> Conflict:
        """Why it cannot be undone, when the rules of what it would be again say so."""
        return self.conflict(error.message.removeprefix(f"{error.field}: ").rstrip("."))
