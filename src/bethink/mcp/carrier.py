"""Carries MCP messages: over HTTP for the server, over stdio for a client's own process. Needs the SDK."""

from __future__ import annotations

import asyncio
from typing import Any, Self

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from bethink.mcp.server import Caller, Context, build
from bethink.memory import AsyncSpace


class Carrier:
    """Answers requests that were let in, each by itself: nothing is held between them."""

    def __init__(self, max_body_bytes: int) -> None:
        server: Server[Any] = build(_caller_of)
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=max_body_bytes
        )
        self._up, self._stop = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def started(self) -> Self:
        """Get ready, in a task of its own: the SDK wants to be stopped by whoever started it."""
        self._task = asyncio.create_task(self._run())
        up = asyncio.create_task(self._up.wait())
        await asyncio.wait({up, self._task}, return_when=asyncio.FIRST_COMPLETED)
        up.cancel()
        if self._task.done():
            self._task.result()
        return self

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """Stop."""
        self._stop.set()
        if self._task:
            await self._task

    async def _run(self) -> None:
        async with self._manager.run():
            self._up.set()
            await self._stop.wait()


def _caller_of(context: Context) -> Caller:
    if context.request is None:
        raise RuntimeError("A request over HTTP comes with its scope.")
    state = context.request.scope["state"]
    return Caller(state["space"], state["writes"], state["turn"])


async def over_stdio(space: AsyncSpace) -> None:
    """Serve one client that started this process, until it leaves."""
    caller = Caller(space)
    server = build(lambda _: caller)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
