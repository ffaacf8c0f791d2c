"""Spaces: isolated pools of memory."""

from __future__ import annotations

from datetime import datetime

from recollect.clock import new_id
from recollect.records import Space
from recollect.store.columns import Table
from recollect.store.driver import Tx

_table = Table(Space)


def find(tx: Tx, name: str) -> Space | None:
    row = tx.one("spaces.by_name", {"name": name})
    return _table.record(row) if row else None


def ensure(tx: Tx, name: str, now: datetime) -> Space:
    """The space called `name`, made now if there is none."""
    if space := find(tx, name):
        return space
    number = (tx.one("spaces.next_number") or {})["number"]
    space = Space(id=new_id(), number=number, name=name, display_name=name, created_at=now, updated_at=now)
    tx.run("spaces.insert", _table.columns(space))
    return space


def list_all(tx: Tx) -> list[Space]:
    return [_table.record(row) for row in tx.all("spaces.all")]
