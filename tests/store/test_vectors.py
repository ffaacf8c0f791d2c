"""Vectors: stored for the text they were made of, and kept apart by signature, on both databases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pytest

from bethink.errors import StoreError
from bethink.records import Layer, Space
from bethink.store import Driver, Tx, entries, spaces, vectors
from bethink.store.filters import EntryFilter
from bethink.store.rows import micros
from bethink.store.vectors import Vector
from tests.store.samples import DAY, NOW, entry

NEVER = np.iinfo(np.int64).max
SIGNATURE = "test:model:2"


def vector(*numbers: float) -> Vector:
    return np.array(numbers, np.float32)


def ids_of(tx: Tx, space: Space) -> dict[str, int]:
    rows = entries.by_ids(tx, space.id, entries.allowed(tx, space.id, EntryFilter()))
    return {row["record_id"]: id_ for id_, row in rows.items()}


def put(tx: Tx, space: Space, made: dict[str, Vector], signature: str = SIGNATURE) -> dict[str, int]:
    """Put entries where there are none yet, with these vectors."""
    known = ids_of(tx, space)
    entries.put(tx, space, [entry(name, name) for name in made if name not in known])
    ids = ids_of(tx, space)
    kept = vectors.put(tx, space, signature, [(ids[name], f"of {name}", made[name]) for name in made])
    assert kept == len(made)
    return ids


async def test_a_vector_of_a_text_that_has_changed_meanwhile_is_not_kept(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry("r0", "cat"), entry("r1", "cat")])
    made_for = await store.read(entries.stale, space.id, SIGNATURE, 10)
    await store.write(entries.put, space, [entry("r0", "dog")])
    made = [(old.id, old.fingerprint, vector(1, 0)) for old in made_for]
    gone = (made_for[0].id + 99, "of cat", vector(1, 0))
    assert await store.write(vectors.put, space, SIGNATURE, [*made, gone]) == 1
    stale = await store.read(entries.stale, space.id, SIGNATURE, 10)
    assert [old.record_id for old in stale] == ["r0"]


async def test_what_a_resident_copy_loads(sqlite_store: Driver) -> None:
    space = await sqlite_store.write(spaces.ensure, "home", NOW)
    ids = await sqlite_store.write(put, space, {"a": vector(0.1, 0.2), "b": vector(3, 4), "c": vector(5, 6)})
    await sqlite_store.write(put, space, {"b": vector(7, 8, 9)}, "test:other:3")
    await sqlite_store.write(entries.expire, space, Layer.MEMORY, "c", NOW + DAY)

    found, codes, inverse_lengths = await sqlite_store.read(vectors.load_space, space.number, SIGNATURE)
    assert found.tolist() == [ids["a"], ids["c"]]
    assert codes.tolist() == [[64, 127], [106, 127]], "as large as they can be, and in the same proportion"
    assert inverse_lengths == pytest.approx([1 / math.hypot(64, 127), 1 / math.hypot(106, 127)])
    assert await sqlite_store.read(vectors.expiring, space.number) == {ids["c"]: micros(NOW + DAY)}
    found, rows, ends = await sqlite_store.read(vectors.load, [ids["a"], ids["b"]], SIGNATURE)
    assert (found.tolist(), rows.shape, ends.tolist()) == ([ids["a"]], (1, 2), [NEVER])
    assert rows.dtype == np.float32
    found, rows, _ = await sqlite_store.read(vectors.load, list(ids.values()), "test:other:3")
    assert (found.tolist(), rows.tolist()) == ([ids["b"]], [[7, 8, 9]])

    for nothing in (
        await sqlite_store.read(vectors.load, [], SIGNATURE),
        await sqlite_store.read(vectors.load_space, space.number, "test:unknown:2"),
        await sqlite_store.read(vectors.load_space, space.number + 1, SIGNATURE),
    ):
        assert [len(part) for part in nothing] == [0, 0, 0]


async def test_a_dropped_vector_is_gone_for_good(sqlite_store: Driver) -> None:
    space = await sqlite_store.write(spaces.ensure, "home", NOW)
    ids = await sqlite_store.write(put, space, {"a": vector(1, 2), "b": vector(3, 4), "c": vector(5, 6)})
    await sqlite_store.write(
        entries.put, space, [entry("a", "changed"), entry("b", "b", observed_at=NOW + DAY)]
    )
    await sqlite_store.write(entries.remove, space, Layer.MEMORY, ["c"])
    found, _, _ = await sqlite_store.read(vectors.load_space, space.number, SIGNATURE)
    assert found.tolist() == [ids["b"]]
    # What is deleted has left the file, and does not wait for a signature to match again.
    stored = await sqlite_store.read(
        lambda tx: tx.tuples("vectors.of_ids", {"ids": [*ids.values()], "signature": ""})
    )
    assert stored == []


async def nearest(
    store: Driver,
    space: Space,
    query: Vector,
    *,
    signature: str = SIGNATURE,
    chosen: EntryFilter | None = None,
    now: datetime = NOW,
    limit: int = 10,
) -> dict[str, float]:
    chosen = chosen or EntryFilter()
    found = await store.read(vectors.nearest, space, signature, query, chosen, now, limit)
    names = {id_: name for name, id_ in (await store.read(ids_of, space)).items()}
    return {names[id_]: near for id_, near in found}


async def test_the_nearest_come_first_with_their_cosines(postgres_store: Driver) -> None:
    space = await postgres_store.write(spaces.ensure, "home", NOW)
    made = {"same": vector(0, 5), "opposite": vector(0, -1), "across": vector(2, 0), "between": vector(1, 1)}
    await postgres_store.write(put, space, made)
    found = await nearest(postgres_store, space, vector(0, 1))
    assert list(found) == ["same", "between", "across", "opposite"]
    assert list(found.values()) == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-6)
    assert list(await nearest(postgres_store, space, vector(0, 1), limit=2)) == ["same", "between"]


async def test_nothing_ended_filtered_or_of_another_layer_is_near(postgres_store: Driver) -> None:
    space = await postgres_store.write(spaces.ensure, "home", NOW)

    def add(tx: Tx) -> None:
        put_entries: Sequence[tuple[str, dict[str, object]]] = [
            ("kept", {}),
            ("ended", {"expires_at": NOW}),
            ("fact", {"layer": Layer.FACT}),
            ("late", {"observed_at": NOW + DAY}),
            ("bare", {}),
        ]
        entries.put(tx, space, [entry(name, name, **fields) for name, fields in put_entries])
        ids = ids_of(tx, space)
        made = [(id_, f"of {name}", vector(1, 1)) for name, id_ in ids.items() if name != "bare"]
        vectors.put(tx, space, SIGNATURE, made)

    await postgres_store.write(add)

    async def found(now: datetime = NOW, chosen: EntryFilter | None = None) -> set[str]:
        return set(await nearest(postgres_store, space, vector(1, 0), chosen=chosen, now=now))

    assert await found() == {"kept", "fact", "late"}
    assert await found(NOW - DAY) == {"kept", "fact", "late", "ended"}
    assert await found(chosen=EntryFilter(layers=[Layer.FACT])) == {"fact"}
    assert await found(chosen=EntryFilter(layers=[])) == set()
    assert await found(chosen=EntryFilter(as_of=NOW)) == {"kept", "fact"}


async def test_vectors_of_two_signatures_are_never_compared(postgres_store: Driver) -> None:
    space = await postgres_store.write(spaces.ensure, "home", NOW)
    await postgres_store.write(put, space, {f"old {n}": vector(n, 1, 1) for n in range(300)}, "test:old:3")
    await postgres_store.write(put, space, {f"new {n}": vector(n, 1) for n in range(30)})
    await postgres_store.write(put, space, {f"twin {n}": vector(n, 1) for n in range(30)}, "test:twin:2")
    await postgres_store.write(entries.put, space, [entry("bare")])
    for chosen in (EntryFilter(), EntryFilter(layers=[Layer.MEMORY], as_of=NOW)):
        found = await nearest(postgres_store, space, vector(1, 0), chosen=chosen, limit=1000)
        assert set(found) == {f"new {n}" for n in range(30)}
        old = await nearest(
            postgres_store, space, vector(1, 0, 0), signature="test:old:3", chosen=chosen, limit=1000
        )
        assert set(old) == {f"old {n}" for n in range(300)}
    # A changed text keeps its old vector in the row; it must not answer for the new text.
    await postgres_store.write(entries.put, space, [entry("new 29", "changed")])
    assert "new 29" not in await nearest(postgres_store, space, vector(29, 1), limit=1000)


async def test_a_query_of_the_wrong_length_is_refused_in_words(postgres_store: Driver) -> None:
    space = await postgres_store.write(spaces.ensure, "home", NOW)
    await postgres_store.write(put, space, {"a": vector(1, 2)})
    with pytest.raises(StoreError, match="dimensions"):
        await nearest(postgres_store, space, vector(1, 2, 3))
