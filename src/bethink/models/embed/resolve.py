"""Choose the embedding source and open it, at once or when it becomes reachable."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from bethink.errors import Closed, ModelError, ModelMissing
from bethink.models.embed.cache import CachedEmbedder, CacheStatistics
from bethink.models.embed.choose import NOTHING_READ, Choice, PassedOver, choose, choose_instead
from bethink.models.embed.guard import GuardedEmbedder, Rest
from bethink.models.embed.protocol import Embedder, Opened
from bethink.models.embed.sources import open_source
from bethink.models.embed.traits import Texts
from bethink.settings import EmbedSettings, Settings

__all__ = ["PassedOver", "Resolution", "State", "resolve"]

RETIRE_SECONDS = 60.0  # longer than any call of a source takes
SAFE_CHARS = 1500  # what any model reads whole
_CLOSED = "The embedding source is closed: open the memory again before using it."

_log = logging.getLogger(__name__)

State = Literal["off", "unopened", "ready", "failing"]


@dataclass(eq=False)
class Resolution:
    """The chosen source, why it was chosen, what was passed over, and how it is doing.

    Nothing is opened until `ready()` is awaited, and a source out of reach is tried again by the calls
    that come after `embed.retry_seconds`.
    """

    source: str
    reason: str
    passed_over: tuple[PassedOver, ...]
    _open: Callable[[], Awaitable[Embedder]] | None = field(repr=False)
    _settings: EmbedSettings = field(repr=False)
    _owned: bool = field(default=True, repr=False)
    _clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _instead: Resolution | None = field(default=None, repr=False)  # where the host has no embeddings

    def __post_init__(self) -> None:
        self._rest = Rest(self._settings.retry_seconds, self._clock)
        self._lock = asyncio.Lock()
        self._opened: Embedder | None = None
        self._embedder: Opened | None = None
        self._closed = False
        self._retired: list[asyncio.Task[None]] = []

    @property
    def enabled(self) -> bool:
        """Is there a source at all? Without one, search goes by keywords only."""
        return self._open is not None

    @property
    def embedder(self) -> Opened | None:
        """The opened embedder; None before `ready()` has succeeded."""
        return self._embedder

    @property
    def problem(self) -> str | None:
        """Why the last try to open or use the source failed; None when it did not."""
        return self._rest.problem

    @property
    def last_failure(self) -> tuple[str, datetime] | None:
        """What failed last and when, also when it works again."""
        return self._rest.last

    @property
    def state(self) -> State:
        """`off` without a source, `unopened` before the first use, then `ready` or `failing`."""
        if not self.enabled:
            return "off"
        if self.problem is not None:
            return "failing"
        return "ready" if self._embedder else "unopened"

    @property
    def at_once(self) -> int | None:
        """How many texts the source sends to its host in one call; None for a model on this machine."""
        return getattr(self._opened, "at_once", None)

    @property
    def pause(self) -> float:
        """Seconds to wait between two such calls in the background."""
        return 0.0 if self.at_once is None else self._settings.pause_seconds

    @property
    def statistics(self) -> CacheStatistics | None:
        """Of the cache, once there is one."""
        return self._embedder.statistics if isinstance(self._embedder, CachedEmbedder) else None

    async def ready(self) -> Opened:
        """The embedder, opened now if need be. Raises `ModelError`, saying why, while it cannot be."""
        if self._closed:
            raise Closed(_CLOSED)
        if self._embedder is not None:
            return self._embedder
        if self._open is None:
            raise ModelMissing(f"There is no embedding source: {self.reason}", field="embed.source")
        async with self._lock:
            if self._embedder is None:
                self._embedder = await self._open_now(self._open)
            embedder = self._embedder
        if self._closed:  # while it was being opened
            await self.close()
            raise Closed(_CLOSED)
        return embedder

    async def become(self, other: Resolution) -> None:
        """Use another source from now on. What the old one is still doing, it may finish."""
        async with self._lock:  # not while a source is being opened, which would then take the place
            old = self._opened if self._owned else None
            self._take_over(other)
            self._rest = Rest(self._settings.retry_seconds, self._clock)
            self._opened = self._embedder = None
        if old is not None:
            self._retired.append(asyncio.create_task(_retire(old)))

    def _take_over(self, other: Resolution) -> None:
        self.source, self.reason, self.passed_over = other.source, other.reason, other.passed_over
        self._open, self._settings, self._owned = other._open, other._settings, other._owned
        self._instead = other._instead

    async def split(self, text: str) -> list[str]:
        """A text in pieces that the model can read whole; by length where the source does not say."""
        await self.ready()
        split: Callable[[str], Awaitable[list[str]]] | None = getattr(self._opened, "split", None)
        if split is not None:
            return await split(text)
        return [text[start : start + SAFE_CHARS] for start in range(0, len(text), SAFE_CHARS)]

    def clear_cache(self) -> None:
        """Forget the vectors of recent texts."""
        if isinstance(self._embedder, CachedEmbedder):
            self._embedder.clear()

    def forget(self) -> None:
        """Forget the vectors of recent texts, and what failed."""
        self.clear_cache()
        self._rest.forget()

    async def close(self) -> None:
        """Let go of the source's threads and connections; an embedder the caller gave stays open."""
        self._closed = True
        opened, self._opened, self._embedder = self._opened, None, None
        for task in self._retired:
            task.cancel()
        await asyncio.gather(*self._retired)
        if opened is not None and self._owned:
            await _close(opened)

    async def _open_now(self, open_it: Callable[[], Awaitable[Embedder]]) -> Opened:
        self._rest.check()
        try:
            self._opened = await self._open_or_instead(open_it)
        except ModelError as error:
            self._rest.begin(error)
            raise
        except Exception as error:
            failure = ModelError(
                f"The embedding source {self.source} could not be opened: {error!r}.", field="embed.source"
            )
            self._rest.begin(failure)
            raise failure from error
        self._rest.end()
        guarded = GuardedEmbedder(self._opened, self._rest)
        if not self._settings.cache_size:
            return guarded
        return CachedEmbedder(
            guarded,
            size=self._settings.cache_size,
            seconds=self._settings.cache_seconds,
            clock=self._clock,
        )

    async def _open_or_instead(self, open_it: Callable[[], Awaitable[Embedder]]) -> Embedder:
        """Open the source; a chat host that has no embeddings gives way to the next source."""
        try:
            return await open_it()
        except ModelError as error:
            from bethink.models.hosts import NotOffered  # only here, because it loads an HTTP client

            open_other = self._instead._open if self._instead else None
            if self._instead is None or open_other is None or not isinstance(error, NotOffered):
                raise
            passed = PassedOver(self.source, error.message)
            self._take_over(self._instead)
            self.passed_over = (passed, *self.passed_over)
        _log.info("Embedding source: %s", self.reason)
        return await open_other()


