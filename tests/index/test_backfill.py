from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from bethink import AsyncBethink, Layer, ModelError
from bethink.clock import now
from bethink.index.backfill import BATCH
from bethink.models.embed import EmbedRole
from bethink.shapes.outcomes import Progress
from bethink.store import entries, leases
from bethink.store.entries import Entry
from bethink.testing import HashEmbedder
from tests.opened import Home, WatchedEmbedder, texts

UNCACHED = {"cache_size": 0, "retry_seconds": 0}
NOTES = [f"Note number {number} about subject {chr(97 + number % 26)}" for number in range(30)]
MANY = [f"Note number {number}" for number in range(2 * BATCH + 10)]


async def fill(memory: AsyncBethink, notes: Sequence[str] = NOTES) -> None:
    await memory.remember_many([{"content": note} for note in notes])


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


class Tiring(WatchedEmbedder):
    """Fails once it has embedded so many documents."""

    def __init__(self, strength: int) -> None:
        super().__init__()
        self._strength = strength

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        self.down = len(self.documents) + len(texts) > self._strength
        return await super().embed(texts, role)


async def test_vectors_are_made_in_the_background_of_every_layer(memory: AsyncBethink) -> None:
    await memory.remember("a note")
    await memory.observe("chat", [{"role": "user", "content": "a turn"}])
    await memory.facts.set("home", "city", "Rome")
    await memory.settle()
    stats = await memory.stats()
    assert {layer: (count.total, count.embedded) for layer, count in stats.layers.items()} == {
        Layer.MEMORY: (1, 1), Layer.MESSAGE: (1, 1), Layer.FACT: (1, 1),
    }  # fmt: skip
    assert (stats.signature, stats.awaiting_vectors) == ("testing:hash:64", 0)


async def test_a_write_does_not_wait_for_the_model(home: Home) -> None:
    embedder = Paused()
    async with home.memory(embedder) as memory:
        assert (await memory.remember("a note")).status == "stored"
        assert (await memory.stats()).awaiting_vectors == 1
        embedder.go_on.set()
        await memory.settle()
        assert (await memory.stats()).awaiting_vectors == 0


async def test_settling_waits_for_what_was_written_while_a_sweep_was_ending(memory: AsyncBethink) -> None:
    for number in range(15):
        await memory.remember(f"one {number}")
        await asyncio.sleep(number * 0.0005)
        await memory.remember(f"other {number}")
        await memory.settle()
        assert (await memory.stats()).awaiting_vectors == 0


async def test_reindex_makes_what_is_missing_and_tells_how_far_it_is(home: Home) -> None:
    embedder = WatchedEmbedder(down=True)
    async with home.memory(embedder, embed=UNCACHED) as memory:
        await fill(memory, MANY)
        await memory.settle()
        embedder.down = False
        steps: list[Progress] = []
        assert await memory.reindex(progress=steps.append) == len(MANY)
        assert [step.done for step in steps] == [BATCH, 2 * BATCH, len(MANY)]
        assert {step.total for step in steps} == {len(MANY)}
        assert await memory.reindex(progress=steps.append) == 0
        assert len(steps) == 3
        assert sorted(embedder.documents) == sorted(MANY)


async def test_reindex_with_force_makes_every_vector_again(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder, embed=UNCACHED) as memory:
        await fill(memory)
        await memory.settle()
        assert await memory.reindex() == 0
        assert await memory.reindex(force=True) == len(NOTES)
        assert sorted(embedder.documents) == sorted(NOTES * 2)
        best = (await memory.recall("note number 7")).hits[0]
        assert (best.text, best.engine) == (NOTES[7], "terms+vector")


async def test_reindex_of_one_space_leaves_the_others(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder, embed=UNCACHED) as memory:
        await memory.remember("here")
        await memory.space(f"{memory.name}-other").remember("there")
        await memory.settle()
        assert await memory.reindex(force=True) == 1
    assert sorted(embedder.documents) == ["here", "here", "there"]


