"""Records and index are compared both ways: what is lost comes back, what belongs to nothing goes."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import AsyncBethink, Layer
from bethink.index import repair
from bethink.store import entries
from bethink.store.rows import id_range
from tests.index.test_reindex import execute
from tests.lifecycle.test_faults import Fuse, Killed, sweep
from tests.opened import Home, texts

OF_SPACE = "id BETWEEN {low} AND {high}"
DAMAGE = {
    "sqlite": {
        "vectors": f"DELETE FROM vectors WHERE {OF_SPACE}",
        "codes": f"DELETE FROM codes WHERE {OF_SPACE}",
        "terms": "DELETE FROM terms WHERE rowid BETWEEN {low} AND {high}",
        "records": "DELETE FROM memories WHERE space_id = '{space}' AND content LIKE '%oat%'",
        "entries": f"DELETE FROM entries WHERE {OF_SPACE}",
    },
    "postgres": {
        "vectors": f"UPDATE entries SET vector = NULL WHERE {OF_SPACE}",
        "terms": f"UPDATE entries SET terms = ''::tsvector WHERE {OF_SPACE}",
        "records": "DELETE FROM memories WHERE space_id = '{space}' AND content LIKE '%oat%'",
        "entries": f"DELETE FROM entries WHERE {OF_SPACE}",
    },
}


async def damage(memory: AsyncBethink, what: str) -> None:
    """Take something away behind Bethink's back."""
    core, space = await memory.inside.here()
    low, high = id_range(space.number)
    known = DAMAGE[core.driver.dialect]
    statement = known.get(what, known["vectors"])  # codes are part of the vectors elsewhere
    await execute(memory, statement.format(low=low, high=high, space=space.id).replace("%", percent(core)))


def percent(core: Any) -> str:
    return "%" if core.driver.dialect == "sqlite" else "%%"


async def fill(memory: AsyncBethink) -> None:
    await memory.options.update(extractors=[])
    await memory.observe("chat", [{"content": f"Rye bread {number}"} for number in range(4)])
    for number in range(4):
        await memory.remember(f"A loaf of oat bread, number {number}")
    await memory.facts.set("kitchen", "bread", "wheat")
    await memory.facts.set("kitchen", "bread", "spelt")
    gone = await memory.remember("Stale bread")
    await memory.update(gone.id, archived=True)
    await memory.settle()


async def found(memory: AsyncBethink, strategy: Any = "hybrid") -> list[str]:
    return sorted(texts(await memory.recall("bread", limit=50, strategy=strategy)))


async def test_a_whole_space_has_nothing_astray(memory: AsyncBethink) -> None:
    await fill(memory)
    assert (await memory.index.status()).astray == {}
    assert (await memory.upkeep.run("repair", dry_run=True)).counts == {}
    assert (await memory.upkeep.run("repair")).counts == {}


@pytest.mark.parametrize(
    ("what", "kinds"),
    [
        ("vectors", {"without_vector"}),
        ("codes", {"without_vector"}),
        ("terms", {"without_terms"}),
        ("entries", {"unindexed"}),
    ],
)
async def test_what_the_index_lost_is_told_of_and_comes_back(
    home: Home, what: str, kinds: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, "BATCH", 2)
    async with home.memory() as memory:
        await fill(memory)
        before = await found(memory), await found(memory, "semantic")
        await damage(memory, what)
        counted = (await memory.upkeep.run("repair", dry_run=True)).counts
        assert kinds <= set(counted)
        assert set(counted) <= {*kinds, "terms", "vectors"}
    async with home.memory() as memory:
        status = await memory.index.status()
        assert kinds <= set(status.astray)
        assert any("do not agree" in reason for reason in status.degraded)
        await memory.settle()
        assert (await found(memory), await found(memory, "semantic")) == before
        assert (await memory.index.status()).astray == {}
        assert (await memory.upkeep.run("repair")).counts == {}


async def test_what_belongs_to_no_record_goes(memory: AsyncBethink) -> None:
    await fill(memory)
    await damage(memory, "records")
    assert (await memory.upkeep.run("repair", dry_run=True)).counts == {"orphans": 4}
    assert (await memory.upkeep.run("repair")).counts == {"orphans": 4}
    assert (await memory.index.status()).astray == {}
    core, space = await memory.inside.here()
    rows = await core.driver.read(entries.following, space, 0, 1000)
    assert sum(row["layer"] == Layer.MEMORY for row in rows) == 0


@pytest.mark.parametrize("what", ["codes", "terms", "records", "entries"])
async def test_a_server_that_starts_notices_and_mends(
    lone_home: Home, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with lone_home.memory() as memory:
        await fill(memory)
        await memory.catch_up()
        await memory.settle()
        assert "lacks something" not in caplog.text
        await damage(memory, what)
    async with lone_home.memory() as memory:
        await memory.catch_up()
        await memory.settle()
        assert "lacks something" in caplog.text
        assert (await memory.index.status()).astray == {}
        assert (await memory.upkeep.history("repair", limit=1))[0].done > 0


async def test_killed_anywhere_and_run_again_it_mends_all(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, "BATCH", 3)

    async def seen() -> list[tuple[str, str]]:
        return sorted((hit.text, hit.engine) for hit in (await memory.index.preview("bread", limit=50)).hits)

    async def lose() -> None:
        for what in ("entries", "vectors", "terms"):
            await damage(memory, what)

    async with home.memory() as memory:
        await fill(memory)
        before = await seen()
        fuse = Fuse((await memory.inside.here())[0].driver, monkeypatch)
        await lose()
        fuse.set(-1, after=False)
        await sweep(memory, "repair")
        steps = fuse.count
        await memory.settle()
        assert steps > 5
        for step in range(1, steps + 1):
            await lose()
            fuse.set(step, after=step % 2 == 0)
            with pytest.raises(Killed):
                await sweep(memory, "repair")
            fuse.set(-1, after=False)
            await sweep(memory, "repair")
            await memory.settle()
            assert await seen() == before, f"killed at step {step}"
            assert await memory.index.compare() == {}
