"""Whether an answer waits until the newest records can be found by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bethink.models.embed import EmbedRole
from bethink.testing import HashEmbedder
from tests.opened import Home, texts
from tests.opened import home as home


class HeldUp(HashEmbedder):
    """Embeds no document until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = asyncio.Event()

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if role == "document":
            await self.let_go.wait()
        return await super().embed(texts, role)


async def test_an_answer_that_may_not_wait_goes_by_words(home: Home) -> None:
    embedder = HeldUp()
    async with home.memory(embedder) as memory:
        for number in range(8):
            await memory.remember(f"Boat number {number} is red")
        found = await memory.recall("boat number 5", catch_up=False)
        assert texts(found)[0] == "Boat number 5 is red"
        assert "Boat number 5 is red" in (await memory.prompt("boat number 5", catch_up=False)).volatile
        waiting = asyncio.create_task(memory.recall("boat number 5"))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        embedder.let_go.set()
        assert texts(await waiting)[0] == "Boat number 5 is red"


async def test_a_burst_of_writes_does_not_degrade_the_recalls_beside_it(home: Home) -> None:
    embedder = HeldUp()
    async with home.memory(embedder) as memory:
        await memory.remember_many([{"content": f"Boat number {number} is red"} for number in range(50)])
        waiting = [asyncio.create_task(memory.recall(f"boat number {number}")) for number in range(5)]
        await asyncio.sleep(0)
        embedder.let_go.set()
        for number, found in enumerate(await asyncio.gather(*waiting)):
            assert found.degraded == []
            assert texts(found)[0] == f"Boat number {number} is red"
