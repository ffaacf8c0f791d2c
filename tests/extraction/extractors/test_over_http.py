"""Whatever a chat host does, the outcome is recorded, and a later try of what failed succeeds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.clock import now
from bethink.errors import ExtractionFailure
from bethink.extraction.extractors import Extracted, Extractor, Known, extractors_for, reading
from bethink.extraction.templates import Templates
from bethink.models.chat import resolve_chat
from bethink.records import Extraction, ExtractionStatus, Message
from bethink.settings import Settings
from bethink.store import extractions
from tests.extraction.extractors.turns import said
from tests.models.chat_server import Script, Turn, broken_down, chat_server, fenced, good, limited, refused
from tests.opened import Home

COFFEE = {"category": "preferences", "key": "coffee", "value": "Oat milk latte", "turns": [1]}
ANSWER: dict[str, list[Any]] = {"facts": [COFFEE], "notes": ["The user may move to Oslo."]}
WELL = good(ANSWER)


@asynccontextmanager
async def facts_of(script: Script) -> AsyncIterator[Extractor]:
    with chat_server(script) as server:
        host = {"base_url": server.url, "timeout_seconds": 0.5, "max_retries": 1}
        settings = Settings.checked({"chat": host})
        chat = resolve_chat(settings)
        yield extractors_for(["facts"], chat.extraction, settings.extraction, Templates())[0]
        await chat.close()


async def tried(extractor: Extractor, turns: list[Message]) -> Extracted | ExtractionFailure:
    try:
        return await extractor.extract(turns, Known())
    except ExtractionFailure as failure:
        return failure


@pytest.mark.parametrize(
    ("script", "attempts"),
    [
        ([WELL], 1),
        ([fenced(ANSWER)], 1),
        ([Turn("<think>let me see</think>" + (WELL.text or ""))], 1),
        ([Turn("Sure, here you go!"), WELL], 2),
        ([Turn((WELL.text or "")[:40], finish="length"), WELL], 2),
        ([limited(), WELL], 1),
        ([broken_down(), WELL], 1),
        ([Turn(hang_up=True), WELL], 1),
        ([Turn(WELL.text, half=True), WELL], 1),
        ([Turn(WELL.text, delay=1.0), WELL], 1),
        ([refused(), WELL], 1),
    ],
    ids=["good", "fenced", "thought", "prose", "broken", "429", "500", "closed", "half", "late", "no schema"],
)
async def test_what_can_be_mended_is(script: list[Turn], attempts: int) -> None:
    async with facts_of(script) as extractor:
        came = await tried(extractor, [said(1, "I drink oat milk lattes and may move to Oslo.")])
    assert isinstance(came, Extracted)
    assert (came.attempts, came.model) == (attempts, "small-1b")
    assert [fact.value for fact in came.facts] == ["Oat milk latte"]
    assert [draft.content for draft in came.memories] == ["coffee: Oat milk latte", ANSWER["notes"][0]]


@pytest.mark.parametrize(
    ("turn", "reason", "attempts"),
    [
        (Turn("I would rather talk about lattes."), "no valid JSON", 2),
        (Turn('{"facts": [{"category": "x"'), "no valid JSON", 2),
        (Turn('{"facts": [{"category": "lattes"}]}'), "facts.0.key: Field required", 2),
        (Turn(None), "it is empty", 2),
        (limited(), "answered 429", 1),
        (limited(9999), "answered 429", 1),
        (broken_down(), "answered 500", 1),
        (Turn(hang_up=True), "closed the connection", 1),
        (Turn(WELL.text, half=True), "closed the connection", 1),
        (Turn(WELL.text, delay=0.7), "did not answer within 0.5 s", 1),
    ],
    ids=["prose", "broken", "wrong", "empty", "429", "429 for hours", "500", "closed", "half", "late"],
)
async def test_what_cannot_is_recorded_and_succeeds_later(
    turn: Turn, reason: str, attempts: int, home: Home
) -> None:
    async with home.memory() as memory:
        await memory.observe("chat", [{"content": "I drink oat milk lattes."}, {"content": "I may move."}])
        turns = await memory.messages.of("chat")
        core, space = await memory.inside.here()

        async with facts_of([turn]) as extractor:
            came = await tried(extractor, turns)
        failed = reading(space, "facts", turns, came, now())
        await core.driver.write(extractions.add, [failed])
        (seen,) = await core.driver.read(extractions.failed, space.id, now(), 10)
        assert (seen.status, seen.attempts) == (ExtractionStatus.FAILED, attempts)
        assert reason in (seen.reason or "")
        assert "latte" not in (seen.reason or "")
        assert (seen.first_position, seen.last_position) == (1, 2)

        async with facts_of([WELL]) as extractor:
            again = await _again(memory, extractor, seen)
        assert await core.driver.read(extractions.failed, space.id, now(), 10) == []
        found = await core.driver.read(extractions.find, space.id, seen.id)
        assert found == again
        assert (again.status, again.attempts) == (ExtractionStatus.OK, attempts + 1)
        assert (again.reason, again.counts["facts"]) == (None, 1)


async def _again(memory: AsyncBethink, extractor: Extractor, failed: Extraction) -> Extraction:
    core, space = await memory.inside.here()
    turns = await memory.messages.of(failed.session_id)
    read = reading(space, "facts", turns, await tried(extractor, turns), now(), again=failed)
    assert await core.driver.write(extractions.mark, read)
    return read
