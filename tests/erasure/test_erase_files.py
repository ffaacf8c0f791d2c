"""Erasing and the files: nobody waits for it, a full disk is told, and what was left is done later."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import apsw
import pytest

from bethink import AsyncBethink
from bethink.store import leftovers
from bethink.store.driver import Scrubbed
from bethink.store.sqlite import SqliteDriver
from tests.erasure.test_erase import CONTROL, SECRET, bytes_of
from tests.opened import Home, add_person

LATER = {"vacuum_mb": 0, "quiet_seconds": 3600}


@pytest.fixture
def file_home(tmp_path: Path) -> Home:
    return Home(str(tmp_path / "erase.db"))


class FullDisk(apsw.VFS):
    """A file system that has no room left while it is `full`."""

    def __init__(self) -> None:
        self.full, self.real = False, apsw.vfs_names()[0]
        super().__init__("full-disk", self.real, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  (SQLite's name)
        return _FullFile(self, name, flags)


class _FullFile(apsw.VFSFile):
    def __init__(self, disk: FullDisk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        super().__init__(disk.real, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if self._disk.full:
            raise apsw.FullError("no room")
        super().xWrite(data, offset)


@pytest.fixture
def disk() -> Iterator[FullDisk]:
    made = FullDisk()
    yield made
    made.unregister()


async def test_an_erasure_that_finds_nothing_leaves_the_files_alone(
    memory: AsyncBethink, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.remember(CONTROL)
    core, _ = await memory.inside.here()
    calls = 0
    scrub = core.driver.scrub

    async def counted() -> Scrubbed:
        nonlocal calls
        calls += 1
        return await scrub()

    monkeypatch.setattr(core.driver, "scrub", counted)
    receipt = await memory.erase(query="zebra")
    assert calls == 0
    assert receipt.complete
    assert receipt.storage is not None
    assert receipt.storage.notes == ["Nothing was found, so the files were left as they are."]
    await memory.erase(query="giraffe")
    assert calls == 1


async def test_a_large_file_is_rewritten_when_it_is_quiet_and_the_receipt_says_when(file_home: Home) -> None:
    async with file_home.memory(store=LATER) as memory:
        stored = [await memory.remember(f"{SECRET} {number}") for number in range(50)]
        await memory.settle()
        receipt = await memory.erase(memory_ids=[one.id for one in stored])
        assert receipt.complete
        assert receipt.storage is not None
        assert not receipt.storage.scrubbed
        assert "as soon as nothing was written for 3600 s" in receipt.storage.notes[0]
        await memory.remember(CONTROL)  # which nothing keeps waiting
        connection = apsw.Connection(file_home.url)
        assert leftovers.leftover(connection) is leftovers.Leftover.FILE
        connection.close()
    # Nobody had the time; who opens the file next does it.
    async with file_home.memory(store=LATER | {"quiet_seconds": 0.01}) as memory, asyncio.timeout(60):
        core, _ = await memory.inside.here()
        while await core.driver.needs_scrub():  # noqa: ASYNC110  (a thread does it)
            await asyncio.sleep(0.01)
        left = bytes_of(file_home.url)
        assert SECRET.encode() not in left
        assert CONTROL.encode() in left
        connection = apsw.Connection(file_home.url)
        assert connection.pragma("freelist_count") == 0
        assert connection.pragma("integrity_check") == "ok"
        connection.close()


def test_rewriting_gives_way_to_whoever_waits_to_write(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "large.db"))
    connection.execute("CREATE TABLE t (a)")
    connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
                       " INSERT INTO t SELECT i FROM n")  # fmt: skip
    connection.execute("DELETE FROM t WHERE a % 2")
    assert not leftovers.rewrite(connection, lambda: True)
    assert connection.execute("SELECT COUNT(*) FROM t").get == 10_000
    assert leftovers.rewrite(connection, lambda: False)
    assert connection.pragma("freelist_count") == 0
    connection.close()


async def test_a_full_disk_leaves_a_receipt_and_it_is_done_when_there_is_room(
    file_home: Home, disk: FullDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with file_home.memory() as memory:
        await memory.remember(CONTROL)
        stored = await memory.remember(SECRET)
        await memory.settle()
        core, _ = await memory.inside.here()
        scrub = core.driver.scrub

        async def without_room() -> Scrubbed:
            disk.full = True
            try:
                return await scrub()
            finally:
                disk.full = False

        monkeypatch.setattr(core.driver, "scrub", without_room)
        receipt = await memory.erase(memory_ids=[stored.id])
        assert receipt.erased["memories"] == 1
        assert receipt.storage is not None
        assert not receipt.storage.scrubbed
        assert "is full" in receipt.storage.notes[0]
        assert "tried again" in receipt.storage.notes[0]
        assert SECRET.encode() in bytes_of(file_home.url)
        monkeypatch.undo()
        again = await memory.erase(query="nothing says this")
        assert again.storage is not None
        assert again.storage.scrubbed
        assert SECRET.encode() not in bytes_of(file_home.url)


async def test_titles_and_ids_of_sessions_that_hold_the_text_are_erased_with_it(memory: AsyncBethink) -> None:
    for session in ("call-with-quillfeather", "plain", "other"):
        await memory.observe(session, [{"content": f"Said in {session[-5:]}"}])
    await memory.begin("plain", title="About Quillfeather's vault")
    await memory.begin("other", title="Bananas")
    asked = await memory.erase(query="quillfeather", dry_run=True)
    assert (asked.erased["session titles"], asked.erased["session ids"]) == (1, 1)
    receipt = await memory.erase(query="quillfeather")
    assert receipt.complete
    assert receipt.proof is not None
    assert receipt.proof.elsewhere == []
    sessions = {session.id: session.title for session in await memory.sessions()}
    assert len(sessions) == 3
    assert sessions["plain"] is None
    assert sessions["other"] == "Bananas"
    (renamed,) = sessions.keys() - {"plain", "other"}
    assert [message.content for message in await memory.messages.of(renamed)] == ["Said in ather"]


async def test_titles_and_ids_of_sessions_that_hold_an_erased_name_lose_it(memory: AsyncBethink) -> None:
    await add_person(memory, "Ben")
    ana = await add_person(memory, "Ana", aliases=["Annie"])
    for session, title in (("chat_ana_1", "Groceries"), ("b", "Lunch with annie?"), ("banana", "Bananas")):
        await memory.observe(session, [{"content": "Hello"}])
        await memory.begin(session, title=title)
    receipt = await memory.erase(person_id=ana)
    assert (receipt.erased["session titles"], receipt.erased["session ids"]) == (1, 1)
    sessions = {session.id: session.title for session in await memory.sessions()}
    assert sessions["b"] is None
    assert sessions["banana"] == "Bananas"
    assert "chat_ana_1" not in sessions
    assert len(sessions) == 3


async def test_rewriting_that_gives_way_waits_twice_as_long_each_time(
    file_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is written all the time is not copied in vain all the time."""
    async with file_home.memory(store={"vacuum_mb": 0, "quiet_seconds": 100}) as memory:
        stored = await memory.remember(SECRET)
        await memory.settle()
        await memory.erase(memory_ids=[stored.id])
        core, _ = await memory.inside.here()
        driver = cast(SqliteDriver, core.driver)
        monkeypatch.setattr(leftovers, "time", SimpleNamespace(monotonic=lambda: 0.0))
        with monkeypatch.context() as busy:
            busy.setattr(leftovers, "rewrite", lambda *_: False)
            waits = [await driver._apart(partial(_wait_after_tidying, driver)) for _ in range(7)]
        assert waits == [200, 400, 800, 1600, 3200, 3600, 3600]
        assert await driver._apart(partial(_wait_after_tidying, driver)) is None
        await memory.remember(CONTROL)
        again = await memory.remember(SECRET)
        await memory.settle()
        await memory.erase(memory_ids=[again.id])
        monkeypatch.setattr(leftovers, "rewrite", lambda *_: False)
        assert await driver._apart(partial(_wait_after_tidying, driver)) == 200


