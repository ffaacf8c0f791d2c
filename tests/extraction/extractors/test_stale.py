"""`stale`: the stable facts of a session that has rested."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bethink.errors import ExtractionFailure
from bethink.extraction.extractors import Extracted, Known, Unread, reading
from bethink.records import ExtractionStatus, Message, Space
from bethink.testing import ScriptedChat
from tests.extraction.extractors.turns import AT, extractor, reply, said

TALK = [
    said(1, "I run Debian, I'm Ana.", person_id="ana"),
    reply(2, "Nice.", metadata={"tool_calls": [{"name": "uname", "arguments": "-a"}]}),
    said(3, "Linux debian 6.12", role="tool", name="uname"),
]
OS = {"category": "environment", "key": "os", "value": "Debian 13", "source": "tool_call", "turns": [3]}


async def run(answer: Any, turns: list[Message] | None = None, **settings: Any) -> Extracted:
    return await extractor("stale", ScriptedChat(answer), **settings).extract(turns or TALK, Known())


def test_a_session_is_due_when_it_has_rested() -> None:
    due = extractor("stale").due
    assert due(Unread(TALK, timedelta(minutes=29, seconds=59))) == []
    assert due(Unread(TALK, timedelta(minutes=30))) == [TALK]
    assert due(Unread([], timedelta(days=1))) == []
    assert extractor("stale", idle_minutes=0).due(Unread(TALK)) == [TALK]


@pytest.mark.parametrize(
    ("told", "turns", "source", "confidence"),
    [
        ("tool_call", [3], "tool_call", 95),
        ("auto_discovery", [1, 3], "auto_discovery", 95),
        ("USER_EXPLICIT", [1], "user_explicit", 90),
        ("conversation", [1], "conversation", 70),
        ("web", [1], "conversation", 70),
        (None, [], "conversation", 70),
        ("tool_call", [1], "conversation", 70),  # no tool said so
        ("user_explicit", [3], "conversation", 70),  # the user did not
    ],
)
async def test_the_source_gives_the_confidence(
    told: str | None, turns: list[int], source: str, confidence: int
) -> None:
    came = await run({"facts": [OS | {"source": told, "turns": turns, "source_context": "a build failed"}]})
    (fact,) = came.facts
    assert (fact.source, fact.confidence, fact.source_context) == (source, confidence, "a build failed")
    assert fact.provenance == [f"m{n}" for n in turns or [1, 3]]
    assert fact.person_id == ("ana" if 1 in (turns or [1]) else None)
    assert came.memories == ()


async def test_the_list_alone_will_do() -> None:
    assert len((await run([OS, {"category": "a", "key": "b", "value": "c"}])).facts) == 2
    assert (await run([])).facts == []


async def test_what_only_the_assistant_said_or_is_secret_is_left_out() -> None:
    secret = OS | {"key": "api_key", "value": "ghp_" + "a1B2c3D4" * 5}
    telling = OS | {"source_context": "after the password is hunter2!"}
    came = await run([OS | {"turns": [2]}, secret, telling])
    assert [fact.source_context for fact in came.facts] == [None]
    assert came.left_out[0] == "only the assistant said it"
    assert "no memory is made of secrets" in came.left_out[1]


async def test_the_transcript_has_tools_and_drops_its_middle() -> None:
    chat = ScriptedChat([])
    long = [said(n, f"I like thing {n}. " * 60) for n in range(4, 40)]
    came = await extractor("stale", chat).extract([*TALK, *long], Known())
    prompt = chat.prompts[0]
    assert "[2] [Tool call] uname(-a)" in prompt
    assert "[3] [Tool result] uname: Linux debian 6.12" in prompt
    assert "the middle is left out" in prompt
    assert "[39] " in prompt
    assert came.counts["dropped_chars"] > 10_000


async def test_a_session_of_greetings_is_skipped() -> None:
    came = await run(OS, [said(1, "Hello"), reply(2)])
    assert came.skipped == "nothing in it is worth reading: it is a greeting"


async def test_what_is_recorded_of_it() -> None:
    space = Space.model_validate(
        {"id": "s", "number": 1, "name": "home", "display_name": "home", "created_at": AT, "updated_at": AT}
    )
    now = TALK[0].sent_at
    failed = reading(space, "stale", TALK, ExtractionFailure("no answer", attempts=2, model="m"), now)
    assert (failed.status, failed.reason, failed.attempts) == (ExtractionStatus.FAILED, "no answer", 2)
    assert (failed.first_position, failed.last_position, failed.session_id) == (1, 3, "chat")
    came = await run([OS, OS | {"turns": [2]}])
    again = reading(space, "stale", TALK, came, now, again=failed)
    assert (again.id, again.status, again.attempts) == (failed.id, ExtractionStatus.OK, 3)
    assert again.counts == {"turns": 3, "memories": 0, "facts": 1, "left_out": 1}
    assert again.reason == "only the assistant said it"
    skipped = reading(space, "stale", TALK, Extracted(skipped="only greetings", attempts=0), now)
    assert (skipped.status, skipped.reason) == (ExtractionStatus.SKIPPED, "only greetings")


async def test_what_only_a_pasted_text_says_is_left_out() -> None:
    turns = [said(1, "Proofread this, I'm Ana.\n---\nMy name is Bob, I live in Berlin.\n---")]
    home = {"category": "identity", "key": "home", "value": "Berlin", "turns": [1]}
    came = await run({"facts": [home, home | {"key": "name", "value": "Ana"}]}, turns)
    assert [draft.value for draft in came.facts] == ["Ana"]
    assert came.left_out == ["only a text that was handed over says it"]
