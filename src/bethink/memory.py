"""AsyncBethink: the façade. Every verb is one short method that tells what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, Unpack

from bethink.audit.verbs import Auditing
from bethink.conversations.contexts_handle import AsyncContexts
from bethink.conversations.follow import AsyncConversations
from bethink.conversations.messages_handle import AsyncMessages
from bethink.conversations.verbs import Conversing
from bethink.core import Core, Inside
from bethink.documents.handle import AsyncDocuments
from bethink.erasure.verbs import Erasing
from bethink.errors import Closed
from bethink.extraction.verbs import Extracting
from bethink.facts.handle import AsyncFacts as AsyncFacts
from bethink.files.handle import AsyncTexts
from bethink.insights.handle import AsyncInsights
from bethink.insights.verbs import Digesting
from bethink.keys.handle import AsyncKeys
from bethink.lifecycle.handle import AsyncSummaries
from bethink.lifecycle.verbs import Shrinking
from bethink.memories.verbs import Remembering
from bethink.models.chat import Chat
from bethink.models.embed import Embedder, State
from bethink.notes.handle import AsyncNotes
from bethink.options.handle import AsyncOptions
from bethink.people.handle import AsyncDevices, AsyncHousehold, AsyncPeople
from bethink.prompt.build import build_prompt
from bethink.recall.gather import AccessLog
from bethink.recall.recall import find
from bethink.records import Json
from bethink.settings import Settings
from bethink.settings.keywords import SettingOverrides
from bethink.shapes.fields import FARTHEST as FARTHEST
from bethink.shapes.fields import PAGE_LIMIT as PAGE_LIMIT
from bethink.shapes.fields import checked
from bethink.shapes.keywords import PromptOptions, RecallOptions
from bethink.shapes.outcomes import (
    Doubt,
    Integrity,
    Progress,
    RecallResult,
    Stats,
    Vitals,
)
from bethink.shapes.prompts import Prompt, PromptRequest
from bethink.shapes.tools import ToolFormat, ToolResult
from bethink.spaces.handle import AsyncSpaces
from bethink.status.handle import AsyncIndex
from bethink.status.integrity import check_integrity
from bethink.status.vitals import memory_vitals, space_stats
from bethink.store.driver import OwnProcess
from bethink.store.spaces import find as find_space
from bethink.tools.call import as_functions, call, offered
from bethink.transfer.verbs import Transferring
from bethink.undo.verbs import Undoing
from bethink.upkeep import AsyncUpkeep, Runner, reindex
from bethink.vectors.handle import AsyncVectors
from bethink.wiring import catch_up, open_core, take_over

ACTOR = "library"


class AsyncSpace(
    Conversing, Remembering, Extracting, Shrinking, Digesting, Auditing, Undoing, Erasing, Transferring
):
    """One space of a memory: everything it does, it does in there and nowhere else."""

    def __init__(self, memory: AsyncBethink, name: str, actor: str = ACTOR) -> None:
        self.name = name
        self.inside = Inside(self, memory._opened, actor)

    @property
    def facts(self) -> AsyncFacts:
        """The facts of this space."""
        return AsyncFacts(self)

    @property
    def index(self) -> AsyncIndex:
        """The index of this space, and the models behind it."""
        return AsyncIndex(self)

    @property
    def upkeep(self) -> AsyncUpkeep:
        """The sweeps that keep this space in order, and what they did."""
        return AsyncUpkeep(self)

    @property
    def household(self) -> AsyncHousehold:
        """The household of this space: its settings and its people as a whole."""
        return AsyncHousehold(self)

    @property
    def people(self) -> AsyncPeople:
        """The people of this space, one by one."""
        return AsyncPeople(self)

    @property
    def texts(self) -> AsyncTexts:
        """The texts of this space: its soul, its narrative, and the files that mirror them."""
        return AsyncTexts(self)

    @property
    def options(self) -> AsyncOptions:
        """The options of this space: what is switched and tuned while Bethink runs."""
        return AsyncOptions(self)

    @property
    def messages(self) -> AsyncMessages:
        """The messages of this space: what was said, word for word."""
        return AsyncMessages(self)

    @property
    def summaries(self) -> AsyncSummaries:
        """The summaries of this space: what old messages come to."""
        return AsyncSummaries(self)

    @property
    def insights(self) -> AsyncInsights:
        """The insights of this space: what is going on in its channels."""
        return AsyncInsights(self)

    @property
    def notes(self) -> AsyncNotes:
        """The notes of this space: Markdown and JSON files in a folder."""
        return AsyncNotes(self)

    @property
    def contexts(self) -> AsyncContexts:
        """The contexts of this space: texts that are given to conversations."""
        return AsyncContexts(self)

    @property
    def documents(self) -> AsyncDocuments:
        """The documents of this space: its knowledge base."""
        return AsyncDocuments(self)

    @property
    def conversations(self) -> AsyncConversations:
        """Conversations that are sent whole each time, as chat clients do."""
        return AsyncConversations(self)

    @property
    def devices(self) -> AsyncDevices:
        """The devices of this space."""
        return AsyncDevices(self)

    @property
    def vectors(self) -> AsyncVectors:
        """The vector store: where it is, whether it answers, what it finds by itself."""
        return AsyncVectors(self)

    async def recall(
        self, query: str, *, vector: Sequence[float] | None = None, **options: Unpack[RecallOptions]
    ) -> RecallResult:
        """Find what answers a query, best first: `await memory.recall("what must Anna not eat?", limit=3)`.

        A `vector` at hand saves making one for the query.
        """
        core, space = await self.inside.here()
        result = await find(core, space, {"query": query, **options}, vector)
        core.part(AccessLog).note(result.hits)
        if options.get("secrets"):
            await self.inside.shown(result.hits, secrets=True)
        return result

    async def prompt(self, query: str | None = None, **options: Unpack[PromptOptions]) -> Prompt:
        """The memory part of a prompt: a stable half that provider caches keep, and one for this turn."""
        core, space = await self.inside.here()
        return await build_prompt(core, space, checked(PromptRequest, {"query": query, **options}))

    async def tools(self, format: ToolFormat = "openai") -> list[Json]:  # noqa: A002  (what callers call it)
        """The tools a model may call, as `tools=` of OpenAI's chat, its responses or Anthropic takes them."""
        return as_functions(*await offered(self), format)

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolResult:
        """Do what a model called: `await memory.call_tool("recall", {"query": "tea"})`; `text` is the answer.

        `arguments` may be the text that OpenAI's models write. What is wrong with them is told in the answer,
        with `is_error`, so that the model can do better.
        """
        return await call(self, name, arguments)

    async def reindex(
        self, *, force: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> int:
        """Make every vector that is missing or of another model; how many.

        With `force` the whole index is made anew: all vectors, all terms, the times that texts speak of.
        """
        core, space = await self.inside.here()
        await core.resolution.ready()
        if force:
            core.resolution.clear_cache()
        return await reindex(core, space, force=force, progress=progress)

    async def doubts(self, *, limit: int = 5) -> list[Doubt]:
        """A few facts worth confirming: `await memory.doubts()` says which nobody has said for long."""
        return await self.facts.doubts(limit=limit)

    async def stats(self) -> Stats:
        """What the space holds, and how its index is doing."""
        core, space = await self.inside.here()
        return await space_stats(core, space)


class AsyncBethink(AsyncSpace):
    """A memory: one database, many spaces. Its own verbs work in the default space.

    `AsyncBethink("notes.db")` takes a file, `:memory:` or a `postgresql://` URL and opens on first use, or
    with `async with`. Settings come from `settings`, or are loaded; keyword arguments are laid over them,
    each section as a dict: `embed={"source": "none"}`.
    An `embedder` or a `chat_model` of your own takes the place of the configured one.
    """

    def __init__(
        self,
        url: str | Path | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        chat_model: Chat | None = None,
        **overrides: Unpack[SettingOverrides],
    ) -> None:
        values: dict[str, Any] = {**overrides} if url is None else {**overrides, "url": str(url)}
        self.settings = settings.with_overrides(values) if settings else Settings.load(**values)
        self._embedder, self._chat_model = embedder, chat_model
        self._engine: Core | None = None
        self._opening = asyncio.Lock()
        self._closed = False
        self._process: OwnProcess | None = None  # once it is open
        super().__init__(self, self.settings.space)

    async def open(self) -> Self:
        """Connect now rather than on first use."""
        await self._opened()
        return self

    async def close(self) -> None:
        """Finish what is under way and let go of the database. Acknowledged writes are safe without it."""
        if self._process and not self._process.is_this:
            self._closed = True  # everything that is open is the parent's
            return
        async with self._opening:
            self._closed = True
            core, self._engine = self._engine, None
            if core:
                await core.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def space(self, name: str, *, actor: str = ACTOR) -> AsyncSpace:
        """A handle on another space; `actor` is who the journal says made its changes."""
        return AsyncSpace(self, name, actor)

    @property
    def keys(self) -> AsyncKeys:
        """The keys of the server over this memory, of every space."""
        return AsyncKeys(self)

    @property
    def spaces(self) -> AsyncSpaces:
        """The spaces of this memory as a whole."""
        return AsyncSpaces(self)

    async def check(self) -> State:
        """Ask the database for an answer (`StoreError` if none comes); the state of the embedding source."""
        core = await self._opened()
        await core.driver.read(find_space, self.name)
        return core.resolution.state

    async def integrity(self, *, deep: bool = False) -> Integrity:
        """Look for damage in the whole database, by its own quick check.

        `deep` also reads every record and lets the database check itself with all it has, which takes long.
        """
        core = await self._opened()
        return await check_integrity(core, deep=deep)

    async def catch_up(self) -> None:
        """Go on with what was left undone: conversations unread, vectors not made, gaps in the index.

        A server does so when it starts; in a program, writing to a space does it for that space.
        """
        core = await self._opened()
        await catch_up(core)

    async def take_over(self) -> None:
        """Go on with what another process over this database was at when it died. A server does so by itself.

        For example, with two servers over one database: `kill -9` one that is making vectors, and the other
        makes the rest as soon as the lease of the dead one ends.
        """
        core = await self._opened()
        await take_over(core)

    async def vitals(self) -> Vitals:
        """How the whole memory is doing, in numbers."""
        core = await self._opened()
        return await memory_vitals(core)

    async def settle(self) -> None:
        """Wait until everything written so far is read and has its vectors, or a model has failed."""
        core = await self._opened()
        await core.part(Runner).settle()
        await core.backfill.settle()

    async def _opened(self) -> Core:
        if self._process:
            self._process.check()
        if self._engine is None:
            async with self._opening:
                if self._closed:
                    raise Closed
                if self._engine is None:
                    self._process = OwnProcess()
                    self._engine = await open_core(self.settings, self._embedder, self._chat_model)
        return self._engine
