"""Memory for one request: what is recalled and woven in within its time, and what is taken in afterwards.

What was said is stored after the reply has gone out, and nothing of it is lost.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime

from bethink.core import Core
from bethink.errors import BethinkError, InvalidInput, NotFound, Overloaded
from bethink.gateway.turns import Heard, Naming, Talk, Turn, session_after
from bethink.journal.history import history
from bethink.memory import AsyncSpace
from bethink.records import Space
from bethink.shapes.accounts import GLOBAL_SPACE
from bethink.shapes.households import Speaker
from bethink.shapes.inputs import MessageDraft
from bethink.shapes.keywords import PromptOptions
from bethink.shapes.options import SpaceOptions
from bethink.shapes.prompts import WITHOUT_RECALL, Prompt
from bethink.shapes.rights import JournalQuery

_log = logging.getLogger(__name__)

GRACE_SECONDS = 0.2  # for what stands in every prompt, when recall has used up its time
HELD_SECONDS = 600.0
MOST = 500  # turns held; the oldest goes first
_HARMLESS = {"observed", "stored"}  # changes of the journal that take nothing away
_LINES = 50  # of the journal, looked at; after more than these, all is recalled anew


@dataclass(frozen=True)
class Caller:
    """Who is said to speak, and through what."""

    person: str | None = None
    device: str | None = None


@dataclass(frozen=True)
class Asked:
    """What recall is for. Spaces are known by their ids: a name may be another's a moment later."""

    space_ids: tuple[str, ...]  # all that recall looks into
    caller: Caller
    talk: Talk
    before: str | None = None  # the session whose turns the provider adds by itself

    def digest(self) -> str:
        """What tells this turn, which is all that was said up to it, from every other."""
        last = max((place for place, turn in enumerate(self.talk.turns) if turn.role == "user"), default=-1)
        turns = self.talk.turns[: last + 1]
        whose = (
            str(len(self.space_ids)),
            *self.space_ids,
            self.caller.person or "",
            self.caller.device or "",
        )
        digest = hashlib.blake2b(digest_size=16)
        for text in (*whose, *(part for turn in turns for part in (turn.role, turn.text))):
            data = text.encode()
            digest.update(len(data).to_bytes(8) + data)
        return digest.hexdigest()


@dataclass(frozen=True)
class _Turn:
    recalled: Recalled
    since: datetime


class Held:
    """What was recalled for turns that may still be under way."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    async def get(self, space: AsyncSpace, asked: Asked, seconds: float) -> Recalled | None:
        """What was recalled when this turn began, unless some of it may have been changed or taken away."""
        name = asked.digest()
        turn = self._turns.get(name)
        if turn is None:
            return None
        try:
            async with asyncio.timeout(seconds):
                core = await space.inside.opened()
                stale = [await _has_changed(core, id_, turn.since) for id_ in asked.space_ids]
        except (BethinkError, TimeoutError) as error:
            _log.warning(
                "What a turn in %r began with is not used again: %s", space.name, error or "too slow"
            )
            return None
        if any(stale):
            self._turns.pop(name, None)
            return None
        return replace(turn.recalled, milliseconds=0.0)

    def keep(self, asked: Asked, recalled: Recalled, since: datetime) -> None:
        """Hold what was recalled for a turn, for a while."""
        if not (recalled.stable or recalled.volatile):
            return
        name = asked.digest()
        while len(self._turns) >= MOST:
            self._turns.pop(next(iter(self._turns)))
        self._turns[name] = turn = _Turn(recalled, since)
        asyncio.get_running_loop().call_later(HELD_SECONDS, self._drop, name, turn)

    def _drop(self, name: str, turn: _Turn) -> None:
        if self._turns.get(name) is turn:
            del self._turns[name]


async def _has_changed(core: Core, space_id: str, since: datetime) -> bool:
    """Whether what was recalled from a space may be gone; a journal without a line is a deleted space's."""
    lines = (await core.driver.read(history, space_id, JournalQuery(), _LINES)).items
    fresh = [line for line in lines if line.at >= since]
    return not lines or len(fresh) == _LINES or any(line.action not in _HARMLESS for line in fresh)


