"""Tell the index of records, whatever their kind."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.index.describe import Style
from bethink.nouns import NOUNS
from bethink.records import Record, Space
from bethink.store import Tx, entries


def tell(tx: Tx, space: Space, noun: str, records: Sequence[Record], style: Style) -> None:
    """Index records of a noun, as they are now; a noun without a layer has nothing to be found."""
    if not records or (indexed := NOUNS.indexed.get(noun)) is None:
        return
    if indexed.index:
        indexed.index(tx, space, records, style)
    else:
        entries.put(tx, space, [indexed.entry(record, space.timezone, style) for record in records])
