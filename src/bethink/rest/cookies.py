"""The cookie of a browser's session: no script can read it, and no other site's request carries it."""

from __future__ import annotations

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from bethink.access import Principal, authenticate_session
from bethink.clock import now
from bethink.errors import AccessDenied, Unauthenticated
from bethink.rest.admission import is_from_own_page

COOKIE = "bethink_session"


def session_token(request: Request) -> str | None:
    """The token of the session that a request carries."""
    return request.cookies.get(COOKIE) or None


async def session_principal(request: Request) -> Principal:
    """Who is signed in. A request that changes something must come from one of our own pages."""
    token = session_token(request)
    if token is None:
        raise Unauthenticated
    if not is_from_own_page(request.method, request.headers):
        raise AccessDenied("A browser's session only counts on this server's own pages; send a key instead.")
    return await authenticate_session(request.app.state.memory, token)


def set_cookie(request: Request, response: Response, token: str, ends: datetime) -> None:
    """Let the browser keep a session."""
    secure = request.app.state.memory.settings.server.secure_cookies or request.url.scheme == "https"
    seconds = round((ends - now()).total_seconds())
    response.set_cookie(COOKIE, token, max_age=seconds, httponly=True, samesite="strict", secure=secure)


def clear_cookie(response: Response) -> None:
    """Let the browser forget its session."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
