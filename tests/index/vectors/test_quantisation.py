"""Coarse copies find what the vectors themselves find, and deleted vectors leave no bytes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from bethink.contracts import VectorEntry, VectorIndex, VectorQuery
from bethink.index.vectors.sqlite_vec import SqliteVectors
from bethink.records import Layer, Space
from bethink.settings import Quantisation
from bethink.store.filters import EntryFilter
from bethink.store.vectors import Vector
from tests.index.vectors import servers

NOW = datetime(2024, 5, 17, tzinfo=UTC)
SIGNATURE = "testing:random:384"
HOME = Space(id="home", number=7, name="home", display_name="Home", created_at=NOW, updated_at=NOW)
FIRST = 7 << 32
pytestmark = pytest.mark.xdist_group("vector stores")


@pytest.fixture(scope="module")
def qdrant_port() -> Iterator[int]:
    """Qdrant's engine, which makes graphs and coarse copies of a few vectors already."""
    with servers.qdrant_engine(index_from_kb=10) as port:
        yield port


def units(count: int, seed: int) -> list[Vector]:
    """Vectors about sixty things, as those of texts are: near to some, far from most."""
    noise = np.random.default_rng(seed).standard_normal((count, 384), np.float32)
    things = np.random.default_rng(0).standard_normal((60, 384), np.float32)
    rows = things[np.arange(count) % len(things)] + 0.5 * noise
    return list(rows / np.linalg.norm(rows, axis=1, keepdims=True))


async def filled(index: VectorIndex, made: list[Vector]) -> None:
    entries = [VectorEntry(FIRST + n, Layer.MEMORY, vector, NOW) for n, vector in enumerate(made)]
    await index.put(HOME.number, SIGNATURE, entries)


@pytest.mark.parametrize("quantisation", ["int8", "binary"])
@pytest.mark.parametrize("store", ["sqlite-vec", "qdrant", "qdrant-engine"])
async def test_the_nearest_are_found_by_coarse_copies(
    store: str, quantisation: Quantisation, tmp_path: Path, qdrant_port: int
) -> None:
    index: VectorIndex = SqliteVectors(str(tmp_path / "vectors.db"), quantisation=quantisation)
    if store == "qdrant":
        index = servers.qdrant(quantisation=quantisation)
    elif store == "qdrant-engine":
        index = servers.at_engine(qdrant_port, quantisation=quantisation)
    made, asked = units(600, 1), units(10, 2)
    await filled(index, made)
    same = 0
    for query in asked:
        found = await index.nearest(VectorQuery(HOME, SIGNATURE, query, EntryFilter(), NOW, 10))
        cosines = np.array(made) @ query
        same += len({id_ - FIRST for id_, _ in found} & set(np.argsort(-cosines)[:10].tolist()))
        assert [near for _, near in found] == pytest.approx(
            [cosines[id_ - FIRST] for id_, _ in found], abs=1e-5
        )
    assert same >= 95, "of a hundred"
    await index.close()


async def test_what_is_deleted_leaves_no_bytes_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    index = SqliteVectors(str(path))
    secret, kept = units(2, 3)
    entry = VectorEntry(FIRST, Layer.MEMORY, secret, NOW, None, "the person of the secret")
    await index.put(HOME.number, SIGNATURE, [entry, VectorEntry(FIRST + 1, Layer.MEMORY, kept, NOW)])
    await index.delete(HOME.number, [FIRST])
    there = path.read_bytes()
    assert kept.tobytes()[:64] in there
    assert secret.tobytes()[:64] not in there
    assert b"person of the secret" not in there
    await index.wipe(HOME.number)
    assert kept.tobytes()[:64] not in path.read_bytes()
    await index.close()
    assert path.stat().st_mode & 0o777 == 0o600
