"""Errors as RFC 9457 problem documents: the same shape whatever went wrong."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import Field
from pydantic.alias_generators import to_camel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from bethink.errors import BethinkError
from bethink.records import Record
from bethink.shapes.validation_messages import mistake
from bethink.statuses import status_of

MEDIA_TYPE = "application/problem+json"
ERRORS_SHOWN = 50  # of one request, so that a long list of bad items gets a short answer
NAME_SHOWN = 200  # characters of a field's name, which may be the caller's own invention
METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")

_log = logging.getLogger(__name__)

_KINDS: dict[int, tuple[str, str]] = {
    400: ("malformed", "The request cannot be read"),
    401: ("unauthenticated", "A valid key is needed"),
    403: ("forbidden", "This key may not do that"),
    404: ("not-found", "There is no such thing"),
    405: ("method-not-allowed", "This address does not take that method"),
    409: ("conflict", "The write contradicts what is stored"),
    413: ("too-large", "The request is over a limit"),
    415: ("unsupported-media-type", "The body must be JSON"),
    421: ("wrong-host", "This server does not answer under that host name"),
    422: ("invalid", "The request has a mistake"),
    429: ("too-many-requests", "This key asks too often"),
    431: ("head-too-large", "The head of the request is over its limit"),
    500: ("internal", "Something went wrong inside the server"),
    503: ("unavailable", "The server cannot do this at the moment"),
}


class FieldProblem(Record):
    """What is wrong with one field."""

    field: str = Field(description="The field's name, with dots to a nested one: `messages.0.content`.")
    location: str = Field(description="Where it was sent: body, query, path or header; or just request.")
    message: str = Field(description="What is wrong with it, and what would be right.")


class Problem(Record):
    """What went wrong and what to do about it (RFC 9457)."""

    type: str = Field(description="Names the kind of problem.", examples=["urn:bethink:problem:not-found"])
    title: str = Field(description="The kind of problem in words.")
    status: int = Field(description="The HTTP status, again.")
    detail: str = Field(description="What happened this time, and what to do.")
    request_id: str = Field(description="Under this the server's log has more, if there is more.")
    field: str | None = Field(default=None, description="The field that is wrong, where it is one.")
    errors: list[FieldProblem] | None = Field(default=None, description="Every field that is wrong.")


def answer(
    request_id: str,
    status: int,
    detail: str,
    *,
    errors: Sequence[FieldProblem] = (),
    headers: Mapping[str, str] | None = None,
    **members: Any,
) -> Response:
    """The response for a problem."""
    kind, title = _KINDS.get(status) or (f"http-{status}", HTTPStatus(status).phrase)
    problem = Problem(
        type=f"urn:bethink:problem:{kind}",
        title=title,
        status=status,
        detail=detail,
        request_id=request_id,
        errors=list(errors) or None,
        **members,
    )
    text = problem.model_dump_json(by_alias=True, exclude_none=True)
    return Response(text, status, headers, MEDIA_TYPE)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What OpenAPI says of these problems."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _KINDS[status][1], "content": content} for status in statuses}


async def answer_error(request: Request, error: Exception) -> Response:
    """The response for what Bethink itself raised."""
    if not isinstance(error, BethinkError):
        raise error
    id_, status = request_id(request), status_of(error)
    if status >= 500:  # the reason may name files, hosts and queries: it is for the log
        _log.error("Request %s: %s: %s", id_, type(error).__name__, error.message)
        return answer(id_, status, _UNAVAILABLE if status == 503 else _INTERNAL)
    headers = {"www-authenticate": 'Bearer realm="bethink"'} if status == 401 else None
    if error.field is None:
        return answer(id_, status, error.message, headers=headers)
    field = _in_json(error.field)
    detail = error.message.replace(f"{error.field}:", f"{field}:", 1)
    message = detail.removeprefix(f"{field}: ")
    errors = [FieldProblem(field=field, location="request", message=message)] if status == 422 else []
    return answer(id_, status, detail, errors=errors, headers=headers, field=field)


async def answer_http_error(request: Request, error: Exception) -> Response:
    """The response for what the framework raised: no such route, a wrong method, a body cut short."""
    if not isinstance(error, HTTPException):
        raise error
    detail, headers = error.detail, {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == 404:
        detail = f"There is nothing at {request.url.path}; /docs lists what there is."
    elif error.status_code == 405:
        headers["allow"] = ", ".join(_methods_of(request))
        detail = f"{request.url.path} takes {headers['allow']}, not {request.method}."
    return answer(request_id(request), error.status_code, detail, headers=headers)


async def answer_invalid(request: Request, error: Exception) -> Response:
    """The response for fields that are missing, unknown or wrong."""
    if not isinstance(error, RequestValidationError):
        raise error
    found = [_field_problem(problem) for problem in error.errors()]
    detail = f"{found[0].field}: {found[0].message}."
    if len(found) > 1:
        detail += f" {len(found) - 1} more under 'errors'."
    return answer(request_id(request), 422, detail, errors=found[:ERRORS_SHOWN], field=found[0].field)


def answer_crash(request_id: str) -> Response:
    """The response for a defect of ours: nothing of it is told."""
    return answer(request_id, 500, _INTERNAL)


def request_id(request: Request) -> str:
    """The id under which this request is in the log."""
    return str(request.state.request_id)


_UNAVAILABLE = (
    "The database or a model it needs is out of reach. Try again in a moment; the server's log says why,"
    " under this request's id."
)
_INTERNAL = (
    "This is a defect of the server, not of your request; its log has the details under this request's id."
)


def _methods_of(request: Request) -> list[str]:
    """Every method the address takes; the framework itself names those of one route only."""
    routes = request.app.router.routes
    scopes = [(method, {**request.scope, "method": method}) for method in METHODS]
    return [m for m, scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in routes)]


def _field_problem(problem: Mapping[str, Any]) -> FieldProblem:
    location, *path = problem["loc"]
    field = ".".join(map(str, path)) or str(location)
    return FieldProblem(field=field[:NAME_SHOWN], location=str(location), message=mistake(problem))


def _in_json(field: str) -> str:
    return ".".join(part if part.isdigit() else to_camel(part) for part in field.split("."))[:NAME_SHOWN]
