"""Several processes on one database, and one that dies in the middle of its work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import apsw

from bethink.settings import StoreSettings
from bethink.store import connect, entries, keyword_search, memories, spaces
from bethink.store.filters import EntryFilter, MemoryFilter
from tests.store import processes, samples


def start(task: str, url: str, names: Sequence[str]) -> list[subprocess.Popen[str]]:
    """Start one process per name and let them all go at once."""
    started = [
        subprocess.Popen(
            [sys.executable, processes.__file__, task, url, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return started


def finish(started: list[subprocess.Popen[str]]) -> list[str]:
    """What each process said; none may have failed."""
    ended = [(process.communicate(timeout=60), process.returncode) for process in started]
    assert [(errors, status) for (_, errors), status in ended] == [("", 0)] * len(started)
    return [said for (said, _), _ in ended]


async def test_processes_that_make_one_new_database_at_once(database_url: str) -> None:
    names = ["first", "second", "third"]
    finish(start("open", database_url, names))
    store = await connect(database_url, StoreSettings())
    assert await store.migrate() == []
    (space,) = await store.read(spaces.list_all)
    found = await store.read(memories.page, space.id, MemoryFilter(), 10, 0)
    assert sorted(memory.content for memory in found) == names
    await store.close()


async def test_two_processes_write_and_read_one_file(tmp_path: Path) -> None:
    url = str(tmp_path / "memory.db")
    said = finish(start("write_and_read", url, ["first", "second"]))
    written = [int(line.split()[0]) for line in said]
    store = await connect(url, StoreSettings())
    (space,) = await store.read(spaces.list_all)
    for name, number in zip(["first", "second"], written, strict=True):
        hits = await store.read(
            keyword_search.search, space, [name], EntryFilter(), samples.NOW, 10**6, keyword_search.Counts()
        )
        assert len(hits) == number > 0
    # Whoever wrote last had seen all that the other wrote before.
    assert max(sum(map(int, line.split())) for line in said) == sum(written)
    await store.close()


async def test_what_was_acknowledged_outlives_a_kill(tmp_path: Path) -> None:
    url = str(tmp_path / "memory.db")
    (process,) = start("stream", url, ["unicorn"])
    assert process.stdout is not None
    acknowledged = [process.stdout.readline() for _ in range(200)]
    process.kill()
    rest, _ = process.communicate(timeout=60)
    # The kill may have cut the last line short: what is not wholly said is not acknowledged.
    lines = [*acknowledged, *rest.splitlines(keepends=True)]
    ids = {line.strip() for line in lines if line.endswith("\n")}
    assert len(ids) >= 200

    store = await connect(url, StoreSettings())
    (space,) = await store.read(spaces.list_all)
    stored = await store.read(memories.by_ids, space.id, list(ids))
    assert set(stored) == ids
    hits = await store.read(
        keyword_search.search, space, ["unicorn"], EntryFilter(), samples.NOW, 10**6, keyword_search.Counts()
    )
    rows = await store.read(entries.by_ids, space.id, [id_ for id_, _ in hits])
    assert ids <= {row["record_id"] for row in rows.values()}
    await store.close()
    with apsw.Connection(url) as file:
        assert file.pragma("integrity_check") == "ok"
        file.execute("INSERT INTO terms (terms) VALUES ('integrity-check')")
    file.close()
