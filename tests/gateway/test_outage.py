"""The database is down: conversations go on without memory, at once, and have it again when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from bethink.access import authenticate
from bethink.errors import Damaged, StoreError
from bethink.gateway import outage
from bethink.gateway.outage import Database, DatabaseDown
from bethink.store.sqlite import SqliteDriver
from tests.gateway.conftest import Place
from tests.gateway.relay import Relay, relayed
from tests.gateway.upstream import Upstream
from tests.rest.serving import Running, running
from tests.waiting import eventually

CHAT = "/v1/chat/completions"
PLAIN = {"model": "m1", "messages": [{"role": "user", "content": "What may I eat?"}]}


def placed(server: Running, upstream: Upstream) -> Place:
    """A space that knows something, behind the gateway."""
    place = Place(server, upstream, server.memory.space("home"), server.key("home"))
    place.switch(enabled=True)
    server.call(place.space.facts.set("food", "allergy", "peanuts"))
    return place


@pytest.fixture
def relay(postgres_url: str) -> Iterator[Relay]:
    with relayed(postgres_url) as up:
        yield up


@pytest.fixture
def place(relay: Relay, upstream: Upstream) -> Iterator[Place]:
    gateway = {"base_url": upstream.url, "recall_seconds": 5}
    with running(relay.url, gateway=gateway) as server:
        yield placed(server, upstream)
        relay.recover()


def ask(place: Place, key: str | None = None) -> Any:
    with place.server.client(key or place.key) as client:
        return client.post(CHAT, json=PLAIN)


def has_memory(place: Place) -> bool:
    reply = ask(place)
    return "x-bethink-facts" in reply.headers and "peanuts" in place.upstream.last.body.decode()


@pytest.mark.parametrize(
    ("end", "begin"), [(Relay.stop, Relay.start), (Relay.fall_silent, Relay.speak)], ids=["stopped", "silent"]
)
def test_without_postgresql_conversations_go_on_and_have_memory_when_it_is_back(
    place: Place,
    relay: Relay,
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[Relay], None],
    begin: Callable[[Relay], None],
) -> None:
    assert has_memory(place)
    end(relay)
    reply = ask(place)
    assert reply.status_code == 200
    assert reply.headers["x-bethink-degraded"] == "without memory: The database does not answer."
    assert place.upstream.last.json == PLAIN, "as it was sent"
    asked = []
    monkeypatch.setattr("bethink.gateway.app.authenticate", lambda *_: asked.append(1))
    assert [ask(place).status_code for _ in range(5)] == [200] * 5
    assert not asked, "for some seconds nobody waits for the database"
    monkeypatch.setattr("bethink.gateway.app.authenticate", authenticate)
    with place.server.client() as client:
        health = client.get("/readyz")
        assert client.get("/healthz").status_code == 200
    assert (health.status_code, health.json()["database"]) == (503, "down")
    stranger = ask(place, "bk_unknown")
    assert stranger.status_code == 503
    assert "this key cannot be checked" in stranger.text
    monkeypatch.setattr(outage, "PAUSE_SECONDS", 0.1)
    begin(relay)
    eventually(lambda: has_memory(place))
    with place.server.client() as client:
        assert client.get("/readyz").json()["database"] == "ok"


def test_a_key_that_was_revoked_is_not_remembered(place: Place, relay: Relay) -> None:
    assert has_memory(place)
    (key,) = [key for key in place.server.call(place.server.memory.keys.list()) if key.space == "home"]
    place.server.call(place.server.memory.keys.revoke(key.id))
    assert ask(place).status_code == 401
    relay.stop()
    assert ask(place).status_code == 503


def test_a_file_that_cannot_be_read_is_an_outage_too(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "PAUSE_SECONDS", 0.1)

    def unreadable(*_: Any) -> None:
        raise StoreError("The store failed: SQLite reports: disk I/O error.")

    with running(
        str(tmp_path / "memory.db"), gateway={"base_url": upstream.url, "recall_seconds": 5}
    ) as server:
        place = placed(server, upstream)
        assert has_memory(place)
        with monkeypatch.context() as broken:
            broken.setattr(SqliteDriver, "_read", unreadable)
            broken.setattr(SqliteDriver, "_answers", unreadable)
            reply = ask(place)
            assert reply.status_code == 200
            assert reply.headers["x-bethink-degraded"] == "without memory: The database does not answer."
            with server.client() as client:
                assert client.get("/readyz").json()["database"] == "down"
        eventually(lambda: has_memory(place))


def test_while_another_process_writes_to_the_file_there_is_memory(upstream: Upstream, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    gateway = {"base_url": upstream.url, "recall_seconds": 5}
    with running(str(path), gateway=gateway, store={"busy_seconds": 600}) as server:
        place = placed(server, upstream)
        server.call(server.memory.settle())
        writer = apsw.Connection(str(path))
        writer.set_busy_timeout(60_000)
        writer.execute("BEGIN IMMEDIATE")
        assert has_memory(place), "the use of the key is not noted, and nobody waits for that"
        writer.execute("ROLLBACK")
        writer.close()
        assert ("user", "What may I eat?") in place.said(place.sessions()[0])


async def test_only_one_looks_whether_the_database_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    database, asked = Database(), asyncio.Event()
    monkeypatch.setattr(outage, "PAUSE_SECONDS", 0.0)

    async def failing() -> None:
        raise StoreError

    async def hanging() -> None:
        asked.set()
        await asyncio.Event().wait()

    with pytest.raises(DatabaseDown):
        await database.ask(failing)
    looking = asyncio.create_task(database.ask(hanging))
    await asked.wait()
    with pytest.raises(DatabaseDown):
        await database.ask(hanging)
    assert not looking.done()
    looking.cancel()


def test_one_damaged_record_is_no_outage(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def damaged(*_: Any) -> None:
        raise Damaged.of("space", "s1", "its settings are no JSON")

    gateway = {"base_url": upstream.url, "recall_seconds": 5}
    with running(str(tmp_path / "memory.db"), gateway=gateway) as server:
        place = placed(server, upstream)
        with monkeypatch.context() as broken:
            broken.setattr("bethink.gateway.app._memory_of", damaged)
            reply = ask(place)
        assert reply.status_code == 200
        assert "without memory" in reply.headers["x-bethink-degraded"]
        assert "s1" not in reply.headers["x-bethink-degraded"]
        assert has_memory(place), "nobody else has to wait"


def test_without_a_key_it_says_so_whatever_the_database_does(place: Place, relay: Relay) -> None:
    relay.stop()
    with place.server.client() as client:
        assert client.post(CHAT, json=PLAIN).status_code == 401
