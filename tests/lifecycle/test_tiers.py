from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink, Layer, NotFound
from bethink.memory import AsyncSpace
from bethink.records import Message, Summary
from bethink.testing import FrozenClock, ScriptedChat
from tests.opened import Home, add_person, texts

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
LINES = ("The boiler is broken.", "Ben calls the plumber.", "It costs 300 euros.", "We paint the hall green.")


async def say(space: AsyncSpace, lines: Sequence[str] = LINES, session: str = "home", **fields: Any) -> None:
    await space.observe(session, [{"content": line, **fields} for line in lines])


async def held(space: AsyncSpace) -> tuple[list[Message], list[Summary]]:
    found = (await space.messages.list(limit=1000, original=True)).items
    return found, (await space.summaries.list(limit=1000)).items


async def due_now(space: AsyncSpace) -> int | None:
    return next(one.due for one in await space.upkeep.list() if one.name == "tiers")


def plain(found: tuple[list[Message], list[Summary]]) -> list[dict[str, Any]]:
    """What a state of the tiers is, but for when it was reached."""
    passing = {"archived_at", "created_at", "updated_at", "access_count", "last_access_at"}
    messages, summaries = found
    said = [one.model_dump(exclude=passing) | {"archived": bool(one.archived_at)} for one in messages]
    return said + [one.model_dump(exclude=passing) for one in summaries]


