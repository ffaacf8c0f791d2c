"""Takes in what was said through the gateway, after the reply has gone out, and loses nothing of it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from bethink.errors import BethinkError, InvalidInput, NotFound
from bethink.gateway.recalling import Caller, session_of
from bethink.gateway.turns import Naming
from bethink.memory import AsyncSpace
from bethink.shapes.inputs import MessageDraft

_log = logging.getLogger(__name__)

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
