"""Insights, and what was done with them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bethink.records import Message
from bethink.shapes.insights import Insight, InsightEvent, InsightStatus
from bethink.store.driver import Tx
from bethink.store.rows import Table, micros

MOST = 10_000  # insights that are looked at together, the newest first
_table, _events, _messages = Table(Insight), Table(InsightEvent), Table(Message)


def chosen(
    tx: Tx,
    space_id: str,
    *,
    status: InsightStatus | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    due_before: datetime | None = None,
    limit: int = MOST,
) -> list[Insight]:
    """Insights, those of which something was said last first."""
    values: dict[str, Any] = {"space_id": space_id, "limit": limit}
    where = ""
    for name, condition, value in (
        ("status", "status = :status", status),
        ("since", "observed_at >= :since", since and micros(since)),
        ("until", "observed_at < :until", until and micros(until)),
        ("due_before", "due_at < :due_before", due_before and micros(due_before)),
    ):
        if value is not None:
            where, values[name] = f"{where} AND {condition}", value
    return _table.records(tx.all("insights.chosen", values, where=where))


def by_key(tx: Tx, space_id: str, bot_id: str, dedupe_key: str) -> Insight | None:
    values = {"space_id": space_id, "bot_id": bot_id, "dedupe_key": dedupe_key}
    row = tx.one("insights.by_key", values)
    return _table.record(row) if row else None


def events(tx: Tx, space_id: str, ids: Sequence[str], person_id: str | None) -> dict[str, list[InsightEvent]]:
    """What a person did with these insights, in order; with no person, what nobody in particular did."""
    values = {"space_id": space_id, "ids": list(ids), "person_id": person_id or ""}
    found: dict[str, list[InsightEvent]] = {}
    for event in _events.records(tx.all("insights.events", values)) if ids else ():
        found.setdefault(event.insight_id, []).append(event)
    return found


def move_events(tx: Tx, space_id: str, ids: Sequence[str], into: str) -> int:
    """Let what was done with some insights count for another of the same space."""
    values = {"space_id": space_id, "ids": list(ids), "into": into}
    return tx.run("insights.move_events", values) if ids else 0


def prune_views(tx: Tx, space_id: str, before: datetime) -> int:
    """Delete the views that no weight looks at any more: old ones, but for the last of each person."""
    return tx.run("insights.prune_views", {"space_id": space_id, "before": micros(before)})


def unread(tx: Tx, space_id: str) -> int:
    """How many messages of channels were not read yet."""
    row = tx.one("insights.unread", {"space_id": space_id}) or {}
    return int(row["total"])


def next_unread(tx: Tx, space_id: str, limit: int) -> list[Message]:
    """What was not read yet of the session that has waited longest, in order."""
    row = tx.one("insights.next_session", {"space_id": space_id})
    if row is None:
        return []
    values = {"space_id": space_id, "session_id": row["session_id"], "limit": limit}
    return _messages.records(tx.all("insights.unread_of", values))


def mark_read(tx: Tx, space_id: str, session_id: str, position: int) -> None:
    """Note how far a session was read."""
    tx.run("insights.mark_read", {"space_id": space_id, "session_id": session_id, "position": position})
