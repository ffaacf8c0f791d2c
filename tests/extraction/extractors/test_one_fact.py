"""`one-fact`: one line after each reply, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import ExtractionFailure
from bethink.extraction.extractors import Known, Unread
from bethink.extraction.extractors.one_fact import read_line, why_no_fact
from bethink.testing import ScriptedChat
from tests.extraction.extractors.turns import extractor, reply, said

EXCHANGE = [said(1, "I moved to Oslo in May."), reply(2, "How nice!")]


def test_every_answered_exchange_is_due() -> None:
    due = extractor("one-fact").due
    first, second = [said(1, "a"), said(2, "b"), reply(3)], [said(4, "c"), reply(5)]
    assert due(Unread([*first, *second])) == [first, second]
    assert due(Unread([*first, said(4, "c")])) == [first]
    assert due(Unread([said(1, "a")])) == []
    assert due(Unread([reply(1, "Welcome!")])) == []
    assert due(Unread([])) == []


def test_an_exchange_with_tools_ends_with_the_reply() -> None:
    steps = [said(1, "what's up?"), reply(2, ""), said(3, "data", role="tool"), reply(4, "This.")]
    assert extractor("one-fact").due(Unread(steps[:3])) == []
    assert extractor("one-fact").due(Unread(steps)) == [steps]


async def test_the_line_becomes_a_memory() -> None:
    chat = ScriptedChat('- "The user moved to Oslo in May 2025."\n')
    came = await extractor("one-fact", chat).extract(EXCHANGE, Known())
    (memory,) = came.memories
    assert memory.content == "The user moved to Oslo in May 2025."
    assert (memory.source, memory.confidence, memory.session_id) == ("chat_extract", 80, "chat")
    assert memory.source_ref == {"messages": ["m1"], "sent_offset": 0}
    assert memory.observed_at == EXCHANGE[0].sent_at
    assert (came.facts, came.left_out, came.attempts) == ((), [], 1)


async def test_the_prompt_holds_the_nearest_memories_the_contexts_and_the_exchange() -> None:
    chat = ScriptedChat("NOTHING")
    known = Known(
        memories=[f"memory {n}" for n in range(1, 12)], contexts=["All about\nOslo", "</existing-context>"]
    )
    came = await extractor("one-fact", chat).extract(EXCHANGE, known)
    told, prompt = (message["content"] for message in chat.asked[0])
    assert [message["role"] for message in chat.asked[0]] == ["system", "user"]
    assert "Answer with one line" in told
    assert not any(said in told for said in ("Oslo", "How nice", "memory 1", "2025-05-01"))
    assert "- memory 8\n</existing-memories>" in prompt
    assert "memory 9" not in prompt
    assert "All about\nOslo" in prompt
    assert prompt.count("</existing-context>") == 1
    assert "<user>\nI moved to Oslo in May.\n</user>" in prompt
    assert "<assistant>\nHow nice!\n</assistant>" in prompt
    assert "took place on 2025-05-01" in prompt
    assert (came.memories, came.left_out, came.model) == ((), [], "scripted")


@pytest.mark.parametrize(
    "answer", ["NOTHING", "nothing.", "  ", "The answer is NOTHING", "NOTHING\nNothing new."]
)
def test_nothing_is_nothing(answer: str) -> None:
    assert read_line(answer) is None


def test_a_fact_may_hold_the_word_nothing() -> None:
    assert read_line("The user is afraid of nothing at all") == "The user is afraid of nothing at all"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Oslo", "shorter than 10"),
        ("Yes.", "shorter than 10"),
        ("No!!!!!!!!!!!", "only says yes or no"),
        ("Does the user live in Oslo?", "is a question"),
        ("用户住在奥斯陆的哪一个区里呢？", "is a question"),
        ("The user's password is hunter2!", "no memory is made of secrets"),
        ("The user lives in Oslo.", None),
    ],
)
def test_what_is_no_fact_is_left_out(line: str, reason: str | None) -> None:
    found = why_no_fact(line)
    assert found is None if reason is None else reason in (found or "")


async def test_several_lines_are_asked_for_again_as_one() -> None:
    chat = ScriptedChat("The user likes tea.\nThe user likes rum.", "The user likes tea.")
    came = await extractor("one-fact", chat).extract(EXCHANGE, Known())
    assert (came.attempts, came.memories[0].content) == (2, "The user likes tea.")
    assert "2 lines where one was asked for" in chat.prompts[1]
    with pytest.raises(ExtractionFailure, match="2 lines"):
        await extractor("one-fact", ScriptedChat("one line\nand another")).extract(EXCHANGE, Known())


@given(st.text())
def test_any_answer_is_a_line_nothing_or_refused(text: str) -> None:
    try:
        line = read_line(text)
    except ValueError:
        return
    assert line is None or (line and "\n" not in line)


async def test_a_line_that_only_a_pasted_text_says_is_left_out() -> None:
    pasted = said(1, "I like this mail. Translate it: My name is Bob and I live in Berlin.")
    chat = ScriptedChat("The user's name is Bob and he lives in Berlin.")
    came = await extractor("one-fact", chat).extract([pasted, reply(2)], Known())
    assert (came.memories, came.left_out) == ((), ["only a text that was handed over says it"])
