"""The index's rows: what is put, replaced, ended, removed, and what still needs a vector."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import numpy as np

from bethink.records import Layer, MemoryType, Space
from bethink.store import Driver, Tx, entries, keyword_search, memories, persons, vectors
from bethink.store.filters import EntryFilter
from bethink.store.rows import id_range
from tests.store import samples
from tests.store.samples import DAY, NOW, SECOND, entry

EVERYTHING = EntryFilter()
SIGNATURE = "test:model:3"


async def ids_of(store: Driver, space: Space) -> dict[str, int]:
    """The ids of a space's entries by their records."""
    ids = await store.read(entries.allowed, space.id, EVERYTHING)
    rows = await store.read(entries.by_ids, space.id, ids)
    return {row["record_id"]: id_ for id_, row in rows.items()}


async def found(store: Driver, space: Space, *terms: str, at: Any = NOW) -> list[str]:
    """The records that a keyword search finds, best first."""
    hits = await store.read(keyword_search.search, space, terms, EVERYTHING, at, 100, keyword_search.Counts())
    rows = await store.read(entries.by_ids, space.id, [id_ for id_, _ in hits])
    return [rows[id_]["record_id"] for id_, _ in hits]


def embed(tx: Tx, space: Space, record_ids: Iterable[str], signature: str = SIGNATURE) -> int:
    """Give entries a vector, made for the text they have now."""
    stale = [old for old in entries.stale(tx, space.id, signature, 1000) if old.record_id in record_ids]
    made = [(old.id, old.fingerprint, np.ones(3, np.float32)) for old in stale]
    return vectors.put(tx, space, signature, made)


async def test_a_new_entry_gets_an_id_of_its_space_and_layer(
    store: Driver, space: Space, other: Space
) -> None:
    for where in (space, other):
        put = [entry(f"{layer} of {where.name}", layer=layer) for layer in Layer]
        await store.write(entries.put, where, put)
    for where in (space, other):
        ids = await ids_of(store, where)
        assert set(ids) == {f"{layer} of {where.name}" for layer in Layer}
        for layer in Layer:
            low, high = id_range(where.number, layer)
            assert low < ids[f"{layer} of {where.name}"] <= high


async def test_an_entry_is_read_back_as_it_was_put(store: Driver, space: Space) -> None:
    full = entry("r1", person_id="ana", session_id="s1", expires_at=NOW + DAY, layer=Layer.FACT)
    await store.write(entries.put, space, [full])
    (id_,) = (await ids_of(store, space)).values()
    assert await store.read(entries.by_ids, space.id, [id_, id_ + 1]) == {
        id_: {
            "id": id_,
            "layer": "fact",
            "record_id": "r1",
            "person_id": "ana",
            "observed_at": 1715938215123457,
            "expires_at": 1716024615123457,
        }
    }
    assert await store.read(entries.by_ids, space.id, []) == {}


async def test_replacing_keeps_the_id_and_changes_the_rest(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry("r1", "black cat"), entry("r2", "grey dog")])
    before = await ids_of(store, space)
    replaced = entry("r1", "white mouse", observed_at=NOW + DAY, person_id="ana")
    await store.write(entries.put, space, [replaced, entry("r3", "red fox")])
    after = await ids_of(store, space)
    assert (after["r1"], after["r2"]) == (before["r1"], before["r2"])
    rows = await store.read(entries.by_ids, space.id, [after["r1"]])
    assert rows[after["r1"]]["person_id"] == "ana"
    assert await found(store, space, "cat") == []
    assert await found(store, space, "mouse") == ["r1"]
    assert await found(store, space, "dog") == ["r2"]


async def test_one_record_id_may_stand_in_two_layers(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry("r", "cat"), entry("r", "cat", layer=Layer.MESSAGE)])
    await store.write(entries.remove, space, Layer.MESSAGE, ["r"])
    assert await store.read(entries.count, space.id, SIGNATURE) == {Layer.MEMORY: (1, 0)}
    assert await found(store, space, "cat") == ["r"]


async def test_a_vector_stays_while_its_text_is_the_same(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry("same"), entry("changed")])
    assert await store.write(embed, space, ["same", "changed"]) == 2
    await store.write(
        entries.put,
        space,
        [
            entry("same", "other terms", fingerprint="of a note", observed_at=NOW + DAY),
            entry("changed", "another note"),
        ],
    )
    stale = await store.read(entries.stale, space.id, SIGNATURE, 10)
    assert [(old.record_id, old.fingerprint) for old in stale] == [("changed", "of another note")]
    assert await store.read(entries.count, space.id, SIGNATURE) == {Layer.MEMORY: (2, 1)}