async def test_reindex_says_why_it_cannot(home: Home) -> None:
    async with home.memory(WatchedEmbedder(down=True), embed=UNCACHED) as memory:
        await fill(memory)
        with pytest.raises(ModelError, match="switched this embedder off"):
            await memory.reindex()


@pytest.mark.parametrize(("dimensions", "model"), [(32, "hash"), (64, "another")])
async def test_after_a_change_of_model_recall_answers_all_the_way(
    home: Home, dimensions: int, model: str
) -> None:
    async with home.memory(HashEmbedder()) as memory:
        await fill(memory)
        await memory.settle()
    other = WatchedEmbedder(dimensions, model=model)
    async with home.memory(other, embed=UNCACHED, index={"lazy_limit": 16}) as memory:
        assert (await memory.stats()).awaiting_vectors == len(NOTES)
        during = await memory.recall("note number 7")
        assert during.hits[0].text == NOTES[7]
        assert all(hit.vector is None for hit in during.hits)
        assert "await their vectors" in during.degraded[0]
        await memory.settle()
        after = await memory.recall("note number 7")
        assert (after.hits[0].text, after.hits[0].engine, after.degraded) == (NOTES[7], "terms+vector", [])
        assert sorted(other.documents) == sorted(NOTES)
        assert (await memory.stats()).signature == f"testing:{model}:{dimensions}"


async def test_vectors_of_two_models_are_never_compared(home: Home) -> None:
    class Mirrored(WatchedEmbedder):
        """As far from the plain one as can be; makes vectors of some documents only."""

        async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
            if role == "document" and not all("new" in text for text in texts):
                raise ModelError("Only what is new.")
            return -await super().embed(texts, role)

    async with home.memory(HashEmbedder()) as memory:
        await fill(memory)
        await memory.settle()
    async with home.memory(Mirrored(model="mirrored"), embed=UNCACHED, index={"lazy_limit": 0}) as memory:
        result = await memory.recall("note number 7", limit=50)
        assert result.hits[0].text == NOTES[7]
        assert all(hit.vector is None for hit in result.hits)


async def test_going_back_to_a_model_makes_its_vectors_again(home: Home) -> None:
    for dimensions in (64, 32, 64):
        embedder = WatchedEmbedder(dimensions)
        async with home.memory(embedder, embed=UNCACHED) as memory:
            await memory.remember("Likes tea")
            assert await memory.reindex() + len(embedder.documents) >= 1
            assert (await memory.recall("tea")).hits[0].vector == pytest.approx(
                float(
                    (await HashEmbedder(dimensions).embed(["tea", "Likes tea"], "query")).prod(axis=0).sum()
                ),
                abs=1e-3,
            )


async def test_a_reindex_that_was_cut_short_goes_on_where_it_was(home: Home) -> None:
    first, second = Tiring(BATCH), WatchedEmbedder()
    async with home.memory(first, embed=UNCACHED) as memory:
        await fill(memory, MANY)
        await memory.settle()
        with pytest.raises(ModelError):
            await memory.reindex()
        assert (await memory.stats()).awaiting_vectors == len(MANY) - BATCH
    async with home.memory(second, embed=UNCACHED) as memory:
        assert await memory.reindex() == len(MANY) - BATCH
    assert sorted(first.documents + second.documents) == sorted(MANY)


async def test_a_memory_closed_in_the_middle_of_a_sweep_leaves_it_to_the_next(home: Home) -> None:
    embedder = Paused()
    async with home.memory(embedder) as memory:
        await fill(memory)
        await embedder.asked.wait()
    async with home.memory() as memory:
        await memory.remember("one more")
        await memory.settle()
        assert (await memory.stats()).awaiting_vectors == 0


