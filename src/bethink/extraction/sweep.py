"""Keeps every extractor up with the conversations: a sweep for each, nudged by new messages.

What is due is in the rows. So a crash loses nothing, and a process that was not running catches up later.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from copy import copy
from datetime import timedelta

from bethink.clock import now
from bethink.contracts import Batch, Sweep
from bethink.core import Core
from bethink.extraction.reader import Reader
from bethink.records import Extraction, Run, Space
from bethink.shapes.outcomes import ExtractRun, Outcome
from bethink.store import extractions
from bethink.upkeep import Runner

STALE = "stale"  # the extractor after which the narrative is written anew
SESSIONS = 1000  # looked at in one round
RETRIES = 1000  # failed readings tried again in one run
FULL_LOOK_SECONDS = 60.0  # how often a nudge also looks for what other sessions have left unread
Narrate = Callable[[Space], Awaitable[str | None]]
_log = logging.getLogger(__name__)


class Reading(Sweep):
    """Reads what one extractor has not read yet, a session at a time."""

    def __init__(self, core: Core, extractor: str, reader: Reader, narrate: Narrate | None) -> None:
        self.name, self._extractor = f"extract:{extractor}", extractor
        self._core, self._reader, self._narrate = core, reader, narrate
        self._looked: dict[str, float] = {}
        self._retries = False

    async def enabled(self, space: Space) -> bool:
        return self._extractor in (await self._core.options.of(space)).extractors

    async def due(self, space: Space) -> int:
        """How many sessions have something unread; some of it may have to wait until they have rested."""
        return len(await self._behind(space)) if await self.enabled(space) else 0

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        return {"sessions": await self.due(space)}

    async def batches(self, space: Space, about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        if not await self.enabled(space):
            return
        kept = False
        for failed_before in await self._failed(space) if self._retries else ():
            outcomes, failed = await self._reader.retry(space, failed_before)
            kept |= await self._tell(space, outcomes)
            yield Batch(0, {**_counts(outcomes, failed), "retried": 1})
        for session_id in sorted(await self._sessions(space, about)):
            outcomes, failed = await self._reader.read_session(space, session_id)
            kept |= await self._tell(space, outcomes)
            yield Batch(1, _counts(outcomes, failed))
            if failed:
                break  # who was asked may be down; the rest stays unread and is tried with the next look
        if kept and self._narrate and (problem := await self._narrate(space)):
            _log.warning("The narrative: %s", problem)

    def again(self) -> Reading:
        """The same, for once also with what could not be read before."""
        other = copy(self)
        other._retries = True
        return other

    async def _failed(self, space: Space) -> list[Extraction]:
        found = await self._core.driver.read(extractions.failed, space.id, now(), RETRIES)
        return [one for one in found if one.extractor == self._extractor]

    async def _tell(self, space: Space, outcomes: Sequence[Outcome]) -> bool:
        """Whether something new is known, whose vectors are to be made."""
        if kept := any(outcome.status.value in ("stored", "merged") for outcome in outcomes):
            await self._core.changed("memory", space)
        return kept

    async def _sessions(self, space: Space, about: frozenset[str] | None) -> set[str]:
        """Those that were named, and now and then also those that nobody nudges any more."""
        last = self._looked.get(space.id)
        if about is not None and last is not None and time.monotonic() - last < FULL_LOOK_SECONDS:
            return set(about)
        self._looked[space.id] = time.monotonic()
        return set(about or ()) | set(await self._behind(space))

    async def _behind(self, space: Space) -> list[str]:
        return await self._core.driver.read(extractions.behind, space.id, self._extractor, SESSIONS)


class Readings:
    """The readings of every extractor that can be used."""

    def __init__(
        self, core: Core, runner: Runner, readers: Mapping[str, Reader], narrate: Narrate, rest: timedelta
    ) -> None:
        self._core, self._runner, self._rest = core, runner, rest
        self._readings = {
            name: Reading(core, name, reader, narrate if name == STALE else None)
            for name, reader in readers.items()
        }
        for reading in self._readings.values():
            runner.add(reading)

    def can(self, name: str) -> bool:
        """Whether an extractor can be used."""
        return name in self._readings

    def nudge(self, space: Space, session_id: str) -> None:
        """Read what is new in a session soon, in the background; and once more when it has rested."""
        for reading in self._readings.values():
            self._runner.nudge(reading.name, space, session_id)
        if stale := self._readings.get(STALE):
            self._runner.nudge_later(stale.name, space, self._rest.total_seconds() + 1)

    async def run(self, space: Space, *, retry: bool = False) -> ExtractRun:
        """Read everything that is due now; with `retry` also what failed before."""
        done = ExtractRun()
        for name in (await self._core.options.look(space)).extractors:
            if reading := self._readings.get(name):
                sweep = reading.again() if retry else reading
                _add(done, await self._runner.finish(sweep, space))
            else:
                done.unavailable.append(name)
        return done


def _counts(outcomes: Sequence[Outcome], failed: bool) -> dict[str, int]:
    counted = ExtractRun(failed=int(failed))
    counted.count(outcomes)
    return {kind: number for kind, number in counted.model_dump(exclude={"unavailable"}).items() if number}


def _add(done: ExtractRun, run: Run) -> None:
    done.sessions += run.done
    for kind, number in run.counts.items():
        setattr(done, kind, getattr(done, kind) + number)
