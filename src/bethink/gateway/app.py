"""The application under /v1: who asks, what for, and who answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bethink.access import Principal, authenticate
from bethink.errors import AccessDenied, Damaged, ModelError, Unauthenticated
from bethink.gateway.embedding import embeddings, texts_of
from bethink.gateway.exchange import Call, Exchanges, header_text, read_posted
from bethink.gateway.listing import as_anthropic, as_openai, list_models, one_for_anthropic
from bethink.gateway.outage import PAUSE_SECONDS, Database, DatabaseDown, KnownKeys
from bethink.gateway.providers import Providers, Switches, Upstream, switches
from bethink.gateway.recalling import spaces_recalled
from bethink.gateway.refusals import Refused, answer, refusal_of
from bethink.gateway.weave import Dialect
from bethink.memory import AsyncBethink
from bethink.people.phrases import phrases
from bethink.settings.upstreams import OWN_PROVIDER
from bethink.store.keys import hashed

_log = logging.getLogger(__name__)

PREFIX = "/v1"
_TALK: dict[str, Dialect] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
}
_PLAIN: dict[str, Dialect | None] = {"/completions": None, "/messages/count_tokens": "messages"}
_ADDRESSES = (*_TALK, *_PLAIN, "/embeddings", "/models")


class Gone(Exception):
    """The client has left."""


class Rates(Protocol):
    """How often a key may ask."""

    def seconds_to_wait(self, key_id: str, now: float) -> int: ...


class WrongKeys(Protocol):
    """Keeps whoever presents wrong keys waiting."""

    async def slow_down(self, address: str | None) -> None: ...


class Gateway:
    """Takes the requests of OpenAI's and Anthropic's clients and has providers answer them, with memory."""

    def __init__(self, memory: AsyncBethink) -> None:
        self._memory = memory
        self._providers = Providers(memory.settings)
        self._upstream = Upstream(memory.settings.gateway)
        self._exchanges = Exchanges(memory.settings, self._providers, self._upstream)
        self._database, self._known_keys = Database(), KnownKeys()
        self.rates: Rates | None = None
        self.wrong_keys: WrongKeys | None = None

    def take_turns(self, turn: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        """Recall only in turn with everyone else's recalls."""
        self._exchanges.turn = turn

    async def warm_up(self) -> None:
        """Get ready what the first request would wait for."""
        await self._upstream.warm_up()
        await asyncio.to_thread(phrases)

    async def settle(self) -> None:
        """Wait until everything said so far is stored."""
        await self._exchanges.observer.settle()

    async def close(self) -> None:
        """Store what was said, then let go of every connection."""
        await self.settle()
        await self._upstream.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = str(scope["state"]["request_id"])
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._serve(scope, receive, watched)
        except Gone:
            return
        except Exception as error:
            if started:
                raise  # the server then cuts the connection, and the client sees that it got only a part
            refused = refusal_of(error, request_id)
            await answer(refused, request_id, anthropic=_speaks_anthropic(scope))(scope, receive, send)

    def refuse(self, scope: Scope, request_id: str, status: int, detail: str) -> ASGIApp:
        """The answer to a request that does not get here."""
        return answer(Refused(status, detail), request_id, anthropic=_speaks_anthropic(scope))

    async def _principal(self, scope: Scope, secret: str | None) -> Principal:
        """Whose key it is; while the database is down, as it was when that last answered."""
        if not secret:
            raise Unauthenticated
        key_hash = hashed(secret)
        try:
            principal = await self._database.ask(lambda: authenticate(self._memory, secret))
        except DatabaseDown:
            if known := self._known_keys.find(key_hash):
                return known
            detail = "The database does not answer, so this key cannot be checked; ask again in some seconds."
            raise Refused(503, detail, wait=round(PAUSE_SECONDS)) from None
        except Unauthenticated:
            self._known_keys.drop(key_hash)
            if self.wrong_keys:
                client = scope.get("client")
                await self.wrong_keys.slow_down(client[0] if client else None)
            raise
        self._known_keys.keep(key_hash, principal)
        return principal

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, headers = _path(scope), Headers(scope=scope)
        secret, own_key = _secret(headers)
        principal = await self._principal(scope, secret)
        scope["state"]["principal"] = principal
        self._check(path, scope["method"])
        scope["state"]["route"] = PREFIX + (path if path in _ADDRESSES else "/models/{id}")
        if self.rates and (wait := self.rates.seconds_to_wait(principal.key.id, time.monotonic())):
            raise Refused(
                429, f"This key asks too often; ask again in {wait} s.", "rate_limit_exceeded", wait
            )
        space = principal.space(self._memory, _utf8(headers.get("x-bethink-space")))
        if path == "/models" or path.startswith("/models/"):
            await self._models(unquote(path[8:]), scope, receive, send)
            return
        call = Call(
            method=scope["method"],
            path=path,
            query=scope["query_string"],
            raw_headers=list(scope["headers"]),
            headers=headers,
            body=await read_body(receive),
            space=space,
            own_key=own_key,
            receive=receive,
            send=send,
        )
        await while_listening(receive, self._answer(call, principal, scope))

    async def _answer(self, call: Call, principal: Principal, scope: Scope) -> None:
        if call.path == "/embeddings":
            await self._embed(call, scope)
        elif call.path in _PLAIN:
            await self._exchanges.plain(call, _PLAIN[call.path])
        else:
            await self._converse(call, principal, _TALK[call.path])

    async def _converse(self, call: Call, principal: Principal, dialect: Dialect) -> None:
        if not self._memory.settings.prompt.enabled:
            await self._exchanges.plain(call, dialect)
            return
        try:
            used, ids = await self._database.ask(lambda: _memory_of(call, principal))
        except DatabaseDown as error:
            await self._exchanges.plain(replace(call, degraded=f"without memory: {error.message}"), dialect)
            return
        except Damaged as error:
            _log.error("A request in %r goes on without memory: %s", call.space.name, error.message)
            told = f"without memory: a {error.noun} of the space cannot be read; the log says which"
            await self._exchanges.plain(replace(call, degraded=told), dialect)
            return
        if used.on:
            await self._exchanges.converse(call, dialect, used, ids)
        else:
            await self._exchanges.plain(call, dialect)

    async def _embed(self, call: Call, scope: Scope) -> None:
        posted = await read_posted(call)
        model = posted.value("model")
        if not self._providers.embeds_here(model if isinstance(model, str) else ""):
            await self._exchanges.plain(call, None)
            return
        core = await self._memory.inside.opened()
        embedder = await core.resolution.ready()
        texts = texts_of(posted, embedder.dimensions)
        rows = await embedder.embed(texts, "document")
        await JSONResponse(embeddings(posted, texts, rows, embedder.model))(scope, call.receive, call.send)

    async def _models(self, wanted: str, scope: Scope, receive: Receive, send: Send) -> None:
        models, missing = await list_models(self._upstream, self._providers.all)
        models += await self._own_models()
        told = {"x-bethink-degraded": header_text(f"no list from {', '.join(missing)}")} if missing else {}
        anthropic = _speaks_anthropic(scope)
        body: dict[str, Any] = as_anthropic(models) if anthropic else as_openai(models)
        if wanted:
            found = next((model for model in models if model["id"] == wanted), None)
            if found is None:
                detail = f"There is no model {wanted[:200]!r}; {PREFIX}/models lists what there is."
                raise Refused(404, detail, "model_not_found")
            body = one_for_anthropic(found) if anthropic else found
        await JSONResponse(body, headers=told)(scope, receive, send)

    async def _own_models(self) -> list[dict[str, Any]]:
        """The embedding model of this server, while it works."""
        core = await self._memory.inside.opened()
        try:
            embedder = await core.resolution.ready()
        except ModelError:
            return []  # health tells why
        name = f"{OWN_PROVIDER}/{embedder.model}"
        return [{"id": name, "object": "model", "created": 0, "owned_by": OWN_PROVIDER}]

    def _check(self, path: str, method: str) -> None:
        known = path in _ADDRESSES or path.startswith("/models/")
        if not known:
            listed = ", ".join(PREFIX + address for address in _ADDRESSES)
            raise Refused(
                404, f"There is nothing at {PREFIX}{path[:200]}; known are {listed}.", "unknown_url"
            )
        wanted = "GET" if path.startswith("/models") else "POST"
        if method != wanted:
            raise Refused(405, f"{PREFIX}{path[:200]} takes {wanted}, not {method}.")


