"""Who is asking and in which space: what a route needs before it can do anything."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Security
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPBearer

from bethink.access import Principal, require_space
from bethink.errors import InvalidInput
from bethink.memory import AsyncSpace
from bethink.records import Role
from bethink.rest.cookies import COOKIE
from bethink.shapes.fields import Name

MAKING = ("POST", "PUT")  # what may name a space that is not there yet

# For the OpenAPI document; the key itself is read by the route, before the body.
_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="The key, as a bearer token.")
_header = APIKeyHeader(
    name="x-api-key", auto_error=False, scheme_name="apiKey", description="The key, in a header of its own."
)
_cookie = APIKeyCookie(
    name=COOKIE, auto_error=False, scheme_name="session", description="A browser that is signed in."
)


async def _principal(
    request: Request,
    _by_bearer: Annotated[Any, Security(_bearer)],
    _by_header: Annotated[Any, Security(_header)],
    _by_cookie: Annotated[Any, Security(_cookie)],
) -> Principal:
    principal: Principal = request.state.principal
    return principal


async def _named(
    request: Request,
    principal: Annotated[Principal, Depends(_principal)],
    space: Annotated[
        Name | None, Query(description="The space to work in, for an admin key; its own when left out.")
    ] = None,
    x_bethink_space: Annotated[
        str | None, Header(description="The space, as a header; `space` in the query goes first.")
    ] = None,
) -> AsyncSpace:
    return principal.space(request.app.state.memory, space or _decoded(x_bethink_space))


async def _reading(request: Request, space: Annotated[AsyncSpace, Depends(_named)]) -> AsyncSpace:
    await require_space(request.app.state.memory, space)
    return space


async def _writing(
    request: Request,
    principal: Annotated[Principal, Depends(_principal)],
    space: Annotated[AsyncSpace, Depends(_named)],
) -> AsyncSpace:
    principal.require_writing(space)
    if request.method not in MAKING:
        await require_space(request.app.state.memory, space)
    return space


async def _administering(
    request: Request, principal: Annotated[Principal, Depends(_principal)]
) -> AsyncSpace:
    principal.require(Role.ADMIN)
    return principal.space(request.app.state.memory)


async def _revealing(
    principal: Annotated[Principal, Depends(_principal)],
    space: Annotated[AsyncSpace, Depends(_named)],
    secrets: Annotated[
        bool,
        Query(
            description="Show passwords, PINs, codes and the like as they are, not masked. Needs a key that"
            " may write in the space; the journal notes it."
        ),
    ] = False,
) -> bool:
    if secrets:
        principal.require_writing(space)
    return secrets


Secrets = Annotated[bool, Depends(_revealing)]
Asking = Annotated[Principal, Depends(_principal)]
ReadSpace = Annotated[AsyncSpace, Depends(_reading)]
WriteSpace = Annotated[AsyncSpace, Depends(_writing)]
Admin = Annotated[AsyncSpace, Depends(_administering)]  # where the admin acts from


def _decoded(header: str | None) -> str | None:
    """A header as UTF-8, which is what clients send; the framework reads headers as Latin-1."""
    try:
        return header.encode("latin-1").decode() if header else None
    except UnicodeError:
        raise InvalidInput("space: the header must be UTF-8.", field="x-bethink-space") from None
