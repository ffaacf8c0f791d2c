"""Spaces, persons, sessions, keys, settings, the journal, leases and access counts."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bethink.clock import now
from bethink.errors import StoreError
from bethink.records import Layer, Space
from bethink.store import (
    Driver,
    Tx,
    accesses,
    facts,
    journal,
    keys,
    leases,
    memories,
    messages,
    sessions,
    settings,
    spaces,
)
from tests.store import samples
from tests.store.samples import DAY, JSON, NOW, SECOND, TEXTS


async def test_a_space_is_made_once(store: Driver) -> None:
    home = await store.write(spaces.ensure, "home", NOW)
    again = await store.write(spaces.ensure, "home", NOW + DAY)
    work = await store.write(spaces.ensure, "työ 🏢", NOW)
    assert again == home
    assert home.name == home.display_name == "home"
    assert await store.read(spaces.find, "työ 🏢") == work
    assert await store.read(spaces.find, "Home") is None
    assert await store.read(spaces.list_all) == [home, work]
    assert home.number != work.number


async def test_a_session_is_made_once(store: Driver, space: Space) -> None:
    made = await store.write(sessions.ensure, space.id, "chat 🐈", "slack", NOW)
    again = await store.write(sessions.ensure, space.id, "chat 🐈", "mail", NOW + DAY)
    assert again == made
    assert (made.platform, made.created_at, made.last_message_at) == ("slack", NOW, None)
    assert await store.read(sessions.find, space.id, "chat") is None


async def test_the_last_message_of_a_session_only_moves_forwards(store: Driver, space: Space) -> None:
    await store.write(sessions.ensure, space.id, "chat", "chat", NOW)
    for at in (NOW + DAY, NOW, NOW + DAY - SECOND):
        await store.write(sessions.touch, space.id, "chat", at)
    found = await store.read(sessions.find, space.id, "chat")
    assert found is not None
    assert found.last_message_at == NOW + DAY


async def test_sessions_are_listed_by_their_last_activity(store: Driver, space: Space) -> None:
    for number, name in enumerate(["first", "second", "third"]):
        await store.write(sessions.ensure, space.id, name, "chat", NOW + number * SECOND)
    await store.write(sessions.touch, space.id, "first", NOW + DAY)
    found = await store.read(sessions.newest, space.id, 2)
    assert [session.id for session in found] == ["first", "third"]


async def test_a_key_is_found_by_its_hash_until_it_is_revoked(store: Driver, space: Space) -> None:
    laptop, phone = samples.key(space, "laptop"), samples.key(space, "phone", created_at=NOW + SECOND)
    await store.write(keys.add, phone, "hash-2")
    await store.write(keys.add, laptop, "hash-1")
    assert await store.read(keys.find, "hash-1") == (laptop, "home")
    assert await store.read(keys.find, "HASH-1") is None
    assert await store.read(keys.list_all) == [(laptop, "home"), (phone, "home")]

    await store.write(keys.touch, laptop.id, NOW + DAY)
    assert await store.write(keys.revoke, laptop.id, NOW + 2 * DAY) is True
    assert await store.write(keys.revoke, laptop.id, NOW + 3 * DAY) is False
    assert await store.write(keys.revoke, "unknown", NOW) is False
    assert await store.read(keys.find, "hash-1") is None
    revoked = laptop.model_copy(update={"last_used_at": NOW + DAY, "revoked_at": NOW + 2 * DAY})
    assert await store.read(keys.list_all) == [(revoked, "home"), (phone, "home")]


async def test_two_keys_cannot_have_one_hash(store: Driver, space: Space) -> None:
    await store.write(keys.add, samples.key(space), "hash")
    with pytest.raises(StoreError):
        await store.write(keys.add, samples.key(space), "hash")


async def test_the_hash_of_a_key_stays_in_the_store(store: Driver, space: Space) -> None:
    await store.write(keys.add, samples.key(space), "the-hash")
    assert "the-hash" not in repr(await store.read(keys.list_all))


async def test_settings_hold_any_json_value(store: Driver, space: Space) -> None:
    values: dict[str, Any] = {
        "number": 1.5,
        "no": False,
        "null": None,
        "object": JSON,
        "list": [TEXTS[4]],
        "text": TEXTS[9],
        "emoji 🐈": "🐈",
    }
    for name, value in values.items():
        await store.write(settings.put, space.id, name, "before", NOW)
        await store.write(settings.put, space.id, name, value, NOW)
    assert await store.read(settings.of_space, space.id) == values
    assert await store.read(settings.get, space.id, "object") == JSON
    assert await store.read(settings.get, space.id, "no") is False
    assert await store.read(settings.get, space.id, "unknown") is None
    assert await store.read(settings.of_space, settings.SERVER) == {}


async def test_the_journal_reads_from_the_newest(store: Driver, space: Space) -> None:
    notes = [samples.note(space, record_id, at=NOW + n * SECOND) for n, record_id in enumerate("abab")]
    same_moment = [samples.note(space, "c", at=NOW + DAY) for _ in range(2)]
    await store.write(journal.add, [*same_moment, *notes])
    newest_first = [*reversed(same_moment), *reversed(notes)]
    assert await store.read(journal.newest, space.id, limit=100) == newest_first
    assert await store.read(journal.newest, space.id, limit=2) == newest_first[:2]
    assert await store.read(journal.newest, space.id, record_id="a", limit=9) == [notes[2], notes[0]]
    assert await store.read(journal.newest, space.id, record_id="z", limit=9) == []


async def test_a_lease_has_one_holder_at_a_time(store: Driver) -> None:
    minute = timedelta(minutes=1)

    async def take(token: str, at: timedelta, name: str = "sweep") -> bool:
        return await store.write(leases.take, name, token, NOW + at, minute)

    assert await take("ana", 0 * SECOND)
    assert not await take("ben", 59 * SECOND)
    assert await take("ben", 59 * SECOND, name="another")
    assert await take("ana", 59 * SECOND), "a holder may prolong its lease"
    assert not await take("ben", 118 * SECOND), "it was prolonged to 119 s"
    assert await take("ben", 119 * SECOND), "it has run out"
    assert not await take("ana", 120 * SECOND)

    await store.write(leases.release, "sweep", "ana")
    assert not await take("ana", 121 * SECOND), "only the holder may release"
    await store.write(leases.release, "sweep", "ben")
    assert await take("ana", 122 * SECOND)


async def test_a_lease_from_a_clock_far_ahead_is_not_believed(store: Driver) -> None:
    minute = timedelta(minutes=1)
    await store.write(leases.take, "sweep", "ana", NOW + 365 * DAY, minute)
    assert await store.write(leases.take, "sweep", "ben", NOW, minute)
    # A clock that is a little ahead is no reason to work twice.
    await store.write(leases.take, "other", "ana", NOW + 5 * SECOND, minute)
    assert not await store.write(leases.take, "other", "ben", NOW, minute)


async def test_when_a_lease_ends_is_known_to_those_who_wait_for_it(store: Driver) -> None:
    minute = timedelta(minutes=1)
    assert await store.read(leases.ends_at, "sweep") is None
    await store.write(leases.take, "sweep", "ana", NOW, minute)
    assert await store.read(leases.ends_at, "sweep") == NOW + minute


async def test_a_holder_learns_that_somebody_else_has_its_lease(store: Driver) -> None:
    await store.write(leases.take, "sweep", "ana", now(), timedelta(seconds=-1))  # as after standing still
    await store.write(leases.take, "sweep", "ben", now(), timedelta(minutes=1))
    async with leases.renewed(store, "sweep", "ana", timedelta(0)) as lost, asyncio.timeout(60):
        await lost.wait()


async def test_a_lease_is_renewed_while_the_work_lasts(store: Driver) -> None:
    await store.write(leases.take, "sweep", "ana", now(), timedelta(seconds=-1))
    async with (
        leases.renewed(store, "sweep", "ana", timedelta(seconds=0.03)) as lost,
        asyncio.timeout(60),
    ):
        first = await store.read(leases.ends_at, "sweep")
        while await store.read(leases.ends_at, "sweep") == first:  # noqa: ASYNC110  (it is in the database)
            await asyncio.sleep(0.01)
        assert not lost.is_set()


async def test_leases_that_nobody_holds_any_more_are_listed(store: Driver) -> None:
    minute = timedelta(minutes=1)
    await store.write(leases.take, "dead", "ana", NOW, minute)
    await store.write(leases.take, "alive", "ben", NOW + minute, minute)
    await store.write(leases.take, "done", "ben", NOW, minute)
    await store.write(leases.release, "done", "ben")
    await store.write(leases.take, "from the future", "ana", NOW + 365 * DAY, minute)
    assert await store.read(leases.abandoned, NOW + minute) == ["dead", "from the future"]


async def test_accesses_are_added_to_the_right_records(store: Driver, space: Space) -> None:
    def add(tx: Tx) -> None:
        sessions.ensure(tx, space.id, "chat", "chat", NOW)
        messages.add(tx, [samples.message(space, "chat", 1, id="same")])
        memories.add(tx, [samples.memory(space, id="same", access_count=5), samples.memory(space, id="m2")])
        facts.add(tx, samples.fact(space, id="same"))

    await store.write(add)
    counts = {
        (Layer.MEMORY, "same"): 2,
        (Layer.FACT, "same"): 3,
        (Layer.MESSAGE, "same"): 4,
        (Layer.MEMORY, "unknown"): 1,
    }
    await store.write(accesses.count, space.id, counts, NOW + DAY)
    await store.write(accesses.count, space.id, {(Layer.FACT, "same"): 1}, NOW + 2 * DAY)
    await store.write(accesses.count, space.id, {}, NOW + 3 * DAY)

    def read(tx: Tx) -> list[tuple[int, Any]]:
        found = (
            memories.by_ids(tx, space.id, ["same"])["same"],
            memories.by_ids(tx, space.id, ["m2"])["m2"],
            facts.by_ids(tx, space.id, ["same"])["same"],
            messages.by_ids(tx, space.id, ["same"])["same"],
        )
        return [(record.access_count, record.last_access_at) for record in found]

    assert await store.read(read) == [(7, NOW + DAY), (0, None), (4, NOW + 2 * DAY), (4, NOW + DAY)]
