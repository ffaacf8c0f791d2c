"""AsyncRecollect: the façade. Every verb is one short method that tells what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from typing import IO, Any, Self

from recollect.auditing import audit_space, fix_findings
from recollect.audits import Audit, Finding, Fixed
from recollect.capture import revise
from recollect.capture.begin import begin
from recollect.capture.history import history
from recollect.capture.observe import observe
from recollect.capture.remember import remember
from recollect.capture.undo import undo
from recollect.clock import new_id, now
from recollect.configuring import AsyncOptions
from recollect.contexts import AsyncContexts
from recollect.conversations import AsyncConversations
from recollect.engine import Engine
from recollect.erasing import erase_for_good
from recollect.errors import Closed, InvalidInput
from recollect.facts import AsyncFacts as AsyncFacts
from recollect.indexing import AsyncIndex
from recollect.inputs import (
    MemoryChange,
    MemoryDraft,
    MessageDraft,
    SessionDraft,
    check_name,
    checked,
    checked_all,
    checked_reason,
)
from recollect.keys import AsyncKeys
from recollect.limits import FARTHEST as FARTHEST
from recollect.limits import PAGE_LIMIT as PAGE_LIMIT
from recollect.limits import check_page, check_sizes
from recollect.listing import chosen, forget_together, list_page
from recollect.models.chat import Chat
from recollect.models.embed import Embedder, State
from recollect.moving import export_space, import_space
from recollect.outcomes import (
    ExtractRun,
    Forgotten,
    MemoryPage,
    Observed,
    Progress,
    RecallResult,
    Remembered,
    Stats,
    Vitals,
)
from recollect.people import AsyncDevices, AsyncHousehold, AsyncPeople
from recollect.prompting import build_prompt
from recollect.prompts import Prompt, PromptRequest
from recollect.recalling import find
from recollect.records import Extraction, ExtractionStatus, Fact, Memory, MemoryType, Message, Session, Space
from recollect.rights import (
    EraseRequest,
    Exported,
    Imported,
    ImportRequest,
    JournalPage,
    JournalQuery,
    Receipt,
    Undone,
)
from recollect.settings import Settings
from recollect.spaces import AsyncSpaces
from recollect.store import entries, extractions, memories, messages, sessions
from recollect.store.spaces import find as find_space
from recollect.texts import AsyncTexts

ACTOR = "library"


class AsyncSpace:
    """One space of a memory: everything it does, it does in there and nowhere else."""

    def __init__(self, memory: AsyncRecollect, name: str, actor: str = ACTOR) -> None:
        self._memory, self.name, self._actor = memory, name, actor

    @property
    def facts(self) -> AsyncFacts:
        """The facts of this space."""
        return AsyncFacts(self)

    @property
    def index(self) -> AsyncIndex:
        """The index of this space, and the models behind it."""
        return AsyncIndex(self)

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
        """The options of this space: what is switched and tuned while Recollect runs."""
        return AsyncOptions(self)

    @property
    def contexts(self) -> AsyncContexts:
        """The contexts of this space: texts that are given to conversations."""
        return AsyncContexts(self)

    @property
    def conversations(self) -> AsyncConversations:
        """Conversations that are sent whole each time, as chat clients do."""
        return AsyncConversations(self)

    @property
    def devices(self) -> AsyncDevices:
        """The devices of this space."""
        return AsyncDevices(self)

    async def begin(self, session: str | None = None, **fields: Any) -> Session:
        """Begin a conversation, or change what is told of one; without a name it is given one.

        `fields` are those of `SessionDraft`: title, platform, metadata, context_ids. Observing messages
        begins a conversation too.
        """
        engine, space = await self._here()
        name = new_id() if session is None else session
        check_name(name, "session")
        draft = checked(SessionDraft, fields)
        begun, _ = await engine.driver.write(begin, space, name, draft, now(), self._actor)
        engine.readings.nudge(space, name)
        return begun

    async def observe(self, session: str, messages: Sequence[Mapping[str, Any] | MessageDraft]) -> Observed:
        """Take in messages of a conversation: `[{"role": "user", "content": "…"}, …]`.

        They are durable when this returns. A message with an `id` is taken in once, however often it comes.
        """
        engine, space = await self._here()
        drafts = checked_all(MessageDraft, messages, "messages")
        check_name(session, "session")
        check_sizes(engine.settings.limits, count=len(drafts), texts=[draft.content for draft in drafts])
        style = engine.settings.index.document
        seen = await engine.driver.write(observe, space, session, drafts, now(), self._actor, style)
        engine.backfill.nudge(space)
        engine.readings.nudge(space, session)
        return seen

    async def remember(self, content: str, **fields: Any) -> Remembered:
        """Store a memory. `fields` are those of `MemoryDraft`: key, tags, metadata, pinned, expires_at, …

        The outcome says what happened: `stored`; `merged` into the memory that its key names; or `duplicate`.
        """
        return (await self.remember_many([{"content": content, **fields}]))[0]

    async def remember_many(self, drafts: Sequence[Mapping[str, Any] | MemoryDraft]) -> list[Remembered]:
        """Store many memories in one transaction; one outcome each, in order."""
        engine, space = await self._here()
        found = checked_all(MemoryDraft, drafts, "memories")
        check_sizes(engine.settings.limits, count=len(found), texts=[draft.content for draft in found])
        outcomes = await engine.driver.write(remember, space, found, now(), self._actor)
        engine.backfill.nudge(space)
        return outcomes

    async def recall(
        self, query: str, *, vector: Sequence[float] | None = None, **options: Any
    ) -> RecallResult:
        """Find what answers a query, best first.

        `options` are the fields of `RecallRequest`: limit, layers, since, … A `vector` at hand saves making
        one for the query.
        """
        engine, space = await self._here()
        result = await find(engine, space, {"query": query, **options}, vector)
        engine.accesses.note(result.hits)
        return result

    async def prompt(self, query: str | None = None, **options: Any) -> Prompt:
        """The memory part of a prompt: a stable half that provider caches keep, and one for this turn.

        `options` are the fields of `PromptRequest`: messages, device, max_tokens, shape, …
        """
        engine, space = await self._here()
        return await build_prompt(engine, space, checked(PromptRequest, {"query": query, **options}))

    async def get(self, memory_id: str) -> Memory:
        """One memory by its id."""
        engine, space = await self._here()
        return await engine.driver.read(revise.get, space, memory_id)

    async def update(self, memory_id: str, *, reason: str | None = None, **changes: Any) -> Memory:
        """Change some fields of a memory; metadata is merged one level deep. The journal keeps `reason`."""
        engine, space = await self._here()
        change = checked(MemoryChange, changes)
        check_sizes(engine.settings.limits, texts=[change.content or ""])
        why = checked_reason(reason)
        changed = await engine.driver.write(
            revise.update, space, memory_id, change, now(), self._actor, reason=why
        )
        engine.backfill.nudge(space)
        return changed

    async def pin(self, memory_id: str, pinned: bool = True) -> Memory:
        """Pin a memory, so that it ranks higher and does not age; or unpin it."""
        return await self.update(memory_id, pinned=pinned)

    async def replace(
        self, memory_id: str, content: str, *, reason: str | None = None, **fields: Any
    ) -> Memory:
        """Make a memory what this says; a field that is left out has its default again.

        `fields` are those of `MemoryDraft`. Only when it was observed stays, if nothing else is said.
        """
        engine, space = await self._here()
        draft, why = checked(MemoryDraft, {"content": content, **fields}), checked_reason(reason)
        check_sizes(engine.settings.limits, texts=[draft.content])
        changed = await engine.driver.write(
            revise.replace, space, memory_id, draft, now(), self._actor, reason=why
        )
        engine.backfill.nudge(space)
        return changed

    async def forget(self, *memory_ids: str, reason: str | None = None) -> list[Memory]:
        """Delete memories, from the index too; what they were is returned and kept in the journal."""
        engine, space = await self._here()
        why = checked_reason(reason)
        return await engine.driver.write(revise.forget, space, memory_ids, now(), self._actor, reason=why)

    async def forget_many(
        self, *, dry_run: bool = False, reason: str | None = None, **filters: Any
    ) -> Forgotten:
        """Delete all memories that `filters` choose, which are those of `list`; at least one is needed.

        With `dry_run` the answer only says how many that would be, with a sample.
        """
        engine, space = await self._here()
        return await forget_together(engine, space, self._actor, filters, dry_run, reason)

    async def journal(self, *, limit: int = 50, **filters: Any) -> JournalPage:
        """Who changed what, newest first; `filters` are those of `JournalQuery`: record_id, since, …"""
        engine, space = await self._here()
        check_page(limit)
        return await engine.driver.read(history, space.id, checked(JournalQuery, filters), limit)

    async def undo(self, journal_id: str) -> Undone:
        """Undo a change of the journal: an update, a merge, an edit, a superseded or forgotten value.

        Raises `Conflict` when what it changed has changed since. Undoing is noted too, and can be undone.
        """
        engine, space = await self._here()
        style = engine.settings.index.document
        undone = await engine.driver.write(undo, space, journal_id, now(), self._actor, style)
        engine.backfill.nudge(space)
        if isinstance(undone.record, Fact) and undone.record.promoted:
            await engine.files.sync(space)
        return undone

    async def erase(self, **choice: Any) -> Receipt:
        """Erase every trace of something, and prove it: `memory_ids`, `fact_ids`, `person_id`, `session_id`,
        a `query` that texts hold, or `everything`. With `dry_run` the receipt only says what would go.
        """
        engine, space = await self._here()
        return await erase_for_good(engine, space, checked(EraseRequest, choice), self._actor)

    async def export(
        self, file: str | PathLike[str] | IO[bytes], *, progress: Callable[[Progress], None] | None = None
    ) -> Exported:
        """Write all that the space holds to one JSON Lines archive, at a path or to a binary stream."""
        engine, space = await self._here()
        return await export_space(engine, space, file, progress)

    async def import_(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        **options: Any,
    ) -> Imported:
        """Take in an archive, conversations of other programs, or what mem0, Chroma or a list in JSON holds.

        An empty space becomes what the archive was, to the byte; in another, what is known stays as it is.
        `options` are the fields of `ImportRequest`: format, me, timezone, …
        """
        engine, space = await self._here()
        request = checked(ImportRequest, options)
        return await import_space(engine, space, file, request, self._actor, progress)

    async def sessions(self, limit: int = 50) -> list[Session]:
        """Conversations, the most recently active first."""
        engine, space = await self._here()
        check_page(limit)
        return await engine.driver.read(sessions.newest, space.id, limit)

    async def messages(self, session: str, *, after: int = 0, limit: int = 100) -> list[Message]:
        """The messages of a conversation in order, beginning after a position."""
        engine, space = await self._here()
        check_name(session, "session")
        check_page(limit, after, "after")
        return await engine.driver.read(messages.of_session, space.id, session, after, limit)

    async def extract(self, *, retry: bool = False) -> ExtractRun:
        """Read now what is due of the conversations, rather than in the background.

        With `retry` also what could not be read before.
        """
        engine, space = await self._here()
        return await engine.readings.run(space, retry=retry)

    async def extractions(
        self, *, status: ExtractionStatus | None = None, session: str | None = None, limit: int = 50
    ) -> list[Extraction]:
        """What was read of the conversations, by which extractor, and what failed; newest first."""
        engine, space = await self._here()
        check_page(limit)
        return await engine.driver.read(
            extractions.newest, space.id, status=status, session_id=session, limit=limit
        )

    async def audit(self) -> Audit:
        """Look for duplicates, near-duplicates, junk, secrets, contradictions and stale facts.

        Changes nothing; each finding names the one step that mends it.
        """
        engine, space = await self._here()
        return await audit_space(engine, space)

    async def fix(self, *findings: str, kinds: Sequence[Finding | str] = ()) -> Fixed:
        """Mend findings of an audit, by their ids or all of some kinds; the journal keeps what was before."""
        engine, space = await self._here()
        try:
            wanted = [Finding(kind) for kind in kinds]
        except ValueError as error:
            known = ", ".join(kind.value for kind in Finding)
            raise InvalidInput(f"kinds: {error}; known are {known}.", field="kinds") from None
        return await fix_findings(engine, space, self._actor, findings, wanted)

    async def reindex(
        self, *, force: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> int:
        """Make every vector that is missing or of another model (all of them with `force`); how many."""
        engine, space = await self._here()
        await engine.resolution.ready()
        if force:
            engine.resolution.clear_cache()
            await engine.driver.write(entries.unembed, space.id)
        return await engine.backfill.run(space, progress)

    async def stats(self) -> Stats:
        """What the space holds, and how its index is doing."""
        engine, space = await self._here()
        return await engine.stats(space)

    async def list(
        self,
        *,
        types: Sequence[MemoryType] | None = None,
        person_ids: Sequence[str] | None = None,
        session_ids: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        sources: Sequence[str] | None = None,
        pinned: bool | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Memory]:
        """Memories, newest first. A filter list that is empty matches nothing."""
        wanted = chosen(
            types=types,
            person_ids=person_ids,
            session_ids=session_ids,
            tags=tags,
            categories=categories,
            sources=sources,
            pinned=pinned,
            since=since,
            until=until,
        )
        engine, space = await self._here()
        check_page(limit, offset)
        return await engine.driver.read(memories.page, space.id, wanted, limit, offset)

    async def page(
        self, *, limit: int = 50, offset: int = 0, cursor: str | None = None, **filters: Any
    ) -> MemoryPage:
        """Memories, newest first, with how many there are; `filters` are those of `list`.

        `cursor` is the `next_cursor` of the page before: nothing comes twice, whatever is added meanwhile.
        """
        engine, space = await self._here()
        return await list_page(engine, space, limit, offset, cursor, filters)

    async def count(self, **filters: Any) -> int:
        """How many memories there are; `filters` are those of `list`."""
        engine, space = await self._here()
        return await engine.driver.read(memories.count, space.id, chosen(**filters))

    async def _here(self) -> tuple[Engine, Space]:
        engine = await self._memory._opened()
        return engine, await engine.space(self.name)


class AsyncRecollect(AsyncSpace):
    """A memory: one database, many spaces. Its own verbs work in the default space.

    `AsyncRecollect("notes.db")` takes a file, `:memory:` or a `postgresql://` URL and opens on first use, or
    with `async with`. Settings come from `settings`, or are loaded; keyword arguments are laid over them.
    An `embedder` or a `chat_model` of your own takes the place of the configured one.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        chat_model: Chat | None = None,
        **overrides: Any,
    ) -> None:
        if url is not None:
            overrides["url"] = str(url)
        self.settings = settings.with_overrides(overrides) if settings else Settings.load(**overrides)
        self._embedder, self._chat_model = embedder, chat_model
        self._engine: Engine | None = None
        self._opening = asyncio.Lock()
        self._closed = False
        super().__init__(self, self.settings.space)

    async def open(self) -> Self:
        """Connect now rather than on first use."""
        await self._opened()
        return self

    async def close(self) -> None:
        """Finish what is under way and let go of the database. Acknowledged writes are safe without it."""
        async with self._opening:
            self._closed = True
            engine, self._engine = self._engine, None
            if engine:
                await engine.close()

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
        engine = await self._opened()
        await engine.driver.read(find_space, self.name)
        return engine.resolution.state

    async def catch_up(self) -> None:
        """Go on with what was left undone in any space: conversations unread, vectors not made.

        A server does so when it starts; in a program, writing to a space does it for that space.
        """
        engine = await self._opened()
        await engine.catch_up()

    async def vitals(self) -> Vitals:
        """How the whole memory is doing, in numbers."""
        engine = await self._opened()
        return await engine.vitals()

    async def settle(self) -> None:
        """Wait until everything written so far is read and has its vectors, or a model has failed."""
        engine = await self._opened()
        await engine.readings.settle()
        await engine.backfill.settle()

    async def _opened(self) -> Engine:
        if self._engine is None:
            async with self._opening:
                if self._closed:
                    raise Closed
                if self._engine is None:
                    self._engine = await Engine.open(self.settings, self._embedder, self._chat_model)
        return self._engine
