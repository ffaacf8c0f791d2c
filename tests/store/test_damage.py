"""Databases that are damaged: what can be read is read, what cannot is named."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from bethink import AsyncBethink
from bethink.errors import BethinkError, Corrupt, StoreError
from bethink.store import damage
from bethink.testing import HashEmbedder
from tests.rest.serving import running
from tests.store.test_sqlite import mode

KEYWORDS: dict[str, Any] = {"embed": {"source": "none"}}


@pytest.fixture(autouse=True)
def nothing_told() -> None:
    damage._told.clear()


def execute(url: str, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Do to a database what Bethink never would; values are written `?`."""
    if "://" in url:
        with psycopg.connect(url, autocommit=True) as server:
            cursor = server.execute(statement.replace("?", "%s").encode(), values)
            return cursor.fetchall() if cursor.description else []
    connection = apsw.Connection(url)
    try:
        return list(connection.execute(statement, values))
    finally:
        connection.close()


async def filled(url: str, count: int = 6, *, chars: int = 20) -> list[str]:
    """A closed memory of so many notes; their ids in order."""
    async with AsyncBethink(url, **KEYWORDS) as memory:
        made = [
            await memory.remember(f"Note {n} about tea " + "x" * chars, tags=["kept"]) for n in range(count)
        ]
    return sorted(str(outcome.id) for outcome in made)


BOTH = {
    "type": "UPDATE memories SET type = 'nonsense' WHERE id = ?",
    "created_at": "UPDATE memories SET created_at = 9000000000000000000 WHERE id = ?",
    "tags": "UPDATE memories SET tags = '{\"a\": 1}' WHERE id = ?",
    "metadata": "UPDATE memories SET metadata = '[1]' WHERE id = ?",
}
SQLITE_ONLY = {
    "content": "UPDATE memories SET content = CAST(x'ff41fe' AS TEXT) WHERE id = ?",
    "tags": "UPDATE memories SET tags = '[broken' WHERE id = ?",
}


