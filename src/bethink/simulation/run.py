"""Let a household talk for years in a memory of its own, under a clock that jumps from week to week."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from bethink.errors import InvalidInput
from bethink.memory import AsyncBethink
from bethink.models.embed import Embedder
from bethink.records import Layer, MessageTier, Record, SummaryTier
from bethink.settings import Settings
from bethink.simulation.household import KINDS, Household, Planted
from bethink.testing import FrozenClock
from bethink.text.terms import estimate

BEGINS = datetime(2025, 1, 6, 7, tzinfo=UTC)  # a Monday
WEEK, YEAR = 7, 365
SWEEPS = ("expire", "tiers", "promote", "compact", "repair")
ASKED = 8  # hits in which an answer must be
USED = 3  # questions that somebody asks in a week
_PAGE = 1000
Told = Callable[[int, int], None]


class Recalled(Record):
    """Of what was planted in a way, how much is still recalled."""

    planted: int = 0
    found: int = 0


class Snapshot(Record):
    """The memory at one time."""

    day: int = Field(description="Since the beginning.")
    date: date
    observed: int = Field(description="Messages that were said.")
    tiers: dict[MessageTier, int] = Field(description="Messages that recall searches, by tier.")
    archived: int
    summaries: dict[SummaryTier, int]
    memories: int
    facts: int
    observed_tokens: int = Field(description="Of all that was said.")
    searched: int = Field(description="Entries that recall searches.")
    searched_tokens: int = Field(description="Of their texts.")
    database_bytes: int
    recalled: dict[str, Recalled] = Field(description="By how it was planted: pinned, important, plain.")


class Simulation(Record):
    """What became of a memory in the course of years."""

    years: float
    per_day: int
    seed: int
    snapshots: list[Snapshot]
    lost: list[str] = Field(description="Pinned or important, and not recalled at the end.")

    @property
    def smaller(self) -> float:
        """How many times fewer entries recall searches in the end than messages were said."""
        last = self.snapshots[-1]
        return last.observed / max(last.searched, 1)


async def simulate(
    *,
    years: float = 5,
    per_day: int = 20,
    seed: int = 7,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Told | None = None,
) -> Simulation:
    """Let a household talk for years, and tell what its memory holds and still recalls every half year.

    It has a database of its own, gone afterwards, and runs the sweeps week by week. Meanwhile the clock of
    this process is moved. For example `(await simulate(years=1)).snapshots[-1].recalled["pinned"].found`.
    """
    if years <= 0 or per_day < 1:
        raise InvalidInput("years and per_day: must be greater than 0.", field="years")
    with ExitStack() as held:
        folder = Path(held.enter_context(TemporaryDirectory(prefix="bethink-simulation-")))
        clock = held.enter_context(FrozenClock(BEGINS))
        apart = AsyncBethink(
            folder / "memory.db",
            settings=settings,
            embedder=embedder,
            space="household",
            files={"enabled": False},
            index={"vector_store": "embedded"},
            chat={"base_url": None, "api_key": None},
        )
        async with apart as memory:
            course = _Course(memory, Household(seed, per_day), clock, folder)
            return Simulation(
                years=years,
                per_day=per_day,
                seed=seed,
                snapshots=await course.run(round(years * YEAR), progress),
                lost=[one.text for one in course.lost],
            )


class _Course:
    """One simulation under way."""

    def __init__(self, memory: AsyncBethink, household: Household, clock: FrozenClock, folder: Path) -> None:
        self._memory, self._household, self._clock, self._folder = memory, household, clock, folder
        self._planted: list[Planted] = []
        self._observed = self._tokens = 0
        self.lost: list[Planted] = []

    async def run(self, days: int, progress: Told | None) -> list[Snapshot]:
        found: list[Snapshot] = []
        for start in range(0, days, WEEK):
            for day in range(start, min(start + WEEK, days)):
                await self._live(day)
            await self._keep_order(start // WEEK)
            end = min(start + WEEK, days)
            if progress:
                progress(end, days)
            if end == days or end // (YEAR / 2) > start // (YEAR / 2):
                found.append(await self._look(end))
        return found

    async def _live(self, day: int) -> None:
        """One day: every third of a week somebody says something that is worth keeping."""
        begins = BEGINS + timedelta(days=day)
        planted: Sequence[Planted] = ()
        if day % WEEK in (1, 3, 5):
            kind = KINDS[(day // 2) % len(KINDS)]
            planted = [one] if (one := self._household.plant(kind)) else ()
        for said in self._household.day(begins, planted):
            self._clock.now = said.messages[-1]["sent_at"]
            await self._memory.observe(said.session, said.messages)
            self._observed += len(said.messages)
            self._tokens += sum(estimate(message["content"]) for message in said.messages)
        self._planted += planted
        self._clock.now = begins + timedelta(days=1)

    async def _keep_order(self, week: int) -> None:
        """What a server does at night; and somebody asks something now and then."""
        await self._memory.settle()
        for name in SWEEPS:
            await self._memory.upkeep.run(name)
        await self._memory.settle()
        for number in range(min(USED, len(self._planted))):
            await self._memory.recall(self._planted[(week * USED + number) % len(self._planted)].question)

    async def _look(self, day: int) -> Snapshot:
        memory = self._memory
        tiers = {tier: await memory.messages.count(tiers=[tier], archived=False) for tier in MessageTier}
        summaries = {tier: (await memory.summaries.list(tiers=[tier])).total for tier in SummaryTier}
        layers = (await memory.stats()).layers
        recalled, lost = await self._ask()
        self.lost = [one for one in lost if one.kind != "plain"]
        return Snapshot(
            day=day,
            date=self._clock.now.date(),
            observed=self._observed,
            tiers=tiers,
            archived=await memory.messages.count(archived=True),
            summaries=summaries,
            memories=await memory.count(),
            facts=layers[Layer.FACT].total if Layer.FACT in layers else 0,
            observed_tokens=self._tokens,
            searched=sum(layer.total for layer in layers.values()),
            searched_tokens=await self._searched_tokens(),
            database_bytes=await asyncio.to_thread(self._bytes),
            recalled=recalled,
        )

    async def _ask(self) -> tuple[dict[str, Recalled], list[Planted]]:
        """Ask for everything that was planted, without counting it as used."""
        found = {kind: Recalled() for kind in KINDS}
        lost = []
        for one in self._planted:
            hits = (await self._memory.index.preview(one.question, limit=ASKED)).hits
            is_found = any(one.is_in(hit.text) for hit in hits)
            before = found[one.kind]
            found[one.kind] = Recalled(planted=before.planted + 1, found=before.found + is_found)
            lost += [] if is_found else [one]
        return {kind: found[kind] for kind in KINDS}, lost

    async def _searched_tokens(self) -> int:
        """Of messages, summaries, memories and facts that a recall can bring back."""
        memory, total = self._memory, 0
        cursor: str | None = None
        while True:
            said = await memory.messages.list(archived=False, limit=_PAGE, cursor=cursor)
            total += sum(estimate(one.content) for one in said.items)
            if (cursor := said.next_cursor) is None:
                break
        while True:
            told = await memory.summaries.list(limit=_PAGE, cursor=cursor)
            total += sum(estimate(one.summary_text) for one in told.items)
            if (cursor := told.next_cursor) is None:
                break
        offset = 0
        while notes := await memory.list(limit=_PAGE, offset=offset):
            total += sum(estimate(one.content) for one in notes)
            offset += len(notes)
        return total + sum(estimate(f"{one.key} {one.value}") for one in await memory.facts.list(limit=_PAGE))

    def _bytes(self) -> int:
        return sum(file.stat().st_size for file in self._folder.iterdir())
