"""A health check's round trip: real, and seen by nobody."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink import AsyncBethink
from bethink.index.round_trip import RoundTrip
from bethink.models.embed import EmbedRole
from bethink.store import entries
from bethink.store.filters import EntryFilter
from bethink.testing import FrozenClock, HashEmbedder
from tests import opened
from tests.opened import Home

home = opened.home
spaces_postgres_url = opened.spaces_postgres_url
LONG_AGO = "1970-01-02T01:00:00Z"


class Onlooker(HashEmbedder):
    """Looks at all that a caller can see while it is asked to embed what a health check has written."""

    memory: AsyncBethink

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.looking = False

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if role == "document" and not self.looking and any("health check" in text for text in texts):
            self.looking = True
            self.seen.append(await everything(self.memory))
            self.looking = False
        return await super().embed(texts, role)


async def everything(memory: AsyncBethink) -> dict[str, Any]:
    archive = BytesIO()
    await memory.export(archive)
    now, then = [await memory.index.preview("health check", as_of=at) for at in (None, LONG_AGO)]
    return {
        "archive": archive.getvalue(),
        "page": await memory.page(),
        "count": await memory.count(),
        "stats": await memory.stats(),
        "hits": [hit.id for found in (now, then) for hit in found.hits],
        "entries": (await memory.vitals()).entries,
        "journal": await memory.journal(),
        "spaces": [space.counts for space in await memory.spaces.list()],
        "pending": (await memory.index.reindex_status()).pending,
    }


async def test_nobody_sees_what_a_health_check_writes_not_even_meanwhile(home: Home) -> None:
    onlooker = Onlooker()
    async with home.memory(onlooker) as memory:
        onlooker.memory = memory
        await memory.remember("The only memory")
        await memory.settle()
        before = await everything(memory)
        for _ in range(2):
            health = await memory.index.check()
            assert health.working, health
        assert onlooker.seen == [before, before]
        assert await everything(memory) == before


async def test_what_a_crash_leaves_of_one_is_cleared_away_by_the_next(home: Home) -> None:
    with FrozenClock() as clock:
        async with home.memory() as memory:
            before = await everything(memory)
            core, space = await memory.inside.here()
            await RoundTrip(core.driver, core.index, space)._write()
            await memory.reindex()
            assert await everything(memory) == before
            clock.advance(timedelta(minutes=6))
            assert (await memory.index.check()).working
            assert await core.driver.read(entries.allowed, space.id, EntryFilter()) == []
