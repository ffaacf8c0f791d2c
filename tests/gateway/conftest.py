"""A server with a gateway, a provider behind it, and spaces with memory on and off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from bethink.memory import AsyncSpace
from bethink.records import Message, Role
from tests.databases import new_database
from tests.gateway.upstream import Upstream, provider
from tests.rest.serving import Running, new_space, running

on_both_databases = pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)


@dataclass
class Place:
    """A space behind a gateway, a key that opens it, and the provider that answers."""

    server: Running
    upstream: Upstream
    space: AsyncSpace
    key: str

    @property
    def url(self) -> str:
        return self.server.url

    def client(self, **headers: str) -> httpx2.Client:
        client = self.server.client(self.key)
        client.headers.update(headers)
        return client

    def switch(self, **options: Any) -> None:
        self.server.call(self.space.options.update(**options))

    def settle(self) -> None:
        """Wait until what was said is stored, and can be found by meaning too."""
        self.server.call(self.server.gateway.settle())
        self.server.call(self.server.memory.settle())

    def said(self, session: str) -> list[tuple[str, str]]:
        """What a session holds: who said what."""
        self.settle()
        found: list[Message] = self.server.call(self.space.messages.of(session))
        return [(message.role, message.content) for message in found]

    def sessions(self) -> list[str]:
        self.settle()
        return [session.id for session in self.server.call(self.space.sessions())]


@pytest.fixture(scope="package")
def upstream_host() -> Iterator[Upstream]:
    with provider() as upstream:
        yield upstream


@pytest.fixture
def upstream(upstream_host: Upstream) -> Upstream:
    """A provider that has been asked nothing yet and says hello to everything."""
    fresh = Upstream(upstream_host._server)
    for name in ("asked", "gone", "sent_bytes", "script"):
        setattr(upstream_host, name, getattr(fresh, name))
    return upstream_host


@contextmanager
def serving(upstream_host: Upstream, database: str) -> Iterator[Running]:
    """A server whose gateway knows one provider in three guises."""
    url = upstream_host.url
    guises = {
        "main": {"base_url": url, "api_key": "sk-upstream"},
        "claude": {"base_url": url.removesuffix("/v1"), "api_key": "sk-ant", "kind": "anthropic"},
        "zai": {"base_url": url},
        "vllm": {"base_url": url, "models": ["local-model"]},
    }
    gateway = {"providers": guises, "max_body_bytes": 5_000_000, "recall_seconds": 30}
    with running(database, gateway=gateway) as server:
        yield server


@pytest.fixture(scope="package")
def sqlite_gateway(upstream_host: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(upstream_host, str(tmp_path_factory.mktemp("gateway") / "memory.db")) as server:
        yield server


@pytest.fixture(scope="package")
def postgres_gateway(
    upstream_host: Upstream, postgres_server: str, postgres_schema: str
) -> Iterator[Running]:
    with new_database(postgres_server, postgres_schema) as url, serving(upstream_host, url) as server:
        yield server


@pytest.fixture
def place(request: pytest.FixtureRequest, upstream: Upstream) -> Place:
    """A new space, with memory as it is by default: off; on SQLite, unless a test is for both databases."""
    gateway_server: Running = request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_gateway")
    name = new_space()
    key = gateway_server.key(name, Role.MEMBER)
    return Place(gateway_server, upstream, gateway_server.memory.space(name), key)


@pytest.fixture
def home(place: Place) -> Place:
    """A new space with memory on."""
    place.switch(enabled=True)
    return place
