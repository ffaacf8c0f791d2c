"""A space of a running server in the place of one in a database, for commands that are given --server."""

from __future__ import annotations

from typing import Any

from bethink.cli.invoke import NOT_REMOTE
from bethink.client import AsyncBethinkClient
from bethink.errors import SettingsError


class Remote:
    """The verbs that work over HTTP; for any other, an error that says so."""

    def __init__(self, inner: Any, space: str | None = None) -> None:
        self._inner, self._space = inner, space

    @property
    def name(self) -> str:
        """Which space it is, for what is printed."""
        return self._space or "the space of the key"

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name, None)
        if found is None:
            raise SettingsError(NOT_REMOTE, field="server")
        is_part = type(found).__module__.startswith("bethink.client")
        return Remote(found) if is_part else found


def client_of(server: str, key: str | None, space: str | None) -> AsyncBethinkClient:
    """A client with a key of the environment, or with the one that `bethink login` kept."""
    return AsyncBethinkClient(server, token=key, space=space)


def part_of_server(space: Any, name: str) -> Any:
    """The part of a server's client that looks after its keys or spaces; None for a database."""
    return getattr(space, name) if isinstance(space, Remote) else None
