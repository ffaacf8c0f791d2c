"""A sweep defined by the contract alone: it tidies the settings of a space that are called `untidy …`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from bethink.clock import now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.records import Space
from bethink.store import Driver, Tx, settings

BATCH = 2


def mess(tx: Tx, space: Space, count: int) -> None:
    """Leave something to tidy."""
    for number in range(count):
        settings.put(tx, space.id, f"untidy {number:02}", 0, now())


def times_tidied(tx: Tx, space: Space) -> list[int]:
    """How often each thing was tidied."""
    return [value for name, value in sorted(settings.of_space(tx, space.id).items()) if "tidy" in name]


class Tidying(Sweep):
    """Tidies two things in a batch; `asked` tells that a batch is under way, `go_on` lets it be finished."""

    def __init__(self, driver: Driver, name: str = "tidy", schedule: Schedule | None = None) -> None:
        self.name, self.schedule, self._driver = name, schedule, driver
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()
        self.broken: Exception | None = None
        self.seen: list[frozenset[str] | None] = []

    async def due(self, space: Space) -> int:
        return len(await self._driver.read(_untidy, space))

    async def batches(self, space: Space, about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        self.seen.append(about)
        while await self.due(space):
            self.asked.set()
            await self.go_on.wait()
            if self.broken:
                raise self.broken
            tidied = await self._driver.write(_tidy, space)
            yield Batch(tidied, {"tidied": tidied})


def _untidy(tx: Tx, space: Space) -> list[str]:
    return sorted(name for name in settings.of_space(tx, space.id) if name.startswith("untidy"))


def _tidy(tx: Tx, space: Space) -> int:
    found = _untidy(tx, space)[:BATCH]
    for name in found:
        times = settings.of_space(tx, space.id)[name]
        settings.remove(tx, space.id, name)
        settings.put(tx, space.id, name.removeprefix("un"), times + 1, now())
    return len(found)
