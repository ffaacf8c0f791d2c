"""Memory for one request: what is recalled and woven in within its time, and what is taken in afterwards."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime

from bethink.errors import BethinkError
from bethink.gateway.replies import Heard
from bethink.gateway.turns import Naming, Talk, Turn, session_after
from bethink.memory import AsyncSpace
from bethink.shapes.households import Speaker
from bethink.shapes.inputs import MessageDraft
from bethink.shapes.prompts import Prompt

_log = logging.getLogger(__name__)

HELD_SECONDS = 600.0
MOST = 500  # turns held; the oldest goes first
_HARMLESS = {"observed", "stored"}  # changes of the journal that take nothing away
_LINES = 50  # of the journal, looked at; after more than these, all is recalled anew


@dataclass(frozen=True)
class _Turn:
    recalled: Recalled
    since: datetime


class Held:
    """What was recalled for turns that may still be under way."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    async def get(self, space: AsyncSpace, talk: Talk, seconds: float) -> Recalled | None:
        """What was recalled when this turn began, unless some of it may have been changed or taken away."""
        name = _name(space, talk)
        turn = self._turns.get(name)
        if turn is None:
            return None
        try:
            async with asyncio.timeout(seconds):
                lines = (await space.journal(since=turn.since, limit=_LINES)).items
        except (BethinkError, TimeoutError) as error:
            _log.warning(
                "What a turn in %r began with is not used again: %s", space.name, error or "too slow"
            )
            return None
        if len(lines) == _LINES or any(line.action not in _HARMLESS for line in lines):
            self._turns.pop(name, None)
            return None
        return replace(turn.recalled, milliseconds=0.0)

    def keep(self, space: AsyncSpace, talk: Talk, recalled: Recalled, since: datetime) -> None:
        """Hold what was recalled for a turn, for a while."""
        if not (recalled.stable or recalled.volatile):
            return
        name = _name(space, talk)
        while len(self._turns) >= MOST:
            self._turns.pop(next(iter(self._turns)))
        self._turns[name] = turn = _Turn(recalled, since)
        asyncio.get_running_loop().call_later(HELD_SECONDS, self._drop, name, turn)

    def _drop(self, name: str, turn: _Turn) -> None:
        if self._turns.get(name) is turn:
            del self._turns[name]


def _name(space: AsyncSpace, talk: Talk) -> str:
    """A turn is known by all that was said up to it."""
    digest = hashlib.blake2b(digest_size=16)
    last = max((place for place, turn in enumerate(talk.turns) if turn.role == "user"), default=-1)
    for text in (space.name, *(part for turn in talk.turns[: last + 1] for part in (turn.role, turn.text))):
        data = text.encode()
        digest.update(len(data).to_bytes(8) + data)
    return digest.hexdigest()


@dataclass(frozen=True)
class Caller:
    """Who is said to speak, and through what."""

    person: str | None = None
    device: str | None = None


@dataclass
class Recalled:
    """What memory came up with, and why it came up with less."""

    stable: str = ""
    volatile: str = ""
    memories: int = 0
    facts: int = 0
    engine: str = "none"
    speaker: Speaker | None = None
    degraded: list[str] = field(default_factory=list)
    milliseconds: float = 0.0


async def recall(
    space: AsyncSpace, talk: Talk, caller: Caller, seconds: float, turn: AbstractAsyncContextManager[None]
) -> Recalled:
    """The memory part of the prompt, unless it takes too long or fails: then none, and the reason."""
    started, found = time.perf_counter(), Recalled()
    messages = [{"role": turn.role, "content": turn.text} for turn in talk.turns]
    try:
        async with asyncio.timeout(seconds), turn:
            prompt = await space.prompt(
                messages=messages, person=caller.person, device=caller.device, catch_up=False
            )
        found = _told_by(prompt)
    except TimeoutError:
        found.degraded.append(f"recall took longer than {seconds * 1000:g} ms")
        _log.warning("A request in %r goes on without memory: %s", space.name, found.degraded[0])
    except BethinkError as error:
        found.degraded.append(f"recall failed: {error.message}")
        _log.warning("A request in %r goes on without memory: %s", space.name, found.degraded[0])
    except Exception:  # a defect in memory must not take the conversation down with it
        found.degraded.append("recall failed: a defect, which the log tells of")
        _log.exception("A request in %r goes on without memory", space.name)
    found.milliseconds = (time.perf_counter() - started) * 1000
    return found


async def session_of(space: AsyncSpace, naming: Naming, drafts: Sequence[MessageDraft]) -> str:
    """The session that a request belongs to."""
    if naming.by == "name":
        return naming.value
    if naming.by == "answer":
        return await space.conversations.answered(naming.value) or session_after(naming.value)
    return await space.conversations.locate(naming.value, drafts)


def _told_by(prompt: Prompt) -> Recalled:
    """What of a prompt is needed; the records behind it are not kept."""
    return Recalled(
        stable=prompt.stable,
        volatile=prompt.volatile,
        memories=len(prompt.memories),
        facts=len(prompt.facts),
        engine=prompt.engine,
        speaker=prompt.speaker,
        degraded=list(prompt.degraded),
    )


def drafts_of(talk: Talk, recalled: Recalled, chars: int) -> list[MessageDraft]:
    """The conversation as messages; the user's last one says how much was recalled for it."""
    drafts = [_draft(turn, chars) for turn in talk.turns]
    speaker = recalled.speaker
    # Where only one person lives, what they say is everybody's, however it comes in.
    told = speaker is not None and speaker.confidence != "low" and speaker.reason != "single"
    for draft in drafts:
        if draft.role == "user" and speaker and told:
            draft.person_id = speaker.person_id
    asked = next((draft for draft in reversed(drafts) if draft.role == "user"), None)
    if recalled.memories and asked:
        asked.metadata |= {"recalled": recalled.memories}
    return drafts


def reply_draft(heard: Heard, *, known_by_id: bool) -> MessageDraft | None:
    """What the assistant answered, as a message; None when it said nothing."""
    if not heard.text:
        return None
    metadata = {} if heard.complete else {"partial": True}
    return MessageDraft(
        role="assistant",
        content=heard.text,
        external_id=heard.id if known_by_id else None,
        metadata=metadata,
    )


def _draft(turn: Turn, chars: int) -> MessageDraft:
    metadata = {"cut_from": len(turn.text)} if len(turn.text) > chars else {}
    return MessageDraft.model_validate(
        {
            "role": turn.role,
            "content": turn.text[:chars],
            "name": turn.name,
            "attachments": turn.attachments[:50],
            "metadata": metadata,
        }
    )
