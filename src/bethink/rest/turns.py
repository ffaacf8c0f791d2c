"""Who has to wait: too many requests of a key, too many recalls at once."""

from __future__ import annotations

import asyncio
import math
import os
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from bethink.errors import Overloaded

KEYS_KEPT = 10_000  # the one unused for longest goes first, which at worst fills its bucket


@dataclass(frozen=True)
class Bucket:
    """What is left of a bucket at a time, in requests and seconds."""

    left: float
    at: float


def take(bucket: Bucket | None, now: float, per_second: float, burst: int) -> tuple[Bucket, float]:
    """The bucket after one request, and how many seconds too early it came; 0 when it may go on."""
    if bucket is None:
        return Bucket(burst - 1.0, now), 0.0
    at = max(now, bucket.at)  # a clock that goes back fills nothing
    left = min(float(burst), bucket.left + (at - bucket.at) * per_second)
    if left >= 1.0:
        return Bucket(left - 1.0, at), 0.0
    return Bucket(left, at), (1.0 - left) / per_second


class Rates:
    """The buckets of every key, in this process."""

    def __init__(self, per_minute: int, burst: int) -> None:
        self._per_second, self._burst = per_minute / 60, burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def seconds_to_wait(self, key_id: str, now: float) -> int:
        """0 when a key may ask now; otherwise after how many whole seconds it may."""
        if not self._per_second:
            return 0
        bucket, early = take(self._buckets.get(key_id), now, self._per_second, self._burst)
        self._buckets[key_id] = bucket
        self._buckets.move_to_end(key_id)
        while len(self._buckets) > KEYS_KEPT:
            self._buckets.popitem(last=False)
        return math.ceil(early)


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
            if place.done() and not place.cancelled():
                self._pass_on()  # the turn came at the very moment the client left
            elif place in self._waiting:
                self._waiting.remove(place)
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():  # one who just left keeps a cancelled place until their task runs again
                place.set_result(None)
                return
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
