"""The sweep that lets one memory tell of many old ones, which are archived."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256

from bethink.clock import now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.core import Core
from bethink.lifecycle.compact import Bundle, bundles
from bethink.memories.archive import COMPACTED, archived, index
from bethink.recall import superseded
from bethink.records import Memory, MemoryType, Space
from bethink.store import Tx, journal, memories, spaces
from bethink.store.filters import MemoryFilter
from bethink.store.journal import note

COMPACT = "compact"
ACTOR = "upkeep:compact"
_EVERY = 1_000_000  # more memories than a month has
_ID_DIGITS = 32  # of a hash


class Compacting(Sweep):
    """Compacts the memories that are older than so many days, month by month."""

    name = COMPACT
    schedule = Schedule(at=time(4), jitter=timedelta(hours=1))

    def __init__(self, core: Core, days: float | None = None) -> None:
        self._core = core
        self._age = timedelta(days=core.settings.lifecycle.compact_days if days is None else days)

    async def enabled(self, space: Space) -> bool:
        return (await self._core.options.of(space)).auto_summarize

    async def due(self, space: Space) -> int:
        """How many memories would be told of; none where nothing is compacted, for all old ones are read."""
        return (await self.dry_run(space)).get("compacted", 0) if await self.enabled(space) else 0

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        until = now() - self._age
        counts, first = dict[str, int](), None
        while month := await self._core.driver.read(_month, space, until, first):
            found = await self._core.driver.read(_planned, space, *month)
            counts = {name: counts.get(name, 0) + number for name, number in _counted(found).items()}
            first = month[1]
        return counts

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        moment = now()
        driver, until, first = self._core.driver, moment - self._age, None
        while month := await driver.read(_month, space, until, first):
            counts = await driver.write(_apply, space, *month, moment)
            first = month[1]
            if any(counts.values()):
                yield Batch(counts["compacted"], counts)
        await self._core.changed("memory", space)


def _month(tx: Tx, space: Space, until: datetime, first: datetime | None) -> tuple[datetime, datetime] | None:
    """The next month in which there is something old enough; the last one ends where the age says."""
    chosen = MemoryFilter(since=first, until=until, pinned=False)
    found = memories.aging(tx, space.id, chosen, None, 1)
    if not found:
        return None
    start = found[0].observed_at.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    try:
        return start, min((start + timedelta(days=31)).replace(day=1), until)
    except OverflowError:  # the last month there is
        return start, until


def _planned(tx: Tx, space: Space, start: datetime, end: datetime) -> list[Bundle]:
    chosen = MemoryFilter(since=start, until=end, pinned=False)
    found = [
        memory
        for memory in memories.aging(tx, space.id, chosen, None, _EVERY)
        if memory.source != COMPACTED and memory.expires_at is None  # it would be told of for too long
    ]
    return bundles(found, superseded.of_memories(tx, space.id, [memory.id for memory in found]))


def _apply(tx: Tx, space: Space, start: datetime, end: datetime, moment: datetime) -> Mapping[str, int]:
    spaces.hold(tx, space.id)  # nothing is erased meanwhile
    found = _planned(tx, space, start, end)
    tellers = [_teller(space, bundle, moment) for bundle in found]
    known = memories.by_ids(tx, space.id, [one.id for one in tellers])
    fresh = [one for one in tellers if one.id not in known]
    memories.add(tx, fresh)
    told = []
    for teller, bundle in zip(tellers, found, strict=True):
        told += [archived(memory, moment, teller.id) for memory in bundle.memories]
    for memory in told:
        memories.update(tx, memory)
    index(tx, space, [*fresh, *told])
    lines = [
        note(space, moment, ACTOR, "stored", one, reason=f"it tells of {len(bundle.memories)} memories")
        for one, bundle in zip(tellers, found, strict=True)
        if one.id not in known
    ]
    journal.add(tx, lines)
    return _counted(found)


def _teller(space: Space, bundle: Bundle, moment: datetime) -> Memory:
    """The memory that tells of others; the same ones always have the same."""
    ids = [memory.id for memory in bundle.memories]
    last = bundle.memories[-1]
    sessions = {memory.session_id for memory in bundle.memories}
    return Memory(
        id=f"mc_{sha256(chr(0).join((space.id, *sorted(ids))).encode()).hexdigest()[:_ID_DIGITS]}",
        space_id=space.id,
        content=bundle.text,
        type=MemoryType.SEMANTIC,
        title=f"{last.observed_at:%Y-%m}",
        source=COMPACTED,
        source_ref={"memories": ids},
        person_id=last.person_id,
        session_id=sessions.pop() if len(sessions) == 1 else None,
        observed_at=last.observed_at,
        confidence=min(memory.confidence for memory in bundle.memories),
        created_at=moment,
        updated_at=moment,
    )


def _counted(found: Sequence[Bundle]) -> dict[str, int]:
    if not found:
        return {"compacted": 0, "summaries": 0, "tokens_saved": 0}
    return {
        "compacted": sum(len(bundle.memories) for bundle in found),
        "summaries": len(found),
        "tokens_saved": sum(bundle.saved for bundle in found),
    }
