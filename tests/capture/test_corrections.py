"""What somebody corrects by hand stays so when the messages that said it are read after that."""

from __future__ import annotations

from typing import Any

from recollect import AsyncRecollect
from recollect.testing import ScriptedChat
from tests import opened
from tests.opened import Home

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

SAID = [
    {"role": "user", "content": "Hello there!", "id": "m1"},
    {"role": "user", "content": "I live in Berlin.", "id": "m2"},
]
GREETED_ANEW = {"role": "user", "content": "Good morning!", "id": "m1"}  # the edit has the rest read again


async def say(memory: AsyncRecollect, *said: dict[str, Any]) -> None:
    await memory.observe("chat", said)
    await memory.settle()


async def values(memory: AsyncRecollect) -> list[str]:
    return [fact.value for fact in await memory.facts.list()]


async def test_a_fact_corrected_by_hand_is_not_set_back(memory: AsyncRecollect) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    await say(memory, GREETED_ANEW)
    assert await values(memory) == ["Bern"]


async def test_said_after_that_it_is_news(memory: AsyncRecollect) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    await say(memory, {"role": "user", "content": "I live in Oslo.", "id": "m3"})
    assert await values(memory) == ["Oslo"]


async def test_an_old_conversation_taken_in_later_does_not_count_against_it(memory: AsyncRecollect) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    await say(memory, {"role": "user", "content": "I live in Oslo.", "sent_at": "2020-05-01T12:00:00Z"})
    assert await values(memory) == ["Bern"]


async def test_a_memory_corrected_by_hand_keeps_its_words(memory: AsyncRecollect) -> None:
    await say(memory, *SAID)
    (stored,) = await memory.list()
    await memory.update(stored.id, content="I live in Bern")
    await say(memory, GREETED_ANEW)
    assert [one.content for one in await memory.list()] == ["I live in Bern"]


async def test_and_so_does_one_made_shorter(memory: AsyncRecollect) -> None:
    words = "I prefer green tea from the mountains of Taiwan"
    await say(memory, SAID[0], {"role": "user", "content": f"{words}.", "id": "m2"})
    (stored,) = await memory.list()
    assert stored.content == words
    await memory.update(stored.id, content="I prefer green tea")
    await say(memory, GREETED_ANEW)
    assert [one.content for one in await memory.list()] == ["I prefer green tea"]


async def test_a_model_that_reads_later_does_not_set_it_back(home: Home) -> None:
    found = {"facts": [{"category": "home", "key": "city", "value": "Berlin", "turns": [1]}], "notes": []}
    async with home.memory(chat_model=ScriptedChat(found)) as memory:
        await memory.options.update(extractors=["facts"])
        turns = [{"role": "user", "content": text} for text in ("I live in Berlin.", "Yes.", "No.", "Hm.")]
        await say(memory, *turns)
        await memory.facts.set("home", "city", "Bern")
        await say(memory, {"role": "user", "content": "That is all, thanks."})
        (read,) = await memory.extractions()
        assert (read.status, read.reason) == ("ok", "somebody corrected it after it was said")
        assert await values(memory) == ["Bern"]
        assert await memory.list() == [], "nor is it said beside the fact"
