"""HNSW indexes: who gets one, and that what it finds is right for every space, layer and filter."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import psycopg
import pytest

from bethink.contracts import VectorQuery
from bethink.index.vectors import pgvector
from bethink.index.vectors.pgvector import PgVectors
from bethink.records import Layer, Space
from bethink.settings import StoreSettings
from bethink.store import Driver, connect, entries, near_indexes, spaces, vectors
from bethink.store.entries import Entry
from bethink.store.filters import EntryFilter
from bethink.store.vectors import Vector

NOW = datetime(2024, 5, 17, tzinfo=UTC)
SIGNATURE, OTHER = "testing:plane:8", "testing:other-model:8"
ANYTHING = EntryFilter()


def units(count: int, seed: int) -> list[Vector]:
    rows = np.random.default_rng(seed).standard_normal((count, 8), np.float32)
    return list(rows / np.linalg.norm(rows, axis=1, keepdims=True))


@pytest.fixture
async def driver(migrated_postgres_url: str) -> AsyncIterator[Driver]:
    opened = await connect(migrated_postgres_url, StoreSettings())
    yield opened
    await opened.close()


@pytest.fixture
def index(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> PgVectors:
    monkeypatch.setattr(pgvector, "LOOK_SECONDS", 0)
    return PgVectors(driver, index_from=100)


async def fill(
    driver: Driver, space: Space, layer: Layer, made: Sequence[Vector], signature: str = SIGNATURE
) -> None:
    """Records of a layer, each with a vector; one in ten expires."""
    put = [
        Entry(
            layer, f"{space.name} {layer} {n}", NOW, "text", ["term"],
            person_id="ana" if n % 5 == 0 else None,
            expires_at=NOW + timedelta(days=1) if n % 10 == 0 else None,
        )
        for n in range(len(made))
    ]  # fmt: skip
    await driver.write(entries.put, space, put)
    stale = await driver.read(entries.stale, space.id, signature, 10**6)
    place = {entry.record_id: n for n, entry in enumerate(put)}
    rows = [(old.id, old.fingerprint, made[place[old.record_id]]) for old in stale if old.record_id in place]
    await driver.write(vectors.put, space, signature, rows)


async def test_a_large_layer_gets_an_index_that_finds_what_a_scan_finds(
    driver: Driver, index: PgVectors
) -> None:
    home = await driver.write(spaces.ensure, "home", NOW)
    work = await driver.write(spaces.ensure, "work", NOW)
    await fill(driver, home, Layer.MEMORY, units(400, 1))
    await fill(driver, home, Layer.FACT, units(20, 2))
    await fill(driver, work, Layer.MEMORY, units(99, 3))
    for space in (home, work):
        await index.tend(space, SIGNATURE, 8, 1)
    assert list(await driver.read(near_indexes.existing, home)) == [
        near_indexes.names(home, SIGNATURE)[Layer.MEMORY]
    ]
    assert await driver.read(near_indexes.existing, work) == {}, "it is small"

    later = NOW + timedelta(days=2)
    for chosen in (
        ANYTHING,
        EntryFilter(layers=[Layer.MEMORY]),
        EntryFilter(layers=[Layer.FACT]),
        EntryFilter(layers=[]),
        EntryFilter(person_ids=["ana"]),
    ):
        for space, at, query in (
            (home, NOW, units(1, 7)[0]),
            (home, later, units(1, 8)[0]),
            (work, NOW, units(1, 9)[0]),
        ):
            asked = (space, SIGNATURE, query, chosen, at, 15)
            found, expected = (
                await index.nearest(VectorQuery(*asked)),
                await driver.read(vectors.nearest, *asked),
            )
            assert [id_ for id_, _ in found] == [id_ for id_, _ in expected]
            assert [near for _, near in found] == pytest.approx([near for _, near in expected])


async def test_the_index_is_what_answers(
    driver: Driver, migrated_postgres_url: str, index: PgVectors
) -> None:
    space = await driver.write(spaces.ensure, "home", NOW)
    await fill(driver, space, Layer.MEMORY, units(3000, 1))
    await index.tend(space, SIGNATURE, 8, 1)
    for _ in range(10):  # also when the statement has been prepared
        await index.nearest(VectorQuery(space, SIGNATURE, units(1, 7)[0], ANYTHING, NOW, 10))
    await driver.close()
    name = near_indexes.names(space, SIGNATURE)[Layer.MEMORY]
    assert _uses(migrated_postgres_url, name, expected=10) == 10


async def test_a_space_is_looked_at_again_when_it_may_have_grown_large(
    driver: Driver, index: PgVectors
) -> None:
    space = await driver.write(spaces.ensure, "home", NOW)
    await fill(driver, space, Layer.MEMORY, units(60, 1))
    await index.tend(space, SIGNATURE, 8, 60)
    await fill(driver, space, Layer.MEMORY, units(110, 1))
    await index.tend(space, SIGNATURE, 8, 39)
    assert await driver.read(near_indexes.existing, space) == {}, "39 more could not be enough"
    await index.tend(space, SIGNATURE, 8, 11)
    assert len(await driver.read(near_indexes.existing, space)) == 1


async def test_another_model_takes_the_place_of_the_one_before(driver: Driver, index: PgVectors) -> None:
    space = await driver.write(spaces.ensure, "home", NOW)
    await fill(driver, space, Layer.MEMORY, units(150, 1))
    await index.tend(space, SIGNATURE, 8, 1)
    await fill(driver, space, Layer.MEMORY, units(150, 2), OTHER)
    await index.tend(space, OTHER, 8, 1)
    assert await driver.read(near_indexes.existing, space) == {
        near_indexes.names(space, OTHER)[Layer.MEMORY]: True
    }


@pytest.mark.parametrize(
    ("signature", "dimensions", "can"),
    [
        ("local:bge-small-en-v1.5-int8:384", 384, True),
        ("openai:text-embedding-3-large:3072:aaak", 3072, True),
        ("ollama:nomic-embed-text:latest:768", 768, True),
        ("huge:model:5000", 5000, False),
        ("it's:mine:8", 8, False),
        ("a.:b:8", 8, False),
        ("", 8, False),
    ],
)
def test_only_what_can_stand_in_a_statement_is_indexed(signature: str, dimensions: int, can: bool) -> None:
    assert near_indexes.can_index(signature, dimensions) is can


def _uses(postgres_url: str, name: str, expected: int) -> int:
    """How often an index was used; PostgreSQL counts when it gets to it, so that is waited for."""
    deadline = time.monotonic() + 10
    with psycopg.connect(postgres_url, autocommit=True) as database:
        while True:
            row = database.execute(
                "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = %s", (name,)
            ).fetchone()
            seen = int(row[0]) if row else 0
            if seen == expected or time.monotonic() > deadline:
                return seen
            time.sleep(0.05)
