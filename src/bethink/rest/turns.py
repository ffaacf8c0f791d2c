"""Recalls take turns: so many run at once, a few wait, and whoever comes then is told to come back.

A queue without an end would let everyone wait until nobody wants the answer any more.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from bethink.errors import Overloaded

RETRY_SECONDS = 1  # what those who are sent away are told to wait
RECALLS = frozenset(
    {"/api/search", "/api/memory/search", "/api/memory/retrieve-preview", "/api/prompt"}
)  # addresses where a recall is asked for, by POST
PER_PROCESSOR = 2  # recalls at once: while one waits for the model, another searches

T = TypeVar("T")


class Turns:
    """The recalls of this process."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._at_once = at_once or PER_PROCESSOR * (os.cpu_count() or 1)
        self._most_waiting = waiting
        self.running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether nobody else may even wait."""
        return self.running >= self._at_once and len(self._waiting) >= self._most_waiting

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and give it to the next afterwards. Raises `Overloaded` when too many wait."""
        if self.running >= self._at_once:
            await self._queue()
        else:
            self.running += 1
        try:
            yield
        finally:
            self._pass_on()

    async def _queue(self) -> None:
        if self.full:
            raise Overloaded
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place  # whoever passes a turn on keeps it counted
        except asyncio.CancelledError:
            if place in self._waiting:
                self._waiting.remove(place)
            else:
                self._pass_on()  # the turn came at the very moment the client left
            raise

    def _pass_on(self) -> None:
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self.running -= 1


async def in_turn(request: Request, work: Callable[[], Awaitable[T]]) -> T:
    """Do the work of a recall in its turn, unless the client leaves: then no model runs for it."""
    turns: Turns = request.app.state.turns
    task = asyncio.ensure_future(_work(turns, work))
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({task, left}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    except Overloaded as error:
        raise HTTPException(503, error.message, {"retry-after": str(RETRY_SECONDS)}) from None
    finally:
        for one in (task, left):
            one.cancel()
        await asyncio.gather(task, left, return_exceptions=True)


async def _work(turns: Turns, work: Callable[[], Awaitable[T]]) -> T:
    async with turns.turn():
        return await work()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
