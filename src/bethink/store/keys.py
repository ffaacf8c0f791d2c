"""API keys. The store knows a key only by its hash."""

from __future__ import annotations

import hashlib
from datetime import datetime

from bethink.records import Key, Switch
from bethink.store.driver import Tx
from bethink.store.rows import Table, micros

_table = Table(Key)


def hashed(secret: str) -> str:
    """What is kept of a secret."""
    # Secrets are 256 random bits: a plain hash cannot be reversed, and a slow one would only slow requests.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def add(tx: Tx, key: Key, key_hash: str) -> None:
    tx.run("keys.insert", _table.columns(key) | {"hash": key_hash})


def find(tx: Tx, key_hash: str) -> tuple[Key, str] | None:
    """The key with this hash and the name of its space, unless it was revoked."""
    row = tx.one("keys.by_hash", {"hash": key_hash})
    return (_table.record(row), row["space_name"]) if row else None


def list_all(tx: Tx) -> list[tuple[Key, str]]:
    return [(key, row["space_name"]) for key, row in _table.with_rows(tx.all("keys.all"))]


def revoke(tx: Tx, key_id: str, at: datetime) -> bool:
    return tx.run("keys.revoke", {"id": key_id, "at": micros(at)}) > 0


def touch(tx: Tx, key_id: str, at: datetime) -> None:
    tx.run("keys.touch", {"id": key_id, "at": micros(at)})


def get(tx: Tx, key_id: str) -> tuple[Key, str] | None:
    """A key, revoked or not, and the name of its space."""
    row = tx.one("keys.by_id", {"id": key_id})
    return (_table.record(row), row["space_name"]) if row else None


def rename(tx: Tx, key_id: str, name: str) -> None:
    tx.run("keys.rename", {"id": key_id, "name": name})


def rehash(tx: Tx, key_id: str, hint: str, key_hash: str) -> None:
    """Let a key be known by another secret."""
    tx.run("keys.rehash", {"id": key_id, "hint": hint, "hash": key_hash})


def set_memory(tx: Tx, key_id: str, memory: Switch | None) -> None:
    """Whether the gateway uses memory for a key; None leaves it to the space."""
    tx.run("keys.set_memory", {"id": key_id, "memory": memory})
