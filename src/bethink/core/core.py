"""What every room may use of an open memory: database, settings, options, index, models. Knows no room."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar, cast

from bethink.clock import new_id, now
from bethink.core.current_options import CurrentOptions
from bethink.errors import ModelError, NotFound
from bethink.index.backfill import Backfill
from bethink.index.makers import TokenMaker, VectorMaker
from bethink.index.search import Index
from bethink.index.vectors import open_ground
from bethink.index.vectors.outside import open_store, reopen_store, store_name
from bethink.models.chat import Chat, resolve_chat
from bethink.models.embed import Embedder, resolve
from bethink.models.embed.traits import MULTILINGUAL, Texts
from bethink.models.late import LateEncoder
from bethink.models.rerank import Reranking
from bethink.nouns import Nouns
from bethink.records import JournalEntry, Record, Space
from bethink.settings import Settings, Tier
from bethink.shapes.fields import check_name
from bethink.shapes.households import HouseholdDraft, household_seed
from bethink.store import Driver, Tx, changes, journal, spaces
from bethink.store.settings import database_id
from bethink.text.secrets import Secrecy

DEEDS = ("options", "archive", "erasure", "undo")  # what is done to many records at once
Nudge = Callable[[Space], object]
LetGo = Callable[[Space, str | None], object]
Follow = Callable[["Change"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that was just committed. `record` is what it left, where it is one record.

    `subject` is a noun or one of `DEEDS`.
    """

    subject: str
    space: Space
    session_id: str | None = None
    record: Record | None = None


class Changes:
    """What follows from each kind of change, in the order in which it was subscribed."""

    def __init__(self, nouns: Nouns) -> None:
        self._subjects = {*DEEDS, *(noun.name for noun in nouns)}
        self._lets_go: defaultdict[str, list[LetGo]] = defaultdict(list)
        self._follows: defaultdict[str, list[Follow]] = defaultdict(list)
        self._nudges: defaultdict[str, list[Nudge]] = defaultdict(list)

    def on(
        self,
        *subjects: str,
        let_go: LetGo | None = None,
        follow: Follow | None = None,
        nudge: Nudge | None = None,
    ) -> None:
        """After every change of these subjects, `let_go` of what is kept of the space, or of a session of it;
        wait for `follow`; `nudge` what goes on by itself.
        """
        for subject in subjects:
            self._lets_go[subject] += [let_go] if let_go else []
            self._follows[subject] += [follow] if follow else []
            self._nudges[subject] += [nudge] if nudge else []

    async def tell(self, change: Change) -> None:
        """Do what follows from a change, one thing after the other."""
        if change.subject not in self._subjects:
            raise ValueError(f"{change.subject!r} is neither a noun nor one of {', '.join(DEEDS)}")
        for let_go in self._lets_go[change.subject]:
            let_go(change.space, change.session_id)
        for follow in self._follows[change.subject]:
            await follow(change)
        for nudge in self._nudges[change.subject]:
            nudge(change.space)


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

    async def shown(self, value: T, *, secrets: bool = False) -> T:
        """What a verb answers, with marks in place of secrets; with `secrets` as it is, which is noted."""
        core, space = await self.here()
        if not secrets:
            return await shown(core.secrecy, value)
        if count := await asyncio.to_thread(core.secrecy.hidden_in, value):
            what = f"{count} {'record' if count == 1 else 'records'} with secrets"
            await core.driver.write(note_reveal, space, self.actor, what, now())
        return value


async def shown(secrecy: Secrecy, value: T) -> T:
    """A record, a list of them or a text as it may be shown."""
    return await asyncio.to_thread(secrecy.shown, value) if secrecy.is_much(value) else secrecy.shown(value)


def note_reveal(tx: Tx, space: Space, actor: str, what: str, now: datetime) -> None:
    """Let the journal say that secrets of a space were shown."""
    line = JournalEntry(
        id=new_id(), space_id=space.id, at=now, actor=actor, action="revealed", noun="space",
        record_id=space.id, reason=what,
    )  # fmt: skip
    journal.add(tx, [line])


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
        texts: Texts,
    ) -> None:
        self.settings, self.driver, self.nouns = settings, driver, nouns
        self.resolution = resolve(settings, embedder, texts=texts)
        self.chat = resolve_chat(settings, chat)
        self.reranking = Reranking(settings)
        self.options = CurrentOptions(
            driver,
            configured,
            settings,
            self.resolution,
            self.reranking,
            texts=texts,
            given=embedder is not None,
            use_store=self.use_store,
        )
        self.spaces = Spaces(driver, settings, ensure)
        policy = settings.capture.secrets
        self.secrecy = Secrecy(masks=policy != "keep", drops=policy == "drop")
        self.tier = self._tier()
        wants_tokens = self.tier != "fast" and LateEncoder.available()
        self._encoder = LateEncoder(settings.embed.threads) if wants_tokens else None
        style = settings.index.text_form
        vectors, tokens = VectorMaker(self.resolution, style), TokenMaker(self._encoder)
        self.backfill = Backfill(
            driver, (vectors, tokens), style=style, lazy_limit=settings.index.lazy_limit, tend=self._tend
        )
        self.index = Index(
            driver,
            self.resolution,
            open_ground(settings.index, driver),
            vectors,
            tokens,
            self.backfill,
            lambda: self.options.spoken,
            settings.vectors.top_k,
            settings.recall.kept_searches,
        )
        self.changes = Changes(nouns)
        self.when_store_changed: Callable[[], object] = lambda: None  # who sees to it that it is filled
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

    async def use_store(self, settings: Settings) -> None:
        """Have vectors searched where these settings say; another store is filled in the background."""
        ladder, index = self.index.ladder, None
        beside = store_name(settings, self.driver.dialect) != ladder.ground.index.name
        before = await self.driver.read(changes.readers)
        if beside or before:
            identity = await self.driver.write_in_turn(["database id"], database_id, new_id(), now())
            index = open_store(settings, identity) if beside else None
            for reader in before:
                if reader not in ladder.readers and (index is None or reader != index.reader):
                    ladder.take_back(reader, reopen_store(settings, identity, reader), settings.vectors)
        await ladder.use(index, settings.vectors)
        self.index.kept.clear()
        self.when_store_changed()

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
            return "balanced" if self.resolution.source in ("local", MULTILINGUAL) else "fast"
        return wanted

    async def _tend(self, space: Space, made: int) -> None:
        """See to what the vector index of a space needs that has grown."""
        if self.resolution.enabled:
            signature, embedder = await self.index.vector_maker.ready(), await self.resolution.ready()
            await self.index.tend(space, signature, embedder.dimensions, made)
