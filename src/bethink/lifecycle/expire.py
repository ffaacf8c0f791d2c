"""The sweep that ends what has expired, and archives what is over the retention time.

No recall finds either from the moment on at which its time is up; here it leaves the index, too.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from datetime import datetime, time, timedelta

from bethink.clock import now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.core import Core
from bethink.extraction.templates import Templates
from bethink.facts.versions import end_fact
from bethink.files.narrative import refresh
from bethink.index.describe import Style
from bethink.index.messages import index_around
from bethink.memories.archive import archived, index
from bethink.records import Space
from bethink.store import Tx, facts, journal, memories, messages, spaces
from bethink.store.filters import MemoryFilter, MessageFilter
from bethink.store.journal import note, values_of

EXPIRE = "expire"
ACTOR = "upkeep:expire"
_LIMIT = 200  # records in one transaction
_WHY = {"expired": "it expired", "memories": "it is older than the retention time"}


class Expiring(Sweep):
    """Ends expired facts; archives memories that expired a while ago, and what is past the retention."""

    name = EXPIRE
    schedule = Schedule(at=time(3), jitter=timedelta(hours=1))

    def __init__(self, core: Core, templates: Templates) -> None:
        self._core, self._templates = core, templates

    async def due(self, space: Space) -> int:
        return sum((await self.dry_run(space)).values())

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        moment = now()
        counts = {"ended": await self._core.driver.read(facts.count_expired, space.id, moment)}
        for name, chosen in (await self._memories(space, moment)).items():
            counts[name] = await self._core.driver.read(memories.count, space.id, chosen)
        if old := await self._messages(space, moment):
            counts["messages"] = await self._core.driver.read(messages.count, space.id, old)
        return {name: number for name, number in counts.items() if number}

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        moment, driver, style = now(), self._core.driver, self._core.settings.index.text_form
        if await driver.read(facts.count_expired, space.id, moment):
            await self._narrate(space, moment)  # first: once they have ended, nothing calls for it
        while done := await driver.write(_end, space, moment):
            yield Batch(done, {"ended": done})
        for name, chosen in (await self._memories(space, moment)).items():
            while done := await driver.write(_archive, space, chosen, moment, _WHY[name]):
                yield Batch(done, {name: done})
        if old := await self._messages(space, moment):
            while done := await driver.write(_archive_messages, space, old, moment, style):
                yield Batch(done, {"messages": done})
        for noun in ("fact", "memory", "message"):
            await self._core.changed(noun, space)

    async def _narrate(self, space: Space, moment: datetime) -> None:
        """Have the narrative written anew, where there is one."""
        if await self._core.driver.read(spaces.text, space.id, "narrative"):
            writer = self._core.chat.writing if self._core.chat.enabled else None
            await refresh(self._core.driver, space, writer, self._templates, moment)

    async def _memories(self, space: Space, moment: datetime) -> dict[str, MemoryFilter]:
        """Which memories are to be archived, by why."""
        grace = timedelta(days=self._core.settings.lifecycle.expired_days)
        chosen = {"expired": MemoryFilter(expired_at=moment - grace, archived=False)}
        if until := await self._core.options.kept_since(space, moment):
            chosen["memories"] = MemoryFilter(until=until, pinned=False, archived=False)
        return chosen

    async def _messages(self, space: Space, moment: datetime) -> MessageFilter | None:
        until = await self._core.options.kept_since(space, moment)
        return MessageFilter(until=until, pinned=False, archived=False) if until else None


def _end(tx: Tx, space: Space, moment: datetime) -> int:
    spaces.hold(tx, space.id)
    found = facts.expired(tx, space.id, moment, _LIMIT)
    for fact in found:
        end_fact(tx, space, fact, fact.expires_at or moment, moment, ACTOR, reason="it expired")
    return len(found)


def _archive(tx: Tx, space: Space, chosen: MemoryFilter, moment: datetime, why: str) -> int:
    spaces.hold(tx, space.id)
    found = memories.aging(tx, space.id, chosen, None, _LIMIT)
    lines = []
    for memory in found:
        gone = archived(memory, moment)
        memories.update(tx, gone)
        before, after = values_of(memory, {"archived_at"}), values_of(gone, {"archived_at"})
        lines.append(note(space, moment, ACTOR, "updated", gone, reason=why, before=before, after=after))
    index(tx, space, found)
    journal.add(tx, lines)
    return len(found)


def _archive_messages(tx: Tx, space: Space, chosen: MessageFilter, moment: datetime, style: Style) -> int:
    """Archive messages without a line each, as `tiers` does: they are kept, and the run tells how many."""
    spaces.hold(tx, space.id)
    found = messages.page(tx, space.id, chosen, _LIMIT)
    gone = [message.model_copy(update={"archived_at": moment}) for message in found]
    messages.mark(tx, gone)
    index_around(tx, space, gone, style)
    return len(gone)
