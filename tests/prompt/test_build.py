"""The memory part of a prompt through the façade, on both databases."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink import AsyncBethink, InvalidInput, NotFound
from bethink.errors import StoreError
from bethink.recall.gather import AccessLog
from bethink.shapes.weaving import Shape
from bethink.store import units
from bethink.testing import FrozenClock
from bethink.text.fence import BOUNDARY
from tests import opened
from tests.opened import Home, WatchedEmbedder, unchecked
from tests.store.samples import NOW, unit

spaces_postgres_url = opened.spaces_postgres_url
home = opened.home
memory = opened.memory

FAMILY: dict[str, Any] = {
    "mode": "multi",
    "display_name": "The Smiths",
    "timezone": "Asia/Kathmandu",
    "persons": [
        {"display_name": "Tom", "role": "primary", "pronouns": "he/him"},
        {"display_name": "Sarah", "role": "spouse", "pronouns": "she/her"},
    ],
}


async def test_what_is_done_to_a_prompt_does_not_show_in_the_next(memory: AsyncBethink) -> None:
    await memory.household.update(**FAMILY)
    await memory.facts.set("preferences", "coffee_order", "Flat white")
    before = await memory.prompt("coffee")
    given = await memory.prompt("coffee")
    assert given.household is not None
    for person in given.household.persons:
        person.display_name = "Mallory"
        person.aliases.append("Mallory")
        person.voice_ids.append("Mallory")
    given.facts[0].value = "Mallory"
    given.facts[0].provenance.append("Mallory")
    after = await memory.prompt("coffee")
    assert (after.household, after.facts, after.stable) == (before.household, before.facts, before.stable)


@pytest.mark.parametrize("cached", [True, False])
async def test_a_query_is_embedded_once_and_without_the_names_of_people(home: Home, cached: bool) -> None:
    embedder = WatchedEmbedder()
    kept = {} if cached else {"embed": {"cache_size": 0}}
    async with home.memory(embedder, prompt={"recall": True}, **kept) as memory:
        await memory.household.update(**FAMILY)
        await memory.observe("s", [{"role": "user", "content": "I like jazz", "name": "Robert"}])
        await memory.settle()
        await memory.prompt("What does Sarah drink with Robert?")
    assert embedder.queries == ["What does drink with ?"]


async def test_a_greeting_that_recalls_nothing_is_not_embedded(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder) as memory:
        await memory.prompt("hello", first_turn=True)
    assert embedder.queries == []


async def test_a_prompt_as_data_as_text_and_for_a_provider(memory: AsyncBethink) -> None:
    tom, sarah = (await memory.household.update(**FAMILY)).persons
    await memory.texts.set_soul("You are Genie.")
    await memory.texts.set_narrative("They keep bees.")
    await memory.facts.set("preferences", "coffee_order", "Flat white", person_id=sarah.id)
    await memory.remember("Sarah is allergic to peanuts", person_id=sarah.id)
    with FrozenClock(datetime(2025, 3, 5, 8, 20, tzinfo=UTC)):
        prompt = await memory.prompt("my wife wants peanut cake", shape="anthropic")
    assert prompt.text == f"{prompt.stable}\n\n{BOUNDARY}\n\n{prompt.volatile}\n"
    assert prompt.stable.startswith("You are Genie.\n\n<bethink-memory>")
    for part in ("## Facts", "coffee_order (Sarah): Flat white", "- Tom (he/him)", "> They keep bees."):
        assert part in prompt.stable
    assert "## Now\nWednesday, 5 March 2025, 14:05 (Asia/Kathmandu, UTC+05:45)" in prompt.volatile
    assert "## Speaker\n- Tom (by what was said, medium confidence)" in prompt.volatile
    assert "## Relevant Memory" in prompt.volatile
    assert "Sarah: Sarah is allergic to peanuts" in prompt.volatile
    assert (prompt.soul, prompt.narrative) == ("You are Genie.", "They keep bees.")
    assert prompt.household is not None
    assert [person.id for person in prompt.household.persons] == [tom.id, sarah.id]
    assert [fact.value for fact in prompt.facts] == ["Flat white"]
    assert [hit.text for hit in prompt.memories] == ["Sarah is allergic to peanuts"]
    assert prompt.memories[0].person > 0, "what is known of whom the user speaks of ranks higher"
    assert prompt.body == prompt.shaped(
        "anthropic", [{"role": "user", "content": "my wife wants peanut cake"}]
    )
    assert (
        prompt.tokens.total == prompt.tokens.stable + prompt.tokens.volatile <= prompt.tokens.budget == 4000
    )


async def test_an_empty_space_has_only_the_time_to_tell(memory: AsyncBethink) -> None:
    prompt = await memory.prompt("hello")
    assert (prompt.stable, prompt.facts, prompt.memories) == ("", [], [])
    assert "## Now" in prompt.volatile
    assert "## Relevant Memory" not in prompt.volatile
    assert "You" not in prompt.text


# Switches


@pytest.mark.parametrize("shape", ["openai", "responses", "anthropic", "gemini"])
async def test_off_the_part_is_empty_and_the_conversation_untouched(home: Home, shape: Shape) -> None:
    talk = [{"role": "user", "content": "what is there to note?"}]
    async with home.memory(prompt={"enabled": False}) as memory:
        await memory.remember("A note")
        await memory.facts.set("a", "b", "c")
        off = await memory.prompt(messages=talk, shape=shape)
    async with home.memory() as memory:
        off_for_once = await memory.prompt(messages=talk, shape=shape, enabled=False)
        on = await memory.prompt(messages=talk, shape=shape)
    for prompt in (off, off_for_once):
        assert (prompt.enabled, prompt.stable, prompt.volatile, prompt.text) == (False, "", "", "")
        assert (prompt.facts, prompt.memories, prompt.tokens.total) == ([], [], 0)
        assert prompt.body is not None
        assert "bethink" not in repr(prompt.body)
    assert "A note" in on.text


async def test_with_recall_off_only_what_is_in_every_prompt_is_there(home: Home) -> None:
    async with home.memory(prompt={"recall": False}) as memory:
        await memory.remember("A note on peanuts")
        await memory.facts.set("a", "b", "c")
        prompt = await memory.prompt("peanuts")
    assert "- a:\n  - b: c" in prompt.stable
    assert "peanuts" not in prompt.text


async def test_guidelines_are_there_when_asked_for(home: Home) -> None:
    async with home.memory(prompt={"guidelines": True}) as memory:
        assert "## Using long-term memory" in (await memory.prompt("x")).stable
        assert "## Using long-term memory" not in (await memory.prompt("x", guidelines=False)).stable


# What is recalled


async def test_a_bare_greeting_at_the_beginning_recalls_nothing(memory: AsyncBethink) -> None:
    await memory.remember("Anna likes tea")
    hello = [{"role": "user", "content": "Hello!"}]
    assert (await memory.prompt(messages=hello)).memories == []
    later = [*hello, {"role": "assistant", "content": "Hi"}, {"role": "user", "content": "hey"}]
    assert len((await memory.prompt(messages=later)).memories) == 1
    assert len((await memory.prompt("hello", first_turn=False)).memories) == 1
    assert (await memory.prompt("hi")).memories == []
    assert len((await memory.prompt("hi", session_id="monday")).memories) == 1


async def test_when_nothing_matches_nothing_is_recalled(home: Home) -> None:
    async with home.memory(embed={"source": "none"}) as memory:
        for number in range(12):
            await memory.remember(f"Note number {number}")
        prompt = await memory.prompt("zebra")
        assert (prompt.engine, prompt.memories) == ("none", [])


async def test_what_the_conversation_already_says_is_not_recalled(home: Home) -> None:
    said = [
        {"role": "user", "content": "I had the boiler serviced in May"},
        {"role": "assistant", "content": "By whom?"},
        {"role": "user", "content": "what was that about the boiler?"},
    ]
    async with home.memory(prompt={"said_tokens": 0}) as memory:  # the stable half would tell both
        await memory.observe("now", said)
        await memory.observe("before", [{"role": "user", "content": "The boiler was new in 2019"}])
        await memory.settle()
        for options in ({"messages": said}, {"query": "the boiler", "session_id": "now"}):
            prompt = await memory.prompt(**options)
            assert [hit.text for hit in prompt.memories] == ["The boiler was new in 2019"]
        other = await memory.prompt("the boiler", session_id="another")
        assert "I had the boiler serviced in May" in [hit.text for hit in other.memories]


async def test_why_something_recalled_is_not_told_is_said_when_asked_for(
    memory: AsyncBethink,
) -> None:
    said = [{"role": "user", "content": "The boiler is loud today"}]
    await memory.observe("now", said)
    for content in ("The boiler is blue", "The boiler was new in 2019", "The boiler pin is 4711 9922"):
        await memory.remember(content, pinned="blue" in content)
    plain = await memory.prompt("the boiler", session_id="now", limit=1)
    assert plain.left_out.lines == []
    prompt = await memory.prompt("the boiler", session_id="now", limit=1, explain=True)
    assert prompt.volatile == plain.volatile
    reasons = {line.text: line.reason for line in prompt.left_out.lines}
    assert reasons["The boiler is loud today"] == "present"
    assert reasons["The boiler was new in 2019"] == "limit"
    assert not any("4711" in text for text in reasons)
    told = {hit.id for hit in prompt.memories}
    assert told.isdisjoint(line.id for line in prompt.left_out.lines)
    tight = await memory.prompt("the boiler", session_id="now", max_tokens=100, explain=True)
    assert {line.reason for line in tight.left_out.lines} <= {"present", "budget"}


async def test_facts_in_the_stable_half_are_not_recalled_again(memory: AsyncBethink) -> None:
    await memory.facts.set("home", "boiler", "new in 2019")
    await memory.remember("The boiler is loud")
    prompt = await memory.prompt("boiler")
    assert [hit.text for hit in prompt.memories] == ["The boiler is loud"]


async def test_what_is_recalled_is_counted_and_a_fact_in_every_prompt_is_not(memory: AsyncBethink) -> None:
    await memory.facts.set("home", "boiler", "new in 2019")
    note = await memory.remember("The boiler is loud")
    await memory.prompt("boiler")
    core, _ = await memory.inside.here()
    await core.part(AccessLog)._flush()
    assert (await memory.get(note.id)).access_count == 1
    fact = await memory.facts.get("home", "boiler")
    assert fact is not None
    assert fact.access_count == 0


async def test_facts_beyond_the_limit_are_found_by_recall(home: Home) -> None:
    async with home.memory(prompt={"facts": 5}) as memory:
        for number in range(12):
            await memory.facts.set("animals", f"pet_{number}", f"name{number}", confidence=40 + number * 5)
        prompt = await memory.prompt("who is name0?")
        assert sorted(fact.key for fact in prompt.facts) == ["pet_10", "pet_11", "pet_7", "pet_8", "pet_9"]
        assert prompt.left_out.facts == 7
        assert "animals / pet_0: name0" in [hit.text for hit in prompt.memories]
        shown = {fact.id for fact in prompt.facts}
        assert shown.isdisjoint(hit.id for hit in prompt.memories)


async def test_facts_that_end_are_gone_from_the_prompt(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.facts.set("trip", "to", "Rome", expires_at=clock.now + timedelta(days=1))
        await memory.facts.set("home", "city", "Milan")
        assert "Rome" in (await memory.prompt("x")).stable
        clock.advance(timedelta(days=2))
        assert "Rome" not in (await memory.prompt("x")).text
        await memory.facts.set("home", "city", "Turin")
        assert "city: Turin (since 2025-01-03; before: Milan)" in (await memory.prompt("x")).stable
        clock.advance(timedelta(days=15))
        stable = (await memory.prompt("x")).stable
        assert "city: Turin" in stable
        assert "Milan" not in stable


async def test_no_space_sees_another(memory: AsyncBethink) -> None:
    other = memory.space(f"{memory.name}-other")
    await other.texts.set_soul("Their soul")
    await other.texts.set_narrative("Their story")
    await other.facts.set("their", "fact", "theirs")
    await other.remember("Their note")
    await other.household.update(display_name="Their home", persons=[{"display_name": "Their name"}])
    prompt = await memory.prompt("note")
    assert "their" not in prompt.model_dump_json().casefold()


# Who and when


async def test_the_speaker_comes_from_the_device_the_voice_or_the_caller(memory: AsyncBethink) -> None:
    tom, sarah = (await memory.household.update(**FAMILY)).persons
    await memory.people.update(sarah.id, voice_ids=["v9"])
    await memory.devices.put("kitchen", name="Kitchen", primary_person_id=tom.id)
    for options, line in (
        ({"device": "kitchen"}, "- Tom (by device, high confidence)"),
        ({"device": "kitchen", "voice": "v9"}, "- Sarah (by voice, high confidence)"),
        ({"person": "sarah"}, "- Sarah (as the caller says, high confidence)"),
    ):
        assert line in (await memory.prompt("hello there", **unchecked(**options))).volatile
    assert "## Speaker" not in (await memory.prompt("hello there")).volatile
    with pytest.raises(NotFound, match="person"):
        await memory.prompt("x", person="Nobody")


async def test_the_time_follows_the_household_across_a_change_of_clocks(memory: AsyncBethink) -> None:
    await memory.household.update(timezone="America/New_York")
    with FrozenClock(datetime(2025, 3, 9, 6, 59, tzinfo=UTC)) as clock:
        note = "Clocks change tonight"
        await memory.remember(note)
        assert (
            "Sunday, 9 March 2025, 01:59 (America/New_York, UTC-05:00)" in (await memory.prompt("x")).volatile
        )
        clock.advance(timedelta(minutes=1))
        assert (
            "Sunday, 9 March 2025, 03:00 (America/New_York, UTC-04:00)" in (await memory.prompt("x")).volatile
        )
    with FrozenClock(datetime(2025, 3, 5, 18, 30, tzinfo=UTC)):
        await memory.remember("Said in the evening")
        assert f"- 2025-03-05: {'Said in the evening'}" in (await memory.prompt("evening")).volatile
        await memory.household.update(timezone="Asia/Kathmandu")
        prompt = await memory.prompt("evening")
        assert "Thursday, 6 March 2025, 00:15 (Asia/Kathmandu, UTC+05:45)" in prompt.volatile
        assert "- 2025-03-06: Said in the evening" in prompt.volatile


# Stability


async def test_the_stable_half_is_the_same_for_a_hundred_turns(home: Home) -> None:
    async with home.memory(prompt={"facts": 20}) as memory:
        await memory.household.update(**FAMILY)
        await memory.texts.set_soul("You are Genie.")
        for number in range(30):
            await memory.facts.set(f"c{number % 4}", f"k{number}", f"value {number}")
        first = (await memory.prompt("hello")).stable
        for turn in range(100):
            prompt = await memory.prompt(f"what about value {turn % 30}?", device=f"d{turn}")
            assert prompt.stable == first
            if turn % 10 == 0:
                await memory.remember(f"Note {turn}")
                await memory.observe("chat", [{"role": "user", "content": f"What time is it, {turn}?"}])
                core, _ = await memory.inside.here()
                await core.part(AccessLog)._flush()  # facts that were recalled count as used now
        shown = prompt.facts[0]
        await memory.facts.set(shown.category, shown.key, "another value")
        assert (await memory.prompt("hello")).stable != first
    async with home.memory(prompt={"facts": 20}) as again:
        assert (await again.prompt("hi")).stable == (await again.prompt("hello there")).stable


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_the_facts_and_turns_the_stable_half_changes_only_with_a_fact(data: st.DataObject) -> None:
    words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30).filter(
        str.strip
    )
    facts = data.draw(st.dictionaries(st.tuples(words, words), words, min_size=1, max_size=8))
    queries = data.draw(st.lists(words, min_size=1, max_size=10))

    async def talk() -> None:
        async with AsyncBethink(":memory:", embed={"source": "none"}) as memory:
            for (category, key), value in facts.items():
                await memory.facts.set(category, key, value)
            first = (await memory.prompt("hello")).stable
            for turn in range(100):
                query = queries[turn % len(queries)]
                assert (await memory.prompt(query)).stable == first
                if turn % 25 == 0:
                    await memory.remember(f"{query} {turn}")
            category, key = data.draw(st.sampled_from(list(facts)))
            await memory.facts.set(category, key, "quite another value")
            old, new = first.split("\n"), (await memory.prompt("hello")).stable.split("\n")
            changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
            assert len(changed) <= 1
            assert all(line.endswith(": quite another value") for _, line in changed)
            assert "quite another value" in "\n".join(new)

    asyncio.run(talk())


# Limits


async def test_the_budget_is_kept_and_reported(memory: AsyncBethink) -> None:
    await memory.texts.set_soul("Be kind. " * 200)
    for number in range(40):
        await memory.facts.set("facts", f"key {number}", "word " * 20)
        await memory.remember(f"Peanut note {number} " + "word " * 20)
    prompt = await memory.prompt("peanut", max_tokens=600)
    assert prompt.tokens.budget == 600
    assert prompt.tokens.total <= 700
    assert prompt.left_out.soul
    assert prompt.left_out.facts > 30
    assert prompt.left_out.memories > 0
    assert prompt.memories
    large = await memory.prompt("peanut", max_tokens=20_000, limit=20)
    assert (large.left_out.facts, large.left_out.memories, len(large.memories)) == (0, 0, 20)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"max_tokens": 1}, "max_tokens"),
        ({"limit": 0}, "limit"),
        ({"shape": "cohere"}, "shape"),
        ({"query": "x" * 20_001}, "query"),
        ({"query": "a\0b"}, "query"),
        ({"messages": "hello"}, "messages"),
        ({"colour": 1}, "colour"),
    ],
)
async def test_a_bad_request_names_its_field(
    memory: AsyncBethink, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await memory.prompt(**options)
    assert caught.value.field == field


async def test_a_long_message_in_the_conversation_is_no_error(memory: AsyncBethink) -> None:
    await memory.remember("Anna likes tea")
    prompt = await memory.prompt(messages=[{"role": "user", "content": "tea " * 20_000}])
    assert len(prompt.memories) == 1


async def test_what_was_asked_many_times_does_not_hide_what_answers_it(memory: AsyncBethink) -> None:
    """The question itself is in the conversation already, however often it was stored."""
    asked = "When is the boat to the island going?"
    for number in range(30):
        await memory.observe(f"day {number}", [{"role": "user", "content": asked}])
    await memory.remember("The boat to the island is going at nine")
    prompt = await memory.prompt(messages=[{"role": "user", "content": asked}])
    assert "The boat to the island is going at nine" in [hit.text for hit in prompt.memories]
    assert asked not in [hit.text for hit in prompt.memories]


async def test_what_was_said_twice_stands_in_a_prompt_once(memory: AsyncBethink) -> None:
    for session in ("monday", "tuesday", "friday"):
        await memory.observe(session, [{"role": "user", "content": "Which apple is good for a pie?"}])
        await memory.observe(session, [{"role": "assistant", "content": "Try a Bramley apple."}])
    await memory.settle()
    shown = (await memory.prompt("which apple for the pie did you name?")).volatile
    assert shown.count("Try a Bramley apple.") == 1
    assert "Which apple" not in shown, "what was asked is no memory"


async def test_what_is_dangerous_to_miss_never_waits_for_a_place(home: Home) -> None:
    async with home.memory(prompt={"facts": 3}) as memory:
        await memory.facts.set("health", "medication", "metformin", confidence=20)
        await memory.facts.set("health", "allergies", "peanuts", confidence=30)
        await memory.facts.set("answers", "tone", "formal", confidence=10)
        for number in range(6):
            await memory.facts.set("likes", f"thing{number}", "tea", confidence=100, promoted=True)
        prompt = await memory.prompt("hello there, what now?")
        assert [fact.value for fact in prompt.facts] == ["formal", "peanuts", "metformin"]
        assert prompt.stable.index("formal") < prompt.stable.index("peanuts")


async def _never(*_: Any, **__: Any) -> None:
    await asyncio.Event().wait()


async def _refused(*_: Any, **__: Any) -> None:
    raise StoreError("The index is away.")


@pytest.mark.parametrize(
    ("recall_for", "told"),
    [(_never, "recall took longer than 50 ms"), (_refused, "recall failed: The index is away.")],
)
async def test_without_recall_the_stable_half_stands_and_what_is_missing_is_said(
    memory: AsyncBethink, monkeypatch: pytest.MonkeyPatch, recall_for: Any, told: str
) -> None:
    await memory.household.update(**FAMILY)
    await memory.texts.set_soul("You are Bo, a calm otter.")
    await memory.facts.set("preferences", "coffee_order", "Flat white")
    await memory.remember("The coffee is in the drawer")
    whole = await memory.prompt("Where is the coffee?")
    monkeypatch.setattr("bethink.prompt.build.recall_for", recall_for)
    prompt = await memory.prompt("Where is the coffee?", recall_seconds=0.05)
    assert (prompt.stable, prompt.facts, prompt.household) == (whole.stable, whole.facts, whole.household)
    assert all(text in prompt.stable for text in ("calm otter", "Flat white", "Sarah"))
    assert (prompt.memories, prompt.engine) == ([], "none")
    assert prompt.degraded == [f"without recalled memories: {told}"]


async def test_the_settings_say_how_long_recall_may_take(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bethink.prompt.build.recall_for", _never)
    async with home.memory(prompt={"recall_seconds": 0.02}) as memory:
        prompt = await memory.prompt("Where is the coffee?")
    assert prompt.degraded == ["without recalled memories: recall took longer than 20 ms"]


async def test_what_was_said_instead_stands_beside_what_ended(memory: AsyncBethink) -> None:
    """Else the old value would stand alone. Of the same worth, what ended nothing waits to be asked for."""
    said = ["The choir meets on Tuesdays", "Thursdays it is, for the choir", "We had the Brahms again"]
    await memory.observe("s", [{"role": "user", "content": text} for text in said])
    await memory.settle()
    core, space = await memory.inside.here()
    old, new, other = (message.id for message in await memory.messages.of("s"))
    known: dict[str, Any] = {"last": 40, "slot": "schedule"}
    read = [
        unit(space, old, until=NOW, until_message=new, **known),
        *(unit(space, id_, worth=0.6, **known) for id_ in (new, other)),
    ]
    await core.driver.write(units.put, space.id, [old, new, other], read)
    await memory.facts.set("identity", "name", "Ann")  # what stands in every prompt is read anew
    stable = (await memory.prompt("hello there")).stable
    assert "schedule, earlier, 2024-05: The choir meets on Tuesdays" in stable
    assert "schedule, 2024-05: Thursdays it is" in stable
    assert "Brahms" not in stable
