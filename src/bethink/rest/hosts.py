"""Which host names the server answers under, so that a web page cannot reach it through a name of its own.

A browser that was talked into asking this machine under `attacker.example` still sends that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address

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
