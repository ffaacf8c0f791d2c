"""/api/session: who is asking; and signing browsers in and out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from starlette.responses import HTMLResponse, RedirectResponse

from bethink.access import Principal, begin_session, end_session, redeem_link
from bethink.errors import Unauthenticated
from bethink.rest.callers import Asking
from bethink.rest.cookies import clear_cookie, session_principal, session_token, set_cookie
from bethink.rest.routes import KeyRoute, problems
from bethink.rest.screens import screen
from bethink.shapes.accounts import SignedIn
from bethink.shapes.fields import Name

router = APIRouter(prefix="/api/session", tags=["session"], route_class=KeyRoute)
pages = APIRouter(include_in_schema=False)


@router.get("", summary="Who am I?", response_description="The key and its space.", responses=problems())
async def get_session(caller: Asking) -> SignedIn:
    """Which key the request came with, its role, and the space it opens."""
    return _told(caller)


@router.post("", status_code=201, summary="Sign in", response_description="Signed in.", responses=problems())
async def begin(request: Request, response: Response, caller: Asking) -> SignedIn:
    """Exchange a key for a session: the answer sets a cookie that stands for the key."""
    token, ends = await begin_session(request.app.state.memory, caller.key.id)
    set_cookie(request, response, token, ends)
    return _told(Principal(caller.key, caller.space_name, ends))


@router.delete("", summary="Sign out", response_description="Signed out.", responses=problems())
async def end(request: Request, response: Response, caller: Asking) -> SignedIn:
    """End the session of the browser that asks; with a key in a header there is nothing to end."""
    if token := session_token(request):
        await end_session(request.app.state.memory, token)
    clear_cookie(response)
    return _told(caller)


@pages.get("/enter/{token}")
async def enter(request: Request, token: Annotated[Name, Path()]) -> HTMLResponse:
    """Follow a one-time link: sign the browser in and show the first screen."""
    try:
        session, ends = await redeem_link(request.app.state.memory, token)
    except Unauthenticated as error:
        return screen("Bethink: no entry", f"<h1>No entry</h1><p>{error.message}</p>", status=401)
    # Not a redirect: a browser that came from elsewhere would not send a strict cookie along with it.
    page = screen("Bethink", '<p><a href="/">You are signed in. Go on.</a></p>', forward="/")
    set_cookie(request, page, session, ends)
    return page


@pages.post("/leave")
async def leave(request: Request) -> RedirectResponse:
    """Sign the browser out and show the first screen."""
    await session_principal(request)
    await end_session(request.app.state.memory, session_token(request) or "")
    response = RedirectResponse("/", 303)
    clear_cookie(response)
    return response


def _told(caller: Principal) -> SignedIn:
    key = caller.key
    return SignedIn(
        key_id=key.id, name=key.name, role=key.role, space=caller.space_name, expires_at=caller.expires_at
    )
