"""Numbers over the whole database, for whoever watches over a server."""

from __future__ import annotations

from bethink.store.driver import Tx


def count(tx: Tx, signature: str) -> dict[str, int]:
    """How much there is, and how much waits for a vector of this signature."""
    row = tx.one("vitals.count", {"signature": signature}) or {}
    return {name: int(value) for name, value in row.items()}
