"""What every room may use of an open memory: database, settings, options, index, models. Knows no room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar, cast

from bethink.core.changes import Change, Changes
from bethink.core.current_options import CurrentOptions
from bethink.core.spaces import Ensure, Spaces
from bethink.errors import ModelError
from bethink.index.backfill import Backfill
from bethink.index.makers import TokenMaker, VectorMaker
from bethink.index.search import Index
from bethink.index.vectors import open_index
from bethink.models.chat import Chat, resolve_chat
from bethink.models.embed import Embedder, resolve
from bethink.models.late import LateEncoder
from bethink.models.rerank import Reranking
from bethink.nouns import Nouns
from bethink.records import Record, Space
from bethink.settings import Settings, Tier
from bethink.store import Driver

T = TypeVar("T")


class Inside:
    """The inside of a handle: the open memory, the handle's space, and who is acting.

    For Bethink's own rooms and surfaces; programs that use Bethink have the verbs. For example, in a verb:

        core, space = await self.inside.here()
    """

    def __init__(self, handle: Handle, opened: Callable[[], Awaitable[Core]], actor: str) -> None:
        self._handle = handle  # not its name, which may change
        self.opened = opened  # the memory, opened unless it is
        self.actor = actor

    async def here(self) -> tuple[Core, Space]:
        """The open memory, and the space of the handle, made unless it is there."""
        core = await self.opened()
        return core, await core.spaces.ensured(self._handle.name)


class Handle(Protocol):
    """What the parts of a façade need of it."""

    name: str
    inside: Inside


class Core:
    """An open database with its index and its models. `part` finds what rooms keep while it is open."""

    def __init__(
        self,
        configured: Settings,
        settings: Settings,
        driver: Driver,
        nouns: Nouns,
        ensure: Ensure,
        embedder: Embedder | None,
        chat: Chat | None,
    ) -> None:
        self.settings, self.driver, self.nouns = settings, driver, nouns
        self.resolution = resolve(settings, embedder)
        self.chat = resolve_chat(settings, chat)
        self.reranking = Reranking(settings)
        self.options = CurrentOptions(
            driver, configured, settings, self.resolution, self.reranking, given=embedder is not None
        )
        self.spaces = Spaces(driver, settings, ensure)
        self.tier = self._tier()
        wants_tokens = self.tier != "fast" and LateEncoder.available()
        self._encoder = LateEncoder(settings.embed.threads) if wants_tokens else None
        style = settings.index.document
        vectors, tokens = VectorMaker(self.resolution, style), TokenMaker(self._encoder)
        vector_index = open_index(settings.index, driver)
        self.backfill = Backfill(
            driver, (vectors, tokens), style=style, lazy_limit=settings.index.lazy_limit, tend=self._tend
        )
        self.index = Index(driver, self.resolution, vector_index, vectors, tokens, self.backfill)
        self.changes = Changes(nouns)
        self.damage: list[str] = []  # what the last look at the database found
        self._parts: dict[type[object], object] = {}
        self._closing: list[Callable[[], Awaitable[None]]] = []

    def add(self, part: object, *, close: Callable[[], Awaitable[None]] | None = None) -> None:
        """Keep a part of a room while the memory is open, to be found by its class."""
        self._parts[type(part)] = part
        if close:
            self._closing.append(close)

    def part(self, kind: type[T]) -> T:
        """The part of a room that is of this class."""
        return cast(T, self._parts[kind])

    async def changed(
        self, subject: str, space: Space, *, session_id: str | None = None, record: Record | None = None
    ) -> None:
        """Say that something was committed; whatever must follow from it has begun when this returns."""
        await self.changes.tell(Change(subject, space, session_id, record))

    async def signature(self) -> str | None:
        """What marks a vector as current; None while there is no working embedding source."""
        try:
            return await self.index.vector_maker.ready()
        except ModelError:
            return None  # the resolution keeps the reason, and `degraded` tells it

    async def close(self) -> None:
        """Finish the background work under way, then let go of everything."""
        for close in reversed(self._closing):
            await close()
        await self.backfill.close()
        await self.index.close()
        for model in (self.resolution, self.chat, self._encoder, self.reranking):
            if model is not None:
                await model.close()
        await self.driver.close()

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
            await self.index.tend(space, signature, embedder.dimensions, made)