async def test_what_is_removed_is_not_found(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry(f"r{n}", "black cat") for n in range(4)])
    await store.write(embed, space, ["r0", "r1", "r2"])
    await store.write(entries.remove, space, Layer.MEMORY, ["r0", "r3", "unknown"])
    await store.write(entries.remove, space, Layer.FACT, ["r1"])
    await store.write(entries.remove, space, Layer.MEMORY, [])
    assert set(await ids_of(store, space)) == {"r1", "r2"}
    assert sorted(await found(store, space, "cat")) == ["r1", "r2"]
    assert await store.read(entries.count, space.id, SIGNATURE) == {Layer.MEMORY: (2, 2)}
    # The record may come back, without the vector it had.
    await store.write(entries.put, space, [entry("r0", "black cat")])
    assert len(await found(store, space, "cat")) == 3
    assert await store.read(entries.count, space.id, SIGNATURE) == {Layer.MEMORY: (3, 2)}


async def test_an_expired_entry_is_never_found(store: Driver, space: Space) -> None:
    ends = NOW + DAY
    await store.write(entries.put, space, [entry("kept", "cat"), entry("ends", "cat", expires_at=ends)])
    await store.write(entries.put, space, [entry("ended", "cat", layer=Layer.FACT)])
    await store.write(entries.expire, space, Layer.FACT, "ended", ends)
    await store.write(entries.expire, space, Layer.FACT, "kept", NOW)  # a fact of that id there is not
    ids = await ids_of(store, space)

    def newest(tx: Tx, at: Any) -> set[int]:
        return set(entries.newest(tx, space.id, EVERYTHING, at, 10))

    before, after = ends - timedelta(microseconds=1), ends
    assert sorted(await found(store, space, "cat", at=before)) == ["ended", "ends", "kept"]
    assert await found(store, space, "cat", at=after) == ["kept"]
    assert await store.read(newest, before) == set(ids.values())
    assert await store.read(newest, after) == {ids["kept"]}
    assert await store.read(entries.expired, space.id, before) == []
    assert set(await store.read(entries.expired, space.id, after)) == {ids["ends"], ids["ended"]}


async def test_the_newest_come_first(store: Driver, space: Space) -> None:
    put = [entry(f"r{n}", observed_at=NOW + (n % 3) * SECOND, layer=Layer.MESSAGE) for n in range(6)]
    await store.write(entries.put, space, put)
    ids = await ids_of(store, space)
    found = await store.read(entries.newest, space.id, EVERYTHING, NOW, 4)
    assert found == [ids[name] for name in ("r5", "r2", "r4", "r1")]
    chosen = EntryFilter(layers=[Layer.FACT])
    assert await store.read(entries.newest, space.id, chosen, NOW, 4) == []


async def test_what_lacks_a_current_vector_is_stale(store: Driver, space: Space, other: Space) -> None:
    await store.write(entries.put, space, [entry(f"r{n}") for n in range(3)])
    await store.write(entries.put, other, [entry("elsewhere")])

    await store.write(embed, space, ["r0"], "a")
    await store.write(embed, space, ["r1"], "b")
    await store.write(embed, space, ["r2"], "c")
    await store.write(embed, other, ["elsewhere"], "b")
    stale = await store.read(entries.stale, space.id, "b", 10)
    assert sorted(old.record_id for old in stale) == ["r0", "r2"], "older and newer signatures alike"
    assert {old.layer for old in stale} == {Layer.MEMORY}
    assert len(await store.read(entries.stale, space.id, "b", 1)) == 1

    await store.write(embed, space, ["r0", "r2"], "b")
    assert await store.read(entries.stale, space.id, "b", 10) == []


async def test_unembedding_a_space_makes_all_of_it_stale(store: Driver, space: Space, other: Space) -> None:
    await store.write(entries.put, space, [entry("r0"), entry("r1"), entry("r2", layer=Layer.FACT)])
    await store.write(entries.put, other, [entry("elsewhere")])
    await store.write(embed, space, ["r0", "r2"])
    await store.write(embed, other, ["elsewhere"])
    assert await store.write(entries.unembed, space) == 2
    assert await store.read(entries.count, space.id, SIGNATURE) == {Layer.MEMORY: (2, 0), Layer.FACT: (1, 0)}
    assert await store.read(entries.count, other.id, SIGNATURE) == {Layer.MEMORY: (1, 1)}


