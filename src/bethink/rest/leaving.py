"""Long work for a client: it ends when the client leaves, or when the server is told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

T = TypeVar("T")


async def while_wanted(request: Request, work: Coroutine[Any, Any, T], stopped: str) -> T:
    """What some work comes to. When nobody wants it any more, it is cancelled, and is over before this is.

    `stopped` is what the client is told if it is the server that has to stop. The request's body must have
    been read.
    """
    working = asyncio.create_task(work)
    left = asyncio.create_task(_until_gone(request.receive))
    stopping = asyncio.create_task(request.app.state.stopping.wait())
    try:
        await asyncio.wait({working, left, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            working.cancel()
            await asyncio.wait({working})
        if not working.cancelled():
            return working.result()
        if left.done():
            raise ClientDisconnect
        raise HTTPException(503, stopped)
    finally:
        for task in (working, left, stopping):
            task.cancel()
        await asyncio.gather(working, left, stopping, return_exceptions=True)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
