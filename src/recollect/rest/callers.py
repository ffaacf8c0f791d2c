"""Who is asking and in which space: what a route needs before it can do anything."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer

from recollect.access import Principal
from recollect.errors import InvalidInput
from recollect.inputs import Name
from recollect.memory import AsyncSpace
from recollect.records import Role

# For the OpenAPI document; the key itself is read by the route, before the body.
_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="The key, as a bearer token.")
_header = APIKeyHeader(
    name="x-api-key", auto_error=False, scheme_name="apiKey", description="The key, in a header of its own."
)


async def _principal(
    request: Request,
    _by_bearer: Annotated[Any, Security(_bearer)],
    _by_header: Annotated[Any, Security(_header)],
) -> Principal:
    principal: Principal = request.state.principal
    return principal


async def _reading(
    request: Request,
    principal: Annotated[Principal, Depends(_principal)],
    space: Annotated[
        Name | None, Query(description="The space to work in, for an admin key; its own when left out.")
    ] = None,
    x_recollect_space: Annotated[
        str | None, Header(description="The space, as a header; `space` in the query goes first.")
    ] = None,
) -> AsyncSpace:
    return principal.space(request.app.state.memory, space or _decoded(x_recollect_space))


async def _writing(
    principal: Annotated[Principal, Depends(_principal)], space: Annotated[AsyncSpace, Depends(_reading)]
) -> AsyncSpace:
    principal.require(Role.ADMIN, Role.MEMBER)
    return space


Asking = Annotated[Principal, Depends(_principal)]
ReadSpace = Annotated[AsyncSpace, Depends(_reading)]
WriteSpace = Annotated[AsyncSpace, Depends(_writing)]


def _decoded(header: str | None) -> str | None:
    """A header as UTF-8, which is what clients send; the framework reads headers as Latin-1."""
    try:
        return header.encode("latin-1").decode() if header else None
    except UnicodeError:
        raise InvalidInput("space: the header must be UTF-8.", field="x-recollect-space") from None
