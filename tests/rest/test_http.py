"""What the server makes of requests at the edge of HTTP."""

from __future__ import annotations

import json
import socket

import pytest

from tests.rest.serving import Running, new_space

ASKED = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"
MOST_HEAD_BYTES = 65_536
PIECE = 8_192
BODY = json.dumps({"content": "GET /healthz HTTP/1.1 is how a request begins"}).encode()


def answers(port: int, *packets: bytes) -> bytes:
    """All that comes back until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for packet in packets:
            connection.sendall(packet)
        said = b""
        while more := connection.recv(65_536):
            said += more
        return said


@pytest.mark.parametrize(
    "endless", [b"x-more: " + b"a" * PIECE + b"\r\n", b"x-more-and-more" * (PIECE // 15)], ids=["many", "one"]
)
def test_a_head_that_does_not_end_ends_the_connection(sqlite_server: Running, endless: bytes) -> None:
    with socket.create_connection(("127.0.0.1", sqlite_server.port), timeout=30) as connection:
        connection.sendall(ASKED)
        connection.settimeout(0.2)
        sent, answer = 0, b""
        while sent < 100 * MOST_HEAD_BYTES and not answer:
            try:
                connection.sendall(endless)
                sent += len(endless)
                answer = connection.recv(10_000)
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert sent < 2 * MOST_HEAD_BYTES


def test_the_body_of_a_request_that_offers_another_protocol_is_its_body(sqlite_server: Running) -> None:
    """Clients offer HTTP/2 so; a body read as the next request would be answered as somebody else's."""
    key = sqlite_server.key(new_space())
    head = (
        f"POST /api/memory HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(BODY)}\r\n"
        "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", sqlite_server.port), timeout=30) as connection:
        connection.sendall(head)
        connection.sendall(BODY)
        said = connection.recv(65_536)
        assert said.startswith(b"HTTP/1.1 201 "), said
        connection.sendall(ASKED + b"connection: close\r\n\r\n")
        while more := connection.recv(65_536):
            said += more
    assert said.count(b"HTTP/1.1 20") == 2


def test_a_key_after_the_body_opens_nothing(sqlite_server: Running) -> None:
    """What follows a body in pieces would go past whatever checks heads on the way here."""
    key = sqlite_server.key(new_space())
    said = answers(
        sqlite_server.port,
        b"POST /api/memory HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        b"connection: close\r\ntransfer-encoding: chunked\r\n\r\n"
        + f"{len(BODY):x}\r\n".encode()
        + BODY
        + f"\r\n0\r\nauthorization: Bearer {key}\r\n\r\n".encode(),
    )
    assert said.startswith(b"HTTP/1.1 401 "), said


def test_what_is_no_http_is_refused(sqlite_server: Running) -> None:
    assert answers(sqlite_server.port, b"\x16\x03\x01 is this TLS?\r\n\r\n").startswith(b"HTTP/1.1 400 ")
