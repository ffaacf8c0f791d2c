"""Search messages: those that answer, and what old ones came to where they are too few."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bethink import AsyncBethink, InvalidInput, Layer
from bethink.shapes.outcomes import MessageResults
from bethink.testing import FrozenClock
from tests.opened import Home

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
OLD = ("The boiler is broken again.", "Ben calls the plumber for the boiler.", "The boiler costs 300 euros.")


async def fill(memory: AsyncBethink, clock: FrozenClock) -> None:
    """Three messages that become a summary, and two that stay as they are, the newer about something else."""
    await memory.observe("home", [{"content": line, "channel": "home"} for line in OLD])
    clock.advance(30 * DAY)
    await memory.upkeep.run("tiers")
    await memory.observe("chat", [{"content": "The boiler hums quietly now."}])
    clock.advance(DAY)
    await memory.observe("chat", [{"content": "We paint the hall green."}])
    await memory.settle()


def layers(found: MessageResults) -> list[Layer]:
    return [hit.layer for hit in found.hits]


async def test_summaries_come_too_where_few_messages_answer(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await fill(memory, clock)
        found = await memory.messages.search("boiler", limit=5)
        assert found.fallback
        assert layers(found) == [Layer.MESSAGE, Layer.SUMMARY], "newest first; the hall is no answer"
        assert [hit.observed_at for hit in found.hits] == [NOON + 30 * DAY, NOON]
        opened = await memory.summaries.messages(found.hits[1].id)
        assert [one.content for one in opened] == list(OLD)
        enough = await memory.messages.search("boiler", limit=5, least=1)
        assert not enough.fallback
        assert layers(enough) == [Layer.MESSAGE]
        assert layers(await memory.messages.search("boiler", least=0)) == [Layer.MESSAGE]
        assert layers(await memory.messages.search("boiler", limit=1)) == [Layer.MESSAGE], "it is as many"
        none = await memory.messages.search("giraffe")
        assert (none.hits, none.fallback, none.engine) == ([], True, "none")


async def test_without_a_summary_that_answers_the_best_comes_first(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        for line in ("The boiler pump in the cellar was replaced.", "The boiler is loud."):
            await memory.observe("home", [{"content": line}])
            clock.advance(DAY)
        await memory.settle()
        found = await memory.messages.search("boiler pump", limit=5)
        assert found.fallback
        assert found.hits[0].text.startswith("The boiler pump"), "though another is newer"
        assert len(found.hits) == 2


async def test_the_setting_says_how_few_are_too_few(home: Home) -> None:
    async with home.memory(recall={"least_messages": 1}) as memory:
        with FrozenClock(NOON) as clock:
            await fill(memory, clock)
            assert layers(await memory.messages.search("boiler")) == [Layer.MESSAGE]
            assert layers(await memory.messages.search("plumber")) == [Layer.SUMMARY]
            assert len((await memory.messages.search("boiler", least=2)).hits) == 2


async def test_a_time_may_be_all_that_is_asked(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await fill(memory, clock)
        found = await memory.messages.search("", since=NOON + DAY)
        assert [hit.text for hit in found.hits] == [
            "We paint the hall green.",
            "The boiler hums quietly now.",
        ]
        (then,) = (await memory.messages.search("", until=NOON + DAY)).hits
        assert then.layer is Layer.SUMMARY
        assert (await memory.messages.search("boiler", since=NOON + 40 * DAY)).hits == []
        assert (await memory.messages.search("boiler", until=NOON - DAY)).hits == []


async def test_a_summary_answers_for_a_time_that_ends_before_it_does(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        for line in OLD:
            await memory.observe("home", [{"content": line}])
            clock.advance(timedelta(hours=2))
        clock.advance(30 * DAY)
        await memory.upkeep.run("tiers")
        hour = timedelta(hours=1)
        (found,) = (await memory.messages.search("boiler", since=NOON - hour, until=NOON + hour)).hits
        assert found.layer is Layer.SUMMARY
        assert (await memory.messages.search("boiler", until=NOON - hour)).hits == []


async def test_conversations_choose_summaries_too(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await fill(memory, clock)
        assert layers(await memory.messages.search("boiler", session_ids=["home"])) == [Layer.SUMMARY]
        assert layers(await memory.messages.search("boiler", session_ids=["chat"])) == [Layer.MESSAGE]
        assert (await memory.messages.search("boiler", session_ids=[])).hits == []


async def test_without_vectors_words_decide(home: Home) -> None:
    async with home.memory(embed={"source": "none"}) as memory:
        with FrozenClock(NOON) as clock:
            await fill(memory, clock)
            await memory.observe("chat", [{"content": "锅炉又坏了 🔥"}])
            found = await memory.messages.search("boiler plumber")
            assert layers(found) == [Layer.MESSAGE, Layer.SUMMARY]
            assert found.degraded
            assert [hit.text for hit in (await memory.messages.search("锅炉坏了")).hits] == ["锅炉又坏了 🔥"]


async def test_how_like_a_message_must_be_is_a_setting(home: Home) -> None:
    query = "the plumber Ben the hall the euros we call"  # shares less than half of its words with each
    for least, some in ((0.99, False), (0.05, True)):
        async with home.memory(similarity={"messages": least}) as memory:
            if not some:
                await memory.observe("chat", [{"content": "We paint the hall green."}])
            assert bool((await memory.messages.search(query, least=0)).hits) == some


async def test_what_is_found_counts_as_used(home: Home) -> None:
    async with home.memory() as memory:
        await memory.observe("chat", [{"content": "The boiler hums."}])
        (hit,) = (await memory.messages.search("boiler hums")).hits
    async with home.memory() as memory:
        assert (await memory.messages.get(hit.id)).access_count == 1


async def test_a_search_of_nobody_and_for_too_many_is_refused(memory: AsyncBethink) -> None:
    assert (await memory.messages.search("boiler", person_ids=["nobody"])).hits == []
    with pytest.raises(InvalidInput, match="limit"):
        await memory.messages.search("boiler", limit=0)
    with pytest.raises(InvalidInput, match="since"):
        await memory.messages.search("boiler", since="when?")
