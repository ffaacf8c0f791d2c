"""What both drivers promise: transactions stand or fall alone, races are settled, errors are in words."""

from __future__ import annotations

import asyncio
import threading

import apsw
import psycopg
import pytest

from bethink.errors import Closed, StoreError
from bethink.records import Memory, Space
from bethink.settings import StoreSettings
from bethink.store import Driver, Tx, connect, memories, messages, sessions, settings, spaces
from bethink.store.filters import MemoryFilter
from tests.store import samples
from tests.store.samples import NOW


class Refused(Exception):
    """Raised by a test inside a transaction."""


def put_and_fail(tx: Tx, name: str) -> None:
    settings.put(tx, settings.SERVER, name, "half done", NOW)
    raise Refused(name)


def break_a_rule(tx: Tx) -> None:
    settings.put(tx, settings.SERVER, "broken", "half done", NOW)
    nowhere = Space(id="?", number=0, name="?", display_name="?", created_at=NOW, updated_at=NOW)
    memories.add(tx, [samples.memory(nowhere)])


async def stored(store: Driver) -> set[str]:
    return set(await store.read(settings.of_space, settings.SERVER))


async def test_a_failing_transaction_leaves_its_neighbours_alone(store: Driver) -> None:
    started, gate = threading.Event(), threading.Event()

    def hold(_: Tx) -> bool:
        started.set()
        return gate.wait(30)

    holding = asyncio.ensure_future(store.write(hold))
    await asyncio.to_thread(started.wait, 30)
    # SQLite's writer is busy, so all of these share its next commit.
    waiting = [
        asyncio.ensure_future(work)
        for work in (
            store.write(settings.put, settings.SERVER, "first", 1, NOW),
            store.write(put_and_fail, "own"),
            store.write(break_a_rule),
            store.write(settings.put, settings.SERVER, "last", 2, NOW),
        )
    ]
    await asyncio.sleep(0.05)
    gate.set()
    first, own, rule, last = await asyncio.gather(*waiting, return_exceptions=True)
    assert await holding is True
    assert (first, last) == (None, None)
    assert isinstance(own, Refused), "an error of the caller's own comes back as it is"
    assert isinstance(rule, StoreError)
    assert await stored(store) == {"first", "last"}


async def test_a_transaction_sees_its_own_writes_and_returns_what_it_found(store: Driver) -> None:
    def put_and_read(tx: Tx) -> object:
        settings.put(tx, settings.SERVER, "a", 1, NOW)
        return settings.get(tx, settings.SERVER, "a")

    assert await store.write(put_and_read) == 1


async def test_a_small_read_sees_what_was_written_just_before(store: Driver) -> None:
    for number in range(3):
        await store.write(settings.put, settings.SERVER, "seen", number, NOW)
        assert await store.peek(settings.of_space, settings.SERVER) == {"seen": number}


async def test_what_is_kept_in_memory_is_read_anew_after_every_commit(
    emptied_url: str, store: Driver
) -> None:
    reads: list[int] = []

    def seen(tx: Tx, space_id: str) -> object:
        reads.append(1)
        return settings.get(tx, space_id, "seen")

    other = await connect(emptied_url, StoreSettings())
    for writer in (store, other, store):
        await writer.write(settings.put, settings.SERVER, "seen", len(reads), NOW)
        written = await store.read(settings.get, settings.SERVER, "seen")
        for _ in range(3):
            assert await store.peek_once(seen, settings.SERVER) == written
    assert len(reads) == (3 if store.dialect == "sqlite" else 9)
    assert await store.peek_once(seen, "elsewhere") is None
    await other.close()


async def test_a_failed_read_leaves_the_reader_usable(store: Driver) -> None:
    def fail(tx: Tx) -> None:
        settings.get(tx, settings.SERVER, "a")
        raise Refused

    for _ in range(30):
        for read in (store.read, store.peek, store.peek_once):
            with pytest.raises(Refused):
                await read(fail)
    assert await stored(store) == set()


async def test_errors_are_ours_and_keep_private_data_to_themselves(store: Driver, space: Space) -> None:
    note = samples.memory(space, "my private note")
    broken = Memory.model_construct(**{**note.__dict__, "title": "my private title", "content": None})
    with pytest.raises(StoreError, match=r"content") as raised:
        await store.write(memories.add, [broken])
    assert not isinstance(raised.value, apsw.Error | psycopg.Error)
    assert isinstance(raised.value.__cause__, apsw.Error | psycopg.Error)
    assert "private" not in str(raised.value)
    assert "\n" not in str(raised.value)


async def test_many_writers_at_once_all_land(store: Driver, space: Space) -> None:
    notes = [samples.memory(space, f"note {number}") for number in range(50)]
    await asyncio.gather(*(store.write(memories.add, [note]) for note in notes))
    found = await store.read(memories.page, space.id, MemoryFilter(), 100, 0)
    assert {note.id: note for note in found} == {note.id: note for note in notes}


