"""Which records a caller wants, as SQL conditions made of fixed text and bound values.

A list that is given but empty matches nothing: it never turns into "everything".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bethink.records import Layer, MemoryType, MessageTier, SummaryTier
from bethink.store.queries import Dialect
from bethink.store.rows import id_ranges, micros

_ANY_TAG: dict[Dialect, str] = {
    "sqlite": "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(memories.tags) THEN memories.tags"
    " ELSE '[]' END) tag WHERE tag.value IN_LIST(:tags))",
    "postgres": "memories.tags ?| :tags",
}


_PINNED = "EXISTS (SELECT 1 FROM {} AS kept WHERE kept.id = entries.record_id AND kept.pinned)"
# Facts end and documents go when somebody says so; what is pinned stays.
_STILL_KEPT = (
    "(entries.observed_at >= :kept OR entries.layer IN ('fact', 'passage')"
    f" OR entries.layer = 'memory' AND {_PINNED.format('memories')}"
    f" OR entries.layer = 'message' AND {_PINNED.format('messages')})"
)


class _Conditions:
    """Collects conditions for the fields that are set."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.values: dict[str, Any] = {}

    def add(self, sql: str, **values: Any) -> None:
        if all(value is not None for value in values.values()):
            self.parts.append(sql)
            self.values.update(values)

    @property
    def sql(self) -> str:
        return "".join(f" AND {part}" for part in self.parts)


@dataclass(frozen=True)
class MemoryFilter:
    """What of a space's memories to list."""

    types: Sequence[MemoryType] | None = None
    person_ids: Sequence[str] | None = None
    session_ids: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    categories: Sequence[str] | None = None
    sources: Sequence[str] | None = None
    pinned: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    alive_at: datetime | None = None
    expired_at: datetime | None = None
    archived: bool | None = None
    archived_before: datetime | None = None
    changed_since: datetime | None = None
    kept_since: datetime | None = None  # what is older is over the retention time, unless it is pinned

    def sql(self, dialect: Dialect) -> tuple[str, dict[str, Any]]:
        """Conditions on the table `memories`."""
        conditions = _Conditions()
        add = conditions.add
        add("memories.person_id IN_LIST(:person_ids)", person_ids=_listed(self.person_ids))
        add("memories.session_id IN_LIST(:session_ids)", session_ids=_listed(self.session_ids))
        add("memories.observed_at >= :since", since=_micros(self.since))
        add("memories.observed_at < :until", until=_micros(self.until))
        add(
            "(memories.expires_at IS NULL OR memories.expires_at > :alive_at)",
            alive_at=_micros(self.alive_at),
        )
        add("memories.expires_at <= :expired_at", expired_at=_micros(self.expired_at))
        add("memories.updated_at >= :changed_since", changed_since=_micros(self.changed_since))
        add("(memories.observed_at >= :kept OR memories.pinned)", kept=_micros(self.kept_since))
        add("memories.archived_at < :archived_before", archived_before=_micros(self.archived_before))
        if self.archived is not None:
            add(f"memories.archived_at IS {'NOT ' if self.archived else ''}NULL")
        self._own(conditions, dialect)
        return conditions.sql, conditions.values

    def _own(self, conditions: _Conditions, dialect: Dialect) -> None:
        """The conditions on columns that only memories have."""
        add = conditions.add
        add("memories.type IN_LIST(:types)", types=_listed(self.types))
        add(_ANY_TAG[dialect], tags=_listed(self.tags))
        add("memories.category IN_LIST(:categories)", categories=_listed(self.categories))
        add("memories.source IN_LIST(:sources)", sources=_listed(self.sources))
        if self.pinned is not None:
            add("memories.pinned" if self.pinned else "NOT memories.pinned")


