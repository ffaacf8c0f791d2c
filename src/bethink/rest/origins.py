"""Where a request comes from, and by which name of this server: what pages of other sites may not do."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers

OWN = ("localhost", "127.0.0.1", "::1")


class AllowedHosts:
    """The names allowed: this machine's own, the address listened on, and those of the settings."""

    def __init__(self, listening_on: str, configured: Iterable[str]) -> None:
        self._names = {_bare(name) for name in (*OWN, *configured)}
        if not _is_every_address(listening_on):
            self._names.add(_bare(listening_on))
        self._endings = tuple(name[1:] for name in self._names if name.startswith("*."))

    def __contains__(self, header: object) -> bool:
        """Whether a request with this Host header is answered."""
        if not isinstance(header, str) or not header:
            return False
        if "*" in self._names:
            return True
        name = _bare(_without_port(header))
        return "*" not in name and (name in self._names or name.endswith(self._endings))


def _is_every_address(host: str) -> bool:
    try:
        return ip_address(_bare(host)).is_unspecified
    except ValueError:
        return not host


def _without_port(header: str) -> str:
    if header.startswith("["):
        address, _, port = header.partition("]")
        return address if not port or port.startswith(":") else ""
    return header.rpartition(":")[0] if header.count(":") == 1 else header


def _bare(name: str) -> str:
    return name.strip("[]").lower()


SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
EXPOSED = "x-request-id, retry-after"
TAKEN = "authorization, content-type, x-api-key, x-bethink-space, x-request-id"
_PORTS = {"http": 80, "https": 443}


class AllowedOrigins:
    """The origins that may use the server from a browser: its own, and those of the settings."""

    def __init__(self, configured: Iterable[str]) -> None:
        self._names = {name.rstrip("/").lower() for name in configured}

    def admits(self, headers: Headers) -> bool:
        """Whether a request is no page's, or that of a page that may ask."""
        origin = headers.get("origin")
        own = headers.get("sec-fetch-site") == "same-origin"
        return origin is None or own or is_own(origin, headers) or self.shares_with(origin)

    def shares_with(self, origin: str | None) -> bool:
        """Whether a page of another origin may read the answers."""
        return origin is not None and ("*" in self._names or origin.lower() in self._names)

    def answer_headers(self, headers: Headers) -> dict[str, str]:
        """What lets an allowed page read an answer. It must send a key: sessions are our own pages'."""
        if not self._names:
            return {}
        origin = headers.get("origin")
        shared = {"access-control-allow-origin": origin} if origin and self.shares_with(origin) else {}
        return {"vary": "origin", **shared, **({"access-control-expose-headers": EXPOSED} if shared else {})}

    def preflight_headers(self, headers: Headers) -> dict[str, str]:
        """What a browser wants to know before an allowed page's request; nothing for any other."""
        if "access-control-request-method" not in headers or not self.shares_with(headers.get("origin")):
            return {}
        return {
            "access-control-allow-methods": "DELETE, GET, PATCH, POST, PUT",
            "access-control-allow-headers": TAKEN,
            "access-control-max-age": "600",
        }


def is_own(origin: str, headers: Headers) -> bool:
    """Whether an origin is the server under the very name it was asked by."""
    return _place(origin) is not None and _place(origin) == _place(
        f"{urlsplit(origin).scheme}://{headers.get('host', '')}"
    )


def is_from_own_page(method: str, headers: Headers) -> bool:
    """Whether a session's cookie counts: it came with a request of our own page, or asks only to read."""
    safe, site = method in SAFE_METHODS, headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin" or (site == "none" and safe)
    origin = headers.get("origin")
    return is_own(origin, headers) if origin is not None else safe


def _place(address: str) -> tuple[str, int | None] | None:
    try:
        parts = urlsplit(address)
        return (parts.hostname, parts.port or _PORTS.get(parts.scheme)) if parts.hostname else None
    except ValueError:
        return None
