"""Leases: at most one holder of a name at a time, across processes, until it lets go or time runs out."""

from __future__ import annotations

from datetime import datetime, timedelta

from bethink.store.columns import micros
from bethink.store.driver import Tx


def take(tx: Tx, name: str, token: str, now: datetime, duration: timedelta) -> bool:
    """Take or prolong a lease; False when someone else holds it."""
    values = {"name": name, "token": token, "now": micros(now), "until": micros(now + duration)}
    return tx.run("leases.take", values) > 0


def release(tx: Tx, name: str, token: str) -> None:
    tx.run("leases.release", {"name": name, "token": token})