@dataclass(frozen=True)
class MessageFilter:
    """Which of a space's messages to list, or to work on."""

    tiers: Sequence[MessageTier] | None = None
    platforms: Sequence[str] | None = None
    channels: Sequence[str] | None = None
    contacts: Sequence[str] | None = None
    person_ids: Sequence[str] | None = None
    names: Sequence[str] | None = None
    session_ids: Sequence[str] | None = None
    pinned: bool | None = None
    archived: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    kept_since: datetime | None = None  # what is older is over the retention time, unless it is pinned

    def sql(self) -> tuple[str, dict[str, Any]]:
        """Conditions on the table `messages`."""
        conditions = _Conditions()
        add = conditions.add
        add("tier IN_LIST(:tiers)", tiers=_listed(self.tiers))
        add("platform IN_LIST(:platforms)", platforms=_listed(self.platforms))
        add("channel IN_LIST(:channels)", channels=_listed(self.channels))
        add("contact IN_LIST(:contacts)", contacts=_listed(self.contacts))
        add("person_id IN_LIST(:person_ids)", person_ids=_listed(self.person_ids))
        add("name IN_LIST(:names)", names=_listed(self.names))
        add("session_id IN_LIST(:session_ids)", session_ids=_listed(self.session_ids))
        add("sent_at >= :since", since=_micros(self.since))
        add("sent_at < :until", until=_micros(self.until))
        add("(sent_at >= :kept OR pinned)", kept=_micros(self.kept_since))
        if self.pinned is not None:
            add("pinned" if self.pinned else "NOT pinned")
        if self.archived is not None:
            add("archived_at IS NOT NULL" if self.archived else "archived_at IS NULL")
        return conditions.sql, conditions.values


@dataclass(frozen=True)
class SummaryFilter:
    """Which of a space's summaries to list: those of a time are those that end in it."""

    tiers: Sequence[SummaryTier] | None = None
    person_ids: Sequence[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    kept_since: datetime | None = None  # what is older is over the retention time

    def sql(self) -> tuple[str, dict[str, Any]]:
        """Conditions on the table `summaries`."""
        conditions = _Conditions()
        add = conditions.add
        add("summary_tier IN_LIST(:tiers)", tiers=_listed(self.tiers))
        add("person_id IN_LIST(:person_ids)", person_ids=_listed(self.person_ids))
        add("end_at >= :since", since=_micros(self.since))
        add("end_at < :until", until=_micros(self.until))
        add("end_at >= :kept", kept=_micros(self.kept_since))
        return conditions.sql, conditions.values


@dataclass(frozen=True)
class EntryFilter(MemoryFilter):
    """What of a space's index to search. `layers` is part of an entry's id and costs nothing."""

    layers: Sequence[Layer] | None = None
    as_of: datetime | None = None

    def id_ranges(self, space_number: int) -> list[tuple[int, int]]:
        """The ranges of ids that the layers allow."""
        return id_ranges(space_number, self.layers)

    @property
    def needs_sql(self) -> bool:
        """Whether anything beyond the layers restricts the search."""
        return self != EntryFilter(layers=self.layers)

    def sql(self, dialect: Dialect) -> tuple[str, dict[str, Any]]:
        """Conditions on the table `entries`."""
        conditions, own = _Conditions(), _Conditions()
        add = conditions.add
        add("entries.layer IN_LIST(:layers)", layers=_listed(self.layers))
        add("entries.person_id IN_LIST(:person_ids)", person_ids=_listed(self.person_ids))
        add("entries.session_id IN_LIST(:session_ids)", session_ids=_listed(self.session_ids))
        add("entries.observed_at >= :since", since=_micros(self.since))
        add("entries.observed_at < :until", until=_micros(self.until))
        add("entries.observed_at <= :as_of", as_of=_micros(self.as_of))
        add("(entries.expires_at IS NULL OR entries.expires_at > :alive_at)", alive_at=_micros(self.alive_at))
        add(_STILL_KEPT, kept=_micros(self.kept_since))
        self._own(own, dialect)
        if own.parts:
            of_memory = "SELECT 1 FROM memories WHERE memories.id = entries.record_id" + own.sql
            add(f"entries.layer = 'memory' AND EXISTS ({of_memory})", **own.values)
        return conditions.sql, conditions.values


def _listed(values: Sequence[str] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]


def _micros(value: datetime | None) -> int | None:
    return None if value is None else micros(value)
