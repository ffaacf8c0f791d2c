"""The SQLite file: where it may be, who may read it, what is said when it cannot be used."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from pathlib import Path

import apsw
import pytest

from bethink.errors import StoreError
from bethink.settings import StoreSettings
from bethink.store import Tx, connect, settings, spaces
from bethink.store.sqlite import SqliteTx
from tests.store.samples import NOW


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0, 0o022, 0o377])
async def test_only_the_owner_may_read_the_files(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = await connect(str(tmp_path / "new" / "folder" / "memory.db"), StoreSettings())
        await store.write(spaces.ensure, "home", NOW)
    finally:
        os.umask(before)
    folder = tmp_path / "new" / "folder"
    assert (mode(folder), mode(folder.parent)) == (0o700, 0o700)
    files = {path.name: mode(path) for path in folder.iterdir()}
    assert set(files) == {"memory.db", "memory.db-wal", "memory.db-shm"}
    assert set(files.values()) == {0o600}
    await store.close()
    assert [path.name for path in folder.iterdir()] == ["memory.db"], "nothing is left beside a closed file"


@pytest.mark.parametrize("prefix", ["", "sqlite://", "file://"])
async def test_a_path_may_have_spaces_and_any_script(prefix: str, tmp_path: Path) -> None:
    path = tmp_path / "my notes 我的 % ? #" / "mémoire 🐈.db"
    for known in (0, 1):
        store = await connect(prefix + str(path), StoreSettings())
        assert len(await store.read(spaces.list_all)) == known
        await store.write(spaces.ensure, "home", NOW)
        await store.close()
    assert path.stat().st_size > 0


async def test_a_relative_path_is_taken_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = await connect("memory.db", StoreSettings())
    await store.close()
    assert (tmp_path / "memory.db").exists()


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "diary.txt"
    path.write_text("Dear diary, " * 1000)
    with pytest.raises(StoreError, match=r"diary\.txt is not an SQLite database"):
        await connect(str(path), StoreSettings())
    assert path.read_text() == "Dear diary, " * 1000


async def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be created: Is a directory"):
        await connect(str(tmp_path), StoreSettings())


async def test_a_file_cannot_hold_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be created"):
        await connect(str(tmp_path / "file" / "memory.db"), StoreSettings())


async def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = await connect(str(path), StoreSettings())
    for number in range(50):
        await store.write(spaces.ensure, f"space {number}", NOW)
    await store.close()
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"memory\.db is damaged.*restore the rest from a backup"):
        await connect(str(path), StoreSettings())


async def test_another_process_that_keeps_the_lock_is_named(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = await connect(str(path), StoreSettings(busy_seconds=0.1))
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"held the write lock of .*memory\.db for 0\.1 s"):
        await store.write(spaces.ensure, "home", NOW)
    assert await store.read(spaces.list_all) == [], "reading goes on"
    other.execute("ROLLBACK")
    await store.write(spaces.ensure, "home", NOW)
    other.close()
    await store.close()


async def test_a_full_disk_is_named_to_all_it_concerns_and_passes(tmp_path: Path) -> None:
    store = await connect(str(tmp_path / "memory.db"), StoreSettings())

    def limit(tx: SqliteTx) -> None:
        pages = tx.connection.pragma("page_count")
        tx.connection.pragma("max_page_count", pages + 20)

    started, gate = threading.Event(), threading.Event()

    def hold(_: Tx) -> None:
        started.set()
        gate.wait(30)

    await store.write(limit)  # type: ignore[arg-type]  # reaches below what the contract offers
    holding = asyncio.ensure_future(store.write(hold))
    await asyncio.to_thread(started.wait, 30)
    waiting = [
        asyncio.ensure_future(store.write(settings.put, settings.SERVER, name, value, NOW))
        for name, value in (("small", "x"), ("large", "x" * 1_000_000))
    ]
    await asyncio.sleep(0.05)
    gate.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [str(error).endswith("is full.") for error in results] == [True, True]
    assert await store.read(settings.of_space, settings.SERVER) == {}
    await holding
    await store.write(settings.put, settings.SERVER, "small", "x", NOW)
    assert await store.read(settings.of_space, settings.SERVER) == {"small": "x"}
    await store.close()


async def test_a_reader_that_cannot_open_the_file_says_so_and_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await connect(str(tmp_path / "memory.db"), StoreSettings())

    def refuse(*_: object) -> None:
        raise apsw.CantOpenError("unable to open database file")

    with monkeypatch.context() as patch:
        patch.setattr("bethink.store.sqlite_file.apsw.Connection", refuse)
        with pytest.raises(StoreError, match="cannot be opened"):
            await store.read(spaces.list_all)
    assert await store.read(spaces.list_all) == []
    await store.close()


async def test_what_is_acknowledged_is_synced(tmp_path: Path) -> None:
    """Losing power after a write returned must not lose the write."""
    store = await connect(str(tmp_path / "memory.db"), StoreSettings())

    def pragmas(tx: SqliteTx) -> list[object]:
        return [tx.connection.pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys")]

    assert await store.write(pragmas) == ["wal", 2, 1]  # type: ignore[arg-type]  # below the contract
    await store.close()
