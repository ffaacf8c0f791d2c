from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from bethink.contracts import VectorQuery
from bethink.index.vectors.embedded import EmbeddedVectors
from bethink.records import Layer, Space
from bethink.settings import StoreSettings
from bethink.store import Driver, Tx, changes, connect, entries, spaces, vectors
from bethink.store.entries import Entry
from bethink.store.filters import EntryFilter
from bethink.store.vectors import Loaded, Vector

NOW = datetime(2024, 5, 17, tzinfo=UTC)
SIGNATURE = "testing:plane:2"
EVERYTHING = EntryFilter()


def direction(degrees: float) -> Vector:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], np.float32)


@pytest.fixture
async def driver(tmp_path: Path) -> AsyncIterator[Driver]:
    opened = await connect(str(tmp_path / "memory.db"), StoreSettings())
    yield opened
    await opened.close()


@pytest.fixture
async def space(driver: Driver) -> Space:
    return await driver.write(spaces.ensure, "home", NOW)


@pytest.fixture
def index(driver: Driver) -> EmbeddedVectors:
    return EmbeddedVectors(driver, memory_bytes=1 << 20, rescore=20)


async def put(driver: Driver, space: Space, signature: str = SIGNATURE, **degrees: float) -> None:
    """Give records, named by keyword, vectors that point in these directions."""
    await driver.write(
        entries.put, space, [Entry(Layer.MEMORY, name, NOW, "text", ["term"]) for name in degrees]
    )
    known = await numbers(driver, space)
    made = [(known[name], "text", direction(angle)) for name, angle in degrees.items()]
    await driver.write(vectors.put, space, signature, made)


async def numbers(driver: Driver, space: Space) -> dict[str, int]:
    found = await driver.read(entries.newest, space.id, EVERYTHING, NOW, 1000)
    rows = await driver.read(entries.by_ids, space.id, found)
    return {row["record_id"]: id_ for id_, row in rows.items()}


async def nearest(
    driver: Driver,
    index: EmbeddedVectors,
    space: Space,
    degrees: float = 0,
    chosen: EntryFilter = EVERYTHING,
    signature: str = SIGNATURE,
) -> list[str]:
    found = await index.nearest(VectorQuery(space, signature, direction(degrees), chosen, NOW, 10))
    names = {id_: name for name, id_ in (await numbers(driver, space)).items()}
    return [names[id_] for id_, _ in found]


async def test_a_copy_in_use_takes_in_what_is_new_before_it_is_searched(
    driver: Driver, space: Space, index: EmbeddedVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []
    real = vectors.load

    def load(tx: Tx, ids: Sequence[int], signature: str) -> Loaded:
        loads.append(signature)
        return real(tx, ids, signature)

    monkeypatch.setattr(vectors, "load", load)
    await put(driver, space, a=0)
    await index.tend(space, SIGNATURE, 2, 1)
    assert not index.at_hand(space), "nobody has searched here, so nothing is kept"
    assert await nearest(driver, index, space) == ["a"]
    await put(driver, space, b=10)
    await index.tend(space, "of:another:model", 2, 1)
    assert loads == []
    await index.tend(space, SIGNATURE, 2, 1)
    assert loads == [SIGNATURE]
    assert await nearest(driver, index, space) == ["a", "b"]
    assert loads == [SIGNATURE], "there was nothing left to take in"


async def test_a_copy_that_missed_more_than_the_log_keeps_is_loaded_anew(
    driver: Driver, space: Space, index: EmbeddedVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await driver.write(spaces.ensure, "other", NOW)
    await put(driver, space, a=0)
    assert await nearest(driver, index, space) == ["a"]
    await put(driver, space, b=10)
    monkeypatch.setattr(changes, "KEPT", 2)
    monkeypatch.setattr(changes, "_PRUNE_EVERY", 1)
    for number in range(6):  # the other space's changes push those of this one out of the log
        await put(driver, other, x=number)
    assert await nearest(driver, index, space) == ["a", "b"]
    assert await nearest(driver, index, other) == ["x"]
    await put(driver, space, c=20)
    assert await nearest(driver, index, space) == ["a", "b", "c"]


async def test_over_budget_the_space_not_used_for_longest_goes_and_comes_back_when_asked_for(
    driver: Driver, space: Space
) -> None:
    index = EmbeddedVectors(driver, memory_bytes=1, rescore=20)
    other = await driver.write(spaces.ensure, "other", NOW)
    await put(driver, space, a=0)
    await put(driver, other, x=0)
    for _ in range(2):
        assert await nearest(driver, index, space) == ["a"]
        assert await nearest(driver, index, other) == ["x"]
    assert len(index._copies) == 1
