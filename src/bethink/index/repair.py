"""Compares records with what the index keeps of them, both ways, and mends what does not agree.

Records are the truth: what has no record leaves the index, and what the index has lost is told or made anew.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from datetime import time as clock_time
from datetime import timedelta
from typing import get_args

from bethink.contracts import Batch, Schedule, Sweep
from bethink.index.describe import Style
from bethink.index.redescribe import describe_lost
from bethink.index.tell import tell
from bethink.records import Space
from bethink.store import Driver, Tx, entries, spaces, strays
from bethink.store.rows import every_layer, records, without_entry
from bethink.store.strays import Stray

REPAIR = "repair"
BATCH = 200  # of what is astray, in one transaction
UNINDEXED = "unindexed"  # records without an entry
KINDS: tuple[Stray, ...] = get_args(Stray)
KEPT_FOR = 100  # times as long as a comparison took, it is not made anew
QUICK_SECONDS = 0.05  # one that takes no longer always is
_EVERY = 10_000_000


class Comparing:
    """Compares records and index; a comparison that takes long is kept for a while."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._kept: dict[str, tuple[float, Mapping[str, int]]] = {}  # until when, by space

    async def of(self, space: Space) -> dict[str, int]:
        """How many of each kind are astray in a space; nothing where records and index agree."""
        until, found = self._kept.get(space.id, (0.0, {}))
        if time.monotonic() >= until:
            found = await self.anew(space)
        return dict(found)

    async def anew(self, space: Space) -> dict[str, int]:
        """The same, never from memory."""
        started = time.monotonic()
        found = await self._driver.read(_compared, space)
        ended = time.monotonic()
        took = ended - started
        self._kept[space.id] = (ended + KEPT_FOR * took if took > QUICK_SECONDS else 0.0, found)
        return found

    async def look(self, space: Space) -> list[str]:
        """Which parts surely do not agree, by counts and sums of ids alone; takes little time."""
        return await self._driver.read(_unequal, space)

    def forget(self, space: Space) -> None:
        """Look anew next time."""
        self._kept.pop(space.id, None)


class Repair(Sweep):
    """Lets go of entries and vectors that belong to nothing, and has made anew what is missing."""

    name = REPAIR
    schedule = Schedule(at=clock_time(4, 30), jitter=timedelta(hours=1))

    def __init__(
        self, driver: Driver, comparing: Comparing, style: Style, tend: Callable[[Space], None]
    ) -> None:
        self._driver, self._comparing, self._style, self._tend = driver, comparing, style, tend

    async def due(self, space: Space) -> int:
        return sum((await self._comparing.of(space)).values())

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        return await self._comparing.anew(space)

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        try:
            for kind in KINDS:
                ids = await self._driver.read(strays.strays, space, kind)
                for start in range(0, len(ids), BATCH):
                    among = ids[start], ids[min(start + BATCH, len(ids)) - 1]
                    if done := await self._driver.write(_mend, space, kind, among, self._style):
                        yield Batch(done, {kind: done})
            async with aclosing(describe_lost(self._driver, space, self._style)) as lost:
                async for described in lost:
                    yield Batch(described, {UNINDEXED: described})
        finally:
            self._comparing.forget(space)
            self._tend(space)


def _compared(tx: Tx, space: Space) -> dict[str, int]:
    counts: dict[str, int] = {kind: len(strays.strays(tx, space, kind)) for kind in KINDS}
    lost = (len(without_entry(tx, space.id, layer, "", _EVERY)) for layer in every_layer())
    counts[UNINDEXED] = sum(lost)
    return {kind: number for kind, number in counts.items() if number}


def _unequal(tx: Tx, space: Space) -> list[str]:
    return [what for what, one, other in strays.sums(tx, space) if one != other]


def _mend(tx: Tx, space: Space, kind: Stray, among: tuple[int, int], style: Style) -> int:
    """Mend what is astray in a range, as it is now; how many."""
    spaces.hold(tx, space.id)  # nothing is erased meanwhile
    ids = strays.strays(tx, space, kind, among)
    if not ids:
        return 0
    if kind == "orphans":
        for layer, record_ids in strays.behind(tx, ids).items():
            entries.remove(tx, space, layer, record_ids)
    elif kind == "without_terms":
        known = strays.behind(tx, ids)
        wanted = [(layer, id_) for layer, of_layer in known.items() for id_ in of_layer]
        found = records(tx, space.id, wanted)
        current = spaces.get(tx, space.id)  # its timezone may have changed
        for layer in known:
            tell(tx, current, layer, [one for (of, _), one in found.items() if of is layer], style)
        return len(found)
    else:
        strays.drop(tx, space, kind, ids)
    return len(ids)
