"""The spaces by their names, kept for a moment so that a request need not ask for its own each time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from bethink.clock import now
from bethink.errors import NotFound
from bethink.records import Space
from bethink.settings import Settings
from bethink.shapes.fields import check_name
from bethink.shapes.households import HouseholdDraft, household_seed
from bethink.store import Driver, Tx, spaces

SPACE_SECONDS = 2.0  # a space is used as it was read for so long: another process may rename or delete it
Ensure = Callable[[Tx, str, HouseholdDraft | None, datetime], Space]


class Spaces:
    """Finds spaces by name, and makes them on first use."""

    def __init__(self, driver: Driver, settings: Settings, ensure: Ensure) -> None:
        self._driver, self._ensure = driver, ensure
        self._default, self._seed = settings.space, household_seed(settings.household)
        self._read: dict[str, tuple[Space, float]] = {}

    def forget(self) -> None:
        """Look up every space anew when it is next used."""
        self._read.clear()

    def seed(self, name: str) -> HouseholdDraft | None:
        """Who lives in a new space of that name, where the settings say so."""
        return self._seed if name == self._default else None

    async def ensured(self, name: str) -> Space:
        """The space called `name`, made on first use."""
        if name in self._read and (space := await self.known(name)):
            return space
        check_name(name, "space")
        space = await self._driver.write(self._ensure, name, self.seed(name), now())
        self._read[name] = (space, time.monotonic())
        return space

    async def known(self, name: str) -> Space | None:
        """The space called `name` if there is one."""
        space, read_at = self._read.get(name, (None, 0.0))
        if space and time.monotonic() - read_at < SPACE_SECONDS:
            return space
        check_name(name, "space")
        found = await self._driver.peek(spaces.find, name)
        if found is None:
            self._read.pop(name, None)
        elif space:
            self._read[name] = (found, time.monotonic())
        return found

    async def existing(self, name: str) -> Space:
        """The space called `name`, which must be there."""
        if space := await self.known(name):
            return space
        raise NotFound(f"There is no space {name!r}.", field="space")
