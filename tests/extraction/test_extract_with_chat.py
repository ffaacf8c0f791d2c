"""Conversations read by a chat model: what is asked, what is kept, what fails and is tried again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bethink.errors import ModelError
from bethink.testing import FrozenClock, ScriptedChat
from tests import opened
from tests.opened import Home

home = opened.home
spaces_postgres_url = opened.spaces_postgres_url

COFFEE = {"category": "preferences", "key": "coffee_order", "value": "Oat milk latte", "turns": [1]}
NOTE = "The user considers switching jobs in the second quarter."
GOOD = {"facts": [COFFEE], "notes": [NOTE]}


def five(first: str = "My usual is an oat milk latte, please.") -> list[dict[str, Any]]:
    rest = ["Sure!", "I may switch jobs in Q2.", "Tell me more.", "Later, maybe."]
    return [
        {"role": "user" if place % 2 == 0 else "assistant", "content": text}
        for place, text in enumerate([first, *rest])
    ]


async def test_every_five_messages_become_facts_and_notes(home: Home) -> None:
    chat = ScriptedChat(GOOD)
    async with home.memory(chat_model=chat) as memory:
        await memory.options.update(extractors=["facts"])
        await memory.observe("talk", five()[:4])
        await memory.settle()
        assert chat.asked == []
        await memory.observe("talk", five()[4:])
        await memory.settle()
        assert len(chat.asked) == 1
        assert "oat milk latte" in chat.prompts[0]
        (fact,) = await memory.facts.list()
        assert (fact.category, fact.key, fact.value) == ("preferences", "coffee_order", "Oat milk latte")
        assert {one.content for one in await memory.list()} == {"coffee order: Oat milk latte", NOTE}
        (read,) = await memory.extractions()
        assert (read.extractor, read.status, read.model) == ("facts", "ok", "scripted")


async def test_the_same_answer_again_stores_nothing_again(home: Home) -> None:
    async with home.memory(chat_model=ScriptedChat(GOOD)) as memory:
        await memory.options.update(extractors=["facts"])
        for session in ("one", "two", "three"):
            await memory.observe(session, five())
            await memory.settle()
        assert len(await memory.list()) == 2
        assert len(await memory.facts.list()) == 1


async def test_what_fails_is_seen_and_succeeds_later(home: Home) -> None:
    chat = ScriptedChat(ModelError("The host is down."), "no JSON", "still none", GOOD)
    async with home.memory(chat_model=chat) as memory:
        await memory.options.update(extractors=["facts"])
        await memory.observe("talk", five())
        await memory.settle()
        (failed,) = await memory.extractions()
        assert failed.status == "failed"
        assert failed.reason is not None
        assert "down" in failed.reason
        assert len(await memory.messages.of("talk")) == 5
        assert (await memory.extract()).retried == 0
        done = await memory.extract(retry=True)
        assert (done.retried, done.failed) == (1, 1)
        done = await memory.extract(retry=True)
        assert (done.retried, done.failed, done.stored) == (1, 0, 3)
        (read,) = await memory.extractions()
        assert (read.status, read.reason, read.attempts) == ("ok", None, 4)
        assert (await memory.extract(retry=True)).retried == 0


async def test_one_fact_sees_what_is_known_and_the_contexts(home: Home) -> None:
    chat = ScriptedChat("The user's dog is called Rex.", "NOTHING")
    async with home.memory(chat_model=chat) as memory:
        await memory.options.update(extractors=["one-fact"])
        await memory.remember("The user has a dog")
        given = await memory.contexts.add("CV", "A nurse in Porto")
        await memory.begin("talk", context_ids=[given.id])
        exchange = [{"content": "My dog Rex ate my shoe"}, {"role": "assistant", "content": "Oh no!"}]
        await memory.observe("talk", exchange)
        await memory.settle()
        assert "The user has a dog" in chat.prompts[0]
        assert "A nurse in Porto" in chat.prompts[0]
        await memory.observe("talk", [{"content": "Rex ate it all"}, {"role": "assistant", "content": "Oh!"}])
        await memory.settle()
        assert "The user's dog is called Rex." in chat.prompts[1]
        assert sorted(one.content for one in await memory.list()) == [
            "The user has a dog",
            "The user's dog is called Rex.",
        ]


async def test_a_rested_session_is_read_and_the_narrative_written(home: Home) -> None:
    rest = {"facts": [{"category": "work", "key": "job", "value": "nurse", "source": "user_explicit"}]}
    chat = ScriptedChat(rest, "You work as a nurse.")
    with FrozenClock() as clock:
        async with home.memory(chat_model=chat) as memory:
            await memory.options.update(extractors=["stale"])
            await memory.observe("talk", [{"content": "I have been a nurse for years."}])
            await memory.settle()
            assert chat.asked == []
            clock.advance(timedelta(minutes=31))
            await memory.extract()
            (fact,) = await memory.facts.list()
            assert (fact.value, fact.confidence) == ("nurse", 90)
            assert await memory.texts.narrative() == "You work as a nurse."
            assert "You work as a nurse." in (await memory.prompt("hello again")).stable


async def test_without_a_chat_model_the_choice_is_named_as_degraded(home: Home) -> None:
    async with home.memory() as memory:
        await memory.options.update(extractors=["patterns", "facts"])
        await memory.observe("talk", [{"content": "I live in Lisbon."}])
        await memory.settle()
        assert [one.content for one in await memory.list()] == ["I live in Lisbon"]
        assert any("facts" in problem for problem in (await memory.stats()).degraded)
        assert (await memory.extract()).unavailable == ["facts"]


async def test_a_server_that_starts_reads_what_was_left(lone_home: Home) -> None:
    async with lone_home.memory() as memory:
        await memory.options.update(extractors=[])
        await memory.observe("talk", [{"content": "I live in Lisbon."}])
        await memory.options.reset()
    async with lone_home.memory() as memory:
        await memory.catch_up()
        assert [one.content for one in await memory.list()] == ["I live in Lisbon"]


async def test_a_model_replaces_nobody_s_home_by_one_mention(home: Home) -> None:
    async with home.memory(
        chat_model=ScriptedChat(*(_home(t) for t in ("Lisbon", "Berlin", "Porto")))
    ) as memory:
        await memory.options.update(extractors=["facts"])
        for session, said in (
            ("one", "Remember that my home is Lisbon."),
            ("two", "Remember that my home is Berlin."),
        ):
            await memory.observe(session, [{"role": "user", "content": said}])
            await memory.settle()
        assert [fact.value for fact in await memory.facts.list()] == ["Lisbon"]
        assert {one.content for one in await memory.list()} == {"home: Lisbon", "home: Berlin"}
        (line,) = [line for line in (await memory.journal()).items if line.action == "held"]
        assert line.reason == "home stays Lisbon: one mention of Berlin, not said as a change"
        await memory.observe("three", [{"role": "user", "content": "Remember that I moved to Porto."}])
        await memory.settle()
        assert [fact.value for fact in await memory.facts.list()] == ["Porto"]


def _home(town: str) -> dict[str, Any]:
    return {"facts": [{"category": "identity", "key": "home", "value": town, "turns": [1]}], "notes": []}
