"""/healthz and /readyz: is the process alive, can it work, and what is degraded."""

from __future__ import annotations

import asyncio
import logging
from typing import Literal

from fastapi import APIRouter, Request, Response

from bethink.errors import BethinkError
from bethink.memory import AsyncBethink
from bethink.models.embed import State
from bethink.records import Record
from bethink.rest.problems import documented

PATIENCE_SECONDS = 3.0  # a database that has not answered by then counts as down
_log = logging.getLogger(__name__)

router = APIRouter(tags=["health"])


class Alive(Record):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(Record):
    """Whether the server can work; `reasons` says what is down or degraded."""

    status: Literal["ready", "degraded", "down"]
    database: Literal["ok", "down"]
    embedding: State | Literal["unknown"]
    reasons: list[str]


@router.head("/healthz", include_in_schema=False)  # what many monitors send
@router.get(
    "/healthz",
    summary="Is the server alive?",
    response_description="It is.",
    responses=documented(413, 421, 500),
)
async def get_health() -> Alive:
    """Answers while the process does; asks nothing of the database. Needs no key."""
    return Alive()


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz",
    summary="Can the server work?",
    response_description="It can, perhaps with less than everything.",
    responses=documented(413, 421, 500)
    | {503: {"model": Readiness, "description": "It cannot: the database is out of reach."}},
)
async def get_readiness(request: Request, response: Response) -> Readiness:
    """Asks the database, and says how the embedding source is doing. Needs no key, and tells no secrets."""
    readiness = await readiness_of(request.app.state.memory)
    if readiness.status == "down":
        response.status_code = 503
    return readiness


async def readiness_of(memory: AsyncBethink) -> Readiness:
    """How a memory is doing, in words anyone may read."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            state = await memory.check()
    except (BethinkError, TimeoutError) as error:
        _log.error("The database does not answer: %s", str(error) or f"{PATIENCE_SECONDS:g} s have passed")
        reason = "The database does not answer; the server's log says why."
        return Readiness(status="down", database="down", embedding="unknown", reasons=[reason])
    reasons = [_DEGRADED[state]] if state in _DEGRADED else []
    if (await memory.inside.opened()).damage:
        reasons.append("The database is damaged: 'bethink doctor --deep' on the server says where.")
    status: Literal["ready", "degraded"] = "degraded" if reasons else "ready"
    return Readiness(status=status, database="ok", embedding=state, reasons=reasons)


_DEGRADED: dict[State, str] = {
    "off": "There is no embedding source: memories are found by their words only. /api/stats says why.",
    "failing": "The embedding source fails: until it is back, memories are found by their words only."
    " /api/stats says why.",
}
