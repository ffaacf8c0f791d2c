"""Sign-ins of browsers: sessions, and the links that begin one. The store knows each only by its hash."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from bethink.records import Key
from bethink.store.driver import Tx
from bethink.store.rows import Table, micros, moment

Kind = Literal["link", "session"]
_keys = Table(Key)


def add(
    tx: Tx, kind: Kind, token_hash: str, key_id: str, now: datetime, expires_at: datetime, most: int
) -> None:
    """Keep a new one; those that have run out go, and of a key's the oldest, so that it has `most`."""
    tx.run("sign_ins.delete_expired", {"now": micros(now)})
    tx.run("sign_ins.delete_oldest", {"kind": kind, "key_id": key_id, "kept": most - 1})
    values = {"hash": token_hash, "kind": kind, "key_id": key_id}
    tx.run("sign_ins.insert", values | {"created_at": micros(now), "expires_at": micros(expires_at)})


def find(
    tx: Tx, kind: Kind, token_hash: str, now: datetime, longest: timedelta
) -> tuple[Key, str, datetime] | None:
    """The key behind it, the name of the key's space, and its end; None when it is no longer good.

    It is good until the end it was given, and never for longer than `longest`.
    """
    values = {"hash": token_hash, "kind": kind, "now": micros(now), "begun_after": micros(now - longest)}
    row = tx.one("sign_ins.find", values)
    return (_keys.record(row), row["space_name"], moment(row["until"])) if row else None


def remove(tx: Tx, token_hash: str) -> bool:
    """Whether it was there; of two that remove it at once, one is told so."""
    return tx.run("sign_ins.delete", {"hash": token_hash}) > 0


def remove_of_key(tx: Tx, key_id: str) -> None:
    tx.run("sign_ins.delete_of_key", {"key_id": key_id})
