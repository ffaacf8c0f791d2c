"""What somebody corrects by hand stays so when the messages that said it are read after that."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.clock import now
from bethink.extraction.keep import keep
from bethink.testing import ScriptedChat
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


async def say(memory: AsyncBethink, *said: dict[str, Any]) -> None:
    await memory.observe("chat", said)
    await memory.settle()


async def values(memory: AsyncBethink) -> list[str]:
    return [fact.value for fact in await memory.facts.list()]


async def test_a_fact_corrected_by_hand_is_not_set_back(memory: AsyncBethink) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    await say(memory, GREETED_ANEW)
    assert await values(memory) == ["Bern"]


async def test_said_after_that_it_is_news(memory: AsyncBethink) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    await say(memory, {"role": "user", "content": "I moved to Oslo.", "id": "m3"})
    assert await values(memory) == ["Oslo"]


async def test_an_old_conversation_taken_in_later_does_not_count_against_it(memory: AsyncBethink) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    for sent_at in ("2020-05-01T12:00:00Z", (now() - timedelta(minutes=50)).isoformat()):
        await say(memory, {"role": "user", "content": "I live in Oslo.", "sent_at": sent_at})
        assert await values(memory) == ["Bern"]


async def test_a_memory_corrected_by_hand_keeps_its_words(memory: AsyncBethink) -> None:
    await say(memory, *SAID)
    (stored,) = await memory.list()
    await memory.update(stored.id, content="I live in Bern")
    await say(memory, GREETED_ANEW)
    assert [one.content for one in await memory.list()] == ["I live in Bern"]


async def test_and_so_does_one_made_shorter(memory: AsyncBethink) -> None:
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
        assert (read.counts["memories"], read.counts["facts"], read.counts["left_out"]) == (0, 0, 2)
        assert await values(memory) == ["Bern"]
        assert await memory.list() == [], "nor is it said beside the fact"


@pytest.mark.parametrize("turns", [[], [1, 5]], ids=["cites nothing", "cites both sides"])
@pytest.mark.parametrize(("last", "city"), [("I moved to Oslo today.", "Oslo"), ("That is all.", "Bern")])
async def test_where_a_model_names_turns_from_before_and_after_the_words_decide(
    home: Home, turns: list[int], last: str, city: str
) -> None:
    found = {"facts": [{"category": "home", "key": "city", "value": "Oslo", "turns": turns}], "notes": []}
    async with home.memory(chat_model=ScriptedChat(found)) as memory:
        await memory.options.update(extractors=["facts"])
        await say(memory, *[{"role": "user", "content": text} for text in ("Hello.", "Yes.", "No.", "Hm.")])
        await memory.facts.set("home", "city", "Bern")
        await say(memory, {"role": "user", "content": last})
        assert await values(memory) == [city]


NOTE = "Works as a nurse at the Charite hospital."


async def told_again(home: Home, then: Callable[[AsyncBethink, str], Awaitable[object]]) -> list[str]:
    """What is known after a model's note was changed and its conversation read once more."""
    found = {"facts": [], "notes": [NOTE]}
    async with home.memory(chat_model=ScriptedChat(found, found)) as memory:
        await memory.options.update(extractors=["facts"])
        said = ["I am a nurse at the Charite.", "Yes.", "No.", "Hm.", "Bye."]
        await say(memory, *[{"role": "user", "content": text, "id": text} for text in said])
        (stored,) = await memory.list()
        await then(memory, stored.id)
        await say(memory, {"role": "user", "content": "Yes, yes.", "id": "Yes."})
        return [one.content for one in await memory.list()]


async def test_a_note_is_not_told_again_in_its_old_words(home: Home) -> None:
    async def reworded(memory: AsyncBethink, note: str) -> None:
        await memory.update(note, content="Is a doctor in Bern.")

    assert await told_again(home, reworded) == ["Is a doctor in Bern."]


