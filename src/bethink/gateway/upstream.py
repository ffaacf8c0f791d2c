"""Sends a request to a provider and hands its reply back as raw bytes, however it is encoded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

from starlette.exceptions import HTTPException
from starlette.types import Receive, Send

from bethink.gateway.connections import Connections, Patience, RawHeaders, Reply, Silent, Unreachable
from bethink.gateway.providers import ANTHROPIC_VERSION, Provider
from bethink.gateway.refusals import Refused
from bethink.settings.upstreams import GatewaySettings


class Gone(Exception):
    """The client has left."""


async def read_body(receive: Receive) -> bytes:
    """The whole body of a request; the guard around us limits it."""
    chunks: list[bytes] = []
    try:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Gone
            chunks.append(message.get("body", b""))
            if not message.get("more_body", False):
                return b"".join(chunks)
    except HTTPException as error:
        raise Refused(error.status_code, error.detail) from None


async def pass_on(
    reply: Reply, headers: RawHeaders, send: Send, hear: Callable[[bytes], None] | None
) -> None:
    """Send a reply piece by piece; `hear` gets each piece after the client has it.

    A piece is asked for only when the one before has been taken, so a slow client slows its provider.
    """
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    ended = False
    async for piece in reply.pieces():
        ended = reply.ended
        await send({"type": "http.response.body", "body": piece, "more_body": not ended})
        if hear:
            hear(piece)
    if not ended:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def while_listening(receive: Receive, work: Awaitable[None]) -> None:
    """Do some work, but only as long as the client is there; then stop it where it is."""
    here = asyncio.current_task()
    if here is None:
        raise RuntimeError("Only a task can be stopped.")
    gone = asyncio.create_task(_until_gone(receive, here))
    try:
        await work
    except BaseException:
        if not _has_left(gone) or here.cancelling() > 1:  # by whoever stops the server, too
            raise
    finally:
        if _has_left(gone):
            here.uncancel()
        gone.cancel()


async def _until_gone(receive: Receive, working: asyncio.Task[None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    working.cancel()


def _has_left(gone: asyncio.Task[None]) -> bool:
    return gone.done() and not gone.cancelled() and gone.exception() is None


_log = logging.getLogger(__name__)

_HOP_BY_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection",
    b"te", b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
_OWN_CREDENTIALS = {b"authorization", b"x-api-key"}
# What is said to this server, not to the provider.
_NOT_FORWARDED = _HOP_BY_HOP | {b"host", b"content-length", b"cookie", b"expect", b"origin", b"referer"}
_NOT_RETURNED = _HOP_BY_HOP | {b"date", b"server"}
_OURS = b"x-bethink-"


class Upstream:
    """All providers, as far as they can be asked something."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._silence = settings.silence_seconds
        patience = Patience(settings.connect_seconds, settings.silence_seconds)
        self._connections = Connections(patience, settings.connections)

    async def send(
        self, provider: Provider, method: str, path: str, query: bytes, headers: RawHeaders, body: bytes
    ) -> Reply:
        """The reply, with nothing of its body read yet. `Refused` when there is none."""
        url = provider.base_url + path + (f"?{query.decode('latin-1')}" if query else "")
        for last in (False, True):
            try:
                return await self._connections.send(method, url, headers, body)
            except Unreachable as error:
                if last or not error.early:
                    raise self._unreachable(provider, error) from error
            except Silent as error:
                raise self._silent(provider) from error
            except ValueError as error:
                raise Refused(400, f"A header or the address cannot be forwarded: {error}.") from None
        raise AssertionError("one of the two tries has an end")

    async def close(self) -> None:
        """Close every connection."""
        await self._connections.close()

    async def warm_up(self) -> None:
        """Get ready to connect."""
        await asyncio.to_thread(self._connections.warm_up)

    def _unreachable(self, provider: Provider, error: Exception) -> Refused:
        _log.warning("The provider %s cannot be reached: %s", provider.name, error)
        return Refused(
            502,
            f"The provider {provider.name!r} cannot be reached ({error}); see that it runs and"
            " that its base_url in the gateway's settings is right.",
            "provider_unreachable",
        )

    def _silent(self, provider: Provider) -> Refused:
        seconds = self._silence
        _log.warning("The provider %s said nothing for %g s", provider.name, seconds)
        return Refused(
            504,
            f"The provider {provider.name!r} said nothing for {seconds:g} s; gateway.silence_seconds is how"
            " long it may.",
            "provider_timeout",
        )


def request_headers(
    provider: Provider,
    given: Iterable[tuple[bytes, bytes]],
    *,
    own_key: bool,
    encodings: Iterable[str] | None,
) -> RawHeaders:
    """The client's headers as the provider gets them: with the provider's key for ours.

    With `own_key` the client has brought a key for the provider itself. `encodings` are those that the reply
    may have; whatever the client takes, when None.
    """
    dropped = _NOT_FORWARDED if own_key else _NOT_FORWARDED | _OWN_CREDENTIALS
    kept = [(n, v) for n, v in given if n not in dropped and not n.startswith(_OURS)]
    accepted = [value for name, value in kept if name == b"accept-encoding"]
    headers = [(name, value) for name, value in kept if name != b"accept-encoding"]
    headers.append((b"accept-encoding", _accepted(accepted, encodings)))
    if not own_key:
        headers += [(name.encode(), value.encode()) for name, value in provider.credentials().items()]
    if provider.kind == "anthropic" and not any(name == b"anthropic-version" for name, _ in headers):
        headers.append((b"anthropic-version", ANTHROPIC_VERSION.encode()))
    return headers


def _accepted(given: list[bytes], encodings: Iterable[str] | None) -> bytes:
    if not given:
        return b"identity"
    if encodings is None:
        return b", ".join(given)
    wanted = [part.strip() for part in b",".join(given).decode("latin-1").split(",")]
    known = [part for part in wanted if part.partition(";")[0].strip().lower() in encodings]
    return ", ".join(known).encode("latin-1") or b"identity"


def reply_headers(reply: Reply, more: dict[str, str]) -> RawHeaders:
    """The provider's headers as the client gets them, and ours."""
    kept = [(name, value) for name, value in reply.headers if name not in _NOT_RETURNED]
    return kept + [(name.encode(), value.encode()) for name, value in more.items()]


def header_of(reply: Reply, name: bytes) -> str:
    """A header of a reply; empty when it has none of this name."""
    return next((value.decode("latin-1") for known, value in reply.headers if known == name), "")
