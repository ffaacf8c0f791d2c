"""The same call again, and conversations that are handed in whole each time: nothing is stored twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import AsyncBethink
from bethink.clock import new_id, now
from bethink.conversations.repeats import RUN, overlap
from bethink.records import Message
from bethink.shapes.inputs import MessageDraft

U1, A1 = {"role": "user", "content": "Is it far?"}, {"role": "assistant", "content": "Two hours."}
U2, A2 = {"role": "user", "content": "yes"}, {"role": "assistant", "content": "Booked."}


def user(content: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


async def said(memory: AsyncBethink, session: str = "chat") -> list[str]:
    return [message.content for message in await memory.messages.of(session, limit=1000)]


async def observe(memory: AsyncBethink, *turns: dict[str, Any]) -> list[str]:
    return [outcome.status for outcome in (await memory.observe("chat", turns)).outcomes]


@pytest.mark.parametrize("turns", [[U1], [U1, A1], [U2, U2], [{"role": "system", "content": "Be brief"}, U1]])
async def test_the_same_call_twice_stores_once(memory: AsyncBethink, turns: list[dict[str, Any]]) -> None:
    first = await memory.observe("chat", turns)
    again = await memory.observe("chat", turns)
    assert [outcome.status for outcome in again.outcomes] == ["duplicate"] * len(turns)
    assert [outcome.id for outcome in again.outcomes] == [outcome.id for outcome in first.outcomes]
    assert "an id or a time" in (again.outcomes[0].reason or "")
    assert await said(memory) == [turn["content"] for turn in turns]


async def test_of_a_conversation_that_is_handed_in_whole_only_the_new_turns_are_stored(
    memory: AsyncBethink,
) -> None:
    conversation = [U1, A1, U2, A2, user("yes"), {"role": "assistant", "content": "Done."}]
    for end in range(1, len(conversation) + 1):
        statuses = await observe(memory, *conversation[:end])
        assert statuses == ["duplicate"] * (end - 1) + ["stored"]
    assert await said(memory) == [turn["content"] for turn in conversation]


async def test_so_it_is_when_the_beginning_is_left_out(memory: AsyncBethink) -> None:
    await observe(memory, U1, A1, U2)
    assert await observe(memory, A1, U2, A2) == ["duplicate", "duplicate", "stored"]
    assert await said(memory) == ["Is it far?", "Two hours.", "yes", "Booked."]


async def test_the_same_words_later_in_a_conversation_are_said_anew(memory: AsyncBethink) -> None:
    await observe(memory, U2, A1)
    assert await observe(memory, U2) == ["stored"]
    assert await observe(memory, A1, U2) == ["duplicate", "duplicate"]
    assert await observe(memory, {"role": "assistant", "content": "yes"}) == ["stored"], "another role"
    assert await said(memory) == ["yes", "Two hours.", "yes", "yes"]


async def test_another_session_knows_nothing_of_it(memory: AsyncBethink) -> None:
    await memory.observe("one", [U1, A1])
    await memory.observe("two", [U1, A1])
    assert await said(memory, "two") == ["Is it far?", "Two hours."]


async def test_ids_times_and_names_tell_equal_messages_apart(memory: AsyncBethink) -> None:
    for fields in ({"id": "1"}, {"id": "2"}, {"name": "Ann"}, {"name": "Ben"},
                   {"sent_at": "2024-03-05T10:00:00Z"}, {"sent_at": "2024-03-06T10:00:00Z"}):  # fmt: skip
        assert await observe(memory, user("yes", **fields)) == ["stored"]
    assert await observe(memory, user("yes", sent_at="2024-03-06T11:00:00+01:00")) == ["duplicate"]


async def test_pictures_and_calls_without_words_are_compared_by_what_they_hold(memory: AsyncBethink) -> None:
    def picture(name: str) -> dict[str, Any]:
        return {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": f"https://e.org/{name}"}}],
        }

    assert await observe(memory, picture("a")) == ["stored"]
    assert await observe(memory, picture("a")) == ["duplicate"]
    assert await observe(memory, picture("b")) == ["stored"]
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f"}}]}
    results = [{"role": "tool", "content": "ok", "tool_call_id": id_} for id_ in ("c1", "c2")]
    assert await observe(memory, call, results[0]) == ["stored"] * 2
    assert await observe(memory, results[1]) == ["stored"]
    assert await observe(memory, call, *results) == ["duplicate"] * 3


async def test_a_system_prompt_that_changes_does_not_make_the_turns_new(memory: AsyncBethink) -> None:
    def prompt(hour: int) -> dict[str, Any]:
        return {"role": "system", "content": f"It is {hour} o'clock."}

    await observe(memory, prompt(1), U1)
    assert await observe(memory, prompt(2), U1, A1, U2) == ["stored", "duplicate", "stored", "stored"]
    assert await observe(memory, prompt(2), A1, U2, A2) == ["duplicate"] * 3 + ["stored"]
    spoken = [message.content for message in await memory.messages.of("chat") if message.role != "system"]
    assert spoken == ["Is it far?", "Two hours.", "yes", "Booked."]


async def test_a_long_stretch_is_known_again_wherever_it_stands(memory: AsyncBethink) -> None:
    turns = [user(f"turn {number}") for number in range(RUN * 2 + 5)]
    pieces = [turns[:RUN], turns[RUN : 2 * RUN], turns[2 * RUN :]]
    for _ in range(2):
        for piece in pieces:
            await memory.observe("chat", piece)
    assert await said(memory) == [turn["content"] for turn in turns]
    assert await observe(memory, *turns[:3]) == ["stored"] * 3, "a few turns may be said again"


def _message(text: str) -> Message:
    return Message(id=new_id(), space_id="s", session_id="c", position=1, role="user", content=text,
                   sent_at=now(), created_at=now())  # fmt: skip


few_words = st.lists(st.sampled_from(["yes", "no", "ok"]), max_size=12)


@given(few_words, few_words)
def test_the_overlap_is_the_longest_there_is(stored: list[str], sent: list[str]) -> None:
    count = overlap([_message(text) for text in stored], [MessageDraft(content=text) for text in sent])
    longest = max(n for n in range(min(len(stored), len(sent)) + 1) if stored[len(stored) - n :] == sent[:n])
    assert count == longest