def _wait_after_tidying(driver: SqliteDriver, connection: apsw.Connection) -> float | None:
    driver._tidying.tidy(connection)
    return driver._tidying.patience() if driver._tidying.is_due else None


async def test_a_note_that_another_tool_made_means_the_whole_file(file_home: Home) -> None:
    async with file_home.memory() as memory:
        await memory.remember(CONTROL)
    connection = apsw.Connection(file_home.url)
    connection.pragma("user_version", 77)
    assert leftovers.leftover(connection) is leftovers.Leftover.FILE
    connection.close()
    async with file_home.memory(store={"quiet_seconds": 0.01}) as memory, asyncio.timeout(60):
        core, _ = await memory.inside.here()
        while await core.driver.needs_scrub():  # noqa: ASYNC110  (a thread does it)
            await asyncio.sleep(0.01)
        assert await memory.count() == 1


async def test_the_writer_outlives_a_defect_of_tidying(
    file_home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried = threading.Event()

    def broken(*_: object) -> bool:
        tried.set()
        raise ValueError("a defect")

    monkeypatch.setattr(leftovers, "rewrite", broken)
    async with file_home.memory(store={"vacuum_mb": 0, "quiet_seconds": 0.01}) as memory:
        stored = await memory.remember(SECRET)
        await memory.settle()
        await memory.erase(memory_ids=[stored.id])
        assert await asyncio.to_thread(tried.wait, 60)
        async with asyncio.timeout(60):
            await memory.remember(CONTROL)
        assert await memory.count() == 1
    assert "a defect" in caplog.text
