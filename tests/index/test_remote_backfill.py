"""Vectors made by a host over the network, which may fail, or ask to be asked later."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from bethink import AsyncBethink, ModelBusy
from bethink.models.hosts import LONGEST_WAIT, wait_of
from tests.index.test_backfill import made_by_itself
from tests.models.embed.hosts import Answer, Asked, running_host
from tests.models.embed.test_remote import openai_answer
from tests.opened import Home

NOTES = [{"content": f"Note number {number}"} for number in range(20)]
Answering = Callable[[Asked], Answer]


def memory_of(home: Home, url: str, **embed: Any) -> AsyncBethink:
    """A memory whose vectors come from a host, eight texts at a time."""
    reached: Any = {"source": "openai", "base_url": url, "batch_size": 8, "retry_seconds": 0, "cache_size": 0}
    reached.update(embed)
    return AsyncBethink(home.url, space=home.space, embed=reached, recall={"tier": "fast"})


class Faltering:
    """Answers, but for the calls with these numbers, of those with more than one text."""

    def __init__(self, *fails: int, with_answer: Answer) -> None:
        self.fails, self.with_answer, self.calls, self.at = set(fails), with_answer, 0, list[float]()

    def __call__(self, asked: Asked) -> Answer:
        if asked.body["input"] == ["bethink"]:  # by which the length of its vectors is learnt
            return openai_answer(asked)
        self.calls += 1
        self.at.append(time.monotonic())
        return self.with_answer if self.calls in self.fails else openai_answer(asked)


async def waiting(memory: AsyncBethink) -> int:
    return (await memory.stats()).awaiting_vectors


async def test_vectors_that_were_made_stay_when_a_later_batch_fails(home: Home) -> None:
    broken = Faltering(*range(3, 100), with_answer=Answer({"error": "it broke"}, status=500))
    with running_host(broken) as host:
        async with memory_of(home, host.url, retry_seconds=3600) as memory:
            await memory.remember_many(NOTES)
            await memory.settle()
            assert await waiting(memory) == 4, "two batches of eight are kept"
            assert [len(texts) for texts in host.texts[1:]] == [8, 8, 4]


async def test_it_goes_on_by_itself_when_the_host_works_again(home: Home) -> None:
    broken = Faltering(2, with_answer=Answer({"error": "it broke"}, status=500))
    with running_host(broken) as host:
        async with memory_of(home, host.url) as memory:
            await memory.remember_many(NOTES)
            await memory.settle()
            await made_by_itself(memory)
    assert broken.calls == 4


@pytest.mark.parametrize("status", [429, 503])
async def test_a_host_that_asks_to_wait_is_asked_when_it_says(home: Home, status: int) -> None:
    busy = Faltering(2, with_answer=Answer({"error": "slow down"}, status, headers={"Retry-After": "1"}))
    with running_host(busy) as host:
        async with memory_of(home, host.url, retry_seconds=3600) as memory:
            await memory.remember_many(NOTES)
            await memory.settle()
            assert await waiting(memory) == 0, "one run made them all"
    assert busy.at[2] - busy.at[1] >= 1


async def test_a_host_that_asks_for_long_is_left_alone(home: Home) -> None:
    busy = Faltering(1, with_answer=Answer({"error": "come back"}, 429, headers={"Retry-After": "900"}))
    with running_host(busy) as host:
        async with memory_of(home, host.url) as memory:
            await memory.remember_many(NOTES)
            await memory.settle()
            assert await waiting(memory) == len(NOTES)
            with pytest.raises(ModelBusy, match="next try is in"):
                await memory.reindex()
            found = await memory.recall("note number 3")
            assert found.hits, "by words meanwhile"
            assert "next try is in" in " ".join(found.degraded)
    assert busy.calls == 1


async def test_there_is_a_pause_between_batches(home: Home) -> None:
    at = Faltering(with_answer=Answer({}))
    with running_host(at) as host:
        async with memory_of(home, host.url, pause_seconds=0.3) as memory:
            await memory.remember_many(NOTES)
            await memory.settle()
            assert await waiting(memory) == 0
    assert len(at.at) == 3
    assert all(later - before >= 0.3 for before, later in zip(at.at, at.at[1:], strict=False))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 0 ", 0.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("99999999", LONGEST_WAIT),
        ("soon", None),
        ("-3", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert wait_of(header, datetime(2026, 1, 1, 12, tzinfo=UTC)) == seconds
