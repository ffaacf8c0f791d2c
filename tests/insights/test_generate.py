"""Insights out of the channels of a memory: by rules and by a chat model, once each, closed by messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.channels import writers
from bench.insights import insights_of, score

from bethink import AsyncBethink, InvalidInput, ModelError
from bethink.memory import AsyncSpace
from bethink.models.weights import MODELS, InFolder
from bethink.shapes.insights import Insight
from bethink.testing import FrozenClock, HashEmbedder, ScriptedChat
from tests.opened import Home

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
async def memory(home: Home) -> AsyncIterator[AsyncBethink]:
    async with home.memory(embedder=HashEmbedder()) as opened:
        yield opened


async def say(space: AsyncSpace, *texts: str, channel: str = "#dev", session: str = "dev") -> list[str]:
    drafts: list[Any] = [
        {"role": "contact", "name": name, "content": text, "channel": channel, "platform": "slack"}
        for name, text in (text.split(": ", 1) for text in texts)
    ]
    return [one.id for one in (await space.observe(session, drafts)).outcomes]


async def all_of(space: AsyncSpace) -> list[Insight]:
    return [one.insight for one in (await space.insights.list()).items]


async def test_a_channel_becomes_insights_that_messages_extend_and_close(memory: AsyncBethink) -> None:
    asked, _, done = await say(
        memory, "Ana: Ben, can you book the hall for the party?", "Ben: will do", "Ben: The hall is booked"
    )
    assert (await memory.upkeep.run("insights", dry_run=True)).counts == {"messages": 3}
    run = await memory.insights.generate()
    assert (run.status, run.done, run.counts) == ("done", 3, {"stored": 1, "closed": 1})
    (found,) = await all_of(memory)
    assert (found.kind, found.status, found.closed_by, found.closed_because) == (
        "task",
        "closed",
        done,
        "done",
    )
    assert (found.provenance, found.people, found.channels) == ([asked, done], ["Ana", "Ben"], ["#dev"])
    assert (await memory.insights.generate()).done == 0, "what was read is not read again"


async def test_later_messages_are_evidence_of_what_is_open_in_their_channel(memory: AsyncBethink) -> None:
    await say(memory, "Ana: Bug: the invoice export loses the last line")
    await memory.insights.generate()
    await say(memory, "Ben: the invoice export still loses the last line")
    await say(memory, "Eve: Bug: the invoice export loses the last line", channel="#sales", session="other")
    await memory.insights.generate()
    found = {one.channels[0]: one for one in await all_of(memory)}
    assert [len(found[name].provenance) for name in ("#dev", "#sales")] == [2, 1]
    assert [line["event"] for line in found["#dev"].timeline] == ["opened", "evidence"]


async def test_a_channel_read_in_pieces_becomes_what_it_becomes_read_at_once(home: Home) -> None:
    said = [
        "Ana: Ben, can you book the hall for the party?", "Ben: will do",
        "Eve: The heating has stopped working", "Ben: The hall is booked",
        "Ana: Morning all", "Eve: The heating works again",
    ]  # fmt: skip
    async with home.memory(embedder=HashEmbedder()) as memory:
        await say(memory.space("whole"), *said)
        await memory.space("whole").insights.generate()
        for line in said:
            await say(memory.space("pieces"), line)
            await memory.space("pieces").insights.generate()
        whole, pieces = [
            sorted((one.title, one.kind, one.status) for one in await all_of(memory.space(name)))
            for name in ("whole", "pieces")
        ]
    assert whole == pieces
    assert [status for _, _, status in whole] == ["closed", "closed"]


@pytest.mark.parametrize("damaged", [b"PK nothing of the kind", None])
async def test_without_the_learned_heads_the_rules_read_channels(
    memory: AsyncBethink, damaged: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if damaged is not None:
        (tmp_path / "heads.npz").write_bytes(damaged)
    monkeypatch.setitem(MODELS, "insight", replace(MODELS["insight"], where=InFolder(tmp_path)))
    await say(memory, "Ana: Ben, can you book the hall for the party?", "Ben: The hall is booked")
    await memory.insights.generate()
    assert [(one.kind, one.status) for one in await all_of(memory)] == [("task", "closed")]


async def test_the_title_is_the_sentence_that_says_it(memory: AsyncBethink) -> None:
    text = "Good morning all. Ben, can you please book the hall for the party?"
    await say(memory, f"Ana: {text}")
    await memory.insights.generate()
    assert [(one.title, one.description) for one in await all_of(memory)] == [
        ("Ben, can you please book the hall for the party?", text)
    ]


async def test_chats_without_a_channel_and_assistants_make_no_insights(memory: AsyncBethink) -> None:
    await memory.observe("chat", [{"content": "Please order paper"}])
    await memory.observe("bot", [{"role": "assistant", "content": "We decided it", "channel": "#dev"}])
    await memory.insights.generate()
    assert await all_of(memory) == []


async def test_options_raise_people_and_topics_mute_channels_and_switch_it_off(memory: AsyncBethink) -> None:
    await memory.options.update(insight_people=["Zoe"], insight_topics=["paper"], muted_channels=["#fun"])
    await say(memory, "Ana: Please order paper", "Ana: Please call the plumber about the sink")
    await say(memory, "Ana: Please bring cake", channel="#fun", session="fun")
    await memory.insights.generate()
    assert {one.title: one.importance for one in await all_of(memory)} == {
        "Please order paper": "high", "Please call the plumber about the sink": "medium"
    }  # fmt: skip
    await memory.options.update(insights="off")
    await say(memory, "Ana: Please water the plants")
    sweeps = {one.name: one for one in await memory.upkeep.list()}
    assert not sweeps["insights"].enabled


async def test_meetings_whose_time_has_passed_close_by_themselves(memory: AsyncBethink) -> None:
    with FrozenClock(NOW) as clock:
        await memory.observe(
            "dev", [{"name": "Ana", "content": "Budget meeting today at 15:00", "channel": "#dev"}]
        )
        await memory.insights.generate()
        assert (await all_of(memory))[0].status == "open"
        clock.now = NOW.replace(hour=19)
        await memory.insights.generate()
        (over,) = await all_of(memory)
    assert (over.closed_because, over.closed_by) == ("past", None)


ANSWER = {
    "insights": [
        {
            "kind": "decision",
            "title": "Move to Porto",
            "messages": [1],
            "importance": "high",
            "people": ["Ana"],
        },
        {"kind": "question", "title": "Who books the van?", "messages": [2, 9]},
        {"kind": "task", "title": "Nothing says so", "messages": [7]},
    ],
    "closed": [{"insight": 2, "message": 3, "because": "answered"}, {"insight": 8, "message": 1}],
}


SMALL = """<think>Let me see. {"insights": 3}</think>Sure! Here is what I found:
```json
{"insights": [
  {"kind": "Decision", "title": "Move to Porto", "messages": "[1]", "importance": "urgent",
   "people": "Ana, Ben"},
  {"kind": "gossip", "title": "What is this?", "messages": [1]},
  {"kind": "Open question", "title": "Who books the van?", "messages": ["2"], "due": null, "same_as": "none"}
], "closed": [{"insight": "3", "message": "[3]", "because": "answered"}, {"insight": 2, "message": 1}]}
```
Anything else?"""


async def test_what_small_models_write_is_understood(home: Home) -> None:
    chat = ScriptedChat(SMALL)
    async with home.memory(embed={"source": "none"}, chat_model=chat) as memory:
        ids = await say(memory, "Ana: We will move to Porto", "Ana: who books the van?", "Ben: I did")
        assert (await memory.insights.generate()).counts == {"stored": 2, "closed": 1}
        found = {one.title: one for one in await all_of(memory)}
        assert found["Move to Porto"].importance == "critical"
        assert found["Move to Porto"].people == ["Ana", "Ben"]
        assert (found["Who books the van?"].kind, found["Who books the van?"].closed_by) == (
            "question",
            ids[2],
        )
    assert len(chat.asked) == 1


@pytest.mark.parametrize(
    "broken", ["I cannot help with that.", '{"answer": 1}', '{"insights": [{"kind": 1}]}']
)
async def test_an_answer_of_no_use_is_mended_once_then_told_of(
    home: Home, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with home.memory(embed={"source": "none"}, chat_model=ScriptedChat(broken, ANSWER)) as memory:
        await say(memory, "Ana: We will move to Porto", "Ana: who books the van?", "Ben: I did")
        assert (await memory.insights.generate()).counts == {"stored": 2, "closed": 1}
    async with home.memory(embed={"source": "none"}, chat_model=ScriptedChat(broken, broken)) as memory:
        space = memory.space(f"{memory.name}-again")
        await say(space, "Ana: Please order paper")
        run = await space.insights.generate()
        assert run.counts == {"model_failed": 1, "stored": 1}
    assert "did not tell what goes on" in caplog.text


async def test_recalling_an_insight_is_a_view_and_old_views_go(home: Home) -> None:
    with FrozenClock(NOW) as time:
        async with home.memory(embed={"source": "none"}) as memory:
            made = await memory.insights.add("Renew the lease", kind="task")
            for _ in range(3):
                assert (await memory.recall("lease")).hits
        async with home.memory(embed={"source": "none"}) as memory:  # what was recalled is counted by now
            assert (await memory.insights.get(made.id)).weights.access_count_7d == 1, "of one moment"
            time.advance(timedelta(days=45))
            await memory.insights.view(made.id)
            before = (await memory.insights.get(made.id)).weights
            assert (await memory.insights.generate()).counts == {"old_views": 1}
            assert (await memory.insights.get(made.id)).weights == before
            assert (await memory.insights.generate()).counts == {}


async def test_a_chat_model_lists_insights_and_the_rules_go_on_without_it(home: Home) -> None:
    chat = ScriptedChat(ANSWER)
    texts = ("Ana: We will move to Porto", "Ana: who books the van?", "Ben: I did")
    async with home.memory(embed={"source": "none"}, chat_model=chat) as memory:
        ids = await say(memory, *texts)
        await memory.insights.generate()
        found = {one.title: one for one in await all_of(memory)}
        assert found.keys() == {"Move to Porto", "Who books the van?"}
        assert found["Move to Porto"].importance == "high"
        assert found["Who books the van?"].closed_by == ids[2]
        assert "[1] " in chat.prompts[-1]
        assert "We will move to Porto" in chat.prompts[-1]
        await memory.options.update(insights="rules")
        asked = len(chat.asked)
        await say(memory, "Ana: Please order paper")
        await memory.insights.generate()
        assert len(chat.asked) == asked
    async with home.memory(embed={"source": "none"}, chat_model=ScriptedChat(ModelError("down"))) as memory:
        space = memory.space(f"{memory.name}-down")
        await say(space, "Ana: Please order paper")
        run = await space.insights.generate()
        assert run.counts == {"model_failed": 1, "stored": 1}


async def test_the_digest_tells_what_was_decided_is_due_waits_and_changed(memory: AsyncBethink) -> None:
    with FrozenClock(NOW):
        await say(
            memory, "Ana: We decided to repaint the hall", "Ben: Please order paint by tomorrow",
            "Eve: Who has the ladder?", "Ana: Our new contact at the shop is Mr Wu",
        )  # fmt: skip
        await memory.insights.generate()
        await memory.facts.set("home", "city", "Porto")
        told = await memory.digest(days=7)
    assert told.markdown == (
        "# The last 7 days\n\n"
        "## Decided\n- We decided to repaint the hall (#dev)\n\n"
        "## Due\n- Please order paint by tomorrow (#dev) – due 2026-03-03\n\n"
        "## Waiting for an answer\n- Who has the ladder? (#dev)\n\n"
        "## Changed about people\n- Our new contact at the shop is Mr Wu (#dev)\n- Home: city is Porto\n"
    )
    empty = await memory.space(f"{memory.name}-empty").digest(days=1)
    assert empty.markdown.startswith("# The last day\n\nNothing")


async def test_the_digest_says_whom_a_change_is_about(memory: AsyncBethink) -> None:
    space = memory.space(f"{memory.name}-house")
    await space.household.update(mode="multi", persons=[{"display_name": "Zoë"}, {"display_name": "Ben"}])
    await space.facts.set("identity", "zoë_birthday", "17 May")
    await space.facts.set("home", "wifi_name", "Casa da Ponte")
    told = (await space.digest()).markdown
    assert "- Zoë: birthday is 17 May\n" in told
    assert "- Home: wifi name is Casa da Ponte\n" in told


async def test_the_digest_stands_in_prompts_when_it_is_asked_for(memory: AsyncBethink) -> None:
    await memory.insights.add("Repaint the hall", kind="decision")
    assert "Repaint" not in (await memory.prompt(limit=1)).volatile
    await memory.options.update(prompt_digest_days=7)
    told = (await memory.prompt(limit=1)).volatile
    assert "## Decided" in told
    assert "- Repaint the hall" in told


async def test_tidy_channels_that_nobody_tuned_on_are_read_well() -> None:
    """Of the author of the rules; what independent writers make of it is measured by `bench.insights`."""
    assert sum(len(one.said) for one in writers()) >= 200
    tidy = [one for one in writers() if one.name in ("harriet", "wiebke")]
    assert [one.held_out for one in tidy] == [True, True]
    for writer in tidy:
        found = score(writer, *await insights_of(writer, embed={"source": "none"}))
        assert found.right >= 0.8 * found.found
        assert found.met >= 0.6 * found.expected
        assert found.twins == 0
        assert found.by_right >= 0.8 * found.ends


@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Auckland"])
async def test_messages_from_the_first_and_the_last_day_there_is_stop_nothing(
    memory: AsyncBethink, zone: str
) -> None:
    """Whoever may post a message may date it so."""
    await memory.household.update(timezone=zone)
    for at in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)):
        late = {"role": "contact", "content": "Ben, can you pay the rent tomorrow?", "channel": "#dev"}
        for offset in ("-12:00", "+12:00"):
            sent = at.replace(tzinfo=None).isoformat() + offset
            with suppress(InvalidInput):  # the moment is not in any year
                await memory.observe(f"{at.year}", [late | {"name": "Ana", "sent_at": sent}])
        await memory.insights.add(f"Pay the rent of {at.year}", kind="task", due_at=at)
    assert (await memory.insights.generate()).status == "done"
    assert "Pay the rent of 1 –" in (await memory.digest(7)).markdown
