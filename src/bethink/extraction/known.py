"""What is known already, for an extractor that asks a model: so that it is not extracted again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from bethink.clock import now
from bethink.conversations import contexts
from bethink.extraction.extractors import Known
from bethink.extraction.noise import own_words
from bethink.recall.recall import Recall
from bethink.records import Context, Fact, Layer, Message, Space
from bethink.shapes.inputs import RecallRequest
from bethink.store import Driver, Tx, facts, messages

BEFORE = 6  # turns before a stretch, to understand it by
FACTS = 200
QUERY_CHARS = 2000  # of what the user said, to find memories by


class Before:
    """For an extractor that asks nobody: only the message just before a stretch."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    async def __call__(self, space: Space, turns: Sequence[Message]) -> Known:
        first = turns[0]
        places = (first.session_id, first.position - 1, first.position - 1)
        return Known(before=await self._driver.read(messages.window, space.id, *places))


class KnownFrom:
    """Looks up what the records say of a stretch of a conversation."""

    def __init__(self, driver: Driver, recall: Recall, memories: int) -> None:
        self._driver, self._recall, self._memories = driver, recall, memories

    async def __call__(self, space: Space, turns: Sequence[Message]) -> Known:
        """The memories nearest to it, the facts, the session's contexts, and what was said just before."""
        moment = now()
        texts, current, before = await self._driver.read(_read, space.id, turns, moment)
        said = await asyncio.to_thread(_said, turns)
        found: list[str] = []
        if said.strip() and self._memories:
            request = RecallRequest(query=said, layers=[Layer.MEMORY], limit=self._memories)
            found = [hit.text for hit in (await self._recall(space, request, moment)).hits]
        return Known(found, [context.content for context in texts], current, before)


def _said(turns: Sequence[Message]) -> str:
    """The end of what the user says in a stretch."""
    return "\n".join(own_words(turn.content) for turn in turns if turn.role == "user")[-QUERY_CHARS:]


def _read(
    tx: Tx, space_id: str, turns: Sequence[Message], moment: datetime
) -> tuple[list[Context], list[Fact], list[Message]]:
    first = turns[0]
    current = [
        fact
        for fact in facts.list_current(tx, space_id, limit=FACTS)
        if fact.expires_at is None or fact.expires_at > moment
    ]
    before = messages.window(tx, space_id, first.session_id, first.position - BEFORE, first.position - 1)
    return contexts.of_session(tx, space_id, first.session_id), current, before
