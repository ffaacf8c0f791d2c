from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.datastructures import Headers

from bethink.rest.admission import AllowedOrigins, is_own
from tests.rest.serving import new_space, running
from tests.rest.test_problems import problem

APP = "https://app.example"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(
            str(tmp_path / "memory.db"), server={"allowed_origins": f"{APP}/, http://localhost:3000"}
        ) as server,
        server.client(server.key(new_space())) as client,
    ):
        yield client


def test_an_allowed_page_may_ask_and_read(client: httpx2.Client) -> None:
    asked = {"origin": APP, "access-control-request-method": "POST"}
    preflight = client.request("OPTIONS", "/api/memory", headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == APP
    assert "POST" in preflight.headers["access-control-allow-methods"]
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    for response in (
        client.post("/api/memory", json={"content": "x"}, headers={"origin": APP}),
        client.get("/api/memory/none", headers={"origin": APP}),
    ):
        assert response.headers["access-control-allow-origin"] == APP
        assert response.headers["vary"] == "origin"
        assert "access-control-allow-credentials" not in response.headers


def test_another_page_may_not(client: httpx2.Client) -> None:
    for origin in (
        "https://app.example.attacker.example",
        "http://app.example",
        "null",
        "http://localhost:3001",
    ):
        headers = {"origin": origin, "access-control-request-method": "GET"}
        for method in ("GET", "OPTIONS"):
            response = client.request(method, "/api/memory", headers=headers)
            assert "server.allowed_origins" in problem(response, 403).detail
            assert "access-control-allow-origin" not in response.headers


def test_a_star_allows_every_page() -> None:
    origins = AllowedOrigins(["*"])
    assert origins.shares_with("https://anyone.example")
    assert not origins.shares_with(None)


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("http://localhost:8420", "localhost:8420", True),
        ("http://LOCALHOST:8420", "localhost:8420", True),
        ("https://memory.example", "memory.example", True),
        ("https://memory.example", "memory.example:443", True),
        ("http://[::1]:8420", "[::1]:8420", True),
        ("http://localhost:8421", "localhost:8420", False),
        ("http://localhost", "localhost:8420", False),
        ("https://memory.example.attacker.example", "memory.example", False),
        ("null", "localhost", False),
        ("", "localhost", False),
        ("http://localhost:nonsense", "localhost:8420", False),
        ("http://[", "localhost", False),
        ("http://", "", False),
    ],
)
def test_an_origin_is_our_own_when_it_is_the_host_asked(origin: str, host: str, own: bool) -> None:
    assert is_own(origin, Headers({"host": host})) is own
