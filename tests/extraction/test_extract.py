"""Conversations become memories in the background, without a model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.memory import AsyncSpace
from tests import opened
from tests.opened import Home

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


async def contents(space: AsyncSpace) -> list[str]:
    return sorted(one.content for one in await space.list())


async def test_what_a_user_says_of_themselves_becomes_memories(memory: AsyncBethink) -> None:
    await memory.observe(
        "first",
        [
            user("Hi! I'm allergic to peanuts. I prefer TypeScript."),
            {"role": "assistant", "content": "Noted! I love Rust myself."},
            user("What is the weather?"),
            user("thanks"),
        ],
    )
    await memory.settle()
    assert await contents(memory) == ["I prefer TypeScript", "I'm allergic to peanuts"]
    (allergy,) = [one for one in await memory.list() if "peanuts" in one.content]
    first = (await memory.messages.of("first"))[0]
    assert (allergy.source, allergy.session_id, allergy.observed_at) == (
        "chat_extract",
        "first",
        first.sent_at,
    )
    assert allergy.source_ref["messages"] == [first.id]
    lines = (await memory.journal(record_id=allergy.id)).items
    assert [(line.action, line.actor) for line in lines] == [("stored", "extractor:patterns")]


async def test_what_somebody_is_stands_in_every_prompt_once(memory: AsyncBethink) -> None:
    await memory.observe("first", [user("I'm allergic to peanuts.")])
    await memory.settle()
    prompt = await memory.prompt("What can I eat for my allergic reaction?")
    assert "peanuts" in prompt.stable
    assert all(hit.layer != "memory" for hit in prompt.memories)


async def test_the_same_conversation_three_times_yields_the_memories_of_one(memory: AsyncBethink) -> None:
    said = [user("I live in Lisbon."), user("I always drink tea in the morning.")]
    for session in ("one", "two", "three"):
        await memory.observe(session, said)
        await memory.settle()
    assert await contents(memory) == ["I always drink tea in the morning", "I live in Lisbon"]
    (lisbon,) = [one for one in await memory.list() if "Lisbon" in one.content]
    assert len(lisbon.source_ref["messages"]) == 3


async def test_a_new_value_takes_the_place_of_the_old(memory: AsyncBethink) -> None:
    await memory.observe("one", [user("I live in Lisbon.")])
    await memory.settle()
    await memory.observe("two", [user("I live in Oslo now.")])
    await memory.settle()
    assert await contents(memory) == ["I live in Oslo now"]
    (fact,) = await memory.facts.list()
    versions = await memory.facts.history(fact.category, fact.key)
    assert [version.value for version in versions] == ["Oslo", "Lisbon"]


async def test_what_is_imported_late_does_not_replace_what_is_newer(memory: AsyncBethink) -> None:
    await memory.observe("new", [user("I live in Oslo.", sent_at="2025-05-01T10:00:00Z")])
    await memory.settle()
    await memory.observe("old", [user("I live in Lisbon.", sent_at="2019-05-01T10:00:00Z")])
    await memory.settle()
    assert await contents(memory) == ["I live in Oslo"]
    assert [fact.value for fact in await memory.facts.list()] == ["Oslo"]


async def test_two_people_say_the_same_of_themselves(memory: AsyncBethink) -> None:
    await memory.household.update(mode="multi")
    await memory.observe("chat", [user("I live in Oslo.", name="Ann"), user("I live in Rome.", name="Bo")])
    await memory.settle()
    assert {(one.title, one.content) for one in await memory.list()} == {
        ("Ann", "I live in Oslo"),
        ("Bo", "I live in Rome"),
    }


async def test_for_and_against_are_two_memories(memory: AsyncBethink) -> None:
    await memory.observe("a", [user("I like swimming in the sea.")])
    await memory.settle()
    await memory.observe("b", [user("I don't like swimming in the sea at night.")])
    await memory.settle()
    assert len(await memory.list()) == 2


async def test_an_edited_message_is_read_again(memory: AsyncBethink) -> None:
    await memory.observe("chat", [user("I live in Lisbon.", id="m1"), user("I prefer tea.", id="m2")])
    await memory.settle()
    await memory.observe("chat", [user("I live in Oslo.", id="m1")])
    await memory.settle()
    assert await contents(memory) == ["I live in Oslo", "I prefer tea"]
    await memory.observe("chat", [user("Never mind.", id="m1")])
    await memory.settle()
    assert await contents(memory) == ["I prefer tea"]
    assert await memory.facts.list() == []


async def test_secrets_are_never_stored_and_the_reading_says_why(memory: AsyncBethink) -> None:
    secret = "sk-proj-abcdEFGH1234ijklMNOP5678qrst"
    await memory.observe("chat", [user(f"Remember that my API key is {secret}")])
    await memory.settle()
    assert not [one for one in await memory.list() if secret in one.content]
    (read,) = await memory.extractions()
    assert read.reason is not None
    assert "key" in read.reason
    assert secret not in read.reason


async def test_text_that_memory_injected_is_not_what_the_user_said(memory: AsyncBethink) -> None:
    await memory.remember("The user loves opera")
    prompt = await memory.prompt("music")
    await memory.observe("chat", [user(f"{prompt.text}\n\nI prefer jazz.")])
    await memory.settle()
    assert await contents(memory) == ["I prefer jazz", "The user loves opera"]


async def test_nothing_is_read_where_no_extractor_is_chosen(memory: AsyncBethink) -> None:
    await memory.options.update(extractors=[])
    await memory.observe("chat", [user("I live in Lisbon.")])
    await memory.settle()
    assert await memory.list() == []
    await memory.options.reset()
    assert (await memory.extract()).stored == 2
    assert await contents(memory) == ["I live in Lisbon"]
    assert (await memory.extract()).sessions == 0


async def test_a_crash_before_reading_loses_nothing(home: Home) -> None:
    async with home.memory() as memory:
        await memory.options.update(extractors=[])
        await memory.observe("before", [user("I live in Lisbon.")])
        await memory.options.reset()
    async with home.memory() as memory:
        await memory.observe("after", [user("I prefer tea.")])
        await memory.settle()
        assert await contents(memory) == ["I live in Lisbon", "I prefer tea"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("我喜欢喝茶。", "我喜欢喝茶"),
        ("Soy alérgico a los cacahuetes.", "Soy alérgico a los cacahuetes"),
        ("Ich wohne in Köln.", "Ich wohne in Köln"),
        ("Je préfère le thé.", "Je préfère le thé"),
    ],
)
async def test_other_languages(memory: AsyncBethink, text: str, kept: str) -> None:
    await memory.observe("chat", [user(text)])
    await memory.settle()
    assert await contents(memory) == [kept]


async def test_two_processes_read_one_session_once(home: Home) -> None:
    rules: dict[str, Any] = {"extraction": {"worth": False}}
    async with home.memory(**rules) as one, home.memory(**rules) as two:
        for number, thing in enumerate(("bread", "tea", "roses", "stamps", "cheese", "batteries")):
            memory = (one, two)[number % 2]
            await memory.observe("chat", [user(f"I always buy {thing} on Mondays.")])
        await one.settle()
        await two.settle()
        await one.extract()
        assert len(await one.list()) == 6


async def test_recall_does_not_say_twice_what_a_short_message_says(memory: AsyncBethink) -> None:
    await memory.observe("chat", [user("I live in Lisbon, by the river.")])
    await memory.observe("long", [user("I'm allergic to peanuts. " + "And then it rained again. " * 40)])
    for number in range(8):
        await memory.remember(f"An unrelated note, number {number}")
    await memory.settle()
    assert sum("Lisbon" in hit.text for hit in (await memory.recall("Where in Lisbon?", limit=20)).hits) == 1
    found = (await memory.recall("allergic to peanuts", limit=20)).hits
    assert {hit.layer.value for hit in found if "peanuts" in hit.text} == {"message", "memory", "fact"}
    memories = (await memory.recall("Where in Lisbon?", layers=["memory"])).hits
    assert memories[0].text == "I live in Lisbon, by the river"


async def test_who_chose_to_go_without_vectors_is_not_warned_of_it_with_every_reading(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with AsyncBethink(":memory:", embed={"source": "none"}) as memory:
        await memory.observe("first", [user("I'm allergic to peanuts.")])
        await memory.observe("second", [user("I am allergic to peanuts!")])
        await memory.settle()
        assert len(await memory.list()) == 1
    assert not [line for line in caplog.records if line.levelname == "WARNING"], caplog.text


async def test_a_fact_holds_from_when_it_was_said(memory: AsyncBethink) -> None:
    """Also when it is read much later, as after an import."""
    said = {
        "I live in Lisbon.": "2024-03-01T10:00:00+00:00",
        "I moved to Porto.": "2025-06-01T10:00:00+00:00",
    }
    for text, at in said.items():
        await memory.observe("talk", [{"role": "user", "content": text, "sent_at": at}])
    await memory.settle()
    before, between, now = [
        await memory.facts.get("identity", "home", as_of=at) for at in ("2024-02-01", "2024-12-01", None)
    ]
    assert before is None
    assert between is not None
    assert (between.value, between.valid_to) == ("Lisbon", datetime(2025, 6, 1, 10, tzinfo=UTC))
    assert now is not None
    assert (now.value, now.valid_from) == ("Porto", datetime(2025, 6, 1, 10, tzinfo=UTC))
    assert "since" not in (await memory.prompt("where do I live?")).stable
