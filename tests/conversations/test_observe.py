from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bethink import AsyncBethink, Conflict, InvalidInput, Layer
from bethink.shapes.inputs import MessageDraft
from bethink.store import journal
from bethink.testing import FrozenClock
from tests.opened import Home, WatchedEmbedder, add_person, texts

HOUR = timedelta(hours=1)


def turn(content: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


async def said(memory: AsyncBethink, session: str = "chat") -> list[str]:
    return [message.content for message in await memory.messages.of(session)]


async def test_messages_are_kept_as_they_came_and_in_order(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        seen = await memory.observe(
            "chat", [turn("one"), {"role": "assistant", "content": "two"}, MessageDraft(content="three")]
        )
        assert seen.session_id == "chat"
        assert [outcome.status for outcome in seen.outcomes] == ["stored"] * 3
        await memory.observe("chat", [turn("four")])
        messages = await memory.messages.of("chat")
        assert all(message.sent_at == message.created_at == clock.now for message in messages)
    assert [(message.content, message.role, message.position) for message in messages] == [
        ("one", "user", 1), ("two", "assistant", 2), ("three", "user", 3), ("four", "user", 4),
    ]  # fmt: skip
    assert [message.id for message in messages[:3]] == [outcome.id for outcome in seen.outcomes]


async def test_every_field_of_a_message_is_kept(memory: AsyncBethink) -> None:
    ann = await add_person(memory, "Ann")
    fields: dict[str, Any] = {
        "name": "Ann", "platform": "mail", "channel": "inbox", "contact": "ann@example.org", "bot_id": "b",
        "person_id": ann, "attachments": [{"name": "map.png", "size": 3}], "metadata": {"a": [1]},
        "importance": 0.5, "pinned": True,
    }  # fmt: skip
    await memory.observe("chat", [turn("See you", id="x1", **fields)])
    kept = (await memory.messages.of("chat"))[0]
    assert kept.model_dump(include=set(fields)) == fields
    assert kept.external_id == "x1"


@pytest.mark.parametrize(
    ("sent", "offset"),
    [
        ("2024-03-05T23:30:00+02:00", 120),
        ("2024-03-05T16:00:00-05:30", -330),
        ("2024-03-05T21:30:00Z", 0),
        (datetime.fromisoformat("2024-03-05T23:30:00+02:00"), 120),
        (datetime(2024, 3, 5, 21, 30), 0),
    ],
)
async def test_the_time_is_utc_and_the_senders_offset_is_kept(
    memory: AsyncBethink, sent: str | datetime, offset: int
) -> None:
    await memory.observe("chat", [turn("x", sent_at=sent), turn("y", sentAt=sent)])
    for message in await memory.messages.of("chat"):
        assert message.sent_at == datetime(2024, 3, 5, 21, 30, tzinfo=UTC)
        assert message.sent_offset == offset


async def test_a_message_is_found_by_the_day_it_was_where_it_was_sent(memory: AsyncBethink) -> None:
    for day in range(10, 18):
        await memory.observe("chat", [turn("walked", sent_at=f"2024-03-{day}T12:00:00Z")])
    await memory.observe("chat", [turn("swam", sent_at="2024-03-06T00:30:00+02:00")])
    assert texts(await memory.recall("6 March 2024"))[0] == "swam"


async def test_a_message_with_an_id_is_taken_in_once(memory: AsyncBethink) -> None:
    first = await memory.observe("chat", [turn("one", id="1"), turn("two", id="2")])
    again = await memory.observe("chat", [turn("one", id="1"), turn("two", id="2"), turn("three", id="3")])
    assert [outcome.status for outcome in again.outcomes] == ["duplicate", "duplicate", "stored"]
    assert [outcome.id for outcome in again.outcomes[:2]] == [outcome.id for outcome in first.outcomes]
    assert again.outcomes[0].reason == "the id '1' was known"
    assert await said(memory) == ["one", "two", "three"]


async def test_an_id_is_known_on_its_platform_only(memory: AsyncBethink) -> None:
    await memory.observe("chat", [turn("one", id="1", platform="a"), turn("two", id="1", platform="b")])
    assert await said(memory) == ["one", "two"]


async def test_the_same_id_twice_in_one_call_is_one_message(memory: AsyncBethink) -> None:
    seen = await memory.observe("chat", [turn("one", id="1"), turn("one", id="1")])
    assert [outcome.status for outcome in seen.outcomes] == ["stored", "duplicate"]
    assert await said(memory) == ["one"]


async def test_an_edit_takes_the_place_of_the_text_and_is_found(memory: AsyncBethink) -> None:
    filler = [turn(f"Filler number {number}", sent_at=f"2024-03-{number + 1:02}") for number in range(8)]
    await memory.observe("chat", [turn("The bike is scarlet", id="1", metadata={"a": 1}), *filler])
    await memory.recall("scarlet")
    edit = turn("The bike is turquoise", id="1", metadata={"b": 2})
    seen = await memory.observe("chat", [edit])
    assert seen.outcomes[0].status == "merged"
    assert seen.outcomes[0].reason == "the text of a known message was replaced"
    kept = (await memory.messages.of("chat"))[0]
    assert (kept.content, kept.position, kept.metadata) == ("The bike is turquoise", 1, {"a": 1, "b": 2})
    assert texts(await memory.recall("turquoise"))[0] == "The bike is turquoise"
    assert all(hit.terms is None for hit in (await memory.recall("scarlet")).hits)
    core, space = await memory.inside.here()
    note = (await core.driver.read(journal.newest, space.id, limit=1))[0]
    assert (note.action, note.noun) == ("edited", "message")
    assert note.before == {"content": "The bike is scarlet", "attachments": [], "metadata": {"a": 1}}


async def test_the_last_of_several_edits_in_one_call_counts(memory: AsyncBethink) -> None:
    await memory.observe("chat", [turn("one", id="1")])
    seen = await memory.observe("chat", [turn("two", id="1"), turn("one", id="1")])
    assert [outcome.status for outcome in seen.outcomes] == ["merged", "merged"]
    assert await said(memory) == ["one"]
    new = await memory.observe(
        "chat", [turn("a", id="2"), turn("b", id="2"), turn("c", id="2", metadata={"n": 1})]
    )
    assert [outcome.status for outcome in new.outcomes] == ["stored", "merged", "merged"]
    assert await said(memory) == ["one", "c"]
    assert (await memory.messages.of("chat"))[1].metadata == {"n": 1}


async def test_an_edited_turn_is_the_new_context_of_those_around_it(memory: AsyncBethink) -> None:
    await memory.observe("chat", [turn("Where is the piano?", id="1"), turn("In the attic")])
    await memory.observe("chat", [turn("Where is the accordion?", id="1")])
    assert terms_of(await memory.recall("accordion")) == {"Where is the accordion?", "In the attic"}
    assert terms_of(await memory.recall("piano")) == set()


async def test_an_id_of_another_session_is_a_conflict_and_nothing_is_stored(memory: AsyncBethink) -> None:
    await memory.observe("chat", [turn("one", id="1")])
    with pytest.raises(Conflict, match="'1' of platform 'chat' already belongs to session 'chat'") as caught:
        await memory.observe("other", [turn("new"), turn("one", id="1")])
    assert caught.value.field == "messages.id"
    assert await said(memory, "other") == []


def terms_of(result: Any) -> set[str]:
    """The texts that the words of the query found."""
    return {hit.text for hit in result.hits if hit.terms is not None}


async def test_a_turn_is_found_by_the_words_of_the_turns_around_it(memory: AsyncBethink) -> None:
    turns = ["Hello", "How was it?", "Where is the piano now?", "In the attic", "I see", "Good night"]
    await memory.observe("chat", [turn(text) for text in turns])
    found = (await memory.recall("piano")).hits
    assert found[0].text == "Where is the piano now?"
    assert terms_of(await memory.recall("piano")) == set(turns[:5])


async def test_a_later_turn_is_context_of_the_ones_before_it_though_it_came_in_another_call(
    memory: AsyncBethink,
) -> None:
    await memory.observe("chat", [turn("Where is it?")])
    await memory.observe("chat", [turn("The piano is in the attic")])
    assert terms_of(await memory.recall("piano")) == {"Where is it?", "The piano is in the attic"}


async def test_neither_a_long_silence_nor_another_session_is_context(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.observe("chat", [turn("The piano is in the attic")])
        await memory.observe("other", [turn("Good morning")])
        clock.advance(7 * HOUR)
        await memory.observe("chat", [turn("Good evening")])
        assert terms_of(await memory.recall("piano")) == {"The piano is in the attic"}


async def test_a_new_turn_does_not_embed_its_neighbours_again(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder, embed={"cache_size": 0}) as memory:
        for number in range(4):
            await memory.observe("chat", [turn(f"turn {number}", name="Ann")])
            await memory.settle()
    assert embedder.documents == [f"Ann: turn {number}" for number in range(4)]


async def test_messages_are_a_layer_of_recall_with_their_session(memory: AsyncBethink) -> None:
    await memory.observe("one", [turn("The piano is in the attic")])
    await memory.observe("two", [turn("The piano is for sale")])
    hits = (await memory.recall("piano", session_ids=["two"])).hits
    assert [(hit.layer, hit.text) for hit in hits] == [(Layer.MESSAGE, "The piano is for sale")]


async def test_sessions_are_listed_by_their_last_message(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        for name in ("one", "two", "three"):
            await memory.observe(name, [turn("x", platform="mail")])
            clock.advance(HOUR)
        await memory.observe("one", [turn("y")])
        await memory.observe("two", [turn("old", sent_at=clock.now - 100 * HOUR)])
        sessions = await memory.sessions()
        assert [session.id for session in sessions] == ["one", "three", "two"]
        assert (sessions[0].last_message_at, sessions[0].platform) == (clock.now, "mail")
    assert [session.id for session in await memory.sessions(limit=2)] == ["one", "three"]


async def test_messages_are_read_page_by_page(memory: AsyncBethink) -> None:
    await memory.observe("chat", [turn(str(number)) for number in range(7)])
    first = await memory.messages.of("chat", limit=3)
    second = await memory.messages.of("chat", after=first[-1].position, limit=3)
    assert [message.content for message in first + second] == ["0", "1", "2", "3", "4", "5"]
    assert await memory.messages.of("chat", after=7) == []
    assert await memory.messages.of("nowhere") == []


async def test_a_message_may_be_empty_and_a_call_too(memory: AsyncBethink) -> None:
    assert (await memory.observe("chat", [])).outcomes == []
    await memory.observe("chat", [{"role": "assistant", "content": "", "attachments": [{"url": "a"}]}])
    assert await said(memory) == [""]
    assert len((await memory.recall("anything", strategy="recent")).hits) == 1


async def test_messages_that_come_at_once_each_have_a_place(memory: AsyncBethink) -> None:
    await asyncio.gather(*(memory.observe("chat", [turn(f"{n} a"), turn(f"{n} b")]) for n in range(10)))
    messages = await memory.messages.of("chat")
    assert [message.position for message in messages] == list(range(1, 21))
    pairs = [(messages[n].content[:2], messages[n + 1].content[:2]) for n in range(0, 20, 2)]
    assert all(one == other for one, other in pairs)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"content": "x", "role": "robot"}, "messages.1.role"),
        ({"role": "user"}, "messages.1.content"),
        ({"content": "x", "colour": "red"}, "messages.1.colour"),
        ({"content": "x", "sent_at": "yesterday"}, "messages.1.sent_at"),
        ({"content": "x", "importance": 2}, "messages.1.importance"),
        ({"content": "x", "person_id": "nobody"}, "person_id"),
        ("just text", "messages.1.input"),
    ],
)
async def test_a_wrong_message_is_refused_with_its_place_and_nothing_is_stored(
    memory: AsyncBethink, message: Any, field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await memory.observe("chat", [turn("fine"), message])
    assert caught.value.field == field
    assert await said(memory) == []


@pytest.mark.parametrize("session", ["", "x" * 501, "a\0b", "\ud800"])
async def test_a_session_needs_a_name(memory: AsyncBethink, session: str) -> None:
    for call in (memory.observe(session, [turn("x")]), memory.messages.of(session)):
        with pytest.raises(InvalidInput, match="session: ") as caught:
            await call
        assert caught.value.field == "session"


async def test_calls_and_results_of_tools_are_kept_with_their_messages(memory: AsyncBethink) -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"in": "Porto"}'}}
    ]
    await memory.observe(
        "chat",
        [
            turn("Will it rain in Porto?"),
            {"role": "assistant", "content": None, "tool_calls": calls, "metadata": {"model": "m"}},
            {"role": "tool", "content": "rain, 14 °C", "toolCallId": "c1"},
        ],
    )
    _, asked, answered = await memory.messages.of("chat")
    assert (asked.content, asked.metadata) == ("", {"model": "m", "tool_calls": calls})
    assert answered.metadata == {"tool_call_id": "c1"}
    with pytest.raises(InvalidInput, match="content"):
        await memory.observe("chat", [{"role": "assistant", "content": None}])
