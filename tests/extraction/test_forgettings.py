"""What somebody forgot stays forgotten when the messages that said it are read again."""

from __future__ import annotations

from typing import Any

from bethink import AsyncBethink
from bethink.memory import AsyncSpace
from bethink.testing import ScriptedChat
from tests import opened
from tests.opened import Home

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


async def say(space: AsyncBethink, *said: dict[str, Any], session: str = "chat") -> None:
    await space.observe(session, said)
    await space.settle()


async def contents(space: AsyncSpace) -> list[str]:
    return sorted(one.content for one in await space.list())


async def forget_all(space: AsyncSpace) -> None:
    await space.forget(*[one.id for one in await space.list()])
    for fact in await space.facts.list():
        await space.facts.forget(fact.category, fact.key)


THREE = [user("Hello there!", id="m1"), user("I prefer tea.", id="m2"), user("I live in Lisbon.", id="m3")]


async def test_an_edit_of_another_message_does_not_bring_it_back(memory: AsyncBethink) -> None:
    await say(memory, *THREE)
    await forget_all(memory)
    await say(memory, user("Good morning! I always walk to work.", id="m1"))
    assert await contents(memory) == ["I always walk to work"]
    assert await memory.facts.list() == []
    read = (await memory.extractions())[0]
    assert read.reason is not None
    assert "somebody forgot it" in read.reason
    assert read.counts["left_out"] >= 3
    assert read.counts["memories"] == 1


async def test_only_what_was_forgotten_is_left_out(memory: AsyncBethink) -> None:
    await say(memory, *THREE)
    (tea,) = [one for one in await memory.list() if "tea" in one.content]
    await memory.forget(tea.id)
    await say(memory, user("Good morning!", id="m1"))
    assert await contents(memory) == ["I live in Lisbon"]
    assert [fact.value for fact in await memory.facts.list()] == ["Lisbon"]


async def test_said_anew_it_is_remembered_anew(memory: AsyncBethink) -> None:
    await say(memory, *THREE)
    await forget_all(memory)
    await say(memory, user("I prefer tea.", id="m4"))
    assert await contents(memory) == ["I prefer tea"]
    await say(memory, user("I live in Lisbon, as I said.", id="m3"))
    assert any("Lisbon" in one for one in await contents(memory))
    assert [fact.value for fact in await memory.facts.list()] == ["Lisbon"]


async def test_another_value_in_its_place_is_news(memory: AsyncBethink) -> None:
    await say(memory, *THREE)
    await forget_all(memory)
    await say(memory, user("I live in Oslo.", id="m3"))
    assert await contents(memory) == ["I live in Oslo"]
    assert [fact.value for fact in await memory.facts.list()] == ["Oslo"]


async def test_neither_does_an_older_value_come_back(memory: AsyncBethink) -> None:
    await say(memory, *THREE)
    await say(memory, user("I live in Oslo.", id="m4"))
    await forget_all(memory)
    await say(memory, user("Good morning!", id="m1"))
    assert await contents(memory) == []
    assert await memory.facts.list() == []


async def test_nor_from_another_conversation_that_said_it_too(memory: AsyncBethink) -> None:
    await say(memory, *THREE)
    await say(memory, user("Hi!", id="n1"), user("I prefer tea.", id="n2"), session="other")
    await forget_all(memory)
    await say(memory, user("Hey!", id="n1"), session="other")
    assert await contents(memory) == []


async def test_undone_it_is_there_and_stays(memory: AsyncBethink) -> None:
    await say(memory, user("Hello there!", id="m1"), user("I prefer tea.", id="m2"))
    await forget_all(memory)
    (line,) = (await memory.journal(noun="memory", action="forgotten")).items
    await memory.undo(line.id)
    await say(memory, user("Good morning!", id="m1"))
    assert await contents(memory) == ["I prefer tea"]


async def test_what_is_withdrawn_nobody_forgot(memory: AsyncBethink) -> None:
    await say(memory, user("I prefer tea.", id="m1"))
    await memory.options.update(extractors=[])
    await memory.observe("later", [user("I prefer tea.", id="n1")])
    await say(memory, user("Never mind.", id="m1"))
    assert await contents(memory) == []
    (line,) = (await memory.journal(noun="memory", action="withdrawn")).items
    assert line.reason == "the message that said it was changed"
    await memory.options.reset()
    await memory.extract()
    assert await contents(memory) == ["I prefer tea"]
    await memory.forget(*[one.id for one in await memory.list()])
    assert (await memory.undo(line.id)).entry.action == "restored"


async def test_a_model_that_says_it_in_other_words_does_not_bring_it_back(home: Home) -> None:
    fact = {"category": "preferences", "key": "coffee_order", "value": "Oat milk latte", "turns": [1]}
    renamed = {"category": "drinks", "key": "usual", "value": "oat milk latte", "turns": [1]}
    first = {"facts": [fact], "notes": ["The user considers switching jobs in the second quarter."]}
    again = {
        "facts": [renamed],
        "notes": ["The user considers switching jobs in the second quarter of 2025."],
    }
    async with home.memory(chat_model=ScriptedChat(first, again)) as memory:
        await memory.options.update(extractors=["facts"])
        said = ["An oat milk latte, please.", "I may switch jobs in Q2.", "Yes.", "Right.", "Thanks a lot."]
        await say(memory, *[user(text, id=f"m{number}") for number, text in enumerate(said)])
        assert len(await memory.list()) == 2
        await forget_all(memory)
        await say(memory, user("Good, good.", id="m2"))
        assert not any("jobs" in one for one in await contents(memory))
        assert await memory.facts.list() == []


async def test_an_erasure_leaves_nothing_to_know_it_by(memory: AsyncBethink) -> None:
    await say(memory, user("Hello there!", id="m1"), user("I prefer tea with cardamom.", id="m2"))
    (tea,) = await memory.list()
    await memory.forget(tea.id)
    receipt = await memory.erase(query="cardamom")
    assert receipt.complete
    await say(memory, user("Good morning!", id="m1"))
    assert await contents(memory) == []
    assert not any("forgot" in (read.reason or "") for read in await memory.extractions())
