"""/: the first screen, for whoever opens the server's address in a browser."""

from __future__ import annotations

from html import escape

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from bethink import __version__
from bethink.access import Principal
from bethink.errors import AccessDenied
from bethink.rest.cookies import session_principal
from bethink.rest.health import Readiness, readiness_of
from bethink.rest.screens import screen

router = APIRouter(include_in_schema=False)
KEY_FILE = "admin-key.env"  # where the first start leaves the admin key that no terminal shows

_STATES = {
    "ready": "Everything works.",
    "degraded": "It works, with less than everything.",
    "down": "It cannot work at the moment.",
}


@router.get("/")
async def show_home(request: Request) -> HTMLResponse:
    """What this is, how it is doing, and the first two commands."""
    readiness = await readiness_of(request.app.state.memory)
    caller = await _signed_in(request) if readiness.database == "ok" else None
    return screen("Bethink", _body(str(request.base_url).rstrip("/"), readiness, caller))


async def _signed_in(request: Request) -> Principal | None:
    try:
        return await session_principal(request)
    except AccessDenied:
        return None


def _body(address: str, readiness: Readiness, caller: Principal | None) -> str:
    return f"""
<h1>Bethink</h1>
<p class="lead">Long-term memory for AI assistants. This is its server, version {__version__}.</p>
{_status(readiness)}
{_account(caller) if caller else ""}
<h2>First steps</h2>
<p>Put your key into a variable. The first start showed it at the terminal. Where there was
none, it is in the file <code>{KEY_FILE}</code> in Bethink's folder, which only its owner can read.
If it is lost, <code>bethink keys create NAME</code> makes another.</p>
{_command("export BETHINK_KEY=bk_…")}
<p>Remember something:</p>
{_command(remember_command(address))}
<p>Recall it:</p>
{_command(recall_command(address))}
<h2>Further</h2>
<nav aria-label="Further"><ul>
<li><a href="docs">The API, route by route</a></li>
<li><a href="openapi.json">Its OpenAPI document</a></li>
<li><a href="readyz">The status as JSON</a></li>
</ul></nav>"""


def remember_command(address: str) -> str:
    """The command that stores a first memory."""
    return (
        f"curl {address}/api/memory \\\n"
        '  -H "Authorization: Bearer $BETHINK_KEY" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        """  -d '{"content": "Anna is allergic to peanuts"}'"""
    )


def recall_command(address: str) -> str:
    """The command that finds it again."""
    return (
        f'curl "{address}/api/memory?q=what+must+Anna+not+eat" \\\n  -H "Authorization: Bearer $BETHINK_KEY"'
    )


def _status(readiness: Readiness) -> str:
    reasons = "".join(f"<li>{escape(reason)}</li>" for reason in readiness.reasons)
    return (
        f'<section class="card" aria-label="Status"><p><span class="state {readiness.status}">'
        f"{readiness.status.capitalize()}.</span> {_STATES[readiness.status]} "
        f'<span class="soft">Database: {readiness.database}. Embedding: {readiness.embedding}.</span></p>'
        f"{f'<ul>{reasons}</ul>' if reasons else ''}</section>"
    )


def _account(caller: Principal) -> str:
    return (
        '<section class="card" aria-label="You"><p><span class="state">Signed in</span> with the'
        f" {caller.key.role.value} key <code>{escape(caller.key.name)}</code>, in the space"
        f" <code>{escape(caller.space_name)}</code>.</p>"
        '<form method="post" action="leave"><button>Sign out</button></form></section>'
    )


def _command(text: str) -> str:
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'
