"""Counts what was recalled, in one batched write after the answer has gone out."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime

from bethink.clock import now
from bethink.errors import BethinkError
from bethink.records import Layer
from bethink.shapes.outcomes import Hit
from bethink.store import Driver, Tx, accesses

FLUSH_SECONDS = 1.0
_log = logging.getLogger(__name__)


class AccessLog:
    """Collects accesses and writes them a moment later."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._waiting: defaultdict[str, Counter[tuple[Layer, str]]] = defaultdict(Counter)
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def note(self, hits: Iterable[Hit]) -> None:
        """Remember that these records were recalled, each in its own space."""
        if self._closing.is_set():
            return
        for hit in hits:
            self._waiting[hit.record.space_id][hit.layer, hit.id] += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._flush_later())

    async def close(self) -> None:
        """Write what is left. Never cancels: a write cut off in the middle may or may not have counted."""
        self._closing.set()
        if self._task:
            await self._task

    async def _flush_later(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), FLUSH_SECONDS)
            await self._flush()

    async def _flush(self) -> None:
        waiting, self._waiting = self._waiting, defaultdict(Counter)
        try:
            await self._driver.write(_count, waiting, now())
        except BethinkError as error:  # a count is worth a warning, not a failed answer
            records = sum(map(len, waiting.values()))
            _log.warning("Accesses of %d records were not counted: %s", records, error.message)


def _count(tx: Tx, waiting: Mapping[str, Counter[tuple[Layer, str]]], at: datetime) -> None:
    """All spaces in one transaction: a commit each would keep the disk busy."""
    for space_id, times in waiting.items():
        accesses.count(tx, space_id, times, at)
