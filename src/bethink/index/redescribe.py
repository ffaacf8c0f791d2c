"""Tell the index anew of every record there is: terms, times that texts speak of, context, in today's way.

For entries that an earlier version made, or that were made for another timezone or style, and for records
that the index has lost.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from bethink.index.describe import Style
from bethink.index.tell import tell
from bethink.nouns import NOUNS
from bethink.records import Layer, Space
from bethink.store import Driver, Tx, entries, spaces
from bethink.store.rows import records, without_entry

BATCH = 200  # entries per transaction, so that writers need not wait long


async def redescribe(driver: Driver, space: Space, style: Style) -> AsyncIterator[int]:
    """Go through a space, some records at a time: how many each time.

    Vectors stay with the texts they were made of.
    """
    after: int | None = 0
    while after is not None:
        after, described = await driver.write(_some, space, style, after)
        if described:
            yield described
    async with aclosing(describe_lost(driver, space, style)) as lost:
        async for described in lost:
            yield described


async def describe_lost(driver: Driver, space: Space, style: Style) -> AsyncGenerator[int, None]:
    """Tell the index of records that it does not know of, some at a time: how many each time."""
    for name in NOUNS.indexed:
        last: str | None = ""
        while last is not None:
            last, described = await driver.write(_some_lost, space, style, Layer(name), last)
            if described:
                yield described


def _some(tx: Tx, space: Space, style: Style, after: int) -> tuple[int | None, int]:
    """Describe the next entries; the id of the last, None when there were none left, and how many."""
    found = entries.following(tx, space, after, BATCH)
    if not found:
        return None, 0
    now = spaces.get(tx, space.id)  # its timezone may have changed
    known = records(tx, space.id, [(Layer(row["layer"]), row["record_id"]) for row in found])
    for name in {layer: None for layer, _ in known}:
        tell(tx, now, name, [record for (layer, _), record in known.items() if layer == name], style)
    return int(found[-1]["id"]), len(found)


def _some_lost(tx: Tx, space: Space, style: Style, layer: Layer, after: str) -> tuple[str | None, int]:
    """Describe the next records that have no entry; the id of the last looked at, and how many."""
    ids = without_entry(tx, space.id, layer, after, BATCH)
    if not ids:
        return None, 0
    lost = records(tx, space.id, [(layer, id_) for id_ in ids])
    tell(tx, spaces.get(tx, space.id), layer, list(lost.values()), style)
    return ids[-1], len(lost)
