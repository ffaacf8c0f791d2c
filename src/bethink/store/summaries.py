"""Summaries: what messages come to that are archived since."""

from __future__ import annotations

from datetime import datetime

from bethink.records import Summary, SummaryTier
from bethink.store.driver import Tx
from bethink.store.filters import SummaryFilter
from bethink.store.rows import Table, micros

_table = Table(Summary)


def page(
    tx: Tx, space_id: str, chosen: SummaryFilter, limit: int, before: tuple[int, str] | None = None
) -> list[Summary]:
    """The summaries a filter chooses, newest first; only those before a time in microseconds and an id."""
    where, values = chosen.sql()
    if before is not None:
        where += " AND (end_at, id) < (:before_at, :before_id)"
        values["before_at"], values["before_id"] = before
    values |= {"space_id": space_id, "limit": limit}
    return _table.records(tx.all("summaries.page", values, where=where))


def aging(tx: Tx, space_id: str, tier: SummaryTier, until: datetime, limit: int) -> list[Summary]:
    """The summaries of a tier that end before a time, in the order in which they begin."""
    values = {"space_id": space_id, "tier": tier, "until": micros(until), "limit": limit}
    return _table.records(tx.all("summaries.aging", values))


def count(tx: Tx, space_id: str, chosen: SummaryFilter) -> int:
    where, values = chosen.sql()
    row = tx.one("summaries.count", {"space_id": space_id, **values}, where=where)
    return int(row["total"]) if row else 0
