"""Token vectors: made for one text and one signature, beside the vectors and independent of them."""

from __future__ import annotations

from bethink.records import Layer, Space
from bethink.store import Driver, Tx, entries, token_vectors
from bethink.store.filters import EntryFilter
from tests.store.samples import entry

SIGNATURE = "late:model:2"


def ids_of(tx: Tx, space: Space) -> dict[str, int]:
    rows = entries.by_ids(tx, space.id, entries.allowed(tx, space.id, EntryFilter()))
    return {row["record_id"]: id_ for id_, row in rows.items()}


async def test_what_is_loaded_was_made_for_the_text_and_the_signature(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry("a", "cat"), entry("b", "dog"), entry("c", "emu")])
    ids = await store.read(ids_of, space)
    made = [(ids["a"], "of cat", b"\0a\xff"), (ids["b"], "of another text", b"b"), (ids["c"], "of emu", b"c")]
    await store.write(token_vectors.put, SIGNATURE, made)
    await store.write(token_vectors.put, "late:other:2", [(ids["c"], "of emu", b"other")])

    async def loaded(signature: str = SIGNATURE) -> dict[int, bytes]:
        return await store.read(token_vectors.load, [*ids.values()], signature)

    assert await loaded() == {ids["a"]: b"\0a\xff"}
    assert await loaded("late:other:2") == {ids["c"]: b"other"}
    assert await store.read(token_vectors.load, [], SIGNATURE) == {}
    await store.write(entries.put, space, [entry("a", "changed")])
    assert await loaded() == {}
    await store.write(entries.remove, space, Layer.MEMORY, ["c"])
    assert await loaded("late:other:2") == {}


async def test_an_entry_may_need_token_vectors_and_no_vector(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry("a", "cat"), entry("b", "dog")])
    ids = await store.read(ids_of, space)
    await store.write(token_vectors.put, SIGNATURE, [(ids["a"], "of cat", b"a")])

    def stale(tx: Tx, mark: entries.Mark) -> list[str]:
        return sorted(old.record_id for old in entries.stale(tx, space.id, SIGNATURE, 10, mark))

    assert await store.read(stale, "late") == ["b"]
    assert await store.read(stale, "signature") == ["a", "b"]
    assert await store.read(entries.count, space.id, SIGNATURE, "late") == {Layer.MEMORY: (2, 1)}
    assert await store.read(entries.count, space.id, SIGNATURE) == {Layer.MEMORY: (2, 0)}
    await store.write(token_vectors.put, SIGNATURE, [(ids["b"], "of dog", b"b")])
    assert await store.write(entries.unembed, space) == 2
    assert await store.read(stale, "late") == ["a", "b"]


async def test_the_neighbours_of_a_message_are_those_just_before_and_after(
    store: Driver, space: Space
) -> None:
    def said(session_id: str, position: int | None) -> entries.Entry:
        name = f"{session_id} {position}"
        return entry(name, layer=Layer.MESSAGE, session_id=session_id, position=position)

    put = [said("one", position) for position in (1, 2, 3, 5)] + [said("two", 2), said("two", None)]
    await store.write(entries.put, space, [*put, entry("note", session_id="one")])
    ids = await store.read(ids_of, space)
    names = {id_: name for name, id_ in ids.items()}
    found = await store.read(token_vectors.neighbours, space.id, [*ids.values(), 7])
    assert {names[id_]: sorted(names[near] for near in nears) for id_, nears in found.items()} == {
        "one 1": ["one 2"],
        "one 2": ["one 1", "one 3"],
        "one 3": ["one 2"],
    }
    assert await store.read(token_vectors.neighbours, space.id, []) == {}
