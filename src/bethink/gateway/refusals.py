"""What the gateway itself has to say when something is wrong, in the words of the client's own API."""

from __future__ import annotations

import json
import logging
from typing import Any

from starlette.responses import Response

from bethink.errors import BethinkError
from bethink.statuses import status_of

_log = logging.getLogger(__name__)

_OPENAI = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_ANTHROPIC = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
}
_UNAVAILABLE = "Bethink's database or a model is out of reach; try again in a moment. Its log says why."
_INTERNAL = "This is a defect of Bethink, not of your request; its log has the details."


class Refused(Exception):
    """A request goes no further, and this is why."""

    def __init__(self, status: int, message: str, code: str | None = None, wait: int | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.wait = status, message, code, wait


def refusal_of(error: Exception, request_id: str) -> Refused:
    """What is said of an error; what may name files and hosts is only for the log."""
    if isinstance(error, Refused):
        return error
    status = 500
    if isinstance(error, BethinkError):
        status = 400 if (found := status_of(error)) == 422 else found  # these clients know no 422
        if status < 500:
            return Refused(status, error.message, "invalid_api_key" if status == 401 else None)
        _log.error("Request %s: %s: %s", request_id, type(error).__name__, error.message)
    else:
        _log.error("Request %s failed", request_id, exc_info=error)
    return Refused(status, _UNAVAILABLE if status == 503 else _INTERNAL)


def answer(refused: Refused, request_id: str, *, anthropic: bool) -> Response:
    """The response that says so."""
    status, body = refused.status, _openai(refused)
    if anthropic:
        kind = _ANTHROPIC.get(status, "invalid_request_error" if status < 500 else "api_error")
        said = {"type": kind, "message": refused.message}
        body = {"type": "error", "error": said, "request_id": request_id}
    headers = {"www-authenticate": 'Bearer realm="bethink"'} if status == 401 else {}
    headers |= {"retry-after": str(refused.wait)} if refused.wait else {}
    return Response(json.dumps(body), status, headers, "application/json")


def _openai(refused: Refused) -> dict[str, Any]:
    default = "invalid_request_error" if refused.status < 500 else "server_error"
    kind = _OPENAI.get(refused.status, default)
    return {"error": {"message": refused.message, "type": kind, "param": None, "code": refused.code}}
