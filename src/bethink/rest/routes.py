"""Routes that take a key: who asks is settled before the body is read, and the body is JSON or refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from difflib import get_close_matches
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bethink.access import Principal, authenticate
from bethink.errors import InvalidInput, Unauthenticated
from bethink.rest.admission import Rates
from bethink.rest.cookies import session_principal, session_token
from bethink.rest.problems import documented
from bethink.rest.wrong_keys import WrongKeys

READING = (401, 403, 404, 413, 421, 422, 429, 500, 503)
WRITING = (400, *READING[:3], 415, *READING[3:])


def problems(*more: int, body: bool = False) -> dict[int | str, dict[str, Any]]:
    """The problems a route documents: those that any may have, and its own."""
    return documented(*sorted({*(WRITING if body else READING), *more}))


class KeyRoute(APIRoute):
    """A route for which a key is needed."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = _query_names(self.dependant)

        async def handle_caller(request: Request) -> Response:
            request.state.principal = principal = await caller_of(request)
            _keep_to_rate(request, principal)
            _refuse_unknown_parameters(request, known)
            return await handle(_JsonRequest(request.scope, request.receive))

        return handle_caller


class _JsonRequest(Request):
    async def body(self) -> bytes:
        if self.headers.get("content-length", "0") == "0" and "transfer-encoding" not in self.headers:
            return b""  # nothing, of whatever type
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
            raise HTTPException(
                415, "Send the body as JSON, with the header 'content-type: application/json'."
            )
        return await super().body()

    async def json(self) -> Any:
        # Stricter than Python's own parser: no NaN, no half surrogate pairs, no bottomless nesting.
        try:
            return from_json(await self.body(), allow_inf_nan=False)
        except ValueError as error:
            hint = (
                " Escapes from \\ud800 to \\udfff must come in pairs." if "hex escape" in str(error) else ""
            )
            raise HTTPException(400, f"The body is not valid JSON: {error}.{hint}") from None


async def caller_of(request: Request) -> Principal:
    """Who asks: the key in a header, or else the session of a browser."""
    secret = _secret(request)
    if secret is None and session_token(request) is not None:
        return await session_principal(request)
    try:
        return await authenticate(request.app.state.memory, secret)
    except Unauthenticated:
        if secret:
            wrong_keys: WrongKeys = request.app.state.wrong_keys
            await wrong_keys.slow_down(request.client.host if request.client else None)
        raise


def _keep_to_rate(request: Request, principal: Principal) -> None:
    rates: Rates = request.app.state.rates
    if seconds := rates.seconds_to_wait(principal.key.id, time.monotonic()):
        raise HTTPException(
            429,
            f"This key asks more often than the setting server.requests_per_minute allows; wait {seconds} s.",
            {"retry-after": str(seconds)},
        )


def _secret(request: Request) -> str | None:
    """The key a request presents, in either of the two headers."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key")


def _query_names(dependant: Dependant) -> list[str]:
    """The names of a route's query parameters, with those that what it depends on takes."""
    queries, left = Dependant(), [dependant]
    while left:
        one = left.pop()
        queries.query_params.extend(one.query_params)
        left.extend(reversed(one.dependencies))
    return list(dict.fromkeys(field.alias for field in get_flat_params(queries)))


def _refuse_unknown_parameters(request: Request, known: Sequence[str]) -> None:
    """A misspelt filter is an error: left out in silence, it would turn into "everything"."""
    for name in request.query_params:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            others = f"known are {', '.join(known)}." if known else "this route takes none."
            hint = f"did you mean {near[0]}?" if near else others
            raise InvalidInput(f"There is no parameter {name[:200]!r} here; {hint}", field=name)
