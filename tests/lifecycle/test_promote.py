"""What comes up again and again becomes a fact; what somebody deleted or corrected does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.lifecycle.clusters import cluster, in_slot, in_words, sources
from bethink.memory import AsyncSpace
from bethink.records import Memory
from bethink.testing import FrozenClock, ScriptedChat
from tests.lifecycle.test_compact import memory_of
from tests.opened import Home, add_person

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SAME = ("We always take the blue tram to work!", "We always take the blue tram to work.",
        "we always take the blue tram to work…")  # fmt: skip


def test_a_conversation_counts_once_a_day() -> None:
    note = memory_of("x")
    assert sources(note, {}) == {("m000", NOON.date())}
    assert sources(memory_of("x", session_id="s"), {}) == {("s", NOON.date())}


def test_people_and_opposites_are_in_no_cluster() -> None:
    seed = memory_of("I like tea", 1, person_id="ana")
    said = (
        ("I don't like tea", "ana"),
        ("I like tea", "ben"),
        ("I like 2 teas", "ana"),
        ("I like tea.", "ana"),
    )
    others = [memory_of(text, number, person_id=person) for number, (text, person) in enumerate(said, 2)]
    assert [one.id for one in cluster(seed, others)] == ["m001", "m005"]


def test_slots_decide_key_and_value_and_else_the_newest_words() -> None:
    said = in_slot([memory_of("I live in Lisbon."), memory_of("I live in Lisbon now.", 1)])
    assert said
    assert (said.category, said.key, said.value) == ("identity", "home", "Lisbon")
    trams = [
        memory_of("Tram is blue", category="travel"),
        memory_of("The tram is blue", 1, category="travel"),
    ]
    assert in_slot(trams) is None
    said = in_words(trams)
    assert (said.category, said.key, said.value) == ("travel", "the_tram_is_blue", "The tram is blue")


async def say(
    space: AsyncSpace, clock: FrozenClock, lines: tuple[str, ...] = SAME, **fields: Any
) -> list[Memory]:
    found = []
    for line in lines:
        clock.advance(DAY)
        found.append((await space.remember(line, **fields)).memory)
    await space.inside.here()
    return found


async def promoted(space: AsyncSpace) -> list[str]:
    return [fact.value for fact in await space.facts.list(promoted=True)]


async def test_three_sources_make_a_fact_that_names_them(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        known = await say(memory, clock, SAME[:2])
        await memory.settle()
        assert (await memory.upkeep.run("promote")).counts == {}, "two are too few"
        known += await say(memory, clock, SAME[2:])
        await memory.settle()
        run = await memory.upkeep.run("promote")
        assert run.counts == {"promoted": 3, "facts": 1}
        (fact,) = await memory.facts.list(promoted=True)
        assert (fact.value, fact.source, fact.provenance) == (SAME[2], "promotion", [one.id for one in known])
        members = [await memory.get(one.id) for one in known]
        assert all(one.promoted and one.source_ref["fact"] == fact.id for one in members)
        assert SAME[2] in await memory.texts.memory_file()
        assert (await memory.upkeep.run("promote")).counts == {}, "twice changes nothing"
        await say(memory, clock, ("We always take the blue tram to work",))
        await memory.settle()
        assert (await memory.upkeep.run("promote")).counts == {"promoted": 1}
        assert await promoted(memory) == [SAME[2]]
        assert (await memory.erase(fact_ids=[fact.id])).complete


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (
            ['{"category": "Habits", "key": "Way to work", "value": "the blue tram"}'],
            ("habits", "way_to_work", "the blue tram"),
        ),
        (
            ['{"category": "pets", "key": "cat", "value": "Mimi, three years"}', "no idea"],
            ("notes", "we_always_take_the_blue_tram_to_work", SAME[2]),
        ),
    ],
)
async def test_a_chat_model_names_what_no_slot_knows_if_it_says_what_was_said(
    home: Home, answers: list[str], told: tuple[str, str, str]
) -> None:
    model = ScriptedChat(*answers)
    async with home.memory(chat_model=model) as memory:
        await memory.options.update(extractors=["patterns"])
        with FrozenClock(NOON) as clock:
            await say(memory, clock)
            await memory.settle()
            assert (await memory.upkeep.run("promote")).counts == {"promoted": 3, "facts": 1}
            (fact,) = await memory.facts.list(promoted=True)
    assert (fact.category, fact.key, fact.value) == told
    assert SAME[0] in model.prompts[0]


@pytest.mark.parametrize("how", ["deleted", "corrected"])
async def test_what_somebody_deleted_or_corrected_is_not_promoted_again(
    memory: AsyncBethink, how: str
) -> None:
    with FrozenClock(NOON) as clock:
        await say(memory, clock)
        await memory.settle()
        await memory.upkeep.run("promote")
        (fact,) = await memory.facts.list(promoted=True)
        if how == "deleted":
            await memory.facts.forget(fact.category, fact.key)
        else:
            await memory.facts.set(fact.category, fact.key, "They take the red bus.")
        before = await promoted(memory)
        await say(memory, clock, ("We always take the blue tram to work",))
        await memory.settle()
        assert (await memory.upkeep.run("promote")).counts == {}
        assert await promoted(memory) == before


async def test_one_conversation_on_one_day_is_one_source(memory: AsyncBethink) -> None:
    with FrozenClock(NOON):
        for line in SAME:
            await memory.remember(line, session_id="chat")
        await memory.settle()
        assert (await memory.upkeep.run("promote")).counts == {}


async def test_people_are_never_mixed(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        ana = await add_person(memory, "Ana")
        await say(memory, clock, SAME[:2], person_id=ana)
        await say(memory, clock, SAME[2:])
        await memory.settle()
        assert (await memory.upkeep.run("promote")).counts == {}


async def test_without_vectors_it_is_off(home: Home) -> None:
    async with home.memory(embed={"source": "none"}) as memory:
        sweep = next(one for one in await memory.upkeep.list() if one.name == "promote")
        assert not sweep.enabled
        assert (await memory.upkeep.run("promote")).status == "done"


@pytest.mark.parametrize("written", [5, "text", [{}, None], {"a": 1}])
async def test_whatever_is_said_of_its_sources_a_memory_stops_no_sweep(
    memory: AsyncBethink, written: Any
) -> None:
    (told,) = (await memory.observe("chat", [{"content": "The tram is late again."}])).outcomes
    for line in SAME:
        await memory.remember(line, session_id="chat", source_ref={"messages": written})
    assert (await memory.upkeep.run("promote")).status == "done"
    await memory.messages.forget(told.id)
    assert len(await memory.list()) == len({one.content for one in await memory.list()})
