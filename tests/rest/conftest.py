"""A server on each database that many tests share, each with a space of its own in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.databases import new_database
from tests.rest.serving import Running, new_space, running


@pytest.fixture(scope="package", params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A running server, once on each kind of database."""
    folder = tmp_path_factory.mktemp("rest")
    files = {"folder": str(folder / "files")}
    if request.param == "sqlite":
        with running(str(folder / "memory.db"), files=files) as server:
            yield server
        return
    given = (str(request.getfixturevalue(name)) for name in ("postgres_server", "postgres_schema"))
    with new_database(*given) as url, running(url, files=files) as server:
        yield server


@pytest.fixture(scope="package")
def sqlite_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A running server for what does not depend on the database."""
    folder: Path = tmp_path_factory.mktemp("rest")
    with running(
        str(folder / "memory.db"), server={"max_body_bytes": 3_000_000, "max_upload_bytes": 6_000_000}
    ) as server:
        yield server


@pytest.fixture
def space() -> str:
    """The name of a new space."""
    return new_space()


@pytest.fixture
def client(server: Running, space: str) -> Iterator[httpx2.Client]:
    """A client with a member's key of a new space."""
    with server.client(server.key(space)) as client:
        yield client


@pytest.fixture
def member(sqlite_server: Running) -> Iterator[httpx2.Client]:
    """A client with a member's key of a new space, on one database only."""
    with sqlite_server.client(sqlite_server.key(new_space())) as client:
        yield client
