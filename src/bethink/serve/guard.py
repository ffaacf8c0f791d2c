"""What every request meets before and after its route: an id, the host check, the size limit, headers."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bethink.clock import new_id
from bethink.contracts import Surface
from bethink.errors import Overloaded
from bethink.rest.admission import RECALLS, RETRY_SECONDS, AllowedHosts, AllowedOrigins, Turns
from bethink.rest.observers import Observer, route_of
from bethink.rest.problems import answer, answer_crash
from bethink.settings import Settings

_log = logging.getLogger(__name__)

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
# What takes files, which go to the disk as they come; beside it all bodies are read into memory.
_ARCHIVES = re.compile(r"/api/(?:import|documents/uploads/[^/]+)")
_FILES = re.compile(r"/api/documents(?:/[^/]+/content)?")
LEFT = 499  # what logs and metrics say of a client that was gone before its answer
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "same-origin",  # with "no-referrer" our own forms would not say where they come from
    "x-content-type-options": "nosniff",
}


def guard(
    app: Starlette, settings: Settings, observer: Observer, turns: Turns, surfaces: Sequence[Surface] = ()
) -> None:
    """Put the guard around an application and the surfaces beside it."""
    server = settings.server
    app.add_middleware(
        Guard,
        hosts=AllowedHosts(server.host, server.allowed_hosts),
        origins=AllowedOrigins(server.allowed_origins),
        observer=observer,
        max_body_bytes=server.max_body_bytes,
        uploads={
            _ARCHIVES: (server.max_upload_bytes, "server.max_upload_bytes"),
            _FILES: (settings.documents.max_bytes, "documents.max_bytes"),
        },
        max_head_bytes=server.max_head_bytes,
        turns=turns,
        surfaces=surfaces,
    )


class Guard:
    """The outermost layer of the application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: AllowedHosts,
        origins: AllowedOrigins,
        observer: Observer,
        max_body_bytes: int,
        uploads: Mapping[re.Pattern[str], tuple[int, str]],
        max_head_bytes: int,
        turns: Turns,
        surfaces: Sequence[Surface] = (),
    ) -> None:
        self._app, self._hosts, self._origins, self._surfaces = app, hosts, origins, surfaces
        self._observer = observer
        self._body = (max_body_bytes, "server.max_body_bytes")
        self._max_head_bytes, self._turns = max_head_bytes, turns
        self._uploads = uploads  # what takes more than other addresses do

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = _request_id(headers)
        scope.setdefault("state", {})["request_id"] = request_id
        path = _path_of(scope)
        surface = next((one for one in self._surfaces if _is_of(path, one)), None)
        limit = next((most for own, most in self._uploads.items() if own.fullmatch(path)), self._body)
        if surface:
            limit = (surface.max_body_bytes, surface.setting)
        incoming = _Incoming(receive, headers, *limit)
        outgoing = _Outgoing(send, request_id, self._origins.answer_headers(headers), incoming)
        with self._observer.request(scope, headers, request_id, surface.prefix if surface else None) as seen:
            try:
                refusal = self._refusal(scope, request_id, incoming, surface)
                await (refusal or (surface.app if surface else self._app))(scope, incoming, outgoing)
            except ClientDisconnect:
                pass  # nobody is there to be answered
            except Exception:
                _log.exception("Request %s: %s %s failed", request_id, scope["method"], route_of(scope))
                if outgoing.status:
                    raise  # the server then cuts the connection, and the client sees that it got only a part
                await answer_crash(request_id)(scope, receive, outgoing)
            finally:
                seen.status = outgoing.status or LEFT

    def _refusal(
        self, scope: Scope, request_id: str, incoming: _Incoming, surface: Surface | None
    ) -> ASGIApp | None:
        """The answer to a request that goes no further."""
        if _head_bytes(scope) > self._max_head_bytes:
            detail = (
                f"The head is over the limit of {self._max_head_bytes:,} bytes; send fewer or shorter"
                " headers, or raise the setting server.max_head_bytes."
            )
            return answer(request_id, 431, detail, headers={"connection": "close"})
        host = incoming.headers.get("host", "")
        if host not in self._hosts:
            detail = f"{host[:200]!r} is no name of this server; add it to the setting server.allowed_hosts."
            return answer(request_id, 421, detail)
        if not self._origins.admits(incoming.headers):
            detail = (
                "Other sites' pages may not use this server; the setting server.allowed_origins lets one."
            )
            return answer(request_id, 403, detail)
        if scope["method"] == "OPTIONS" and (allowed := self._origins.preflight_headers(incoming.headers)):
            return Response(status_code=204, headers=allowed)
        if self._turns.full and scope["method"] == "POST" and _path_of(scope) in RECALLS:
            # Before its key and its body are looked at, so that saying no takes next to nothing.
            return answer(request_id, 503, Overloaded().message, headers={"retry-after": str(RETRY_SECONDS)})
        if incoming.announced > incoming.limit and surface:
            return surface.refuse(scope, request_id, 413, incoming.too_large)
        if incoming.announced > incoming.limit:
            return answer(request_id, 413, incoming.too_large)
        return None


def _head_bytes(scope: Scope) -> int:
    """The size of a request's head: one that came all at once was not counted while it was read."""
    raw_path = scope.get("raw_path") or scope["path"].encode()
    line = len(scope["method"]) + len(raw_path) + len(scope["query_string"]) + len("? HTTP/1.1\r\n")
    return line + sum(len(name) + len(value) + 4 for name, value in scope["headers"])


def _path_of(scope: Scope) -> str:
    """The address within the application, wherever a proxy has put that."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _is_of(path: str, surface: Surface) -> bool:
    """Whether an address is one of a surface's own."""
    return path in surface.pages or path.startswith(f"{surface.prefix}/")


def _request_id(headers: Headers) -> str:
    """The id that the caller gave the request, if it is one that a log can hold; otherwise a new one."""
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else new_id()


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

    def __init__(self, send: Send, request_id: str, headers: Mapping[str, str], incoming: _Incoming) -> None:
        self._send, self._request_id, self._headers = send, request_id, headers
        self._incoming, self.status = incoming, 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            headers = MutableHeaders(scope=message)
            headers.update(self._headers)
            headers.setdefault("x-request-id", self._request_id)  # a provider's reply has its own
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if self._incoming.endless:  # or the server would go on reading, for nothing
                headers["connection"] = "close"
        await self._send(message)
