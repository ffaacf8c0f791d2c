"""Keeps what was woven in for a turn while the assistant works on it, so that its provider's cache holds.

An agent sends the same turn again with every result of a tool. Were the time or the memories in it to change
meanwhile, all that follows would be read, and paid for, anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from dataclasses import dataclass, replace
from datetime import datetime

from bethink.errors import BethinkError
from bethink.gateway.recalling import Recalled
from bethink.gateway.turns import Talk
from bethink.memory import AsyncSpace

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
