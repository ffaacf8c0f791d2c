"""PostgreSQL: out of reach, short of connections, or without pgvector."""

from __future__ import annotations

import asyncio
import threading
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from bethink.errors import MigrationError, StoreError
from bethink.settings import StoreSettings
from bethink.store import Tx, connect, postgres, settings, spaces
from tests.store.samples import NOW

END_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.mark.parametrize(
    "url",
    ["postgresql://nobody:secret@127.0.0.1:1/memory", "postgres://nobody:secret@no.such.host.invalid/memory"],
)
async def test_a_server_out_of_reach_is_said_at_once_with_the_reason(url: str) -> None:
    async with asyncio.timeout(8):  # the pool alone would try for ten
        with pytest.raises(
            StoreError, match=r"cannot be reached: check the host.*\((.*refused|.*resolve)"
        ) as raised:
            await connect(url, StoreSettings())
    assert "secret" not in str(raised.value)


async def test_a_database_that_does_not_exist_is_named(postgres_server: str) -> None:
    url = urlunsplit(urlsplit(postgres_server)._replace(path="/no_such_database"))
    with pytest.raises(StoreError, match='"no_such_database" does not exist'):
        await connect(url, StoreSettings())


async def test_a_url_that_cannot_be_read_is_refused_without_repeating_it() -> None:
    with pytest.raises(StoreError, match="percent-encoded") as raised:
        await connect("postgresql://me:se%zzcret@localhost/memory", StoreSettings())
    assert "zzcret" not in str(raised.value)


async def test_a_server_that_comes_back_is_used_again(emptied_postgres_url: str) -> None:
    store = await connect(emptied_postgres_url, StoreSettings())
    await store.write(spaces.ensure, "home", NOW)
    with psycopg.connect(emptied_postgres_url, autocommit=True) as server:
        server.execute(END_ALL)
    assert [space.name for space in await store.read(spaces.list_all)] == ["home"]
    await store.close()


async def test_more_tasks_than_connections_wait_for_their_turn(emptied_postgres_url: str) -> None:
    store = await connect(emptied_postgres_url, StoreSettings(pool_size=2))
    puts = (store.write(settings.put, settings.SERVER, str(n), n, NOW) for n in range(30))
    await asyncio.gather(*puts)
    assert len(await store.read(settings.of_space, settings.SERVER)) == 30
    await store.close()


async def test_a_turn_is_over_when_its_work_has_failed_or_its_server_has_gone(
    emptied_postgres_url: str,
) -> None:
    store, other = [await connect(emptied_postgres_url, StoreSettings(pool_size=1)) for _ in range(2)]
    locks = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'"

    def fail(_: Tx) -> None:
        raise LookupError

    for _ in range(2):
        with pytest.raises(LookupError):
            await store.write_in_turn(["a", "b"], fail)
        with psycopg.connect(emptied_postgres_url, autocommit=True) as server:
            assert server.execute(locks).fetchone() == (0,)
            server.execute(END_ALL)
    for driver in (other, store):
        await driver.write_in_turn(["b", "a"], settings.put, settings.SERVER, "colour", "red", NOW)
        await driver.close()


async def test_a_race_that_is_never_won_ends_in_words(
    emptied_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "LONGEST_PAUSE_SECONDS", 0.001)
    store = await connect(emptied_postgres_url, StoreSettings())
    tries = 0

    def lose(_: object) -> None:
        nonlocal tries
        tries += 1
        raise psycopg.errors.SerializationFailure("could not serialize access")

    with pytest.raises(StoreError, match="could not serialize access"):
        await store.write(lose)
    assert tries == postgres.TRIES
    await store.close()


async def test_a_database_without_pgvector_is_told_how_to_get_it(
    postgres_url: str,
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("CREATE ROLE plain LOGIN")
    try:
        parts = urlsplit(postgres_url)
        url = urlunsplit(parts._replace(netloc="plain@" + parts.netloc.rpartition("@")[2]))
        with pytest.raises(MigrationError, match="CREATE EXTENSION vector"):
            await connect(url, StoreSettings())
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as server:
            server.execute("DROP ROLE plain")


async def test_threads_end_with_the_store(emptied_postgres_url: str) -> None:
    before = set(threading.enumerate())
    store = await connect(emptied_postgres_url, StoreSettings())
    await asyncio.gather(*(store.read(spaces.list_all) for _ in range(10)))
    await store.close()
    left = [thread.name for thread in set(threading.enumerate()) - before]
    assert [name for name in left if not name.startswith("asyncio")] == []