async def test_records_are_found_by_the_fingerprint_of_their_text(store: Driver, space: Space) -> None:
    duplicates = [entry("r0", "cat"), entry("r1", "cat"), entry("r2", "cat", layer=Layer.FACT)]
    await store.write(entries.put, space, [*duplicates, entry("r3", "dog")])
    prints = ["of cat", "of emu", "of dog"]
    found = await store.read(entries.by_fingerprints, space.id, Layer.MEMORY, prints)
    assert {text: sorted(records) for text, records in found.items()} == {
        "of cat": ["r0", "r1"],
        "of dog": ["r3"],
    }
    assert await store.read(entries.by_fingerprints, space.id, Layer.MEMORY, []) == {}


CASES: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"red", "blue", "said", "known"}),
    ({"layers": [Layer.MEMORY, Layer.FACT]}, {"red", "blue", "known"}),
    ({"person_ids": ["ana"]}, {"red", "said"}),
    ({"session_ids": ["s1"]}, {"said"}),
    ({"since": NOW}, {"red", "blue", "said"}),
    ({"until": NOW}, {"known"}),
    ({"since": NOW, "until": NOW + DAY}, {"red", "said"}),
    ({"as_of": NOW}, {"red", "said", "known"}),
    ({"as_of": NOW - SECOND}, {"known"}),
    ({"alive_at": NOW}, {"red", "blue", "said"}),
    # What only memories have is asked of memories only.
    ({"tags": ["red", "green"]}, {"red"}),
    ({"types": [MemoryType.EPISODIC]}, {"blue"}),
    ({"categories": ["colours"]}, {"blue"}),
    ({"sources": ["import"]}, {"blue"}),
    ({"pinned": True}, {"red"}),
    ({"pinned": False}, {"blue"}),
    ({"pinned": False, "layers": [Layer.MESSAGE]}, set()),
    ({"pinned": True, "tags": ["red"], "person_ids": ["ana"], "as_of": NOW}, {"red"}),
    ({"pinned": True, "tags": ["red"], "person_ids": ["ben"]}, set()),
    ({"layers": []}, set()),
    ({"person_ids": []}, set()),
    ({"session_ids": []}, set()),
    ({"tags": []}, set()),
    ({"types": []}, set()),
    ({"categories": []}, set()),
    ({"sources": []}, set()),
]


async def test_each_filter_lets_through_what_it_says_in_every_search(store: Driver, space: Space) -> None:
    def add(tx: Tx) -> None:
        persons.add(tx, samples.person(space, id="ana"))
        red = samples.memory(space, id="red", tags=["red"], pinned=True)
        blue = samples.memory(
            space, id="blue", tags=["blue"], type=MemoryType.EPISODIC, category="colours", source="import"
        )
        memories.add(tx, [red, blue])
        put = [
            entry("red", person_id="ana"),
            entry("blue", observed_at=NOW + DAY),
            entry("said", person_id="ana", session_id="s1", layer=Layer.MESSAGE),
            entry("known", observed_at=NOW - DAY, expires_at=NOW, layer=Layer.FACT),
        ]
        entries.put(tx, space, put)

    await store.write(add)
    names = {id_: name for name, id_ in (await ids_of(store, space)).items()}
    before_all_ends = NOW - SECOND

    def results(tx: Tx, chosen: EntryFilter) -> dict[str, set[str]]:
        search = keyword_search.search(
            tx, space, ["note"], chosen, before_all_ends, 100, keyword_search.Counts()
        )
        found = {
            "allowed": entries.allowed(tx, space.id, chosen),
            "newest": entries.newest(tx, space.id, chosen, before_all_ends, 100),
            "keyword search": [id_ for id_, _ in search],
        }
        if tx.dialect == "postgres":
            query = np.ones(3, np.float32)
            near = vectors.nearest(tx, space, SIGNATURE, query, chosen, before_all_ends, 100)
            found["nearest"] = [id_ for id_, _ in near]
        return {way: {names[id_] for id_ in ids} for way, ids in found.items()}

    await store.write(embed, space, list(names.values()))
    for fields, expected in CASES:
        for way, got in (await store.read(results, EntryFilter(**fields))).items():
            assert got == expected, (way, fields)


def test_only_what_is_not_in_the_id_needs_sql() -> None:
    assert not EntryFilter().needs_sql
    assert not EntryFilter(layers=[Layer.FACT]).needs_sql
    assert not EntryFilter(layers=[]).needs_sql
    assert all(EntryFilter(**fields).needs_sql for fields, _ in CASES if set(fields) - {"layers"})
