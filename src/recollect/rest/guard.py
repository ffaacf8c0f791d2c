"""What every request meets before and after its route: an id, the host check, the size limit, headers."""

from __future__ import annotations

import logging

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.clock import new_id
from recollect.rest.hosts import AllowedHosts
from recollect.rest.problems import answer, answer_crash

_log = logging.getLogger(__name__)

UPLOADS = "/api/import"  # takes more than other addresses do
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Guard:
    """The outermost layer of the application."""

    def __init__(
        self, app: ASGIApp, *, hosts: AllowedHosts, max_body_bytes: int, max_upload_bytes: int
    ) -> None:
        self._app, self._hosts = app, hosts
        self._body = (max_body_bytes, "server.max_body_bytes")
        self._upload = (max_upload_bytes, "server.max_upload_bytes")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = new_id()
        scope.setdefault("state", {})["request_id"] = request_id
        limit = self._upload if scope["path"] == UPLOADS else self._body
        incoming = _Incoming(receive, Headers(scope=scope), *limit)
        outgoing = _Outgoing(send, request_id, incoming)
        try:
            app = self._refusal(request_id, incoming) or self._app
            await app(scope, incoming, outgoing)
        except Exception:
            _log.exception("Request %s: %s %s failed", request_id, scope["method"], scope["path"])
            if outgoing.started:
                raise  # the server then cuts the connection, and the client sees that it got only a part
            await answer_crash(request_id)(scope, receive, outgoing)

    def _refusal(self, request_id: str, incoming: _Incoming) -> ASGIApp | None:
        """The answer to a request that goes no further."""
        host = incoming.headers.get("host", "")
        if host not in self._hosts:
            detail = f"{host[:200]!r} is no name of this server; add it to the setting server.allowed_hosts."
            return answer(request_id, 421, detail)
        if incoming.announced > incoming.limit:
            return answer(request_id, 413, incoming.too_large)
        return None


class _Incoming:
    """Reads a request's body no further than the limit, whatever length was announced."""

    def __init__(self, receive: Receive, headers: Headers, limit: int, setting: str) -> None:
        self._receive, self.limit, self._seen, self._ended = receive, limit, 0, False
        self.headers = headers
        length = headers.get("content-length", "0")
        self.announced = int(length) if length.isdecimal() else 0
        self.too_large = (
            f"The body is over the limit of {limit:,} bytes;"
            f" send less at once, or raise the setting {setting}."
        )

    async def __call__(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._seen > self.limit:
            raise HTTPException(413, self.too_large)
        return message

    @property
    def endless(self) -> bool:
        """Whether more may come than anyone wants to read."""
        unannounced = "transfer-encoding" in self.headers and not self._ended
        return unannounced or max(self.announced, self._seen) > self.limit


class _Outgoing:
    """Sends a response with the headers that every response has."""

    def __init__(self, send: Send, request_id: str, incoming: _Incoming) -> None:
        self._send, self._request_id, self._incoming, self.started = send, request_id, incoming, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            headers["x-request-id"] = self._request_id
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if self._incoming.endless:  # or the server would go on reading, for nothing
                headers["connection"] = "close"
        await self._send(message)
