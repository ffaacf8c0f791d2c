from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import httpx2
import pytest

from tests.rest.serving import Running, running
from tests.rest.test_problems import problem

LIMIT = 3_000_000


def test_every_answer_has_the_headers_that_keep_it_private(member: httpx2.Client) -> None:
    for path in ("/api/memory", "/api/nothing", "/healthz", "/"):
        headers = member.get(path).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-request-id"]
        assert "server" not in headers or "uvicorn" in headers["server"]


def test_other_origins_are_not_let_in(member: httpx2.Client) -> None:
    origin = {"origin": "https://attacker.example", "access-control-request-method": "GET"}
    for response in (
        member.get("/api/memory", headers=origin),
        member.request("OPTIONS", "/api/memory", headers=origin),
    ):
        assert not [name for name in response.headers if name.startswith("access-control")]


def test_a_foreign_host_name_is_refused_everywhere(sqlite_server: Running, member: httpx2.Client) -> None:
    for path in ("/", "/docs", "/healthz", "/readyz", "/openapi.json", "/api/memory"):
        found = problem(member.get(path, headers={"host": "attacker.example"}), 421)
        assert "server.allowed_hosts" in found.detail
    for host in ("localhost", f"localhost:{sqlite_server.port}", "127.0.0.1", "[::1]:80", "LOCALHOST"):
        assert member.get("/healthz", headers={"host": host}).status_code == 200


def test_no_host_at_all_is_refused(sqlite_server: Running) -> None:
    with socket.create_connection(("127.0.0.1", sqlite_server.port), timeout=30) as connection:
        connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 421")


def test_a_configured_host_name_is_answered(database_url: str) -> None:
    with (
        running(database_url, server={"allowed_hosts": "memory.example, *.lan"}) as server,
        server.client() as client,
    ):
        for host, status in (
            ("memory.example", 200),
            ("box.lan:8420", 200),
            ("lan", 421),
            ("a.example", 421),
        ):
            assert client.get("/healthz", headers={"host": host}).status_code == status


def test_a_body_over_the_limit_is_refused_before_it_is_sent(sqlite_server: Running) -> None:
    """A client that asks first is told so, and need not send anything."""
    connection = http.client.HTTPConnection("127.0.0.1", sqlite_server.port, timeout=30)
    connection.putrequest("POST", "/api/memory")
    connection.putheader("content-length", str(LIMIT + 1))
    connection.putheader("expect", "100-continue")
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 413
    assert b"max_body_bytes" in response.read()
    connection.close()


def test_a_body_of_unknown_length_is_read_no_further_than_the_limit(
    sqlite_server: Running, member: httpx2.Client
) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(1000):
            sent += 100_000
            yield b"x" * 100_000

    response = member.post("/api/memory", content=endless(), headers={"content-type": "application/json"})
    problem(response, 413)
    assert sent < 50_000_000
    with sqlite_server.client() as other:
        assert other.get("/healthz").status_code == 200


@pytest.mark.parametrize("length", [LIMIT, LIMIT + 1])
def test_the_limit_is_what_it_says(member: httpx2.Client, length: int) -> None:
    start, end = b'{"content": "x", "metadata": ', b"}"
    body = start + b" " * (length - len(start) - len(end) - 2) + b"{}" + end
    response = member.post("/api/memory", content=body, headers={"content-type": "application/json"})
    assert response.status_code == (201 if length == LIMIT else 413)


@pytest.mark.parametrize(
    "path",
    ["/api/documents/search", "/api/documents/absent/retry", "/api/importing", "/api/documents/a/b/content"],
)
def test_only_what_takes_files_takes_more(member: httpx2.Client, path: str) -> None:
    """What is read into memory as a whole must not be as large as a file may be."""
    body = b'{"query": "' + b"x" * LIMIT + b'"}'
    problem(member.post(path, content=body, headers={"content-type": "application/json"}), 413)
