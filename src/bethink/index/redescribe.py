"""Tell the index anew of every record it has: terms, times that texts speak of, context, in today's way.

For entries that an earlier version made, or that were made for another timezone or style.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator

from bethink.index.backfill import records
from bethink.index.describe import Style, fact_entry, memory_entry
from bethink.index.messages import index_messages
from bethink.records import Fact, Layer, Memory, Message, Space
from bethink.store import Driver, Tx, entries, spaces

BATCH = 200  # entries per transaction, so that writers need not wait long


async def redescribe(driver: Driver, space: Space, style: Style) -> AsyncIterator[int]:
    """Go through a space, some entries at a time: how many each time.

    Vectors stay with the texts they were made of.
    """
    after: int | None = 0
    while after is not None:
        after, described = await driver.write(_some, space, style, after)
        if described:
            yield described


def _some(tx: Tx, space: Space, style: Style, after: int) -> tuple[int | None, int]:
    """Describe the next entries; the id of the last, None when there were none left, and how many."""
    found = entries.following(tx, space, after, BATCH)
    if not found:
        return None, 0
    zone = spaces.get(tx, space.id).timezone
    known = records(tx, space.id, [(Layer(row["layer"]), row["record_id"]) for row in found]).values()
    memories = [memory_entry(record, zone) for record in known if isinstance(record, Memory)]
    facts = [fact_entry(record) for record in known if isinstance(record, Fact)]
    entries.put(tx, space, [*memories, *facts])
    places: defaultdict[str, list[int]] = defaultdict(list)
    for record in known:
        if isinstance(record, Message):
            places[record.session_id].append(record.position)
    for session_id, positions in places.items():
        index_messages(tx, space, session_id, list(_spans(positions)), style)
    return int(found[-1]["id"]), len(found)


def _spans(positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Runs of positions that follow one another, so that each message is described about once."""
    first = last = None
    for position in sorted(positions):
        if last is not None and position == last + 1:
            last = position
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = position
    if first is not None and last is not None:
        yield first, last
