"""Sends a request to a provider and hands its reply back as raw bytes, however it is encoded."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Iterable

import httpx2

from recollect.gateway.providers import ANTHROPIC_VERSION, Provider
from recollect.gateway.refusals import Refused
from recollect.upstreams import GatewaySettings

_log = logging.getLogger(__name__)

RawHeaders = list[tuple[bytes, bytes]]

_HOP_BY_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection",
    b"te", b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
_OWN_CREDENTIALS = {b"authorization", b"x-api-key"}
# What is said to this server, not to the provider.
_NOT_FORWARDED = _HOP_BY_HOP | {b"host", b"content-length", b"cookie", b"expect", b"origin", b"referer"}
_NOT_RETURNED = _HOP_BY_HOP | {b"date", b"server"}
_OURS = b"x-recollect-"
# The host let go of the connection before it said anything: nothing came of the request.
_ONCE_MORE = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.RemoteProtocolError, httpx2.ReadError)


class Upstream:
    """The connections to all providers."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._client: httpx2.AsyncClient | None = None
        self._timeout = {
            "connect": settings.connect_seconds,
            "read": settings.silence_seconds,
            "write": settings.silence_seconds,
            "pool": settings.connect_seconds,
        }

    async def send(
        self, provider: Provider, method: str, path: str, query: bytes, headers: RawHeaders, body: bytes
    ) -> httpx2.Response:
        """The reply, with nothing of it read yet. `Refused` when there is none."""
        url = provider.base_url + path + (f"?{query.decode('latin-1')}" if query else "")
        for last in (False, True):
            request = httpx2.Request(
                method, url, headers=headers, content=body, extensions={"timeout": self._timeout}
            )
            try:
                return await self._open().send(request, stream=True)
            except httpx2.InvalidURL as error:
                raise Refused(400, f"The address has a mistake: {error}.") from None
            except _ONCE_MORE as error:
                if last:
                    raise self._unreachable(provider, error) from error
            except httpx2.TimeoutException as error:
                raise self._silent(provider) from error
            except httpx2.HTTPError as error:
                raise self._unreachable(provider, error) from error
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Close every connection."""
        if self._client:
            await self._client.aclose()

    async def warm_up(self) -> None:
        """Get ready to connect: reading the certificates takes longer than a request may."""
        await asyncio.to_thread(self._open)

    def _open(self) -> httpx2.AsyncClient:
        if self._client is None:
            most = self._settings.connections
            limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=60)
            self._client = httpx2.AsyncClient(
                limits=limits, timeout=None, verify=ssl.create_default_context(), follow_redirects=False
            )
        return self._client

    def _unreachable(self, provider: Provider, error: Exception) -> Refused:
        _log.warning("The provider %s cannot be reached: %s", provider.name, error)
        return Refused(
            502,
            f"The provider {provider.name!r} cannot be reached ({type(error).__name__}); see that it runs and"
            " that its base_url in the gateway's settings is right.",
            "provider_unreachable",
        )

    def _silent(self, provider: Provider) -> Refused:
        seconds = self._settings.silence_seconds
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


def reply_headers(reply: httpx2.Response, more: dict[str, str]) -> RawHeaders:
    """The provider's headers as the client gets them, and ours."""
    kept = [(n.lower(), v) for n, v in reply.headers.raw if n.lower() not in _NOT_RETURNED]
    return kept + [(name.encode(), value.encode()) for name, value in more.items()]
