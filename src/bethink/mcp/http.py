"""The MCP server over HTTP: who asks, and where clients find out how to get in."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bethink.access import Principal, authenticate, require_space
from bethink.errors import AccessDenied, BethinkError, Unauthenticated
from bethink.memory import AsyncBethink
from bethink.statuses import status_of

if TYPE_CHECKING:
    from bethink.mcp.carrier import Carrier

PREFIX = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
MISSING = "This server has no MCP: pip install 'bethink[mcp]', then start it again."
_HIDDEN = "The database or a model is out of reach; ask again in a moment. The server's log says why."
_log = logging.getLogger(__name__)


class Rates(Protocol):
    """How often a key may ask."""

    def seconds_to_wait(self, key_id: str, now: float) -> int: ...


class WrongKeys(Protocol):
    """Keeps whoever presents wrong keys waiting."""

    async def slow_down(self, address: str | None) -> None: ...


class McpOverHttp:
    """Takes the requests of MCP clients. The SDK is loaded with the first."""

    def __init__(self, memory: AsyncBethink) -> None:
        self._memory = memory
        self._carrier: Carrier | None = None
        self._starting = asyncio.Lock()
        self.rates: Rates | None = None
        self.wrong_keys: WrongKeys | None = None
        self.turn: Callable[[], AbstractAsyncContextManager[None]] = nullcontext

    async def close(self) -> None:
        """Finish what is under way."""
        if self._carrier:
            await self._carrier.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            serve = await self._admitted(scope)
        except BethinkError as error:
            status = status_of(error)
            if status >= 500:
                _log.error("MCP: %s: %s", type(error).__name__, error.message)
            serve = self._refused(scope, status, error.message if status < 500 else _HIDDEN)
        await serve(scope, receive, send)

    def refuse(self, scope: Scope, _request_id: str, status: int, detail: str) -> ASGIApp:
        """The answer to a request that does not get here."""
        return self._refused(scope, status, detail)

    async def metadata(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What this resource is and who hands out keys to it, as RFC 9728 has it. Needs no key."""
        about = {
            "resource": self._address(scope) + PREFIX,
            "resource_name": "Bethink",
            "authorization_servers": self._memory.settings.mcp.authorization_servers,
            "bearer_methods_supported": ["header"],
        }
        told: Response = JSONResponse({name: value for name, value in about.items() if value})
        path = _path(scope)
        if path not in (METADATA, METADATA + PREFIX):
            told = self._refused(scope, 404, f"There is nothing at {path[:200]}.")
        elif scope["method"] not in ("GET", "HEAD"):
            told = self._refused(scope, 405, f"{METADATA} takes GET.")
        await told(scope, receive, send)

    async def _admitted(self, scope: Scope) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        """What answers a request, once it is known whose it is."""
        headers = Headers(scope=scope)
        principal = await self._principal(scope, _secret(headers))
        if _path(scope).rstrip("/") != PREFIX:
            return self._refused(scope, 404, f"There is nothing at {_path(scope)[:200]}; MCP is at {PREFIX}.")
        if scope["method"] != "POST":  # no answer is kept waiting, and no session is held
            return self._refused(scope, 405, f"{PREFIX} takes POST, not {scope['method']}.")
        if self.rates and (wait := self.rates.seconds_to_wait(principal.key.id, time.monotonic())):
            return self._refused(scope, 429, f"This key asks too often; ask again in {wait} s.", wait)
        space = principal.space(self._memory, headers.get("x-bethink-space"))
        await require_space(self._memory, space)
        try:
            principal.require_writing(space)
        except AccessDenied:
            scope["state"]["writes"] = False
        else:
            scope["state"]["writes"] = True
        scope["state"] |= {"principal": principal, "space": space, "turn": self.turn, "route": PREFIX}
        try:
            carrier = await self._started()
        except ModuleNotFoundError as error:
            if error.name != "mcp":
                raise
            return self._refused(scope, 501, MISSING)
        return carrier.serve

    async def _principal(self, scope: Scope, secret: str | None) -> Principal:
        try:
            return await authenticate(self._memory, secret)
        except Unauthenticated:
            if secret and self.wrong_keys:
                client = scope.get("client")
                await self.wrong_keys.slow_down(client[0] if client else None)
            raise

    async def _started(self) -> Carrier:
        async with self._starting:
            if self._carrier is None:
                make = await asyncio.to_thread(_load)
                self._carrier = await make(self._memory.settings.mcp.max_body_bytes).started()
            return self._carrier

    def _refused(self, scope: Scope, status: int, detail: str, wait: int | None = None) -> Response:
        headers = {"retry-after": str(wait)} if wait else {}
        if status == 401:
            headers["www-authenticate"] = (
                f'Bearer realm="bethink", resource_metadata="{self._address(scope)}{METADATA}{PREFIX}"'
            )
        if status == 405:
            headers["allow"] = "POST"
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": detail}}
        return Response(json.dumps(error), status, headers, "application/json")

    def _address(self, scope: Scope) -> str:
        """Where clients reach this server."""
        if url := self._memory.settings.mcp.url:
            return url.rstrip("/").removesuffix(PREFIX)
        host = Headers(scope=scope).get("host", "")
        return f"{scope['scheme']}://{host}{scope.get('root_path', '')}"


def _load() -> type[Carrier]:
    from bethink.mcp.carrier import Carrier

    return Carrier


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _secret(headers: Headers) -> str | None:
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else headers.get("x-api-key")
