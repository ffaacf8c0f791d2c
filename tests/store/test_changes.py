"""The log of changes: what it lists, who has read it, and what is cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest

from bethink import AsyncBethink
from bethink.index.vectors import nearest
from bethink.records import Layer, Space
from bethink.settings import StoreSettings
from bethink.store import Driver, Tx, changes, connect, entries, erasure, spaces, vectors
from bethink.store.changes import Reader
from tests.store.samples import DAY, NOW, entry

SIGNATURE = "test:model:2"


def put(tx: Tx, space: Space, *names: str) -> dict[str, int]:
    """Put entries where there are none yet, each with a vector."""
    known = {row["record_id"] for row in entries.following(tx, space, 0, 1000)}
    entries.put(tx, space, [entry(name, name) for name in names if name not in known])
    ids = {row["record_id"]: row["id"] for row in entries.following(tx, space, 0, 1000)}
    vectors.put(tx, space, SIGNATURE, [(ids[name], f"of {name}", np.ones(2, np.float32)) for name in names])
    return ids


async def numbered(store: Driver) -> None:
    if await store.read(changes.waiting):
        await store.write_in_turn(["log"], changes.number)


async def listed(store: Driver) -> int:
    """How many changes the log holds."""
    await numbered(store)
    row = await store.read(lambda tx: tx.one("survey.all_rows", columns="COUNT(*) AS total", table="changes"))
    assert row
    return int(row["total"])


async def test_the_log_tells_which_entries_to_look_at_again(
    store: Driver, space: Space, other: Space
) -> None:
    async def changed_by(work: Callable[[Tx], object]) -> set[str] | None:
        """The records of `space` that a write makes a fresh copy look at; None for all."""
        seen = await store.read(changes.last, space.number)
        await store.write(work)
        await numbered(store)
        changed = await store.read(changes.since, space.number, seen)
        return None if changed is None else {name for name, id_ in ids.items() if id_ in changed}

    ids: dict[str, int] = {}
    assert await store.read(changes.last, space.number) == 0
    assert await store.read(changes.since, space.number, 0) == []
    ids = await store.write(put, space, "a", "b", "c")
    await numbered(store)
    changed = await store.read(changes.since, space.number, 0)
    assert sorted(changed or []) == sorted(ids.values())

    later = entry("b", "b", observed_at=NOW + DAY)
    assert await changed_by(lambda tx: entries.put(tx, space, [entry("new")])) == set(), "no vector yet"
    assert await changed_by(lambda tx: put(tx, space, "a")) == {"a"}
    assert await changed_by(lambda tx: entries.put(tx, space, [later])) == {"b"}
    assert await changed_by(lambda tx: entries.expire(tx, space, Layer.MEMORY, "c", NOW)) == {"c"}
    assert await changed_by(lambda tx: entries.remove(tx, space, Layer.MEMORY, ["c", "unknown"])) == {"c"}
    assert await changed_by(lambda tx: put(tx, other, "elsewhere")) == set()
    assert await changed_by(lambda tx: erasure.everything(tx, other)) == set()
    assert await changed_by(lambda tx: erasure.everything(tx, space)) is None


async def test_a_copy_too_far_behind_the_log_is_told_so(
    sqlite_store: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "KEPT", 5)
    monkeypatch.setattr(changes, "_PRUNE_EVERY", 10)
    space = await sqlite_store.write(spaces.ensure, "home", NOW)
    ids = await sqlite_store.write(put, space, *(f"r{n}" for n in range(8)))
    changed = await sqlite_store.read(changes.since, space.number, 0)
    assert sorted(changed or []) == sorted(ids.values())
    # The tenth change prunes all but the last five.
    await sqlite_store.write(put, space, *(f"r{n}" for n in range(4)))
    newest = await sqlite_store.read(changes.last, space.number)
    assert newest == 12
    assert await sqlite_store.read(changes.since, space.number, 0) is None
    assert await sqlite_store.read(changes.since, space.number, 4) is None
    assert await sqlite_store.read(changes.since, space.number, newest) == []
    changed = await sqlite_store.read(changes.since, space.number, newest - 2)
    assert sorted(changed or []) == sorted([ids["r2"], ids["r3"]])


async def test_a_reader_moves_only_from_where_it_is(store: Driver, space: Space, other: Space) -> None:
    here = ("elsewhere", space.number)
    assert await store.read(changes.reader, *here) is None
    await store.write(put, space, "a", "b")
    await numbered(store)
    seq = await store.write(changes.begin, *here, NOW)
    assert seq == await store.read(changes.last, space.number) == 2
    assert await store.read(changes.reader, *here) == Reader("", 2)
    assert not await store.write(changes.finish, *here, SIGNATURE, 1, NOW)
    assert await store.write(changes.finish, *here, SIGNATURE, 2, NOW)
    assert not await store.write(changes.advance, *here, Reader("test:other:2", 2), 3, NOW)
    assert not await store.write(changes.advance, *here, Reader(SIGNATURE, 1), 3, NOW)
    assert await store.write(changes.advance, *here, Reader(SIGNATURE, 2), 3, NOW)
    assert await store.read(changes.reader, *here) == Reader(SIGNATURE, 3)
    assert await store.read(changes.reader, "elsewhere", other.number) is None
    await store.write(changes.leave, *here)
    assert await store.read(changes.reader, *here) is None


async def test_a_change_that_is_committed_late_is_not_passed_over(
    postgres_store: Driver, emptied_postgres_url: str
) -> None:
    """Numbers go by commits: one that begins first and ends last comes last."""
    space = await postgres_store.write(spaces.ensure, "home", NOW)
    other = await connect(emptied_postgres_url, StoreSettings())
    ids = await postgres_store.write(put, space, "slow", "quick")

    async def read() -> list[int]:
        await numbered(postgres_store)
        seen = await postgres_store.read(changes.unread, space.number, position[-1]) or []
        position.append(await postgres_store.read(changes.last, space.number))
        return seen

    position = [0]
    assert len(await read()) == 2

    async def meanwhile() -> None:
        await other.write(put, space, "quick")
        assert await read() == [ids["quick"]]

    loop = asyncio.get_running_loop()

    def slowly(tx: Tx) -> None:
        put(tx, space, "slow")
        asyncio.run_coroutine_threadsafe(meanwhile(), loop).result(timeout=30)  # before this is committed

    await postgres_store.write(slowly)
    assert await read() == [ids["slow"]]
    await other.close()


async def test_what_no_reader_waits_for_is_cut_off(postgres_store: Driver) -> None:
    space = await postgres_store.write(spaces.ensure, "home", NOW)
    other = await postgres_store.write(spaces.ensure, "work", NOW)
    await postgres_store.write(put, space, "a", "b", "c")
    await postgres_store.write(changes.prune, NOW)
    assert await listed(postgres_store) == 3, "what has no number yet stays"
    await numbered(postgres_store)
    await postgres_store.write(changes.prune, NOW)
    assert await listed(postgres_store) == 1, "nobody reads, but the last tells that something changed"
    here = ("elsewhere", space.number)
    seq = await postgres_store.write(changes.begin, *here, NOW)
    await postgres_store.write(changes.finish, *here, SIGNATURE, seq, NOW)
    await postgres_store.write(entries.remove, space, Layer.MEMORY, ["a"])
    await postgres_store.write(put, space, "b")
    await postgres_store.write(put, other, "elsewhere")
    await postgres_store.write(changes.prune, NOW)
    await numbered(postgres_store)
    await postgres_store.write(changes.prune, NOW)
    unread = await postgres_store.read(changes.unread, space.number, seq)
    assert len(unread or []) == 2, "they wait to be read"
    newest = await postgres_store.read(changes.last, space.number)
    assert await postgres_store.write(changes.advance, *here, Reader(SIGNATURE, seq), newest, NOW)
    await postgres_store.write(changes.prune, NOW)
    assert await listed(postgres_store) == 2, "the last of each space stays"
    await postgres_store.write(put, space, "c")
    await numbered(postgres_store)
    unread = await postgres_store.read(changes.unread, space.number, newest)
    assert len(unread or []) == 1


async def test_the_log_stays_short_where_nothing_makes_vectors(
    postgres_store: Driver, emptied_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "PRUNE_EVERY", 5)
    async with AsyncBethink(emptied_postgres_url, embed={"source": "none"}) as memory:
        known = await memory.remember("The bike is scarlet")

        async def change(times: int) -> None:
            for number in range(times):
                await memory.update(known.id, content=f"The bike has {number} gears")

        for _ in range(3):
            await change(6)
            assert await listed(postgres_store) >= 6
            await memory.take_over()
            assert await listed(postgres_store) <= 1
        await change(2)
        await memory.take_over()
        assert await listed(postgres_store) >= 2, "it is not cut for a few"
        _, space = await memory.inside.here()
        await postgres_store.write(changes.begin, "gone", space.number, NOW - timedelta(days=3650))
        await change(6)
        await memory.take_over()
        assert await listed(postgres_store) <= 1, "whoever has not come for years is not waited for"


@pytest.mark.parametrize("reason", ["number", "age"])
async def test_a_reader_too_far_behind_must_be_built_anew(
    store: Driver, space: Space, other: Space, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    if reason == "age" and store.dialect == "sqlite":
        pytest.skip("there the log is cut by its length only")
    for one in (space, other):
        seq = await store.write(changes.begin, "elsewhere", one.number, NOW)
        await store.write(changes.finish, "elsewhere", one.number, SIGNATURE, seq, NOW)
    if reason == "number":
        monkeypatch.setattr(changes, "KEPT", 2)
        monkeypatch.setattr(changes, "_PRUNE_EVERY", 1)
    for _ in range(4):
        await store.write(put, space, "a")
        await numbered(store)
    if store.dialect == "postgres":
        late = timedelta(days=31) if reason == "age" else timedelta()
        await store.write(changes.prune, NOW + late)
    reader = await store.read(changes.reader, "elsewhere", space.number)
    assert reader
    assert reader.signature == "", "it is known to hold something, and no more"
    assert await store.read(changes.reader, "elsewhere", other.number) == Reader(SIGNATURE, 0), (
        "it missed nothing"
    )
    assert await listed(store) <= 3


async def test_a_removed_space_is_remembered_until_its_reader_has_let_go(store: Driver, space: Space) -> None:
    await store.write(changes.begin, "elsewhere", space.number, NOW)
    assert await store.read(changes.left_behind, "elsewhere") == []
    await store.write(spaces.remove, space, NOW)
    assert await store.read(changes.left_behind, "elsewhere") == [space.number]
    assert await store.read(changes.left_behind, "another") == []
    await store.write(changes.leave, "elsewhere", space.number)
    assert await store.read(changes.left_behind, "elsewhere") == []
