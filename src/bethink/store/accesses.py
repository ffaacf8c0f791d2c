"""How often records were recalled, counted in one batch."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bethink.nouns import NOUNS
from bethink.records import Layer
from bethink.store.driver import Tx
from bethink.store.rows import micros


def count(tx: Tx, space_id: str, times: Mapping[tuple[Layer, str], int], now: datetime) -> None:
    """Add to the access counts of records, given by layer and id."""
    for name, indexed in NOUNS.indexed.items():
        if indexed.count_access is None:
            continue
        rows = [
            {"space_id": space_id, "id": record_id, "times": number, "at": micros(now)}
            for (found, record_id), number in times.items()
            if found == name
        ]
        tx.many(indexed.count_access, rows)