async def around(url: str, damaged: str, field: str, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Everything but the damaged record is listed, recalled and exported, and the damaged one is named."""
    async with AsyncBethink(url, **KEYWORDS) as memory:
        listed = await memory.list(limit=3)
        page = await memory.page(limit=3)
        second = await memory.page(limit=3, cursor=page.next_cursor)
        assert len(listed) == len(page.items) == 3
        assert damaged not in {one.id for one in (*page.items, *second.items)}
        assert len({one.id for one in (*page.items, *second.items)}) == 5
        assert len(await memory.list(tags=["kept"])) == 5
        assert damaged not in {hit.id for hit in (await memory.recall("tea", limit=20)).hits}
        made = await memory.export(folder / "saved.jsonl")
        found = await memory.integrity(deep=True)
    assert [(one.noun, one.id) for one in made.damaged] == [("memory", damaged)]
    assert field in made.damaged[0].problem
    assert (made.counts["memory"], found.sound) == (5, False)
    assert [one.id for one in found.damaged] == [damaged]
    assert f"The memory {damaged} is damaged" in caplog.text
    async with AsyncBethink(":memory:", **KEYWORDS) as restored:
        assert (await restored.import_(folder / "saved.jsonl")).stored["memory"] == 5


@pytest.mark.parametrize("field", BOTH)
async def test_one_damaged_record_hides_no_other(
    database_url: str, field: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ids = await filled(database_url)
    execute(database_url, BOTH[field], ids[2])
    await around(database_url, ids[2], field, tmp_path, caplog)


@pytest.mark.parametrize("field", SQLITE_ONLY)
async def test_text_that_is_no_text_hides_no_other(
    field: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = str(tmp_path / "memory.db")
    ids = await filled(url)
    execute(url, SQLITE_ONLY[field], ids[2])
    await around(url, ids[2], field, tmp_path, caplog)


async def test_what_belongs_to_a_damaged_record_can_be_imported(database_url: str, tmp_path: Path) -> None:
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        (person,) = await memory.people.list()
        await memory.observe("trip", [{"role": "user", "content": "We fly in May."}])
        await memory.remember("Anna likes tea", person_id=person.id)
    execute(database_url, "UPDATE sessions SET metadata = '[1]' WHERE id = ?", "trip")
    execute(database_url, "UPDATE persons SET aliases = '{}' WHERE id = ?", person.id)
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        made = await memory.export(tmp_path / "saved.jsonl")
    assert sorted((one.noun, one.id) for one in made.damaged) == [("person", person.id), ("session", "trip")]
    async with AsyncBethink(":memory:", **KEYWORDS) as restored:
        await restored.import_(tmp_path / "saved.jsonl")
        assert [one.content for one in await restored.messages.of("trip")] == ["We fly in May."]
        assert (await restored.list())[0].person_id == person.id


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memories SET source_ref = '{\"messages\": [1, {}]}'",
        "UPDATE entries SET mentioned_at = '[1, {}]'",
        "UPDATE entries SET mentioned_at = 'no JSON'",
        "UPDATE spaces SET timezone = 'Nowhere/At all'",
        "UPDATE spaces SET mode = 'nonsense'",
    ],
)
async def test_what_is_damaged_beside_a_record_does_not_stop_a_recall(
    database_url: str, statement: str
) -> None:
    await filled(database_url)
    execute(database_url, statement)
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        assert len((await memory.recall("notes about tea in May", limit=20)).hits) == 6
        assert "about tea" in (await memory.prompt("What about tea?")).text


async def test_an_entry_of_no_layer_is_not_counted(database_url: str) -> None:
    ids = await filled(database_url)
    execute(database_url, "UPDATE entries SET layer = 'nonsense' WHERE record_id = ?", ids[0])
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        assert "nonsense" not in (await memory.stats()).layers
        assert len(await memory.list()) == 6


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE codes SET data = x'00ff'",
        "UPDATE codes SET data = x'00ff' WHERE rowid = (SELECT min(rowid) FROM codes)",
        "UPDATE vectors SET data = x'00ff' WHERE rowid = (SELECT min(rowid) FROM vectors)",
    ],
)
async def test_with_damaged_vectors_keywords_answer_until_they_are_made_anew(
    tmp_path: Path, statement: str
) -> None:
    url = str(tmp_path / "memory.db")
    async with AsyncBethink(url, embedder=HashEmbedder()) as memory:
        for number in range(8):
            await memory.remember(f"Note {number} about tea")
        await memory.settle()
    execute(url, statement)
    async with AsyncBethink(url, embedder=HashEmbedder()) as memory:
        found = await memory.recall("tea", limit=20)
        assert len(found.hits) == 8
        assert any("reindex --force" in problem for problem in found.degraded)
        await memory.reindex(force=True)
        assert not (await memory.recall("tea", limit=20)).degraded


async def test_a_damaged_setting_is_named_and_the_others_hold(database_url: str) -> None:
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        await memory.options.update(max_tokens=700)
    execute(database_url, "UPDATE spaces SET created_at = 9000000000000000000")
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        with pytest.raises(StoreError, match=r"The space .* is damaged: created_at cannot be read"):
            await memory.list()


async def test_a_sound_database_is_found_sound(database_url: str) -> None:
    await filled(database_url)
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        quick, deep = await memory.integrity(), await memory.integrity(deep=True)
        assert quick.sound
        assert deep.sound
        assert deep.records >= 6
        assert not (await memory.inside.opened()).damage


# Pages


def spoil_sqlite_page(path: Path) -> None:
    """Overwrite a page of the memories, neither the first nor the last of them."""
    pages = execute(
        str(path),
        "SELECT pageno, pgsize FROM dbstat WHERE name = 'memories' AND pagetype = 'leaf' ORDER BY path",
    )
    assert len(pages) > 3
    number, size = pages[1]
    with path.open("r+b") as file:
        file.seek((number - 1) * size)
        file.write(b"\xff" * 200)


def spoil_postgres_page(url: str) -> None:
    """Overwrite a block of the memories in the file, and let the server forget what it has read of it."""
    execute(url, "CREATE EXTENSION pg_buffercache")
    execute(url, "CHECKPOINT")
    ((place,),) = execute(
        url, "SELECT current_setting('data_directory') || '/' || pg_relation_filepath('memories')"
    )
    with Path(place).open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 200)
        os.fsync(file.fileno())
    execute(url, "SELECT pg_buffercache_evict_relation('memories'::regclass)")


def spoil_page(url: str) -> None:
    spoil_postgres_page(url) if "://" in url else spoil_sqlite_page(Path(url))


async def test_a_damaged_page_is_seen_and_exported_around(database_url: str, tmp_path: Path) -> None:
    await filled(database_url, 100, chars=400)
    spoil_page(database_url)
    async with AsyncBethink(database_url, **KEYWORDS) as memory:
        with pytest.raises(Corrupt, match="bethink export"):
            await memory.list(limit=200)
        found = await memory.integrity(deep=True)
        assert not found.sound
        assert {one.noun for one in found.damaged} == {"memory"}
        assert "cannot read it" in found.damaged[0].problem
        assert (await memory.inside.opened()).damage
        assert any("the database is damaged" in reason for reason in (await memory.stats()).degraded)
        made = await memory.export(tmp_path / "saved.jsonl")
    assert 0 < made.counts["memory"] < 100
    assert made.damaged
    async with AsyncBethink(":memory:", **KEYWORDS) as restored:
        assert (await restored.import_(tmp_path / "saved.jsonl")).stored["memory"] == made.counts["memory"]


async def test_amcheck_is_asked_where_it_is_installed(postgres_url: str) -> None:
    await filled(postgres_url, 100, chars=400)
    execute(postgres_url, "CREATE EXTENSION amcheck")
    async with AsyncBethink(postgres_url, **KEYWORDS) as memory:
        assert (await memory.integrity(deep=True)).problems == []
        spoil_postgres_page(postgres_url)
        assert any(line.startswith("memories") for line in (await memory.integrity(deep=True)).problems)


def test_a_server_says_at_its_start_that_its_database_is_damaged(tmp_path: Path) -> None:
    url = tmp_path / "memory.db"
    with running(str(url)) as server, server.client(server.key("home")) as client:
        for number in range(60):
            client.post("/api/memory", json={"content": f"Note {number} " + "x" * 600})
    spoil_sqlite_page(url)
    with running(str(url)) as server, server.client() as client:
        for _ in range(500):
            ready = client.get("/readyz").json()
            if any("damaged" in reason for reason in ready["reasons"]):
                break
            time.sleep(0.01)
    assert ready["status"] == "degraded"
    assert any("damaged" in reason for reason in ready["reasons"])


def test_over_http_one_damaged_record_hides_no_other(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with running(database_url) as server, server.client(server.key("home")) as client:
        made = [client.post("/api/memory", json={"content": f"Note {n} about tea"}).json() for n in range(3)]
    execute(database_url, BOTH["type"], made[0]["id"])
    caplog.set_level(logging.WARNING)
    with running(database_url) as server, server.client(server.key("home")) as client:
        assert len(client.get("/api/memory").json()["items"]) == 2
        assert client.post("/api/memory/search", json={"query": "tea"}).status_code == 200
        assert client.get("/api/export").status_code == 200
        assert client.get(f"/api/memory/{made[0]['id']}").status_code in (404, 503)
    assert made[0]["id"] in caplog.text


# Files that were emptied


async def test_an_emptied_database_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    await filled(str(path))
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="is empty, but it was a database before"):
        await filled(str(path))
    assert path.stat().st_size == 0
    path.unlink()
    assert await filled(str(path), 1), "whoever deletes the file begins anew"


async def test_an_empty_file_with_a_log_beside_it_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    (tmp_path / "memory.db-wal").write_bytes(b"the writes of a database")
    with pytest.raises(BethinkError, match=r"memory\.db-wal"):
        await filled(str(path))
    assert (tmp_path / "memory.db-wal").read_bytes() == b"the writes of a database"


async def test_an_empty_file_that_never_was_a_database_becomes_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch(0o600)
    assert await filled(str(path), 1)
    markers = list((tmp_path / "state" / "bethink" / "databases").iterdir())
    assert [mode(one) for one in markers] == [0o600]
