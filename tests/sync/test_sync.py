from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from bethink import (
    BethinkError,
    Closed,
    Conflict,
    InvalidInput,
    NotFound,
    Settings,
    SettingsError,
    memory,
    sync,
)
from bethink.sync import Bethink
from bethink.sync.mirror import MIRRORS, without_async
from bethink.testing import HashEmbedder
from tests.opened import unchecked

PAIRS = list(MIRRORS.items())


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Bethink]:
    with Bethink(str(tmp_path / "memory.db"), embedder=HashEmbedder()) as opened:
        yield opened


@pytest.mark.parametrize(("original", "mirror"), PAIRS)
def test_the_mirror_has_the_names_of_the_original(original: type, mirror: type) -> None:
    attributes = {"name", "settings"}  # which the originals set when they are made
    assert public(mirror) - attributes == public(original)


@pytest.mark.parametrize(("original", "mirror"), PAIRS)
def test_a_mirrored_method_waits_and_takes_and_says_the_same(original: type, mirror: type) -> None:
    for name in public(original):
        one, other = inspect.getattr_static(original, name), inspect.getattr_static(mirror, name)
        assert without_async(inspect.getdoc(one)) == inspect.getdoc(other)
        if not isinstance(one, property):
            assert not inspect.iscoroutinefunction(other)
            own = name in ("open", "close")
            assert own or inspect.signature(one) == inspect.signature(other)


def test_every_handle_has_a_mirror() -> None:
    kind = memory.AsyncBethink
    handles = {
        get_type_hints(member.fget)["return"]
        for name in public(kind)
        if isinstance(member := inspect.getattr_static(kind, name), property)
    }
    assert handles <= MIRRORS.keys()


def test_no_async_is_left_in_what_is_said() -> None:
    assert all("sync" not in (mirror.__doc__ or "sync") for _, mirror in PAIRS)


def test_every_verb_works_without_await(notes: Bethink) -> None:
    stored = notes.remember("Anna is allergic to peanuts", key="allergy")
    assert notes.remember_many([{"content": "x"}])[0].status == "stored"
    assert notes.recall("what is Anna allergic to?").hits[0].text == "Anna is allergic to peanuts"
    assert notes.get(stored.id).content == stored.memory.content
    assert notes.update(stored.id, title="Allergy").title == "Allergy"
    assert notes.pin(stored.id).pinned
    assert notes.list(pinned=True)[0].id == stored.id
    assert notes.count() == 2
    notes.observe("chat", [{"role": "user", "content": "hello"}])
    assert notes.sessions()[0].id == "chat"
    assert notes.messages.of("chat")[0].content == "hello"
    notes.facts.set("home", "city", "Rome")
    assert notes.facts.set("home", "city", "Milan").status == "merged"
    current = notes.facts.get("home", "city")
    assert current is not None
    assert [fact.value for fact in notes.facts.history("home", "city")] == [current.value, "Rome"]
    assert notes.facts.list() == [current]
    assert notes.facts.forget("home", "city").valid_to is not None
    notes.settle()
    done: list[int] = []
    assert notes.reindex(force=True, progress=lambda step: done.append(step.done)) == done[-1]
    assert notes.stats().awaiting_vectors == 0
    assert notes.check() == "ready"
    assert notes.forget(stored.id)[0].id == stored.id


def test_a_space_is_mirrored_too(notes: Bethink) -> None:
    work = notes.space("work", actor="ana")
    assert isinstance(work, sync.Space)
    assert (work.name, notes.name) == ("work", "default")
    work.remember("The printer is on floor 2")
    work.facts.set("office", "floor", "2")
    assert notes.list() == []
    assert notes.facts.list() == []
    assert len(work.recall("printer").hits) == 2
    assert isinstance(notes.settings, Settings)


