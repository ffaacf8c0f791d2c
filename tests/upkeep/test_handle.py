"""Upkeep as the library has it: which sweeps there are, one of them now, and what they did."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bethink import AsyncBethink, InvalidInput, NotFound
from bethink.models.embed import EmbedRole
from bethink.shapes.outcomes import Progress
from bethink.testing import ScriptedChat
from tests.opened import Home, WatchedEmbedder

UNCACHED = {"cache_size": 0, "retry_seconds": 0}
NOTES = [f"Note number {number}" for number in range(7)]


class Paused(WatchedEmbedder):
    """Waits, before it embeds documents, until it is let go on."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if role == "document":
            self.asked.set()
            await self.go_on.wait()
        return await super().embed(texts, role)


async def fill(memory: AsyncBethink) -> None:
    await memory.remember_many([{"content": note} for note in NOTES])
    await memory.settle()


async def statuses(memory: AsyncBethink, name: str | None = None) -> list[str]:
    return [run.status.value for run in await memory.upkeep.history(name)]


async def test_every_sweep_tells_what_is_due_and_how_it_went(home: Home) -> None:
    embedder = WatchedEmbedder(down=True)
    async with home.memory(embedder, embed=UNCACHED, chat_model=ScriptedChat("NOTHING")) as memory:
        await memory.options.update(extractors=["patterns"])
        await fill(memory)
        sweeps = await memory.upkeep.list()
        vectors, *readings = [one for one in sweeps if one.schedule is None]
        assert (vectors.name, vectors.enabled, vectors.due, vectors.running) == ("vectors", True, 7, False)
        assert vectors.last_run is not None
        assert vectors.last_run.status == "failed"
        assert vectors.last_failure is not None
        assert "switched this embedder off" in vectors.last_failure.message
        assert {one.name for one in readings if one.enabled} == {"extract:patterns", "documents"}
        assert {one.name for one in readings} == {
            "documents",
            "vector-store",
            *(f"extract:{name}" for name in ("patterns", "facts", "one-fact", "stale")),
        }
        assert all((one.due, one.last_run) == (0, None) for one in readings)


async def test_a_dry_run_counts_then_a_run_does_it(home: Home) -> None:
    embedder = WatchedEmbedder(down=True)
    async with home.memory(embedder, embed=UNCACHED) as memory:
        await fill(memory)
        embedder.down = False
        dry = await memory.upkeep.run("vectors", dry_run=True)
        assert (dry.status, dry.dry_run, dry.counts["vectors"]) == ("done", True, 7)
        assert embedder.documents == []
        steps: list[Progress] = []
        run = await memory.upkeep.run("vectors", progress=steps.append)
        assert (run.status, run.counts["vectors"]) == ("done", 7)
        assert steps[-1].done == steps[-1].total == run.done
        assert sorted(embedder.documents) == NOTES
        again = await memory.upkeep.run("vectors")
        assert (again.status, again.done) == ("done", 0)
        assert [one.id for one in await memory.upkeep.history()][:3] == [again.id, run.id, dry.id]


async def test_what_another_process_is_at_is_skipped_and_done_once(home: Home) -> None:
    one, other = Paused(), WatchedEmbedder()
    async with (
        home.memory(one, embed=UNCACHED) as first,
        home.memory(other, embed=UNCACHED) as second,
    ):
        await first.remember_many([{"content": note} for note in NOTES])
        await one.asked.wait()
        assert (await second.upkeep.run("vectors")).status == "skipped_locked"
        assert (await first.upkeep.run("vectors")).status == "skipped_locked"
        one.go_on.set()
        await first.settle()
        assert await second.reindex() == 0
        assert sorted(one.documents + other.documents) == NOTES
        assert sorted(await statuses(second, "vectors")) == [
            "done",
            "done",
            "skipped_locked",
            "skipped_locked",
        ]


async def test_a_model_that_fails_keeps_no_conversation_from_being_read(home: Home) -> None:
    async with home.memory(WatchedEmbedder(down=True), embed=UNCACHED) as memory:
        await memory.observe("chat", [{"role": "user", "content": "I live in Lisbon."}])
        await memory.settle()
        assert [one.content for one in await memory.list()] == ["I live in Lisbon"]
        assert await statuses(memory, "extract:patterns") == ["done"]
        assert set(await statuses(memory, "vectors")) == {"failed"}


async def test_the_history_quotes_nothing_and_goes_with_the_space(home: Home) -> None:
    async with home.memory(WatchedEmbedder(), embed=UNCACHED) as memory:
        space = memory.space(f"{memory.name}-other")
        await space.observe("secret talk", [{"role": "user", "content": "I live in Lisbon."}])
        await memory.settle()
        told = repr(await space.upkeep.history())
        assert "extract:patterns" in told
        assert not [word for word in ("Lisbon", "secret", "chat") if word in told]
        receipt = await space.erase(everything=True)
        assert receipt.complete
        assert await space.upkeep.history() == []


async def test_what_found_nothing_to_do_leaves_no_row(lone_home: Home) -> None:
    async with lone_home.memory() as memory:
        await memory.observe("chat", [{"role": "user", "content": "What is the weather?"}])
        await memory.settle()
        before = await memory.upkeep.history()
        await memory.catch_up()
        await memory.settle()
        assert await memory.upkeep.history() == before


@pytest.mark.parametrize(("wrong", "error"), [({"name": "dust"}, NotFound), ({"limit": 0}, InvalidInput)])
async def test_what_is_asked_wrongly_is_refused(
    memory: AsyncBethink, wrong: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await memory.upkeep.history(**wrong)
    with pytest.raises(NotFound, match=r"there are: vectors, .*extract:patterns"):
        await memory.upkeep.run("dust")
