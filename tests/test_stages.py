from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from bethink import AsyncBethink
from bethink.stages import stage, timed, watched_by
from bethink.testing import HashEmbedder


class Watcher:
    """Notes which stages begin and end."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.seen.append(f"+{name}")
        yield
        self.seen.append(f"-{name}")


def test_a_watcher_sees_the_stages_within_and_no_others() -> None:
    watcher = Watcher()
    with stage("before"), watched_by(watcher), stage("a"), stage("b"):
        pass
    with stage("after"):
        pass
    assert watcher.seen == ["+a", "+b", "-b", "-a"]


async def test_two_who_watch_at_once_see_their_own() -> None:
    async def work(name: str, watcher: Watcher) -> None:
        with watched_by(watcher):
            for _ in range(3):
                with stage(name):
                    await asyncio.sleep(0)

    first, second = Watcher(), Watcher()
    await asyncio.gather(work("first", first), work("second", second))
    assert set(first.seen) == {"+first", "-first"}
    assert set(second.seen) == {"+second", "-second"}


async def test_recall_tells_its_stages() -> None:
    watcher = Watcher()
    async with AsyncBethink(":memory:", embedder=HashEmbedder()) as memory:
        with watched_by(watcher):
            await memory.remember("The door is crimson")
            await memory.settle()
            await memory.recall("door")
    began = [name for name in watcher.seen if name.startswith("+")]
    assert began[0] == "+sweep.vectors"
    parts = {
        "+recall.people",
        "+recall.terms",
        "+recall.prepare",
        "+recall.embed",
        "+recall.vector",
    }  # at the same time
    assert parts < set(began)
    whole = [name for name in began if name not in parts]
    assert whole[-3:] == ["+recall.search", "+recall.rank", "+recall.gather"]


async def test_times_are_added_up_beside_another_watcher() -> None:
    watcher, times = Watcher(), dict[str, float]()
    with watched_by(watcher), timed(times):
        for name in ("a", "b", "a"):
            with stage(name):
                await asyncio.sleep(0)
    assert watcher.seen == ["+a", "-a", "+b", "-b", "+a", "-a"]
    assert set(times) == {"a", "b"}
    assert min(times.values()) > 0
