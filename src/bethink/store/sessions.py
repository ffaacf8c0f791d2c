"""Sessions: conversations, known by the name their caller gives them."""

from __future__ import annotations

from datetime import datetime

from bethink.records import Session
from bethink.store.driver import Tx
from bethink.store.rows import Table, micros

_table = Table(Session)


def find(tx: Tx, space_id: str, session_id: str) -> Session | None:
    row = tx.one("sessions.by_id", {"space_id": space_id, "id": session_id})
    return _table.record(row) if row else None


def ensure(
    tx: Tx, space_id: str, session_id: str, platform: str, now: datetime, title: str | None = None
) -> Session:
    """The session, made now if there is none."""
    if session := find(tx, space_id, session_id):
        return session
    session = Session(id=session_id, space_id=space_id, title=title, platform=platform, created_at=now)
    add(tx, session)
    return session


def add(tx: Tx, session: Session) -> None:
    tx.run("sessions.insert", _table.columns(session))


def touch(tx: Tx, space_id: str, session_id: str, at: datetime) -> None:
    """Note the time of the newest message."""
    tx.run("sessions.touch", {"space_id": space_id, "id": session_id, "at": micros(at)})


def newest(tx: Tx, space_id: str, limit: int) -> list[Session]:
    return _table.records(tx.all("sessions.newest", {"space_id": space_id, "limit": limit}))


def update(tx: Tx, session: Session) -> None:
    """Store its title, platform, metadata and contexts."""
    tx.run("sessions.update", _table.columns(session))


def with_contexts(tx: Tx, space_id: str) -> list[Session]:
    """The sessions that have contexts."""
    return _table.records(tx.all("sessions.with_contexts", {"space_id": space_id}))
