"""Connections to providers that hand on raw bytes: as little between two sockets as HTTP allows.

A general client spends more time on a request than all else the gateway does together. Where the environment
names a proxy, such a client is used nevertheless.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import h11
import httpx2

RawHeaders = list[tuple[bytes, bytes]]

READ_BYTES = 65_536
HEAD_BYTES = 65_536  # most that a reply's headers may take
IDLE_SECONDS = 30.0  # a connection unused for longer may be closed on the other side


class Unreachable(Exception):
    """The host did not answer. `early` says that it had not begun to, so nothing came of the request."""

    def __init__(self, reason: str, *, early: bool) -> None:
        super().__init__(reason)
        self.early = early


class Silent(Exception):
    """The host said nothing for too long."""


class Reply(Protocol):
    """A reply whose head has come; `ended` once its last piece has been handed out."""

    status: int
    headers: RawHeaders
    ended: bool

    def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes; not asked for, it is not read."""

    async def close(self) -> None:
        """Be done with it; if it has not ended, the host is told so by hanging up."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, for a connection and for each sign of life."""

    connect: float
    silence: float


@dataclass
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    talk: h11.Connection = field(
        default_factory=lambda: h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
    )
    since: float = 0.0
    heard: bool = False  # whether the host has begun to answer the request under way

    @property
    def usable(self) -> bool:
        idle = time.monotonic() - self.since
        return idle < IDLE_SECONDS and not self.reader.at_eof() and not self.writer.is_closing()


class Connections:
    """Connections to any host, kept for the next request."""

    def __init__(self, patience: Patience, most: int) -> None:
        self.patience, self._room = patience, asyncio.Semaphore(most)
        self._idle: dict[tuple[str, str], list[_Connection]] = {}
        self._tls: ssl.SSLContext | None = None
        self._proxies = getproxies()
        self._proxied: httpx2.AsyncClient | None = None

    def warm_up(self) -> None:
        """Read the certificates, which takes longer than a request may."""
        self._tls = self._tls or ssl.create_default_context()

    async def send(self, method: str, url: str, headers: RawHeaders, body: bytes) -> Reply:
        """The reply to a request, as soon as its head is there."""
        parts = urlsplit(url)
        if self._proxies and self._goes_through_a_proxy(parts):
            return await self._send_by_proxy(method, url, headers, body)
        await self._room.acquire()
        try:
            return await self._exchange(parts, method, headers, body)
        except BaseException:
            self._room.release()
            raise

    async def close(self) -> None:
        """Hang up everywhere."""
        for kept in self._idle.values():
            for connection in kept:
                connection.writer.close()
        self._idle.clear()
        if self._proxied:
            await self._proxied.aclose()

    async def _exchange(self, parts: SplitResult, method: str, headers: RawHeaders, body: bytes) -> Reply:
        place = (parts.scheme, parts.netloc)
        connection = self._kept(place) or await self._connect(parts)
        try:
            head = await _ask(connection, parts, method, headers, body, self.patience.silence)
        except BaseException:
            connection.writer.close()
            raise
        return _DirectReply(self, place, connection, head)

    def _kept(self, place: tuple[str, str]) -> _Connection | None:
        kept = self._idle.get(place, [])
        while kept:
            connection = kept.pop()  # the one used last, so that the others may run out
            if connection.usable:
                return connection
            connection.writer.close()
        return None

    async def _connect(self, parts: SplitResult) -> _Connection:
        secure = parts.scheme == "https"
        if secure:
            self.warm_up()
        try:
            async with asyncio.timeout(self.patience.connect):
                reader, writer = await asyncio.open_connection(
                    parts.hostname, parts.port or (443 if secure else 80), ssl=self._tls if secure else None
                )
        except TimeoutError:
            reason = f"no connection within {self.patience.connect:g} s"
            raise Unreachable(reason, early=True) from None
        except OSError as error:
            raise Unreachable(str(error), early=True) from error
        return _Connection(reader, writer)

    def done(self, place: tuple[str, str], connection: _Connection, *, ended: bool) -> None:
        """Keep a connection for the next request, or hang up if that cannot be."""
        self._room.release()
        if ended and connection.talk.our_state is h11.DONE and connection.talk.their_state is h11.DONE:
            connection.talk.start_next_cycle()
            connection.since = time.monotonic()
            self._idle.setdefault(place, []).append(connection)
        else:
            connection.writer.close()

    def _goes_through_a_proxy(self, parts: SplitResult) -> bool:
        named = parts.scheme in self._proxies or "all" in self._proxies
        return named and not proxy_bypass(parts.netloc)

    async def _send_by_proxy(self, method: str, url: str, headers: RawHeaders, body: bytes) -> Reply:
        if self._proxied is None:
            timeout = httpx2.Timeout(self.patience.silence, connect=self.patience.connect)
            self._proxied = httpx2.AsyncClient(timeout=timeout, follow_redirects=False)
        waits = self._proxied.timeout.as_dict()
        request = httpx2.Request(method, url, headers=headers, content=body, extensions={"timeout": waits})
        try:
            return _ProxiedReply(await self._proxied.send(request, stream=True))
        except httpx2.ReadTimeout as error:
            raise Silent from error
        except httpx2.HTTPError as error:
            raise Unreachable(str(error), early=True) from error