async def test_nor_if_it_has_another_title_too(home: Home) -> None:
    async def reworded(memory: AsyncBethink, note: str) -> None:
        await memory.update(note, content="Is a doctor in Bern.", title="Work")
        await memory.update(note, title="Profession")

    assert await told_again(home, reworded) == ["Is a doctor in Bern."]


async def test_nor_if_it_was_forgotten_after_that(home: Home) -> None:
    async def reworded(memory: AsyncBethink, note: str) -> None:
        await memory.update(note, content="Is a doctor in Bern.")
        await memory.forget(note)

    assert await told_again(home, reworded) == []


async def test_what_was_reworded_and_that_undone_is_no_correction(memory: AsyncBethink) -> None:
    await say(memory, *SAID)
    (stored,) = await memory.list()
    await memory.update(stored.id, content="I live in Bern")
    (line,) = (await memory.journal(noun="memory", action="updated")).items
    await memory.undo(line.id)
    await say(memory, GREETED_ANEW)
    assert [one.content for one in await memory.list()] == ["I live in Berlin"]
    assert not any("corrected" in (read.reason or "") for read in await memory.extractions())


async def test_what_was_news_and_is_withdrawn_does_not_bring_back_what_was_corrected(
    memory: AsyncBethink,
) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    await say(memory, {"role": "user", "content": "I moved to Oslo.", "id": "m3"})
    await say(memory, {"role": "user", "content": "Never mind.", "id": "m3"})
    await say(memory, GREETED_ANEW)
    assert "Berlin" not in await values(memory)


async def test_it_stands_however_often_it_is_said_again(memory: AsyncBethink) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    said = [{"role": "user", "content": "I live in Bern.", "id": f"n{number}"} for number in range(120)]
    await say(memory, *said)
    await say(memory, GREETED_ANEW)
    versions = await memory.facts.history(fact.category, fact.key)
    assert [version.value for version in versions] == ["Bern", "Berlin"]


async def test_what_was_only_stored_by_hand_may_be_told_more_fully(memory: AsyncBethink) -> None:
    await memory.observe("chat", [SAID[0], {"role": "user", "content": "Hm.", "id": "m2"}])
    await memory.remember("I prefer green tea")
    fuller = "I prefer green tea from the mountains of Taiwan"
    await say(memory, {"role": "user", "content": f"{fuller}.", "sent_at": "2020-05-01T12:00:00Z"})
    assert [one.content for one in await memory.list()] == [fuller]


async def test_a_clock_that_is_a_little_behind_loses_no_news(memory: AsyncBethink) -> None:
    await say(memory, *SAID)
    (fact,) = await memory.facts.list()
    await memory.facts.set(fact.category, fact.key, "Bern")
    behind = now() - timedelta(minutes=2)
    await say(memory, {"role": "user", "content": "I moved to Oslo.", "sent_at": behind.isoformat()})
    assert await values(memory) == ["Oslo"]


async def test_a_correction_made_while_it_is_read_stands(
    memory: AsyncBethink, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver: Any = type((await memory.inside.opened()).driver)
    real = driver.write_in_turn

    async def late(self: Any, *given: Any, **more: Any) -> Any:
        if keep in given:
            await memory.facts.set("identity", "home", "Bern")
        return await real(self, *given, **more)

    monkeypatch.setattr(driver, "write_in_turn", late)
    await say(memory, *SAID)
    assert [version.value for version in await memory.facts.history("identity", "home")] == ["Bern"]


async def test_a_long_message_is_news_by_its_last_words_too(home: Home) -> None:
    found = {"facts": [{"category": "home", "key": "city", "value": "Oslo"}], "notes": []}
    long = " ".join(f"word{number}" for number in range(60))
    async with home.memory(chat_model=ScriptedChat(found)) as memory:
        await memory.options.update(extractors=["facts"])
        await say(memory, *[{"role": "user", "content": text} for text in ("Hello.", "Yes.", "No.", "Hm.")])
        await memory.facts.set("home", "city", "Bern")
        await say(memory, {"role": "user", "content": f"{long}. By the way, I moved to Oslo today."})
        assert await values(memory) == ["Oslo"]
