"""Tell the index anew of every record it has: terms, times that texts speak of, context, in today's way.

For entries that an earlier version made, or that were made for another timezone or style.
"""

from __future__ import annotations

from bethink.index.backfill import records
from bethink.index.describe import Style
from bethink.index.tell import tell
from bethink.records import Layer, Space
from bethink.store import Driver, Tx, entries, spaces

BATCH = 200  # entries per transaction, so that writers need not wait long


async def redescribe(driver: Driver, space: Space, style: Style) -> None:
    """Go through a space, some entries at a time; vectors stay with the texts they were made of."""
    after = 0
    while (last := await driver.write(_some, space, style, after)) is not None:
        after = last


def _some(tx: Tx, space: Space, style: Style, after: int) -> int | None:
    """The next entries; the id of the last, or None when there were none left."""
    found = entries.following(tx, space, after, BATCH)
    if not found:
        return None
    now = spaces.get(tx, space.id)  # its timezone may have changed
    known = records(tx, space.id, [(Layer(row["layer"]), row["record_id"]) for row in found])
    for name in {layer: None for layer, _ in known}:
        tell(tx, now, name, [record for (layer, _), record in known.items() if layer == name], style)
    return int(found[-1]["id"])