async def _ask(
    connection: _Connection, parts: SplitResult, method: str, headers: RawHeaders, body: bytes, silence: float
) -> h11.Response:
    """Send a request and wait for the head of its reply."""
    talk = connection.talk
    connection.heard = False
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    own = [(b"host", parts.netloc.encode("idna"))]
    if body or method != "GET":
        own.append((b"content-length", str(len(body)).encode()))
    try:
        sent = [talk.send(h11.Request(method=method, target=target, headers=[*own, *headers]))]
        sent += [talk.send(h11.Data(data=body)), talk.send(h11.EndOfMessage())]
    except h11.LocalProtocolError as error:
        raise ValueError(str(error)) from error
    connection.writer.write(b"".join(part for part in sent if part))
    while not isinstance(event := await _next(connection, silence), h11.Response):
        if isinstance(event, h11.ConnectionClosed):
            raise Unreachable("the connection was closed", early=not connection.heard)
    return event


async def _next(connection: _Connection, silence: float) -> object:
    """What the host says next."""
    try:
        while (event := connection.talk.next_event()) is h11.NEED_DATA:
            connection.talk.receive_data(await _read(connection, silence))
    except h11.RemoteProtocolError as error:
        raise Unreachable(str(error), early=not connection.heard) from error
    return event


async def _read(connection: _Connection, silence: float) -> bytes:
    try:
        async with asyncio.timeout(silence):
            data = await connection.reader.read(READ_BYTES)
    except TimeoutError:
        raise Silent from None
    except OSError as error:
        raise Unreachable(str(error), early=not connection.heard) from error
    connection.heard = connection.heard or bool(data)
    return data


class _DirectReply:
    def __init__(
        self, owner: Connections, place: tuple[str, str], connection: _Connection, head: h11.Response
    ) -> None:
        self._owner, self._place, self._connection = owner, place, connection
        self._closed = False
        self.status, self.ended = head.status_code, False
        self.headers: RawHeaders = list(head.headers)

    async def pieces(self) -> AsyncIterator[bytes]:
        """What has arrived is handed out together, and nothing more is read before that is taken."""
        while not self.ended:
            arrived = []
            event = await _next(self._connection, self._owner.patience.silence)
            while isinstance(event, h11.Data):
                arrived.append(bytes(event.data))
                event = self._arrived()
            self.ended = isinstance(event, h11.EndOfMessage)
            yield b"".join(arrived)

    def _arrived(self) -> object:
        try:
            return self._connection.talk.next_event()
        except h11.RemoteProtocolError:
            return None  # said again at the next turn, when what came before has been handed out

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._owner.done(self._place, self._connection, ended=self.ended)


class _ProxiedReply:
    def __init__(self, reply: httpx2.Response) -> None:
        self._reply = reply
        self.status, self.ended = reply.status_code, False
        self.headers: RawHeaders = [(name.lower(), value) for name, value in reply.headers.raw]

    async def pieces(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._reply.aiter_raw():
                yield piece
        except httpx2.ReadTimeout as error:
            raise Silent from error
        except httpx2.HTTPError as error:
            raise Unreachable(str(error), early=False) from error
        self.ended = True

    async def close(self) -> None:
        with suppress(httpx2.HTTPError):
            await self._reply.aclose()
