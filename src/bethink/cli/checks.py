"""The doctor's checks, from the ground up; each says what it saw and how to better it."""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from bethink import __version__
from bethink.access import list_spaces
from bethink.cli.invoke import Invocation
from bethink.cli.output import counted
from bethink.cli.schema import bring_up_to_date
from bethink.core.current_options import read_texts
from bethink.errors import MigrationError, ModelError, SettingsError, StoreError
from bethink.extraction.templates import Templates
from bethink.index.vectors.outside import store_name
from bethink.models.chat import ChatResolution, resolve_chat
from bethink.models.embed import Resolution, resolve, signature
from bethink.models.embed.choose import NOTHING_READ
from bethink.models.embed.traits import Texts
from bethink.models.weights import MODELS, Model, Use, located
from bethink.models.worth import load_worth
from bethink.settings import PREFIX, Settings, is_trusted, named_file, own_file, project_file
from bethink.store import connect

OLDEST_POSTGRES = 14
_TOLD = 20  # damaged rows that are listed
_SAVE = "stop the server, copy the database, then save what can be read: bethink export FILE"
_SAMPLES = ["Anna is allergic to peanuts.", "The office moves to Lisbon in May."]


@dataclass(frozen=True)
class Check:
    """What one look found."""

    name: str
    state: Literal["ok", "degraded", "broken"]
    detail: str
    fix: str | None = None


async def examine(here: Invocation, *, deep: bool = False) -> AsyncIterator[Check]:
    """Every check, in order; what rests on something broken is left out."""
    yield _versions()
    try:
        settings = here.settings
    except SettingsError as error:
        yield Check("settings", "broken", error.message, "correct the settings file or the environment")
        return
    yield _settings_source(here)
    usable = True
    async for check in _database(settings):
        usable &= check.state != "broken"
        yield check
    texts = await _texts(settings) if usable and not _unmade(settings) else NOTHING_READ
    async for check in _embedding(settings, texts):
        # A source out of reach is not waited for again.
        usable &= check.state != "broken" and (check.name, check.state) != ("round trip", "degraded")
        yield check
    for use, model in MODELS.items():
        yield _model(use, model)
    yield await asyncio.to_thread(_worth, settings)
    if (chat := resolve_chat(settings)).enabled:
        yield await _chat(settings, chat)
    if usable and not _unmade(settings):
        sound = await _integrity(here, deep)
        yield sound
        if sound.state == "ok":
            async for check in _records(here):
                yield check
            yield await _agreement(here)
            yield await _search(here)


def _versions() -> Check:
    import apsw

    return Check(
        "versions",
        "ok",
        f"Bethink {__version__}, Python {platform.python_version()} on {platform.system()},"
        f" apsw {apsw.apsw_version()}, SQLite {apsw.sqlite_lib_version()}",
    )


def _settings_source(here: Invocation) -> Check:
    named = here.chosen.config or named_file(here.environ)
    file = named or own_file(here.environ)
    project = None if named else project_file(file)
    names = sorted(name for name in os.environ if name.startswith(PREFIX))
    read = f"from {file}" if file else "no settings file, which is fine: every setting has a default"
    if project:
        read += f"; {project} {'is laid over it' if is_trusted(project) else 'is not trusted, so not used'}"
    return Check("settings", "ok", read + (f"; set in the environment: {', '.join(names)}" if names else ""))


def _sqlite_path(settings: Settings) -> str | None:
    """The database file; None for PostgreSQL."""
    scheme, separator, rest = settings.database_url.partition("://")
    if separator and scheme in ("postgresql", "postgres"):
        return None
    return rest if separator else settings.database_url


def _unmade(settings: Settings) -> bool:
    path = _sqlite_path(settings)
    return path is not None and (path == ":memory:" or not Path(path).exists())


async def _database(settings: Settings) -> AsyncIterator[Check]:
    if _unmade(settings):
        yield _place(settings.database_url)
    else:
        try:
            schema = await bring_up_to_date(settings)
        except MigrationError as error:
            yield Check("schema", "broken", error.message)
            return
        except StoreError as error:
            yield Check(
                "database",
                "broken",
                error.message,
                "or choose another with --database, or url in the settings",
            )
            return
        yield await _postgres(settings) if _sqlite_path(settings) is None else _file(settings)
        applied = f", just brought there by {', '.join(schema.applied)}" if schema.applied else ""
        yield Check("schema", "ok", f"up to date at version {schema.version}{applied}")
    yield _vector_store(settings)