async def test_a_space_asked_for_by_many_at_once_is_made_once(store: Driver) -> None:
    made = await asyncio.gather(*(store.write(spaces.ensure, "home", NOW) for _ in range(20)))
    assert len({space.id for space in made}) == 1
    assert await store.read(spaces.list_all) == made[:1]


async def test_many_spaces_made_at_once_get_numbers_of_their_own(store: Driver) -> None:
    made = await asyncio.gather(*(store.write(spaces.ensure, f"s{n}", NOW) for n in range(20)))
    assert len({space.number for space in made}) == 20


async def test_changes_to_one_memory_by_many_at_once_all_count(store: Driver, space: Space) -> None:
    def upsert(tx: Tx, letter: str) -> None:
        if known := memories.by_keys(tx, space.id, ["k"]).get("k"):
            memories.update(tx, known.model_copy(update={"tags": [*known.tags, letter]}))
        else:
            memories.add(tx, [samples.memory(space, key="k", tags=[letter])])

    await asyncio.gather(*(store.write(upsert, letter) for letter in "abcdefghijklmnopqrst"))
    (found,) = await store.read(memories.page, space.id, MemoryFilter(), 100, 0)
    assert sorted(found.tags) == list("abcdefghijklmnopqrst")


async def test_a_read_sees_one_state_from_its_first_look_to_its_last(store: Driver) -> None:
    looked, changed = threading.Event(), threading.Event()

    def look_twice(tx: Tx) -> list[dict[str, object]]:
        first = settings.of_space(tx, settings.SERVER)
        looked.set()
        changed.wait(30)
        return [first, settings.of_space(tx, settings.SERVER)]

    await store.write(settings.put, settings.SERVER, "a", 1, NOW)
    reading = asyncio.ensure_future(store.read(look_twice))
    await asyncio.to_thread(looked.wait, 30)
    await store.write(settings.put, settings.SERVER, "a", 2, NOW)
    changed.set()
    assert await reading == [{"a": 1}, {"a": 1}]
    assert await store.read(settings.get, settings.SERVER, "a") == 2


async def test_messages_appended_by_many_at_once_stand_in_a_row(store: Driver, space: Space) -> None:
    def append(tx: Tx, content: str) -> None:
        sessions.ensure(tx, space.id, "chat", "chat", NOW)
        position = messages.last_position(tx, space.id, "chat") + 1
        messages.add(tx, [samples.message(space, "chat", position, content=content)])

    await asyncio.gather(*(store.write(append, letter) for letter in "abcdefghijklmnopqrst"))
    said = await store.read(messages.of_session, space.id, "chat", 0, 100)
    assert [message.position for message in said] == list(range(1, 21))
    assert {message.content for message in said} == set("abcdefghijklmnopqrst")


async def test_a_write_that_has_begun_is_finished_though_its_caller_is_cancelled(emptied_url: str) -> None:
    store = await connect(emptied_url, StoreSettings())
    started, gate = threading.Event(), threading.Event()

    def two_steps(tx: Tx) -> None:
        settings.put(tx, settings.SERVER, "one", 1, NOW)
        started.set()
        gate.wait(30)
        settings.put(tx, settings.SERVER, "two", 2, NOW)

    task = asyncio.ensure_future(store.write(two_steps))
    await asyncio.to_thread(started.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.set()
    await store.write(settings.put, settings.SERVER, "three", 3, NOW)
    await store.close()
    again = await connect(emptied_url, StoreSettings())
    assert await stored(again) == {"one", "two", "three"}
    await again.close()


async def test_close_waits_for_what_is_under_way(emptied_url: str) -> None:
    store = await connect(emptied_url, StoreSettings())
    started = threading.Event()

    def slow(tx: Tx) -> None:
        started.set()
        threading.Event().wait(0.1)
        settings.put(tx, settings.SERVER, "slow", 1, NOW)

    writing = asyncio.ensure_future(store.write(slow))
    await asyncio.to_thread(started.wait, 30)
    await store.close()
    await writing
    again = await connect(emptied_url, StoreSettings())
    assert await stored(again) == {"slow"}
    await again.close()


async def test_use_after_close_says_so(emptied_url: str) -> None:
    store = await connect(emptied_url, StoreSettings())
    await store.close()
    await store.close()
    with pytest.raises(Closed):
        await store.read(spaces.list_all)
    with pytest.raises(Closed):
        await store.peek(spaces.list_all)
    with pytest.raises(Closed):
        await store.peek_once(spaces.list_all)
    with pytest.raises(Closed):
        await store.write(spaces.ensure, "home", NOW)


async def test_a_store_in_memory_forgets() -> None:
    for _ in range(2):
        store = await connect(":memory:", StoreSettings())
        assert await store.read(spaces.list_all) == []
        await store.write(spaces.ensure, "home", NOW)
        assert len(await store.read(spaces.list_all)) == 1
        await store.close()


@pytest.mark.parametrize("url", ["mysql://localhost/x", "http://localhost", "://"])
async def test_an_unknown_kind_of_database_is_refused(url: str) -> None:
    with pytest.raises(StoreError, match="postgresql://"):
        await connect(url, StoreSettings())
