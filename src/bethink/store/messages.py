"""Messages: the ground truth, in the order of their session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from bethink.records import Message, MessageTier
from bethink.store.driver import Tx
from bethink.store.filters import MessageFilter
from bethink.store.rows import Table, micros

SPEAKER_LIMIT = 500  # names considered when a query is searched for participants
_BEFORE_ALL = (-(1 << 62), "")  # earlier than any time there is
_PURGEABLE = (
    " AND archived_at < :until AND NOT pinned AND position < (SELECT MAX(last.position) FROM messages AS last"
    " WHERE last.space_id = messages.space_id AND last.session_id = messages.session_id)"
)
_table = Table(Message)


def add(tx: Tx, messages: Iterable[Message]) -> None:
    tx.many("messages.insert", map(_table.columns, messages))


def replace_content(tx: Tx, message: Message) -> None:
    """Store another content for a message that stays in its place."""
    tx.run("messages.replace_content", _table.columns(message))


def last_position(tx: Tx, space_id: str, session_id: str) -> int:
    row = tx.one("messages.last_position", {"space_id": space_id, "session_id": session_id})
    return int(row["position"]) if row else 0


def by_external_ids(tx: Tx, space_id: str, platform: str, ids: Sequence[str]) -> dict[str, Message]:
    """The messages already stored under these ids of their platform."""
    values = {"space_id": space_id, "platform": platform, "external_ids": list(ids)}
    return _table.by("external_id", tx.all("messages.by_external_ids", values))


def sessions_by_external_ids(tx: Tx, space_id: str, platform: str, ids: Sequence[str]) -> dict[str, str]:
    """In which session each of these ids of their platform is known."""
    values = {"space_id": space_id, "platform": platform, "external_ids": list(ids)}
    rows = tx.all("messages.sessions_by_external_ids", values)
    return {row["external_id"]: row["session_id"] for row in rows}


def by_ids(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, Message]:
    rows = tx.all("messages.by_ids", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return _table.by("id", rows)


def window(tx: Tx, space_id: str, session_id: str, first: int, last: int) -> list[Message]:
    """The messages of a session from one position to another, both included."""
    values = {"space_id": space_id, "session_id": session_id, "first": first, "last": last}
    return _table.records(tx.all("messages.window", values))


def newest_of_role(tx: Tx, space_id: str, session_id: str, role: str, limit: int) -> list[Message]:
    """The last messages of a session in one role, the newest first."""
    values = {"space_id": space_id, "session_id": session_id, "role": role, "limit": limit}
    return _table.records(tx.all("messages.newest_of_role", values))


def positions_of(tx: Tx, space_id: str, session_id: str, role: str, content: str) -> list[int]:
    """Where in a session exactly this was said, in order."""
    values = {"space_id": space_id, "session_id": session_id, "role": role, "content": content}
    return [int(row["position"]) for row in tx.all("messages.positions_of", values)]


def following(tx: Tx, space_id: str, ids: Sequence[str]) -> list[Message]:
    """The message after each of these in its session."""
    rows = tx.all("messages.following", {"space_id": space_id, "ids": list(ids)}) if ids else []
    return _table.records(rows)


def of_session(tx: Tx, space_id: str, session_id: str, after: int, limit: int) -> list[Message]:
    values = {"space_id": space_id, "session_id": session_id, "after": after, "limit": limit}
    return _table.records(tx.all("messages.of_session", values))


def newest(tx: Tx, space_id: str, limit: int) -> list[Message]:
    """The messages that were sent last, of whatever session."""
    return _table.records(tx.all("messages.newest", {"space_id": space_id, "limit": limit}))


def page(
    tx: Tx, space_id: str, chosen: MessageFilter, limit: int, before: tuple[int, str] | None = None
) -> list[Message]:
    """The messages a filter chooses, newest first; only those before a time in microseconds and an id."""
    where, values = chosen.sql()
    if before is not None:
        where += " AND (sent_at, id) < (:before_at, :before_id)"
        values["before_at"], values["before_id"] = before
    values |= {"space_id": space_id, "limit": limit}
    return _table.records(tx.all("messages.page", values, where=where))


def count(tx: Tx, space_id: str, chosen: MessageFilter) -> int:
    where, values = chosen.sql()
    row = tx.one("messages.count", {"space_id": space_id, **values}, where=where)
    return int(row["total"]) if row else 0


def aging(
    tx: Tx, space_id: str, tier: MessageTier, until: datetime, after: tuple[datetime, str] | None, limit: int
) -> list[Message]:
    """The messages of a tier that were sent before a time and are not archived, oldest first."""
    place = (micros(after[0]), after[1]) if after else _BEFORE_ALL
    values = {"space_id": space_id, "tier": tier, "until": micros(until), "limit": limit}
    values |= {"after_at": place[0], "after_id": place[1]}
    return _table.records(tx.all("messages.aging", values))


def count_aging(tx: Tx, space_id: str, tier: MessageTier, until: datetime) -> int:
    """How many messages of a tier were sent before a time and are not archived."""
    values = {"space_id": space_id, "tier": tier, "until": micros(until)}
    row = tx.one("messages.count_aging", values)
    return int(row["total"]) if row else 0


def purgeable(tx: Tx, space_id: str, until: datetime, limit: int) -> list[str]:
    """The ids of messages archived before a time: none that is pinned or the last of its session."""
    values = {"space_id": space_id, "until": micros(until), "limit": limit}
    return [row[0] for row in tx.tuples("messages.purgeable", values, where=_PURGEABLE)]


def count_purgeable(tx: Tx, space_id: str, until: datetime) -> int:
    values = {"space_id": space_id, "until": micros(until)}
    row = tx.one("messages.count", values, where=_PURGEABLE)
    return int(row["total"]) if row else 0


def mark(tx: Tx, messages: Iterable[Message]) -> None:
    """Store who said messages, what they are worth, and where they stand in their life."""
    tx.many("messages.mark", map(_table.columns, messages))


def speakers(tx: Tx, space_id: str) -> list[str]:
    """Everyone who has spoken in the space, read by skipping through an index rather than every message."""
    rows = tx.all("messages.speakers", {"space_id": space_id, "limit": SPEAKER_LIMIT})
    return [row["name"] for row in rows]


def delete(tx: Tx, space_id: str, message_id: str) -> bool:
    return tx.run("messages.delete", {"space_id": space_id, "id": message_id}) > 0