def test_it_opens_on_first_use_and_can_be_closed_twice(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    notes = Bethink(str(path), embedder=HashEmbedder())
    assert not path.exists()
    notes.remember("x")
    notes.close()
    notes.close()
    for call in (lambda: notes.recall("x"), lambda: notes.open(), lambda: notes.facts.list(), notes.list):
        with pytest.raises(Closed):
            call()
    with Bethink(str(path), embedder=HashEmbedder()) as again:
        assert again.list()[0].content == "x"


def test_no_thread_is_left_behind() -> None:
    before = set(threading.enumerate())
    for _ in range(3):
        with Bethink(":memory:", embedder=HashEmbedder()) as notes:
            notes.remember("x")
            notes.recall("x")
    Bethink(":memory:").close()
    assert set(threading.enumerate()) <= before


def test_it_is_closed_after_an_error_and_the_error_passes_through(tmp_path: Path) -> None:
    with pytest.raises(KeyError), Bethink(str(tmp_path / "a.db"), embedder=HashEmbedder()) as notes:
        raise KeyError
    with pytest.raises(Closed):
        notes.list()


def test_errors_are_those_of_the_async_classes(notes: Bethink) -> None:
    one = notes.remember("one", key="a").id
    notes.remember("two", key="b")
    with pytest.raises(NotFound, match="There is no memory 'missing'"):
        notes.get("missing")
    with pytest.raises(InvalidInput, match="content"):
        notes.remember("")
    with pytest.raises(Conflict, match="'b' already names"):
        notes.update(one, key="b")
    with pytest.raises(TypeError):
        notes.get()  # type: ignore[call-arg]  # the mistake is the test
    with pytest.raises(SettingsError, match="did you mean"):
        Bethink(":memory:", **unchecked(recal={"limit": 3}))


def test_threads_share_one_memory(notes: Bethink) -> None:
    def work(number: int) -> int:
        notes.remember(f"note number {number}")
        return len(notes.recall(f"note number {number}", limit=50).hits)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(work, range(40)))
    assert min(found) > 0
    assert notes.count() == 40


def test_closing_while_other_threads_work_lets_each_finish_or_fail_clearly(tmp_path: Path) -> None:
    notes = Bethink(str(tmp_path / "memory.db"), embedder=HashEmbedder()).open()
    stored: list[str] = []

    def work(thread: int) -> None:
        for number in range(10_000):
            try:
                stored.append(notes.remember(f"note {thread} {number}").id)
            except Closed:
                return
        raise AssertionError("the memory was never closed")

    with ThreadPoolExecutor(4) as threads:
        working = [threads.submit(work, thread) for thread in range(4)]
        while len(stored) < 20:
            assert not any(future.done() for future in working)
        notes.close()
        for future in working:
            future.result(timeout=30)
    with Bethink(str(tmp_path / "memory.db"), embedder=HashEmbedder()) as again:
        kept = {again.get(id_).id for id_ in stored}
    assert len(kept) == len(stored)


async def test_it_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    with Bethink(str(tmp_path / "memory.db"), embedder=HashEmbedder()) as notes:
        notes.remember("Likes tea")
        assert notes.recall("tea").hits[0].text == "Likes tea"
        assert (await loop.run_in_executor(None, notes.count)) == 1


def test_a_call_from_its_own_loop_is_refused_instead_of_waiting_forever(notes: Bethink) -> None:
    notes.remember("x")
    notes.settle()
    errors: list[Exception] = []

    def progress(_: Any) -> None:
        try:
            notes.list()
        except BethinkError as error:
            errors.append(error)

    assert notes.reindex(force=True, progress=progress) == 1
    assert "AsyncBethink" in str(errors[0])


def test_a_program_that_never_closes_ends_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    program = f"""
        from bethink import Bethink
        from bethink.testing import HashEmbedder
        notes = Bethink({str(path)!r}, embedder=HashEmbedder())
        print(notes.remember("Likes tea").status)
        print(notes.recall("tea").hits[0].text)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "stored\nLikes tea\n", "")
    with Bethink(str(path), embedder=HashEmbedder()) as notes:
        assert notes.list()[0].content == "Likes tea"


def test_types_are_known_to_type_checkers(notes: Bethink) -> None:
    """mypy reads this like any program that uses the library: it fails where a type is not known."""
    notes.remember("Likes tea", tags=["drink"])
    text: str = notes.recall("tea").hits[0].text
    score: float = notes.recall("tea", limit=1).hits[0].score
    when: datetime = notes.list(limit=1)[0].observed_at
    tags: list[str] = notes.space("default").list(since=datetime(2000, 1, 1, tzinfo=UTC))[0].tags
    fact = notes.facts.get("home", "city")
    value: str | None = fact.value if fact else None
    limit: int = notes.settings.recall.limit
    assert (text, tags, value, limit) == ("Likes tea", ["drink"], None, 8)
    assert score > 0
    assert when.tzinfo is not None
