"""Opens a memory: makes what the rooms keep while it is open, and says what follows from each change.

The only module that knows every room.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial

from bethink.clock import now
from bethink.conversations.nouns import CONTEXT, MESSAGE, SESSION
from bethink.core import Change, Core
from bethink.core.current_options import at_start, read_texts
from bethink.documents.blobs import Blobs, open_blobs
from bethink.documents.noun import DOCUMENT, PASSAGE
from bethink.documents.sweep import DOCUMENTS, Documents, tidy
from bethink.extraction.extractors import NAMES, extractors_for
from bethink.extraction.extractors.patterns import Patterns
from bethink.extraction.known import Before, KnownFrom
from bethink.extraction.noun import EXTRACTION
from bethink.extraction.reader import Reader
from bethink.extraction.sweep import Readings
from bethink.extraction.templates import Templates
from bethink.facts.noun import FACT
from bethink.files.folder import SpaceFiles
from bethink.files.narrative import refresh
from bethink.files.noun import TEXT
from bethink.index.passages import Passages
from bethink.index.repair import REPAIR, Comparing, Repair
from bethink.index.sweeps import VECTOR_STORE, VECTORS, MissingVectors, VectorStores
from bethink.insights.asking import Asking
from bethink.insights.noun import INSIGHT, INSIGHT_EVENT
from bethink.insights.sweep import Generating
from bethink.journal.noun import JOURNAL
from bethink.keys.noun import KEY
from bethink.lifecycle.compacting import Compacting
from bethink.lifecycle.expire import Expiring
from bethink.lifecycle.noun import SUMMARY
from bethink.lifecycle.promote import Promoting
from bethink.lifecycle.purge import Purging
from bethink.lifecycle.tiers import Tiers
from bethink.memories.noun import MEMORY
from bethink.models.chat import Chat
from bethink.models.embed import Embedder
from bethink.models.embed.choose import NOTHING_READ
from bethink.models.worth import Worth
from bethink.notes.syncing import Notes
from bethink.notes.watching import Watching
from bethink.nouns import NOUNS
from bethink.options.noun import SETTING
from bethink.people import household
from bethink.people.nouns import DEVICE, PERSON
from bethink.people.speaker import forget_names
from bethink.recall.gather import AccessLog
from bethink.recall.recall import Recall
from bethink.records import Fact, Space
from bethink.settings import Settings
from bethink.spaces.noun import SPACE
from bethink.store import connect, spaces
from bethink.text.terms import forget_words
from bethink.transfer.imap.sweep import Mail
from bethink.upkeep import Runner
from bethink.upkeep.noun import RUN

_log = logging.getLogger(__name__)

# In the order of an archive; whoever adds a kind of record adds its noun here.
NOUNS.register(
    SPACE, KEY, SETTING, TEXT, CONTEXT, DOCUMENT, PASSAGE, PERSON, DEVICE, SESSION, MESSAGE, SUMMARY,
    EXTRACTION, MEMORY, FACT, INSIGHT, INSIGHT_EVENT, RUN, JOURNAL,
)  # fmt: skip


async def open_core(settings: Settings, embedder: Embedder | None = None, chat: Chat | None = None) -> Core:
    """Connect to the database, bring it up to date, and get every room ready."""
    driver = await connect(settings.database_url, settings.store)
    try:
        started = await at_start(driver, settings)
        texts = await read_texts(driver, NOTHING_READ)
        core = Core(settings, started, driver, NOUNS, household.ensure, embedder, chat, texts)
        await core.use_store(started)
        _furnish(core)
        _subscribe(core)
    except BaseException:
        await driver.close()
        raise
    return core


async def catch_up(core: Core) -> None:
    """Go on with what was left undone in any space, and look whether its index is as its records are."""
    runner, comparing = core.part(Runner), core.part(Comparing)
    for space in await core.driver.read(spaces.list_all):
        if parts := await comparing.look(space):
            _log.warning("The index of a space lacks something or has too much: %s", ", ".join(parts))
            runner.nudge(REPAIR, space)
    await runner.catch_up()


async def take_over(core: Core) -> None:
    """Go on with what a process was at that died, and with what is due by schedule; keep the log short."""
    core.part(Watching).begin()
    runner = core.part(Runner)
    for space in await runner.take_over():
        core.backfill.tend(space)
    await runner.keep_to_schedules()
    await core.index.prune()  # also where nothing makes vectors, and so nothing else tends the index


def _furnish(core: Core) -> None:
    """What the rooms keep while the memory is open; closed in reverse order."""
    accesses = AccessLog(core.driver)
    core.add(accesses, close=accesses.close)
    core.add(Recall(core.driver, core.index, core.reranking, core.settings, core.tier))
    core.add(SpaceFiles(core.driver, core.settings.files_folder, core.secrecy))
    missing, stores = MissingVectors(core.backfill, core.options.look_at_texts), VectorStores(core.index)
    comparing = Comparing(core.driver)
    core.add(comparing)
    repair = Repair(core.driver, comparing, core.settings.index.text_form, core.backfill.nudge)
    runner = Runner(core.driver, [missing, stores, repair])
    core.add(runner, close=runner.close)
    core.backfill.when_missing = partial(runner.nudge, VECTORS)
    core.add(Passages(core.resolution, core.index.vector_maker))
    core.add(_readings(core, runner))
    blobs = open_blobs(core.settings)
    core.add(blobs, close=blobs.close)
    runner.add(Documents(core, blobs))
    core.add(Notes(core))
    watching = Watching(core)
    core.add(watching, close=watching.close)
    if core.settings.mail.host:
        runner.add(Mail(core))
    templates = Templates(core.settings.chat.templates)
    for sweep in (
        Tiers(core, templates),
        Expiring(core, templates),
        Compacting(core),
        Purging(core),
        Promoting(core, templates),
    ):
        runner.add(sweep)


def _subscribe(core: Core) -> None:
    """What follows from each change."""
    files, readings, runner = core.part(SpaceFiles), core.part(Readings), core.part(Runner)

    async def forget_traces(change: Change) -> None:
        """What this process keeps for speed must not outlive what it was made from."""
        await core.index.forget(change.space)
        runner.forget(change.space)
        core.part(Passages).forget()
        core.resolution.forget()
        core.reranking.rest.forget()
        core.driver.forget()
        forget_words()
        forget_names()

    async def forget_spaces(_: Change) -> None:
        core.spaces.forget()

    async def forget_files(change: Change) -> None:
        """Files of what was erased are not kept either."""
        await tidy(core, change.space, core.part(Blobs))

    async def look_at_options(change: Change) -> None:
        core.options.forget()
        await core.options.look(change.space)  # other sources and stores are used from now on

    core.when_store_changed = core.index.ladder.when_healed = partial(runner.visit, VECTOR_STORE)

    async def mirror(change: Change) -> None:
        if not isinstance(change.record, Fact) or change.record.promoted:  # other facts are in no file
            await files.sync(change.space)

    async def read(change: Change) -> None:
        if change.session_id is not None:
            readings.nudge(change.space, change.session_id)

    on, searches = core.changes.on, core.index.kept
    on(*core.nouns.indexed, "session", "person", "space", let_go=searches.invalidate)
    on("options", "archive", "erasure", "undo", let_go=searches.invalidate)
    on("space", "erasure", follow=forget_traces)
    on("space", "erasure", follow=forget_files)
    on("document", "text", "options", "undo", "erasure", nudge=partial(runner.nudge, DOCUMENTS))
    on("space", "person", "archive", "erasure", "undo", follow=forget_spaces)
    on("options", "undo", follow=look_at_options)
    on("fact", "text", "archive", "erasure", "undo", follow=mirror)
    vectors = partial(runner.nudge, VECTORS)
    on(*core.nouns.indexed, "options", "archive", "erasure", "undo", nudge=vectors)
    on("message", "session", "undo", follow=read)


def _readings(core: Core, runner: Runner) -> Readings:
    """What reads conversations: the rules always, and a chat model where there is one."""
    settings, templates = core.settings.extraction, Templates(core.settings.chat.templates)
    passages, similar = core.part(Passages), core.settings.similarity.dedupe
    known = KnownFrom(core.driver, core.part(Recall), settings.known_memories)
    worth = Worth(settings.worth)
    core.add(worth)
    rules = Patterns(worth, settings.least_worth)
    readers = {"patterns": Reader(core.driver, core.index, passages, rules, Before(core.driver), similar)}
    if core.chat.enabled:
        asking = extractors_for(
            NAMES, core.chat.extraction, settings, templates, worth=worth, is_small=core.chat.is_small
        )
        for one in asking:
            readers[one.name] = Reader(core.driver, core.index, passages, one, known, similar)
    asks = core.chat.enabled
    asking_insights = Asking(core.chat.extraction, settings, templates) if asks else None
    runner.add(Generating(core, worth, asking_insights))
    writer = core.chat.writing if asks else None

    async def narrate(space: Space) -> str | None:
        return (await refresh(core.driver, space, writer, templates, now())).problem

    return Readings(core, runner, readers, narrate, timedelta(minutes=settings.idle_minutes))
