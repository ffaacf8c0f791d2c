"""The parts of an open memory, wired together once."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime, timedelta
from typing import Protocol

from bethink.clock import now
from bethink.core.current_options import CurrentOptions, at_start
from bethink.errors import ModelError, NotFound
from bethink.extraction.extractors import NAMES, extractors_for
from bethink.extraction.extractors.patterns import Patterns
from bethink.extraction.known import KnownFrom
from bethink.extraction.reader import Reader, nothing_known
from bethink.extraction.sweep import Readings
from bethink.extraction.templates import Templates
from bethink.files.folder import SpaceFiles
from bethink.files.narrative import Told, refresh
from bethink.index.backfill import Backfill
from bethink.index.makers import TokenMaker, VectorMaker
from bethink.index.passages import Passages
from bethink.index.search import Index
from bethink.index.vectors import open_index
from bethink.models.chat import Chat, resolve_chat
from bethink.models.embed import Embedder, resolve
from bethink.models.late import LateEncoder
from bethink.models.rerank import Reranking
from bethink.people import household
from bethink.recall.access import AccessLog
from bethink.recall.plan import Tier, plan
from bethink.recall.recall import Recall
from bethink.recall.unite import unite
from bethink.records import Space
from bethink.settings import Settings
from bethink.shapes.accounts import GLOBAL_SPACE
from bethink.shapes.fields import check_name
from bethink.shapes.households import HouseholdDraft, household_seed
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.options import SpaceOptions, filled
from bethink.shapes.outcomes import CacheStats, LayerCount, RecallResult, Stats, Vitals
from bethink.store import connect, entries, leases, spaces, vitals
from bethink.store.driver import Driver
from bethink.store.vectors import Vector
from bethink.upkeep.reindex import Reindexes

SPACE_SECONDS = 2.0  # a space is used as it was read for so long: another process may rename or delete it


class Handle(Protocol):
    """What the parts of a façade need of it: which space they are of, and who is acting."""

    name: str
    _actor: str

    async def _here(self) -> tuple[Engine, Space]: ...


class Engine:
    """An open database with its index, its models and its background work."""

    def __init__(
        self,
        configured: Settings,
        settings: Settings,
        driver: Driver,
        embedder: Embedder | None,
        chat: Chat | None,
    ) -> None:
        self.settings, self.driver = settings, driver
        self.resolution = resolve(settings, embedder)
        self.chat = resolve_chat(settings, chat)
        given = embedder is not None
        self.reranking = Reranking(settings)
        self.options = CurrentOptions(
            driver, configured, settings, self.resolution, self.reranking, given=given
        )
        self.tier = self._tier()
        style = settings.index.document
        wants_tokens = self.tier != "fast" and LateEncoder.available()
        self._encoder = LateEncoder(settings.embed.threads) if wants_tokens else None
        vectors, tokens = VectorMaker(self.resolution, style), TokenMaker(self._encoder)
        vector_index = open_index(settings.index, driver.dialect)
        self.backfill = Backfill(
            driver,
            (vectors, tokens),
            style=style,
            lazy_limit=settings.index.lazy_limit,
            tend=self._tend,
        )
        self.index = Index(driver, self.resolution, vector_index, vectors, tokens, self.backfill)
        self.recall = Recall(driver, self.index, self.reranking, settings, self.tier)
        self.accesses = AccessLog(driver)
        self.reindexes = Reindexes(driver, self.backfill, style)
        self.readings = self._readings()
        self.files = SpaceFiles(driver, settings.files_folder)
        self._seed = household_seed(settings.household)
        self._spaces: dict[str, tuple[Space, float]] = {}

    @classmethod
    async def open(
        cls, settings: Settings, embedder: Embedder | None = None, chat: Chat | None = None
    ) -> Engine:
        """Connect to the database, bring it up to date, and get ready."""
        driver = await connect(settings.database_url, settings.store)
        try:
            return cls(settings, await at_start(driver, settings), driver, embedder, chat)
        except BaseException:
            await driver.close()
            raise

    def _tier(self) -> Tier:
        """The tier asked for; by itself, `balanced` where the packaged models do the embedding anyway."""
        wanted = self.settings.recall.tier
        if wanted == "auto":
            return "balanced" if self.resolution.source == "local" else "fast"
        return wanted

    async def _tend(self, space: Space, made: int) -> None:
        """See to what the vector index of a space needs that has grown."""
        if self.resolution.enabled:
            signature, embedder = await self.index.vector_maker.ready(), await self.resolution.ready()
            await self.index.vectors.tend(self.driver, space, signature, embedder.dimensions, made)

    def _readings(self) -> Readings:
        """What reads conversations: the rules always, and a chat model where there is one."""
        settings, templates = self.settings.extraction, Templates(self.settings.chat.templates)
        passages = Passages(self.resolution, self.index.vector_maker)
        similar = self.settings.similarity.dedupe
        known = KnownFrom(self.driver, self.recall, settings.known_memories)
        readers = {"patterns": Reader(self.driver, self.index, passages, Patterns(), nothing_known, similar)}
        if self.chat.enabled:
            for one in extractors_for(NAMES, self.chat.extraction, settings, templates):
                readers[one.name] = Reader(self.driver, self.index, passages, one, known, similar)
        writer = self.chat.writing if self.chat.enabled else None

        async def narrate(space: Space) -> Told:
            return await refresh(self.driver, space, writer, templates, now())

        rest = timedelta(minutes=settings.idle_minutes)
        return Readings(self.driver, self.options, self.backfill, readers, narrate, rest)

    async def close(self) -> None:
        """Finish the background work under way, then let go of everything."""
        await self.readings.close()
        await self.reindexes.close()
        await self.backfill.close()
        await self.accesses.close()
        for model in (self.resolution, self.chat, self._encoder, self.reranking):
            if model is not None:
                await model.close()
        await self.driver.close()

    async def recall_for(
        self,
        space: Space,
        request: RecallRequest,
        options: SpaceOptions,
        moment: datetime,
        vector: Vector | None = None,
    ) -> RecallResult:
        """Recall in a space, and in the global one too where the request or the space's options say so."""
        wanted = filled(request, options, moment)
        included = options.include_global if request.include_global is None else request.include_global
        shared = await self.known(GLOBAL_SPACE) if included and space.name != GLOBAL_SPACE else None
        if shared is None:
            return await self.recall(space, wanted, moment, vector)
        own, theirs = await asyncio.gather(
            self.recall(space, wanted, moment, vector),
            self.recall(shared, wanted.model_copy(update={"fallback": False}), moment, vector),
        )
        planned = plan(wanted, self.settings.recall, moment)
        return unite(own, theirs, planned.limit, planned.budget)

    async def current_signature(self) -> str | None:
        """What marks a vector as current; None while there is no working embedding source."""
        try:
            return await self.index.vector_maker.ready()
        except ModelError:
            return None  # the resolution keeps the reason, and `degraded` tells it

    def cache(self) -> CacheStats:
        """How the cache of embeddings is doing."""
        kept, embed = self.resolution.statistics, self.settings.embed
        hits, misses, size = (kept.hits, kept.misses, kept.size) if kept else (0, 0, 0)
        asked = hits + misses
        return CacheStats(
            hits=hits,
            misses=misses,
            size=size,
            capacity=embed.cache_size,
            seconds=embed.cache_seconds,
            hit_rate=round(hits / asked, 4) if asked else None,
        )

    def degraded(self) -> list[str]:
        """What is not working as it should, in words."""
        if not self.resolution.enabled:
            return [f"no embedding source: {self.resolution.reason}"]
        problem = self.resolution.problem
        return [f"the embedding source is down: {problem}"] if problem else []

    async def stats(self, space: Space) -> Stats:
        """What a space holds, and how its index is doing."""
        signature = await self.current_signature()
        counts = await self.driver.read(entries.count, space.id, signature or "")
        layers = {
            layer: LayerCount(total=total, embedded=made if signature else 0)
            for layer, (total, made) in counts.items()
        }
        waiting = sum(count.total - count.embedded for count in layers.values())
        return Stats(
            space=space.name,
            layers=layers,
            embedding_source=self.resolution.source,
            embedding_state=self.resolution.state,
            embedding_reason=self.resolution.problem or self.resolution.reason,
            signature=signature,
            awaiting_vectors=waiting if self.resolution.enabled else 0,
            degraded=[*self.degraded(), *await self._unread(space)],
        )

    async def _unread(self, space: Space) -> list[str]:
        """What keeps conversations from being read as they should, in words."""
        chosen = (await self.options.of(space)).extractors
        missing = [name for name in chosen if not self.readings.can(name)]
        problems = [f"the extractor {name} has nobody to ask: {self.chat.reason}" for name in missing]
        if self.chat.problem:
            problems.append(f"the chat model is failing: {self.chat.problem}")
        return problems

    async def catch_up(self) -> None:
        """Go on with what was left undone in any space, one space after the other."""
        for space in await self.driver.read(spaces.list_all):
            self.backfill.nudge(space)
            self.readings.look(space)
            await self.readings.settle()

    async def take_over(self) -> None:
        """Go on with what a process was at that died: its leases have ended, and nobody let go of them."""
        left = await self.driver.read(leases.abandoned, now())
        owners = {name.rpartition(":")[2] for name in left}
        for space in await self.driver.read(spaces.list_all) if left else ():
            if space.id in owners:
                self.backfill.tend(space)
                self.readings.look(space)
        if left:
            await self.driver.write(leases.clear, left, now())

    async def vitals(self) -> Vitals:
        """How everything is doing, in numbers."""
        signature = await self.current_signature()
        counts = await self.driver.read(vitals.count, signature or "")
        if not self.resolution.enabled:
            counts["entries_awaiting_vectors"] = 0
        running = self.backfill.running + self.readings.running
        return Vitals(**counts, sweeps_running=running, degraded=bool(self.degraded()))

    def spaces_changed(self) -> None:
        """Look up every space anew when it is next used."""
        self._spaces.clear()

    def seed(self, name: str) -> HouseholdDraft | None:
        """Who lives in a new space of that name, where the settings say so."""
        return self._seed if name == self.settings.space else None

    async def space(self, name: str) -> Space:
        """The space called `name`, made on first use."""
        if name in self._spaces and (space := await self.known(name)):
            return space
        check_name(name, "space")
        space = await self.driver.write(household.ensure, name, self.seed(name), now())
        self._spaces[name] = (space, time.monotonic())
        return space

    async def known(self, name: str) -> Space | None:
        """The space called `name` if there is one."""
        space, read_at = self._spaces.get(name, (None, 0.0))
        if space and time.monotonic() - read_at < SPACE_SECONDS:
            return space
        check_name(name, "space")
        found = await self.driver.peek(spaces.find, name)
        if found is None:
            self._spaces.pop(name, None)
        elif space:
            self._spaces[name] = (found, time.monotonic())
        return found

    async def existing(self, name: str) -> Space:
        """The space called `name`, which must be there."""
        if space := await self.known(name):
            return space
        raise NotFound(f"There is no space {name!r}.", field="space")
