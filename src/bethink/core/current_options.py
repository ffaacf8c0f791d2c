"""The options as the database has them now, kept for a moment so that a recall need not ask each time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bethink.errors import SettingsError, StoreError
from bethink.index.vectors.outside import store_name
from bethink.models.embed import Resolution, resolve
from bethink.models.embed.choose import choose, choose_instead, multilingual_installed
from bethink.models.embed.traits import MULTILINGUAL, Texts, advice
from bethink.models.rerank import Reranking, check_reranker
from bethink.records import Space
from bethink.settings import Settings
from bethink.shapes.options import SERVER_WIDE, SpaceOptions, effective, with_options
from bethink.store import Driver, Tx, languages
from bethink.store.settings import SERVER
from bethink.store.settings import of_space as settings_of
from bethink.text.language import Spoken

VECTOR_KEY = "vector_api_key"  # under which the server's settings keep the key of the vector store
LOOK_SECONDS = 0.5  # how long another process's change may go unnoticed
_log = logging.getLogger(__name__)
TEXTS_SECONDS = 60.0  # how long the texts are taken to be in the languages they were in
TEXTS = 100  # messages, and as many memories, that tell the languages


def stored(tx: Tx, space_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was chosen for the server, and for a space."""
    return settings_of(tx, SERVER), settings_of(tx, space_id)


async def at_start(driver: Driver, settings: Settings) -> Settings:
    """The settings with what was chosen for the server laid over them."""
    chosen, _ = await driver.read(stored, SERVER)
    return with_options(settings, effective(settings, chosen, {}), chosen.get(VECTOR_KEY))


def texts_of(tx: Tx) -> Texts:
    """The languages of the newest texts of the database, and whether most of their vectors are of the
    multilingual model.
    """
    found = languages.newest(tx, TEXTS)
    made = [signature.startswith(f"{MULTILINGUAL}:") for _, signature in found if signature]
    return Texts(Spoken.of(text for text, _ in found), sum(made) * 2 > len(made))


async def read_texts(driver: Driver, known: Texts) -> Texts:
    """The languages as they are now. A database that is damaged there is used all the same: what is `known`
    holds then.
    """
    try:
        return await driver.read(texts_of)
    except StoreError as error:
        _log.warning("The languages of the texts could not be told: %s", error.message)
        return known


class CurrentOptions:
    """What holds in each space; a change of the embedding source is carried out when it is seen."""

    def __init__(
        self,
        driver: Driver,
        settings: Settings,
        started: Settings,
        resolution: Resolution,
        reranking: Reranking,
        *,
        texts: Texts,
        given: bool,
        use_store: Callable[[Settings], Awaitable[None]],
    ) -> None:
        self._driver, self._settings = driver, settings
        self._resolution, self._reranking = resolution, reranking
        self._given = given  # the caller brought an embedder, which no option replaces
        self._applied, self._use_store = started, use_store
        self._texts, self._texts_at = texts, time.monotonic()
        self._shared: dict[str, Any] = {}
        self._vector_key: str | None = None  # as the database has it; empty where it was taken away
        self._seen: dict[str, tuple[float, SpaceOptions]] = {}
        self._looking = asyncio.Lock()

    @property
    def applied(self) -> Settings:
        """The settings with the options laid over them, as they are in force."""
        return self._applied

    @property
    def spoken(self) -> Spoken:
        """The languages of the texts, as they were last looked at."""
        return self._texts.spoken

    @property
    def advice(self) -> str | None:
        """What would find more in these texts than the model in use; None where nothing would."""
        embedder = self._resolution.embedder
        installed, named = multilingual_installed(), self._applied.embed.source
        return advice(embedder.model if embedder else None, named, installed, self._texts)

    async def look_at_texts(self) -> None:
        """See, once in a while, which languages the texts are in; where another model suits them, use it."""
        if time.monotonic() - self._texts_at < TEXTS_SECONDS:
            return
        self._texts_at = time.monotonic()
        found = await read_texts(self._driver, self._texts)
        self._texts = replace(found, multilingual=self._resolution.source == MULTILINGUAL)
        if self._given:
            return
        wanted = choose(self._applied, self._texts)
        if wanted.source == "openai":  # which may have turned out to have no embeddings
            wanted = choose_instead(self._applied, self._texts) or wanted
        if {wanted.source, self._resolution.source} == {"local", MULTILINGUAL}:
            _log.info("Embedding source: %s, because %s", wanted.source, wanted.reason)
            await self._resolution.become(resolve(self._applied, texts=self._texts))

    async def of(self, space: Space) -> SpaceOptions:
        """The options of a space, at most `LOOK_SECONDS` old."""
        found = self._seen.get(space.id)
        if found and time.monotonic() - found[0] < LOOK_SECONDS:
            return found[1]
        return await self.look(space)

    async def kept_since(self, space: Space, now: datetime) -> datetime | None:
        """From when on something of a space is within the retention time; None where there is none."""
        days = (await self.of(space)).retention_days
        return now - timedelta(days=days) if days else None

    async def look(self, space: Space) -> SpaceOptions:
        """The options of a space as they are at this moment."""
        async with self._looking:  # or what was read before a change would be carried out after it
            found = self._laid_over(*await self._driver.peek(stored, space.id))
            self._seen[space.id] = (time.monotonic(), found)
            await self._apply(found)
        return found

    def check(self, options: SpaceOptions, changes: dict[str, Any]) -> None:
        """Refuse a change that names a source, a rerank model or a vector store that can never work."""
        wanted = with_options(self._settings, options.model_copy(update=changes))
        with _named("embedding_source"):
            resolve(wanted)
        with _named("rerank_provider_model"):
            check_reranker(wanted)
        with _named("vector_store"):
            store_name(wanted, self._driver.dialect)

    def checked(self, server: Mapping[str, Any], own: Mapping[str, Any]) -> SpaceOptions:
        """What holds where this is stored for the server and for a space; refused when it can never work."""
        found = self._laid_over(server, own)
        self.check(found, {})
        return found

    def _laid_over(self, server: Mapping[str, Any], own: Mapping[str, Any]) -> SpaceOptions:
        self._vector_key = server.get(VECTOR_KEY)
        return effective(self._settings, server, own)

    def forget(self) -> None:
        """Look at the database before the next use."""
        self._seen.clear()

    async def _apply(self, options: SpaceOptions) -> None:
        shared = {name: getattr(options, name) for name in SERVER_WIDE}
        shared[VECTOR_KEY] = self._vector_key
        if shared == self._shared:
            return  # the settings need not be made, and checked, again
        self._shared = shared
        wanted = with_options(self._settings, options, self._vector_key)
        before, self._applied = self._applied, wanted
        if not self._given and wanted.embed != before.embed:
            await self._resolution.become(resolve(wanted, texts=self._texts))
        if wanted.rerank != before.rerank:
            await self._reranking.become(wanted)
        if wanted.index.vector_store != before.index.vector_store or wanted.vectors != before.vectors:
            await self._use_store(wanted)


@contextmanager
def _named(option: str) -> Iterator[None]:
    """Within, what is wrong with a setting is said of the option that was sent for it."""
    try:
        yield
    except SettingsError as error:
        why = error.message.removeprefix(f"{error.field}: ")
        raise SettingsError(f"{option}: {why}", field=option) from None