async def _memory_of(call: Call, principal: Principal) -> tuple[Switches, tuple[str, ...]]:
    """What memory does for a request, and the ids of the spaces that it looks into."""
    core, space = await call.space.inside.here()
    options = await core.options.of(space)
    used = switches(
        options, principal.key, call.headers.get("x-bethink-no-memory"), writes=_writes(call, principal)
    )
    return used, await spaces_recalled(core, space, options) if used.on else ()


def _writes(call: Call, principal: Principal) -> bool:
    try:
        principal.require_writing(call.space)
    except AccessDenied:
        return False
    return True


def _path(scope: Scope) -> str:
    """The address below ours, wherever a proxy has put the server."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")).removeprefix(PREFIX)


def _speaks_anthropic(scope: Scope) -> bool:
    return _path(scope).startswith("/messages") or any(
        name == b"anthropic-version" for name, _ in scope["headers"]
    )


def _secret(headers: Headers) -> tuple[str | None, bool]:
    """The caller's key, and whether the usual headers hold a key of theirs for the provider instead."""
    if ours := headers.get("x-bethink-key"):
        return ours, "authorization" in headers or "x-api-key" in headers
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    return (secret.strip() if scheme.lower() == "bearer" else headers.get("x-api-key")), False


def _utf8(header: str | None) -> str | None:
    return header.encode("latin-1").decode("utf-8", "replace") if header else None


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
