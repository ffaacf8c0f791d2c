"""The Studio: the web app at `/`. It is built from `studio/` and asks the REST API as any client does."""

from __future__ import annotations

import mimetypes
import secrets
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bethink.contracts import Surface

PREFIX = "/studio"
BUILT = files("bethink") / "studio_built"
MISSING = (
    "The Studio is not built: 'make run' does it, with Node 20.19 or newer and its npm. The API answers all"
    " the same."
)
_ASSETS = f"{PREFIX}/assets/"
_NONCE = b"NONCE-OF-THIS-PAGE"  # index.html has it where a style sheet made by a script needs the page's own
_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}  # a file's name holds its digest
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:;"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)

mimetypes.add_type("text/javascript", ".js")  # some machines call it otherwise, and browsers then refuse it
mimetypes.add_type("font/woff2", ".woff2")


def is_built() -> bool:
    """Whether there is a Studio to serve."""
    return (BUILT / "index.html").is_file()


def surface() -> Surface:
    """The Studio, as the server mounts it: the pages of the app and the files they are made of."""
    return Surface(
        PREFIX, Studio(BUILT), 1024, "server.max_body_bytes", _refuse, pages=frozenset({"/", PREFIX})
    )


class Studio:
    """Serves the one page of the app under every address that it routes by itself, and the page's files."""

    def __init__(self, built: Traversable) -> None:
        self._built = built
        self._page = (built / "index.html").read_bytes()
        assets = (built / "assets").iterdir()
        self._assets = {one.name: one for one in assets if one.is_file()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        path = str(scope["path"]).removeprefix(scope.get("root_path", ""))
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Pages are only read.", 405, {"allow": "GET, HEAD"})
        if path.startswith(_ASSETS):
            return self._asset(path.removeprefix(_ASSETS), scope)
        nonce = secrets.token_urlsafe(16)
        return Response(
            self._page.replace(_NONCE, nonce.encode()),
            media_type="text/html",
            headers={"content-security-policy": _POLICY.format(nonce=nonce)},
        )

    def _asset(self, name: str, scope: Scope) -> Response:
        found = self._assets.get(name)
        if found is None:
            return PlainTextResponse("There is no such file; load the page again.", 404)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        packed = self._assets.get(f"{name}.gz")
        if packed and _takes_gzip(scope):
            headers = {**_FOR_EVER, "content-encoding": "gzip", "vary": "accept-encoding"}
            return Response(packed.read_bytes(), media_type=kind, headers=headers)
        return Response(found.read_bytes(), media_type=kind, headers=_FOR_EVER)


def _takes_gzip(scope: Scope) -> bool:
    return any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])


def _refuse(_scope: Scope, _request_id: str, status: int, detail: str) -> ASGIApp:
    return PlainTextResponse(detail, status)