async def test_two_openers_do_not_embed_the_same_twice(home: Home) -> None:
    one, other = WatchedEmbedder(), WatchedEmbedder()
    async with home.memory(one, embed=UNCACHED) as first, home.memory(other, embed=UNCACHED) as second:
        turns = [first, second] * (len(NOTES) // 2)
        await asyncio.gather(*(memory.remember(note) for memory, note in zip(turns, NOTES, strict=True)))
        await first.settle()
        await second.settle()
        await first.reindex()
    assert sorted(one.documents + other.documents) == sorted(NOTES)


async def test_a_text_that_changes_while_it_is_embedded_keeps_no_old_vector(home: Home) -> None:
    embedder = Paused()
    async with home.memory(embedder) as memory:
        known = await memory.remember("The bike is scarlet")
        await embedder.asked.wait()
        await memory.update(known.id, content="The bike is turquoise")
        embedder.go_on.set()
        await memory.settle()
        assert embedder.documents == ["The bike is scarlet", "The bike is turquoise"]
        hit = (await memory.recall("The bike is turquoise")).hits[0]
        assert hit.vector == pytest.approx(1, abs=1e-3)


async def test_what_is_forgotten_while_it_is_embedded_stays_forgotten(home: Home) -> None:
    embedder = Paused()
    async with home.memory(embedder) as memory:
        known = await memory.remember("The bike is scarlet")
        await embedder.asked.wait()
        await memory.forget(known.id)
        embedder.go_on.set()
        await memory.settle()
        assert (await memory.recall("bike")).hits == []
        assert (await memory.stats()).layers == {}


async def test_the_style_of_documents_is_part_of_what_a_vector_was_made_with(home: Home) -> None:
    async with home.memory() as memory:
        await memory.observe("chat", [{"role": "user", "content": "Likes tea"}])
        await memory.settle()
    embedder = WatchedEmbedder()
    async with home.memory(embedder, index={"text_form": "aaak"}) as memory:
        assert texts(await memory.recall("tea")) == ["Likes tea"]
        assert any(text.startswith("Text: Likes tea\nTime: ") for text in embedder.documents)
        assert (await memory.stats()).signature == "testing:hash:64:aaak"


async def test_entries_without_a_record_do_not_stop_the_sweep(home: Home) -> None:
    async with home.memory(WatchedEmbedder()) as memory:
        await memory.remember("The spare key is under the blue pot")
        core = await memory.inside.opened()
        space = await core.spaces.ensured(memory.name)
        lost = [Entry(Layer.FACT, f"lost {n}", now(), f"print {n}", ["lost"]) for n in range(BATCH + 1)]
        await core.driver.write(entries.put, space, lost)
        await memory.reindex()
        assert (await memory.stats()).awaiting_vectors == 0


async def made_by_itself(memory: AsyncBethink) -> None:
    """Wait until nothing is missing, without a nudge."""
    async with asyncio.timeout(60):
        while (await memory.stats()).awaiting_vectors:  # noqa: ASYNC110  (what is waited for is in the database)
            await asyncio.sleep(0.01)


async def held_by_a_dead_process(memory: AsyncBethink, lasts: timedelta) -> None:
    """As after a kill: someone has taken the sweep of this space and will never let go."""
    core, space = await memory.space(memory.settings.space).inside.here()
    await core.driver.write(leases.take, f"vectors:{space.id}", "a dead process", now(), lasts)


async def test_work_under_the_lease_of_a_dead_process_goes_on_when_the_lease_ends(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder) as memory:
        await held_by_a_dead_process(memory, timedelta(seconds=0.2))
        await fill(memory)
        await memory.settle()
        await made_by_itself(memory)
    assert len(embedder.documents) == len(NOTES)


async def test_an_idle_process_takes_over_what_another_left(home: Home) -> None:
    async with home.memory(WatchedEmbedder(down=True)) as memory:
        await fill(memory)
        await memory.settle()
        await held_by_a_dead_process(memory, timedelta(seconds=-1))
    async with home.memory() as idle:
        assert (await idle.stats()).awaiting_vectors == len(NOTES)
        await idle.take_over()
        await idle.settle()
        assert (await idle.stats()).awaiting_vectors == 0
        await idle.take_over()  # with nothing left behind there is nothing to do
        core, _ = await idle.space(idle.settings.space).inside.here()
        assert await core.driver.read(leases.abandoned, now()) == []
