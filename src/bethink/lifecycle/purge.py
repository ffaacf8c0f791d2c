"""The sweep that deletes for good what has long been in the archive: only where somebody switched it on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from datetime import datetime, time, timedelta

from bethink.clock import new_id, now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.core import Core
from bethink.records import JournalEntry, Space
from bethink.store import Tx, journal, memories, messages, rows, spaces
from bethink.store.filters import MemoryFilter

PURGE = "purge"
ACTOR = "upkeep:purge"
_LIMIT = 500  # records in one transaction


class Purging(Sweep):
    """Deletes archived messages and memories after so many days in the archive. What tells of them stays.

    The last message of a conversation is kept, so that the next one gets its place after it.
    """

    name = PURGE
    schedule = Schedule(at=time(5), jitter=timedelta(hours=1))

    def __init__(self, core: Core) -> None:
        self._core, self._days = core, core.settings.lifecycle.purge_days

    async def enabled(self, _space: Space) -> bool:
        return self._days is not None

    async def due(self, space: Space) -> int:
        return sum((await self.dry_run(space)).values())

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        if (until := self._until()) is None:
            return {}
        return await self._core.driver.read(_count, space.id, until)

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        if (until := self._until()) is None:
            return
        while any((done := await self._core.driver.write(delete_archived, space, until, now())).values()):
            yield Batch(sum(done.values()), done)

    def _until(self) -> datetime | None:
        return None if self._days is None else now() - timedelta(days=self._days)


def _count(tx: Tx, space_id: str, until: datetime) -> dict[str, int]:
    return {
        "messages": messages.count_purgeable(tx, space_id, until),
        "memories": memories.count(tx, space_id, MemoryFilter(archived_before=until, pinned=False)),
    }


def delete_archived(tx: Tx, space: Space, until: datetime, moment: datetime) -> dict[str, int]:
    """Delete some of what was archived before a time."""
    spaces.hold(tx, space.id)
    said = messages.purgeable(tx, space.id, until, _LIMIT)
    old = memories.page(tx, space.id, MemoryFilter(archived_before=until, pinned=False), _LIMIT)
    done = {
        "messages": rows.delete(tx, space.id, "message", said),
        "memories": memories.delete(tx, space.id, [memory.id for memory in old]),
    }
    if any(done.values()):
        told = ", ".join(f"{number} {name}" for name, number in done.items() if number)
        line = JournalEntry(
            id=new_id(), space_id=space.id, at=moment, actor=ACTOR, action="purged", noun="space",
            record_id=space.id, reason=f"{told} that were archived before {until:%Y-%m-%d}",
        )  # fmt: skip
        journal.add(tx, [line])
    return done