async def spaces_recalled(core: Core, space: Space, options: SpaceOptions) -> tuple[str, ...]:
    """The ids of the spaces that recall in this one looks into."""
    shared = await core.spaces.known(GLOBAL_SPACE) if options.include_global else None
    return (space.id,) if shared is None else (space.id, shared.id)


@dataclass
class Recalled:
    """What memory came up with, and why it came up with less."""

    space_id: str = ""
    stable: str = ""
    volatile: str = ""
    memories: int = 0
    facts: int = 0
    engine: str = "none"
    withdrawn: int = 0
    speaker: Speaker | None = None
    degraded: list[str] = field(default_factory=list)
    complete: bool = True  # recall came to its end
    milliseconds: float = 0.0


async def recall(
    space: AsyncSpace, asked: Asked, seconds: float, turn: AbstractAsyncContextManager[None]
) -> Recalled:
    """The memory part of the prompt. When recall takes too long or fails, what stands in every prompt goes
    out all the same, and where even that cannot be read, nothing; the reason is told."""
    started, found = time.perf_counter(), Recalled(complete=False)
    try:
        async with AsyncExitStack() as stack:
            left, problem = await _wait_for_turn(stack, turn, seconds)
            async with asyncio.timeout(left + GRACE_SECONDS):
                found = await _prompt(space, asked, left)
            found.degraded += [problem] if problem else []
    except TimeoutError:
        found.degraded.append(f"recall took longer than {seconds * 1000:g} ms")
    except BethinkError as error:
        found.degraded.append(f"recall failed: {error.message}")
    except Exception:  # a defect in memory must not take the conversation down with it
        found.degraded.append("recall failed: a defect, which the log tells of")
        _log.exception("A request in %r goes on without memory", space.name)
    if not found.complete:
        what = "only what stands in every prompt" if found.stable else "no memory"
        _log.warning("A request in %r goes on with %s: %s", space.name, what, "; ".join(found.degraded))
    found.milliseconds = (time.perf_counter() - started) * 1000
    return found


async def _wait_for_turn(
    stack: AsyncExitStack, turn: AbstractAsyncContextManager[None], seconds: float
) -> tuple[float, str | None]:
    """How many seconds recall has left when its turn has come; none, and why, when it does not come."""
    started = time.perf_counter()
    try:
        async with asyncio.timeout(seconds):
            await stack.enter_async_context(turn)
    except (TimeoutError, Overloaded) as error:
        return 0.0, getattr(error, "message", f"no turn to recall came within {seconds * 1000:g} ms")
    return max(seconds - (time.perf_counter() - started), 0.0), None


async def _prompt(space: AsyncSpace, asked: Asked, seconds: float) -> Recalled:
    """The prompt for a request. Where the provider adds what was said before, none of that is recalled."""
    core, where = await space.inside.here()
    query = None
    options: PromptOptions = {
        "person": asked.caller.person,
        "device": asked.caller.device,
        "catch_up": False,
        "recall_seconds": seconds,
    }
    if asked.before is None:
        options["messages"] = [{"role": turn.role, "content": turn.text} for turn in asked.talk.turns]
    else:
        query = asked.talk.asked[: core.settings.limits.query_chars]
        options |= {"session_id": asked.before, "first_turn": False}
    return _told_by(await space.prompt(query, **options), where.id)


async def session_of(space: AsyncSpace, naming: Naming, drafts: Sequence[MessageDraft]) -> str:
    """The session that a request belongs to."""
    if naming.by == "name":
        return naming.value
    if naming.by == "answer":
        return await space.conversations.answered(naming.value) or session_after(naming.value)
    return await space.conversations.locate(naming.value, drafts)


def _told_by(prompt: Prompt, space_id: str) -> Recalled:
    """What of a prompt is needed; the records behind it are not kept."""
    return Recalled(
        space_id=space_id,
        stable=prompt.stable,
        volatile=prompt.volatile,
        memories=len(prompt.memories),
        facts=len(prompt.facts),
        engine=prompt.engine,
        withdrawn=prompt.withdrawn,
        speaker=prompt.speaker,
        degraded=list(prompt.degraded),
        complete=not any(reason.startswith(WITHOUT_RECALL) for reason in prompt.degraded),
    )


def drafts_of(talk: Talk, chars: int) -> list[MessageDraft]:
    """The conversation as messages."""
    return [_draft(turn, chars) for turn in talk.turns]