async def test_old_messages_become_a_summary_that_opens_to_them(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await say(memory, name="Ana")
        await memory.settle()  # what was read in them decides what the summary says
        assert (await memory.upkeep.run("tiers")).counts == {}, "they are fresh"
        clock.advance(8 * DAY)
        due = await memory.upkeep.run("tiers", dry_run=True)
        assert due.counts == {"archived": 4, "summaries": 1}
        assert await due_now(memory) == 4
        assert (await memory.summaries.list()).total == 0, "a dry run changes nothing"
        run = await memory.upkeep.run("tiers")
        assert (run.status, run.counts) == ("done", due.counts)
        (summary,) = (await memory.summaries.list(tiers=["L1"])).items
        assert (summary.summary_tier, summary.source_tier, summary.message_count) == ("L1", "short", 4)
        assert (summary.start_at, summary.end_at) == (NOON, NOON)
        assert summary.dimensions == {"platform": "chat", "channel": None, "contact": None, "botId": None}
        opened = await memory.summaries.messages(summary.id)
        assert [one.content for one in opened] == list(LINES)
        assert {one.summary_id for one in opened} == {summary.id}
        await memory.settle()
        hits = (await memory.recall("who calls the plumber?", limit=9)).hits
        assert [hit.layer for hit in hits if "plumber" in hit.text] == [Layer.SUMMARY]
        prompt = await memory.prompt("who calls the plumber?")
        assert "Ben calls the plumber." in prompt.text
        assert (await memory.upkeep.run("tiers")).counts == {}
        assert await due_now(memory) == 0
    with pytest.raises(NotFound, match="no summary"):
        await memory.summaries.get("ms_0")


async def test_what_matters_stays_and_moves_through_the_tiers(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await say(memory)
        await say(memory, ["Our safe is behind the green door."], pinned=True)
        await say(memory, ["Two mails", "too few to summarise"], "post", platform="mail")
        clock.advance(8 * DAY)
        counts = (await memory.upkeep.run("tiers")).counts
        assert counts == {"archived": 4, "moved": 3, "summaries": 1}
        assert await memory.messages.count(tiers=["mid"]) == 3
        clock.advance(100 * DAY)
        assert (await memory.upkeep.run("tiers")).counts == {"merged": 1, "moved": 3}
        clock.advance(1000 * DAY)
        assert (await memory.upkeep.run("tiers")).counts == {"merged": 1}
        assert (await memory.upkeep.run("tiers")).counts == {}
        assert await memory.messages.count(tiers=["long"], archived=False) == 3
        await memory.settle()
        found = await memory.recall("where is the safe?", layers=[Layer.MESSAGE], limit=1)
        assert texts(found) == ["Our safe is behind the green door."]


async def test_every_tier_has_its_summaries(home: Home) -> None:
    """Each is judged when it is old enough: here by a threshold that only the first days pass."""
    slow = {"short_threshold": 0.3, "mid_threshold": 0.1, "long_threshold": 0.3, "long_window_days": 7}
    async with home.memory(lifecycle=slow) as memory:
        with FrozenClock(NOON) as clock:
            await say(memory)
            for days, tier, level in ((8, "mid", None), (90, "long", None), (400, "long", "L3")):
                clock.advance(days * DAY)
                await memory.upkeep.run("tiers")
                assert {one.tier for one in (await memory.messages.list()).items} == {tier}
                found = (await memory.summaries.list()).items
                assert [one.summary_tier for one in found] == ([level] if level else [])
            (summary,) = found
            assert summary.source_tier == "long"
    async with home.memory(lifecycle={"short_threshold": 0.3}) as memory:
        with FrozenClock(NOON) as clock:
            await say(memory, session="later")
            clock.advance(8 * DAY)
            await memory.upkeep.run("tiers")
            clock.advance(100 * DAY)
            await memory.upkeep.run("tiers")
            assert (await memory.summaries.list(tiers=["L2"])).total == 1


async def test_a_summary_of_what_was_erased_goes_and_the_rest_is_summarised_anew(
    memory: AsyncBethink,
) -> None:
    with FrozenClock(NOON) as clock:
        await say(memory)
        clock.advance(8 * DAY)
        await memory.upkeep.run("tiers")
        (before,) = (await memory.summaries.list()).items
        receipt = await memory.erase(query="plumber")
        assert (receipt.complete, receipt.erased["summaries"], receipt.erased["messages"]) == (True, 1, 1)
        left = (await memory.messages.list(archived=False)).items
        assert len(left) == 3
        await memory.settle()
        assert len((await memory.recall("boiler euros hall", layers=["message"], limit=9)).hits) == 3
        await memory.upkeep.run("tiers")
        (after,) = (await memory.summaries.list()).items
        assert (after.id != before.id, after.message_count) == (True, 3)
        assert "plumber" not in after.model_dump_json()


@pytest.mark.parametrize("how", ["forgotten", "edited", "attributed"])
async def test_a_summary_goes_when_a_message_of_it_changes(memory: AsyncBethink, how: str) -> None:
    with FrozenClock(NOON) as clock:
        ids = [{"content": line, "id": f"x{place}"} for place, line in enumerate(LINES)]
        await memory.observe("home", ids)
        clock.advance(8 * DAY)
        await memory.upkeep.run("tiers")
        first = (await memory.messages.of("home"))[1]
        if how == "forgotten":
            await memory.messages.forget(first.id)
        elif how == "edited":
            await memory.observe("home", [{"content": "Ann calls the painter.", "id": "x1"}])
        else:
            await memory.messages.update(first.id, name="Ann")
        assert (await memory.summaries.list()).items == []
        assert await memory.messages.count(archived=False) == (3 if how == "forgotten" else 4)
        await memory.upkeep.run("tiers")
        (summary,) = (await memory.summaries.list()).items
        assert ("plumber" in summary.summary_text) is (how == "attributed")


async def test_what_somebody_asked_to_forget_is_in_no_summary(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await say(memory, [*LINES, "My sister broke up with the baker Tom."])
        await memory.settle()
        clock.advance(8 * DAY)
        await memory.upkeep.run("tiers")
        assert "baker" in (await memory.summaries.list()).items[0].summary_text
        await say(memory, ["Please forget what I said about my sister and the baker Tom."], "later")
        await memory.settle()
        assert all("baker" not in one.model_dump_json() for one in (await memory.summaries.list()).items)
        await memory.upkeep.run("tiers")
        await memory.settle()
        (summary,) = (await memory.summaries.list()).items
        assert "baker" not in summary.model_dump_json()
        assert all("baker Tom" not in hit.text or (hit.layer == "message" and "forget" in hit.text)
                   for hit in (await memory.recall("the baker", limit=50)).hits)  # fmt: skip


async def test_a_chat_model_writes_it_where_there_is_one(home: Home) -> None:
    model = ScriptedChat("Ana's boiler broke; the repair cost 300 euros.")
    async with home.memory(chat_model=model) as memory:
        await memory.options.update(extractors=["patterns"])
        with FrozenClock(NOON) as clock:
            await say(memory, name="Ana")
            clock.advance(8 * DAY)
            await memory.upkeep.run("tiers")
            (summary,) = (await memory.summaries.list()).items
    assert summary.model == "scripted"
    told = "2026-03-02 · chat · Ana (4): Ana's boiler broke; the repair cost 300 euros."
    assert summary.summary_text == told
    assert "The boiler is broken." in model.prompts[-1]


async def test_summaries_travel_with_their_messages_and_go_with_a_person(
    memory: AsyncBethink, tmp_path: Path
) -> None:
    with FrozenClock(NOON) as clock:
        ana = await add_person(memory, "Ana")
        await say(memory, name="Ana", person_id=ana)
        clock.advance(8 * DAY)
        await memory.upkeep.run("tiers")
        (summary,) = (await memory.summaries.list(person_ids=[ana])).items
        await memory.export(tmp_path / "all.jsonl")
        copy = memory.space(f"{memory.name}-copy")
        await copy.import_(tmp_path / "all.jsonl")
        (copied,) = (await copy.summaries.list()).items
        assert copied.summary_text == summary.summary_text
        assert [one.content for one in await copy.summaries.messages(copied.id)] == list(LINES)
        await memory.erase(person_id=ana)
        assert (await memory.summaries.list()).items == []
        assert len((await copy.summaries.list()).items) == 1


async def test_what_came_with_a_high_importance_stays_word_for_word(home: Home) -> None:
    async with home.memory() as memory:
        with FrozenClock(NOON) as clock:
            await say(memory)
            await say(memory, ["The blood group of Ana is rare."], importance=0.9)
            clock.advance(500 * DAY)
            assert (await memory.upkeep.run("tiers")).counts["archived"] == 4
            await memory.upkeep.run("tiers")
            (kept,) = (await memory.messages.list(archived=False)).items
            assert (kept.content, kept.tier) == ("The blood group of Ana is rare.", "long")


async def test_summaries_of_days_become_one_of_their_week_then_of_their_month(memory: AsyncBethink) -> None:
    with FrozenClock(NOON + 14 * DAY) as clock:
        for day in range(14):
            await say(
                memory, [f"Day {day}: the {what} is late." for what in ("bus", "train", "post")], name="Ana"
            )
            clock.advance(DAY)
        await say(memory, ["One mail", "Two mails", "Three mails"], "post", platform="mail")
        await memory.settle()
        clock.advance(10 * DAY)
        await memory.upkeep.run("tiers")
        assert (await memory.summaries.list(tiers=["L1"])).total == 15
        clock.advance(90 * DAY)
        due = (await memory.upkeep.run("tiers", dry_run=True)).counts
        assert await due_now(memory) == 15
        run = (await memory.upkeep.run("tiers")).counts
        assert run == due == {"merged": 15, "summaries": 2}
        weeks = (await memory.summaries.list(tiers=["L2"])).items
        assert sorted(one.message_count for one in weeks) == [3, 21, 21]
        assert (await memory.summaries.list()).total == 3
        first = min((one for one in weeks if one.message_count > 3), key=lambda one: one.start_at)
        opened = await memory.summaries.messages(first.id)
        assert [one.content for one in opened][:3] == [
            f"Day 0: the {what} is late." for what in ("bus", "train", "post")
        ]
        assert {one.summary_id for one in opened} == {first.id}
        await memory.settle()
        hits = (await memory.recall("Day 3: is the bus late?", layers=[Layer.SUMMARY], limit=9)).hits
        assert first.id in {hit.id for hit in hits}
        assert len(hits) == 3
        clock.advance(400 * DAY)
        counts = (await memory.upkeep.run("tiers")).counts
        assert counts["merged"] == 3
        assert (await memory.upkeep.run("tiers")).counts == {}
        months = (await memory.summaries.list()).items
        assert {one.summary_tier for one in months} == {"L3"}
        assert sorted(one.message_count for one in months) == [3, 42]
        await memory.messages.forget(opened[0].id)
        assert (await memory.summaries.list()).total == 1, "the others are summarised anew"
        assert await memory.messages.count(archived=False) == 41
        assert (await memory.upkeep.run("tiers")).counts["archived"] == 39, "two of a day are too few"
        assert (await memory.index.status()).astray == {}


async def test_summaries_whose_messages_were_purged_stay_as_they_are(home: Home) -> None:
    async with home.memory(lifecycle={"purge_days": 1}) as memory:
        with FrozenClock(NOON) as clock:
            for day in range(2):
                await say(memory, [f"{line} {day}" for line in LINES])
                clock.advance(DAY)
            clock.advance(10 * DAY)
            await memory.upkeep.run("tiers")
            before = (await memory.summaries.list()).items
            clock.advance(100 * DAY)
            assert (await memory.upkeep.run("purge")).counts["messages"] > 0
            assert (await memory.upkeep.run("tiers")).counts == {"merged": 2}
            after = (await memory.summaries.list(tiers=["L2"])).items
            assert [one.summary_text for one in after] == [one.summary_text for one in before]