def _place(path: str) -> Check:
    """Where a database is to be made."""
    if path == ":memory:":
        return Check("database", "ok", "SQLite in memory: everything is gone when the process ends")
    above = next(folder for folder in Path(path).absolute().parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        fix = "change its owner or mode, or choose another place with --home, --database or BETHINK_HOME"
        return Check("database", "broken", f"{path} cannot be made: {above} is not writable", fix)
    return Check("database", "ok", f"none at {path} yet; the first command that uses it makes it")


def _file(settings: Settings) -> Check:
    path = _sqlite_path(settings) or ""
    status = Path(path).stat()
    mode = status.st_mode & 0o777
    detail = f"SQLite file {path}, {status.st_size / 1_000_000:,.1f} MB, mode {mode:o}"
    if os.name == "posix" and mode & 0o077:
        return Check("database", "degraded", f"{detail}: others may read it", f"chmod 600 {path}")
    return Check("database", "ok", detail)


async def _postgres(settings: Settings) -> Check:
    import psycopg

    def version() -> int:
        with psycopg.connect(settings.database_url, connect_timeout=10) as connection:
            return connection.info.server_version

    parts = urlsplit(settings.database_url)
    found = await asyncio.to_thread(version)
    where = f"PostgreSQL {found // 10_000}.{found % 10_000} at {parts.netloc.rpartition('@')[2]}{parts.path}"
    if found < OLDEST_POSTGRES * 10_000:
        return Check("database", "degraded", where, f"upgrade PostgreSQL to {OLDEST_POSTGRES} or newer")
    return Check("database", "ok", where)


def _vector_store(settings: Settings) -> Check:
    dialect: Literal["sqlite", "postgres"] = "postgres" if _sqlite_path(settings) is None else "sqlite"
    try:
        name = store_name(settings, dialect)
    except SettingsError as error:
        return Check("vector store", "broken", error.message)
    memory = f", at most {settings.index.memory_mb:,} MB of memory" if name == "embedded" else ""
    return Check(
        "vector store", "ok", f"{name}{memory} (index.vector_store is {settings.index.vector_store!r})"
    )


async def _texts(settings: Settings) -> Texts:
    """The languages of the stored texts, by which `auto` chooses."""
    driver = await connect(settings.database_url, settings.store)
    try:
        return await read_texts(driver, NOTHING_READ)
    finally:
        await driver.close()


async def _embedding(settings: Settings, texts: Texts) -> AsyncIterator[Check]:
    try:
        resolution = resolve(settings, texts=texts)
    except SettingsError as error:
        yield Check("embedding", "broken", error.message)
        return
    yield _source(settings, resolution)
    if resolution.enabled:
        try:
            yield await _round_trip(resolution)
        finally:
            await resolution.close()


def _source(settings: Settings, resolution: Resolution) -> Check:
    passed = "; ".join(f"{other.source}: {other.reason}" for other in resolution.passed_over)
    detail = f"{resolution.source}, because {resolution.reason}" + (
        f" (passed over {passed})" if passed else ""
    )
    if resolution.enabled:
        return Check("embedding", "ok", detail)
    if settings.embed.source == "none":
        return Check("embedding", "ok", f"off: {resolution.reason}")
    fix = "make one of those passed over usable; until then nothing is found by meaning, only by its words"
    return Check("embedding", "degraded", detail, fix)


async def _round_trip(resolution: Resolution) -> Check:
    started, chosen = time.perf_counter(), resolution.source
    try:
        embedder = await resolution.ready()
        await embedder.embed(_SAMPLES, "document")
    except ModelError as error:
        fix = "until it works, everything is stored and found by its words; then run 'bethink reindex'"
        return Check("round trip", "degraded", error.message, fix)
    took = (time.perf_counter() - started) * 1000
    detail = f"{signature(embedder)} made {len(_SAMPLES)} vectors in {took:,.0f} ms, loading included"
    if resolution.source != chosen:
        detail += f"; {resolution.reason}"
    return Check("round trip", "ok", detail)


def _model(use: Use, model: Model) -> Check:
    """One of the models that come with Bethink: its name, its licence, and where it comes from."""
    detail = f"{model.name}, {model.licence}, published as {model.published}, from {model.where}"
    if located(model) is None and model.optional:
        return Check(f"model: {use}", "ok", f"{detail}; it is not installed ({model.where.remedy})")
    if located(model) is None:
        return Check(f"model: {use}", "degraded", f"{detail}; it is not installed", model.where.remedy)
    return Check(f"model: {use}", "ok", detail)


def _worth(settings: Settings) -> Check:
    """Whether the model that says what is worth keeping reads a message."""
    if not settings.extraction.worth:
        return Check("worth", "ok", "off: rules alone decide what is kept (extraction.worth)")
    started = time.perf_counter()
    try:
        load_worth().read("", _SAMPLES[0])
    except ModelError as error:
        fix = "reinstall bethink; until then rules alone decide what of a conversation is kept"
        return Check("worth", "degraded", error.message, fix)
    took = (time.perf_counter() - started) * 1000
    return Check("worth", "ok", f"{MODELS['worth'].name} read a message in {took:,.0f} ms, loading included")


async def _chat(settings: Settings, chat: ChatResolution) -> Check:
    """Whether the chat host lists a model to extract with; nothing is asked that costs."""
    try:
        Templates(settings.chat.templates)
        model = await chat.find_model()
    except SettingsError as error:
        return Check("chat model", "broken", error.message, "correct the file, or unset chat.templates")
    except ModelError as error:
        fix = "until it works, conversations are read by patterns only; then run 'bethink upkeep extract'"
        return Check("chat model", "degraded", error.message, fix)
    finally:
        await chat.close()
    return Check("chat model", "ok", f"{model} extracts, because {chat.model_reason}")


async def _integrity(here: Invocation, deep: bool) -> Check:
    """Whether the database is whole: by its own quick check, or by reading everything."""
    try:
        async with here.memory() as memory:
            found = await memory.integrity(deep=deep)
    except StoreError as error:
        return Check("integrity", "broken", error.message, _SAVE)
    if not found.sound:
        told = found.summary
        more = f"; and {len(told) - _TOLD:,} more" if len(told) > _TOLD else ""
        return Check("integrity", "broken", "; ".join(told[:_TOLD]) + more, _SAVE)
    if deep:
        return Check("integrity", "ok", f"every one of {counted(found.records, 'row')} can be read")
    return Check("integrity", "ok", "nothing was found by a quick look; --deep reads every record")


async def _records(here: Invocation) -> AsyncIterator[Check]:
    async with here.memory() as memory:
        names = await list_spaces(memory)
        found = [await memory.space(name).stats() for name in names]
    total = sum(count.total for stats in found for count in stats.layers.values())
    waiting = sum(stats.awaiting_vectors for stats in found)
    held = f"{counted(total, 'record')} in {counted(len(names), 'space')}"
    if not any(stats.signature for stats in found):
        yield Check("records", "ok", held)
    elif not waiting:
        yield Check("records", "ok", f"{held}, all with their vectors")
    else:
        missing = f"{held}; {waiting:,} await their vectors"
        yield Check("records", "degraded", missing, "bethink reindex --all-spaces")
    if advice := next((stats.embedding_advice for stats in found if stats.embedding_advice), None):
        seen, _, wanted = advice.partition(": ")
        yield Check("languages", "degraded", seen, wanted)


async def _agreement(here: Invocation) -> Check:
    """Whether the index has what the records say, and nothing else."""
    counts, spaces = Counter[str](), list[str]()
    async with here.memory() as memory:
        for name in await list_spaces(memory):
            if found := await memory.space(name).index.compare():
                counts.update(found)
                spaces.append(name)
    if not spaces:
        return Check("index", "ok", "it agrees with the records")
    told = ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in counts.items())
    where = f"in {counted(len(spaces), 'space')}: {told}"
    fix = "; ".join(f"bethink upkeep run repair --space {name}" for name in spaces[:_TOLD])
    return Check("index", "degraded", f"it does not agree with the records {where}", fix)


async def _search(here: Invocation) -> Check:
    """Write something, find it again, delete it: what GET /api/memory/health does too."""
    async with here.memory() as memory:
        health = await memory.index.check()
    off = here.settings.embed.source == "none"
    problems = [reason for reason in health.reasons if not (off and "no embedding source" in reason)]
    steps = {step.name: step.ok for step in health.steps}
    found = [name for name in ("terms", "vector") if steps.get(name)]
    detail = (
        f"what was written was found by {' and '.join(found) or 'nothing'} in {health.latency_ms:,.0f} ms"
    )
    if not problems:
        return Check("search", "ok", detail)
    state: Literal["degraded", "broken"] = "degraded" if steps.get("terms") else "broken"
    return Check(
        "search", state, f"{detail}; {'; '.join(problems)}", "GET /api/memory/engine-status tells more"
    )
