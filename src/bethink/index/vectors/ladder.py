"""Where vectors are searched, from the store that was chosen down to the rows, which always answer.

What fails or is slow is gone without, rests, and is tried again by itself. A store that was chosen anew is
filled while the one before it answers; that one is emptied afterwards.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from bethink.contracts import VectorIndex, VectorQuery
from bethink.errors import StoreError
from bethink.index.vectors.feed import Feed, Filling
from bethink.index.vectors.guarded import Guarded
from bethink.index.vectors.nearest import Near, Nearest, Ranked
from bethink.records import Space
from bethink.settings import VectorSettings
from bethink.store import Driver, Tx, changes

_log = logging.getLogger(__name__)


class Rung:
    """A store beside the database: kept up with the rows, and asked while it works."""

    def __init__(
        self,
        driver: Driver,
        index: VectorIndex,
        settings: VectorSettings,
        when_healed: Callable[[], object] = lambda: None,
    ) -> None:
        self._driver, self.settings, self._when_healed = driver, settings, when_healed
        self.index = Guarded(index, settings, self._see_to_it)
        self.name, self.breaker = index.name, self.index.breaker
        self.feed = Feed(driver, self.index)
        # Of its time a search leaves half to the store itself.
        self.asks = Nearest(driver, self.index, self.feed, patience=settings.budget_seconds / 2)
        self._healing: asyncio.Task[None] | None = None

    async def nearest_each(self, queries: Sequence[VectorQuery]) -> list[Near]:
        """The entries nearest to each query, in the time a search has."""
        seconds = self.settings.budget_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self.asks.nearest_each(queries)
        except TimeoutError:
            raise self.index.failed(f"no answer came within {seconds:g} s") from None

    async def healed(self) -> None:
        """Wait until it works, if it does not."""
        if self._healing:
            await self._healing

    async def close(self) -> None:
        """Stop, and let go of it."""
        if self._healing:
            self._healing.cancel()
            await asyncio.gather(self._healing, return_exceptions=True)
        await self.asks.close()

    def _see_to_it(self) -> None:
        """Have it tried again when its rest is over."""
        if self._healing is None or self._healing.done():
            self._healing = asyncio.create_task(self._heal())

    async def _heal(self) -> None:
        """Try it until it works and knows what it missed."""
        while self.breaker.is_open:
            await asyncio.sleep(self.breaker.seconds_left)
            if await self.index.health():
                continue
            try:
                await self._catch_up()
            except StoreError as error:
                if not self.breaker.seconds_left:  # it was not the store that failed
                    self.breaker.failed(error.message)
                continue
            self.breaker.worked()
            _log.info("The vector store %s works again", self.name)
            self._when_healed()

    async def _catch_up(self) -> None:
        """Tell it what it missed in every space it holds, and compare what it has."""
        self.feed.doubt()
        await self.feed.forget_removed()
        for space, signature in await self._driver.read(changes.readings, self.index.reader):
            if signature:
                await self.feed.catch_up(space, signature)


class Ladder:
    """The stores, the newest choice first; under them the index over the rows."""

    def __init__(self, driver: Driver, ground: VectorIndex) -> None:
        self._driver, self.ground = driver, Nearest(driver, ground)
        self.rungs: list[Rung] = []
        self.chosen: Rung | None = None  # None where the rows are searched
        self.when_healed: Callable[[], object] = lambda: None  # who goes on with what had to wait
        self.lost: set[str] = set()  # stores of before that hold something and cannot be reached any more

    @property
    def name(self) -> str:
        """Where vectors are to be searched."""
        return self.chosen.name if self.chosen else self.ground.index.name

    @property
    def readers(self) -> set[str]:
        """The names by which the database knows the stores."""
        return {rung.index.reader for rung in self.rungs}

    def take_back(self, reader: str, index: VectorIndex | None, settings: VectorSettings) -> None:
        """Take care of a store of before that holds something; None for one that cannot be opened."""
        if index is None:
            self.lost.add(reader)
        else:
            self.rungs.append(self._rung(index, settings))

    def _rung(self, index: VectorIndex, settings: VectorSettings) -> Rung:
        return Rung(self._driver, index, settings, lambda: self.when_healed())

    async def use(self, index: VectorIndex | None, settings: VectorSettings) -> None:
        """Search this store from now on, once it is filled; None for the rows alone."""
        for rung in [rung for rung in self.rungs if index and rung.index.reader == index.reader]:
            self.rungs.remove(rung)  # with another key or time limit, perhaps
            await rung.close()
        self.chosen = self._rung(index, settings) if index else None
        if self.chosen:
            self.rungs.insert(0, self.chosen)

    async def nearest(self, queries: Sequence[VectorQuery], problems: list[str]) -> list[Near] | None:
        """What a store beside the database finds; None when the rows have to be searched, with why, if one
        fails.
        """
        for rung in self.rungs:
            problem = rung.breaker.problem
            if problem is None:
                try:
                    return await rung.nearest_each(queries)
                except Filling:
                    continue  # the next one holds everything
                except StoreError as error:
                    problem = error.message
            problems.append(f"vector search by {rung.name} failed: {problem}")
        return None

    async def nearest_each(self, queries: Sequence[VectorQuery]) -> list[Near]:
        """The entries nearest to each of some queries, all of one space and signature."""
        found = await self.nearest(queries, []) if self.rungs else None
        return await self.ground.nearest_each(queries) if found is None else found

    def current(self, tx: Tx, space: Space, near: Near) -> Ranked:
        """What still holds of what was found, in the transaction that reads the records."""
        return self.ground.current(tx, space, near)

    async def tend(self, space: Space, signature: str, dimensions: int, made: int) -> None:
        """See to what is needed after a space has grown by the vectors `made`."""
        await self.ground.tend(space, signature, dimensions, made)
        for rung in self.rungs:
            if not rung.breaker.is_open:
                try:
                    await rung.feed.forget_removed()
                    await rung.feed.catch_up(space.number, signature)
                except StoreError as error:
                    _log.warning("The vector store %s is behind: %s", rung.name, error.message)

    async def prune(self) -> None:
        """Cut off what nobody reads any more of the log of changes."""
        await self.ground.prune()

    async def forget(self, space: Space) -> None:
        """Let every index go of what was erased in a space; one that fails is told when it works again."""
        await self.ground.forget(space)
        for rung in self.rungs:
            try:
                await rung.feed.forget(space.number)
            except StoreError as error:
                text = "The vector store %s was not told of an erasure: %s"
                _log.warning(text, rung.name, error.message)

    async def traces(self, space: Space, ids: Sequence[int] | None) -> dict[str, list[int] | StoreError]:
        """Which of these entries each index still holds, or of the whole space; or why it cannot say."""
        found: dict[str, list[int] | StoreError] = {}
        for index in (self.ground.index, *(rung.index for rung in self.rungs)):
            name = index.reader if index.name in found else index.name  # two may be of one kind
            try:
                found[name] = await index.prove(space.number, ids)
            except StoreError as error:
                found[name] = error
        for reader in self.lost:
            if space.number in dict(await self._driver.read(changes.readings, reader)):
                found[reader] = StoreError(
                    "It was used before, and the settings do not tell how to reach it."
                )
        return found

    async def problems(self) -> dict[Rung, str]:
        """What is wrong with each store that does not work now."""
        found = {}
        for rung in self.rungs:
            if problem := rung.breaker.problem or await rung.index.health():
                found[rung] = problem
        return found

    async def retire(self, rung: Rung, space: int) -> bool:
        """Empty a store that is not chosen any more of a space, and let go of it once nothing is left there.

        Whether there was anything of the space.
        """
        held = dict(await self._driver.read(changes.readings, rung.index.reader))
        if space in held:
            await rung.feed.leave(space)
        if not held.keys() - {space} and rung in self.rungs:
            self.rungs.remove(rung)
            await rung.close()
        return space in held

    async def close(self) -> None:
        """Let go of every index; what was not told is told by whoever comes next."""
        for rung in self.rungs:
            await rung.close()
        self.rungs.clear()
        await self.ground.close()