async def _close(source: Embedder) -> None:
    close: Callable[[], Awaitable[None]] | None = getattr(source, "close", None)
    if close is not None:
        await close()


async def _retire(source: Embedder) -> None:
    """Let go of a source when the calls that it was answering are over."""
    try:
        await asyncio.sleep(RETIRE_SECONDS)
    except asyncio.CancelledError:
        pass  # the memory is being closed: at once, then
    finally:
        await _close(source)


def resolve(
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    texts: Texts = NOTHING_READ,
    clock: Callable[[], float] = time.monotonic,
) -> Resolution:
    """Choose a source by the settings, and for `auto` by the texts that are stored; an `embedder` that is
    given is taken as it is.

    Makes no network call and loads no model. Raises `SettingsError` for settings that can never work.
    """
    if embedder is not None:
        given = embedder

        async def take() -> Embedder:
            return given

        reason = "the caller gave this embedder"
        return Resolution(embedder.source, reason, (), take, settings.embed, _owned=False, _clock=clock)
    choice = choose(settings, texts)
    if choice.source == "none":
        return Resolution("none", choice.reason, choice.passed_over, None, settings.embed, _clock=clock)
    found = _resolution(choice, settings, clock)
    if choice.source == "openai" and (other := choose_instead(settings, texts)):
        what = (
            "the packaged model"
            if other.source in ("local", "multilingual")
            else f"the source {other.source}"
        )
        reason = f"embedding by {what} because the host {settings.chat.base_url} has no embeddings"
        found._instead = _resolution(replace(other, reason=reason), settings, clock)
    return found


def _resolution(choice: Choice, settings: Settings, clock: Callable[[], float]) -> Resolution:
    return Resolution(
        choice.source,
        choice.reason,
        choice.passed_over,
        lambda: open_source(choice.source, settings),
        settings.embed,
        _clock=clock,
    )
