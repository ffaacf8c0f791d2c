from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink import AsyncBethink, InvalidInput, Layer, NotFound
from bethink.clock import new_id
from bethink.testing import FrozenClock
from tests.opened import add_person, texts

DAY = timedelta(days=1)


async def test_a_fact_is_set_and_read(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        outcome = await memory.facts.set(
            "preference", "hot_drink", "tea", source="chat", confidence=80, source_context="at breakfast",
            provenance=["m1"],
        )  # fmt: skip
        assert (outcome.status, outcome.previous, outcome.reason) == ("stored", None, None)
        assert outcome.fact.valid_from == outcome.fact.last_verified_at == clock.now
    fact = await memory.facts.get("preference", "hot_drink")
    assert fact == outcome.fact
    assert (fact.value, fact.source, fact.confidence, fact.valid_to) == ("tea", "chat", 80, None)
    assert (fact.source_context, fact.provenance) == ("at breakfast", ["m1"])


async def test_a_fact_is_as_sure_as_its_source_unless_it_is_said_how_sure(memory: AsyncBethink) -> None:
    sources = ("tool_call", "auto_discovery", "user_explicit", "web", "guess", "conversation")
    sure = {
        source: (await memory.facts.set("a", source, "b", source=source)).fact.confidence
        for source in sources
    }
    assert sure == dict(zip(sources, (95, 95, 90, 50, 30, 70), strict=True))
    assert (await memory.facts.set("a", "b", "c")).fact.confidence == 90
    assert (await memory.facts.set("a", "b", "d", source="web", confidence=12)).fact.confidence == 12


async def test_there_is_no_fact_where_none_was_set(memory: AsyncBethink) -> None:
    await memory.facts.set("a", "b", "c")
    assert await memory.facts.get("a", "x") is None
    assert await memory.facts.get("x", "b") is None
    assert await memory.facts.history("a", "x") == []


async def test_a_new_value_closes_the_one_before_and_tells_what_it_was(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        first = await memory.facts.set("home", "city", "Rome")
        clock.advance(DAY)
        second = await memory.facts.set("home", "city", "Milan")
        changed_at = clock.now
    assert (second.status, second.reason) == ("merged", "the value was 'Rome'")
    assert second.previous == first.fact
    assert second.id != first.id
    current, old = await memory.facts.history("home", "city")
    assert (current.value, current.valid_to, current.superseded_by) == ("Milan", None, None)
    assert (old.value, old.valid_to, old.superseded_by) == ("Rome", changed_at, second.id)
    assert await memory.facts.get("home", "city") == current


async def test_the_same_value_again_only_verifies_it(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        first = await memory.facts.set("home", "city", "Rome", confidence=60)
        clock.advance(DAY)
        again = await memory.facts.set("home", "city", "Rome", confidence=50)
        assert (again.status, again.id) == ("duplicate", first.id)
        assert again.fact.last_verified_at == clock.now
        better = await memory.facts.set("home", "city", "Rome", confidence=95)
    assert (again.fact.confidence, better.fact.confidence) == (60, 95)
    assert [fact.confidence for fact in await memory.facts.history("home", "city")] == [95]


async def test_recall_finds_the_current_value_and_as_of_then_the_old_one(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.facts.set("home", "city", "Rome")
        in_rome = clock.now + DAY
        clock.advance(2 * DAY)
        await memory.facts.set("home", "city", "Milan")
        in_milan = clock.now
        clock.advance(2 * DAY)
        assert texts(await memory.recall("home city")) == ["home / city: Milan"]
        assert texts(await memory.recall("home city", as_of=in_rome)) == ["home / city: Rome"]
        assert texts(await memory.recall("home city", as_of=in_milan)) == ["home / city: Milan"]
        assert texts(await memory.recall("home city", as_of=in_rome - 2 * DAY)) == []


async def test_a_forgotten_fact_is_gone_but_its_history_stays(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.facts.set("home", "city", "Rome")
        clock.advance(DAY)
        gone = await memory.facts.forget("home", "city")
        assert (gone.value, gone.valid_to) == ("Rome", clock.now)
        assert await memory.facts.get("home", "city") is None
        assert (await memory.recall("home city")).hits == []
        assert [fact.value for fact in await memory.facts.history("home", "city")] == ["Rome"]
        assert texts(await memory.recall("home city", as_of=clock.now - DAY / 2)) == ["home / city: Rome"]
        with pytest.raises(NotFound, match="no current fact home/city"):
            await memory.facts.forget("home", "city")
        assert (await memory.facts.set("home", "city", "Rome")).status == "stored"


async def test_a_fact_is_not_current_after_its_time(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.facts.set("desk", "number", "4711", expires_at=clock.now + DAY)
        assert await memory.facts.get("desk", "number") is not None
        clock.advance(DAY)
        assert await memory.facts.get("desk", "number") is None
        assert await memory.facts.list() == []
        assert (await memory.recall("desk number")).hits == []
        assert [fact.value for fact in await memory.facts.history("desk", "number")] == ["4711"]
        assert (await memory.facts.set("desk", "number", "4711")).status == "merged"
        assert await memory.facts.get("desk", "number") is not None


async def test_a_fact_that_ran_out_does_not_answer_for_the_time_after_it(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.facts.set("desk", "number", "4711", expires_at=clock.now + DAY)
        clock.advance(3 * DAY)
        await memory.facts.set("desk", "number", "1234")
        assert (await memory.recall("desk number", as_of=clock.now - DAY)).hits == []
        assert texts(await memory.recall("desk number", as_of=clock.now - 2.5 * DAY)) == [
            "desk / number: 4711"
        ]


async def test_the_same_value_with_a_new_end_has_the_new_end(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.facts.set("desk", "number", "4711", expires_at=clock.now + DAY)
        later = clock.now + 3 * DAY
        await memory.facts.set("desk", "number", "4711", expires_at=later)
        clock.advance(2 * DAY)
        fact = await memory.facts.get("desk", "number")
        assert fact is not None
        assert fact.expires_at == later
        assert texts(await memory.recall("desk number")) == ["desk / number: 4711"]


async def test_facts_of_a_person_are_apart(memory: AsyncBethink) -> None:
    ann = await add_person(memory, "Ann")
    await memory.facts.set("home", "city", "Rome")
    await memory.facts.set("home", "city", "Oslo", person_id=ann)
    ours, hers = await memory.facts.get("home", "city"), await memory.facts.get("home", "city", person_id=ann)
    assert ours is not None
    assert hers is not None
    assert (ours.value, hers.value) == ("Rome", "Oslo")
    assert len(await memory.facts.history("home", "city", person_id=ann)) == 1
    await memory.facts.forget("home", "city", person_id=ann)
    assert await memory.facts.get("home", "city") == ours
    with pytest.raises(InvalidInput, match="person_id"):
        await memory.facts.set("home", "city", "Bern", person_id="nobody")


async def test_current_facts_are_listed_by_category_and_key(memory: AsyncBethink) -> None:
    ann = await add_person(memory, "Ann")
    for category, key, value in [("b", "x", "1"), ("a", "y", "2"), ("a", "x", "3"), ("a", "x", "4")]:
        await memory.facts.set(category, key, value)
    await memory.facts.set("a", "x", "5", person_id=ann)
    listed = [(fact.category, fact.key, fact.value) for fact in await memory.facts.list()]
    assert listed == [("a", "x", "4"), ("a", "x", "5"), ("a", "y", "2"), ("b", "x", "1")]
    assert [fact.value for fact in await memory.facts.list(category="b")] == ["1"]
    assert [fact.value for fact in await memory.facts.list(person_id=ann)] == ["5"]
    assert len(await memory.facts.list(limit=2)) == 2


@pytest.mark.parametrize(
    ("key", "other"),
    [("ключ", "клич"), ("钥匙", "锁匙"), ("a_b", "aXb"), ("50%", "50"), ("Key", "key"), ("é", "e")],
)
async def test_keys_in_any_script_are_different_keys(memory: AsyncBethink, key: str, other: str) -> None:
    await memory.facts.set("c", key, "one")
    await memory.facts.set("c", other, "two")
    one, two = await memory.facts.get("c", key), await memory.facts.get("c", other)
    assert one is not None
    assert two is not None
    assert (one.value, two.value) == ("one", "two")


@pytest.mark.parametrize(
    ("category", "key", "value", "field"),
    [
        ("", "k", "v", "category"),
        ("c", "", "v", "key"),
        ("c", "k", "", "value"),
        ("c", "k" * 501, "v", "key"),
    ],
)
async def test_a_fact_needs_a_category_a_key_and_a_value(
    memory: AsyncBethink, category: str, key: str, value: str, field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await memory.facts.set(category, key, value)
    assert caught.value.field == field


async def test_facts_are_a_layer_of_recall(memory: AsyncBethink) -> None:
    await memory.facts.set("home", "city", "Rome")
    await memory.remember("Rome is the city")
    hits = (await memory.recall("city", layers=["fact"])).hits
    assert [(hit.layer, hit.text) for hit in hits] == [(Layer.FACT, "home / city: Rome")]


async def test_a_clock_that_goes_back_gives_no_fact_an_end_before_its_beginning(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.facts.set("home", "city", "Rome")
        clock.advance(-DAY)
        await memory.facts.set("home", "city", "Milan")
        assert [fact.value for fact in await memory.facts.list()] == ["Milan"]
        assert [fact.value for fact in await memory.facts.history("home", "city")] == ["Milan", "Rome"]
        clock.advance(-DAY)
        dropped = await memory.facts.forget("home", "city")
        assert dropped.valid_to == clock.now
        clock.advance(-DAY)
        line = (await memory.journal(action="forgotten", limit=1)).items[0]
        await memory.undo(line.id)
        assert [fact.value for fact in await memory.facts.list()] == ["Milan"]
    history = await memory.facts.history("home", "city")
    assert len(history) == 3
    assert all(fact.valid_to is None or fact.valid_from <= fact.valid_to for fact in history)
    assert all(hit.text != "Rome" for hit in (await memory.recall("Which city is home?")).hits)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(-1000, 1000), st.sampled_from(["a", "b", None])), max_size=6))
async def test_no_clock_makes_a_fact_end_before_it_began(
    memory: AsyncBethink, steps: list[tuple[int, str | None]]
) -> None:
    key = new_id()
    with FrozenClock() as clock:
        for seconds, value in steps:
            clock.advance(timedelta(seconds=seconds))
            if value:
                await memory.facts.set("any", key, value)
            elif await memory.facts.get("any", key):
                await memory.facts.forget("any", key)
    for fact in await memory.facts.history("any", key):
        assert fact.valid_to is None or fact.valid_from <= fact.valid_to