def note_recalled(drafts: Sequence[MessageDraft], recalled: Recalled) -> None:
    """Let messages say whose they are, and the user's last one how much was recalled for it."""
    speaker = recalled.speaker
    # Where only one person lives, what they say is everybody's, however it comes in.
    told = speaker is not None and speaker.confidence != "low" and speaker.reason != "single"
    for draft in drafts:
        if draft.role == "user" and speaker and told:
            draft.person_id = speaker.person_id
    asked = next((draft for draft in reversed(drafts) if draft.role == "user"), None)
    if recalled.memories and asked:
        asked.metadata |= {"recalled": recalled.memories}


def reply_draft(heard: Heard, *, known_by_id: bool) -> MessageDraft | None:
    """What the assistant answered, as a message; None when it said nothing."""
    if not heard.text:
        return None
    metadata = {} if heard.complete else {"partial": True}
    external_id = heard.id if known_by_id else None
    return MessageDraft.made(
        role="assistant", content=heard.text, external_id=external_id, attachments=[], metadata=metadata
    )


def _draft(turn: Turn, chars: int) -> MessageDraft:
    """A turn as a message; it can be stored, for `turns` has seen to that."""
    return MessageDraft.made(
        role=turn.role,
        content=turn.text[:chars],
        name=turn.name,
        attachments=turn.attachments[:50],
        metadata={"cut_from": len(turn.text)} if len(turn.text) > chars else {},
    )


TRIES = 5
PAUSE_SECONDS = 0.5  # before the second try; twice as long before each further one


@dataclass(frozen=True)
class Conversation:
    """What was said in a session, or where that could not be told in time, what it is known by.

    With a `caller`, who spoke is still to be told too.
    """

    session: str | None
    naming: Naming
    drafts: list[MessageDraft]
    whole: bool
    caller: Caller | None


class Observer:
    """Observations under way."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[str, str], asyncio.Task[None]] = {}

    def take_in(self, space: AsyncSpace, said: Conversation) -> None:
        """Store what is new of a conversation, soon, and after what was said in it before."""
        if not said.drafts:
            return
        place = (space.name, said.session or said.naming.value)
        task = asyncio.create_task(self._in_turn(self._under_way.get(place), space, said))
        self._under_way[place] = task
        task.add_done_callback(lambda done: self._forget(place, done))

    async def settle(self) -> None:
        """Wait until everything is stored."""
        while self._under_way:
            await asyncio.wait(self._under_way.values())

    def _forget(self, place: tuple[str, str], done: asyncio.Task[None]) -> None:
        if self._under_way.get(place) is done:
            del self._under_way[place]

    async def _in_turn(
        self, before: asyncio.Task[None] | None, space: AsyncSpace, said: Conversation
    ) -> None:
        if before:
            await asyncio.wait({before})
        await self._store(space, said)

    async def _store(self, space: AsyncSpace, said: Conversation) -> None:
        for number in range(TRIES):
            try:
                if said.caller:
                    await _attribute(space, said.drafts, said.caller)
                session = said.session or await session_of(space, said.naming, said.drafts)
                await space.conversations.follow(
                    session, said.drafts, whole=said.whole, after=said.naming.after
                )
            except (InvalidInput, NotFound) as error:
                _log.error("A conversation of %r was not taken in: %s", space.name, error.message)
                return
            except BethinkError as error:
                _log.warning("A conversation of %r is not taken in yet: %s", space.name, error.message)
                await asyncio.sleep(PAUSE_SECONDS * 2**number)
            except Exception:
                _log.exception("A conversation of %r was not taken in", space.name)
                return
            else:
                return
        _log.error("A conversation of %r was not taken in after %d tries", space.name, TRIES)


async def _attribute(space: AsyncSpace, drafts: list[MessageDraft], caller: Caller) -> None:
    """Say of the user's messages whose they are, where that can be told."""
    said = [draft for draft in drafts if draft.role == "user"]
    text = said[-1].content if said else ""
    try:
        speaker = await space.people.speaker(text, device=caller.device, person=caller.person)
    except (InvalidInput, NotFound):
        return  # the answer's header has said so already
    for draft in said if speaker.confidence != "low" else ():
        draft.person_id = speaker.person_id
