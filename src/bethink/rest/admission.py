"""Who is let in: under which name of this server, from which pages, how often, and how many at once."""

from __future__ import annotations

import asyncio
import math
import os
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from bethink.errors import Overloaded

OWN = ("localhost", "127.0.0.1", "::1")


class AllowedHosts:
    """The names allowed: this machine's own, the address listened on, and those of the settings."""

    def __init__(self, listening_on: str, configured: Iterable[str]) -> None:
        self._names = {_bare(name) for name in (*OWN, *configured)}
        if not _is_every_address(listening_on):
            self._names.add(_bare(listening_on))
        self._endings = tuple(name[1:] for name in self._names if name.startswith("*."))

    def __contains__(self, header: object) -> bool:
        """Whether a request with this Host header is answered."""
        if not isinstance(header, str) or not header:
            return False
        if "*" in self._names:
            return True
        name = _bare(_without_port(header))
        return "*" not in name and (name in self._names or name.endswith(self._endings))


def _is_every_address(host: str) -> bool:
    try:
        return ip_address(_bare(host)).is_unspecified
    except ValueError:
        return not host


def _without_port(header: str) -> str:
    if header.startswith("["):
        address, _, port = header.partition("]")
        return address if not port or port.startswith(":") else ""
    return header.rpartition(":")[0] if header.count(":") == 1 else header


def _bare(name: str) -> str:
    return name.strip("[]").lower()


SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
EXPOSED = "x-request-id, retry-after"
TAKEN = "authorization, content-type, x-api-key, x-bethink-space, x-request-id"
_PORTS = {"http": 80, "https": 443}


class AllowedOrigins:
    """The origins that may use the server from a browser: its own, and those of the settings."""

    def __init__(self, configured: Iterable[str]) -> None:
        self._names = {name.rstrip("/").lower() for name in configured}

    def admits(self, headers: Headers) -> bool:
        """Whether a request is no page's, or that of a page that may ask."""
        origin = headers.get("origin")
        own = headers.get("sec-fetch-site") == "same-origin"
        return origin is None or own or is_own(origin, headers) or self.shares_with(origin)

    def shares_with(self, origin: str | None) -> bool:
        """Whether a page of another origin may read the answers."""
        return origin is not None and ("*" in self._names or origin.lower() in self._names)

    def answer_headers(self, headers: Headers) -> dict[str, str]:
        """What lets an allowed page read an answer. It must send a key: sessions are our own pages'."""
        if not self._names:
            return {}
        origin = headers.get("origin")
        shared = {"access-control-allow-origin": origin} if origin and self.shares_with(origin) else {}
        return {"vary": "origin", **shared, **({"access-control-expose-headers": EXPOSED} if shared else {})}

    def preflight_headers(self, headers: Headers) -> dict[str, str]:
        """What a browser wants to know before an allowed page's request; nothing for any other."""
        if "access-control-request-method" not in headers or not self.shares_with(headers.get("origin")):
            return {}
        return {
            "access-control-allow-methods": "DELETE, GET, PATCH, POST, PUT",
            "access-control-allow-headers": TAKEN,
            "access-control-max-age": "600",
        }


def is_own(origin: str, headers: Headers) -> bool:
    """Whether an origin is the server under the very name it was asked by."""
    return _place(origin) is not None and _place(origin) == _place(
        f"{urlsplit(origin).scheme}://{headers.get('host', '')}"
    )


def is_from_own_page(method: str, headers: Headers) -> bool:
    """Whether a session's cookie counts: it came with a request of our own page, or asks only to read."""
    safe, site = method in SAFE_METHODS, headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin" or (site == "none" and safe)
    origin = headers.get("origin")
    return is_own(origin, headers) if origin is not None else safe


def _place(address: str) -> tuple[str, int | None] | None:
    try:
        parts = urlsplit(address)
        return (parts.hostname, parts.port or _PORTS.get(parts.scheme)) if parts.hostname else None
    except ValueError:
        return None


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
