"""Some of the texts there are, to tell their languages by."""

from __future__ import annotations

from bethink.store.driver import Tx


def newest(tx: Tx, limit: int) -> list[tuple[str, str]]:
    """The beginnings of the newest messages and memories, so many of each, whatever their space, and what
    made the vector of each; nothing for one that has none yet.
    """
    return [(row[0], row[1] or "") for row in tx.tuples("languages.newest", {"limit": limit})]
