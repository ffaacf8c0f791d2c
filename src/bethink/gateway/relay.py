"""Passes a reply on as it comes: no faster than the client reads, and no longer than it listens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.types import Receive, Send

from bethink.gateway.connections import RawHeaders, Reply
from bethink.gateway.refusals import Refused


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
