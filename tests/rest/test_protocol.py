from __future__ import annotations

import socket

import pytest

from recollect.rest.protocol import MOST_HEAD_BYTES
from tests.rest.serving import Running

ASKED = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"
PIECE = 8_192


def sent_until_answered(port: int, endless: bytes) -> tuple[int, bytes]:
    """How much of an endless head was sent before the answer came, and the whole answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
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
        return sent, answer


@pytest.mark.parametrize(
    "endless", [b"x-more: " + b"a" * PIECE + b"\r\n", b"x-more-and-more" * (PIECE // 15)], ids=["many", "one"]
)
def test_a_head_that_does_not_end_ends_the_connection(sqlite_server: Running, endless: bytes) -> None:
    sent, answer = sent_until_answered(sqlite_server.port, endless)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"The head of the request is over 65,536 bytes." in answer
    assert sent < 2 * MOST_HEAD_BYTES


def test_long_heads_one_after_the_other_are_read(sqlite_server: Running) -> None:
    head = ASKED + b"x-long: " + b"a" * (MOST_HEAD_BYTES - 5_000) + b"\r\n\r\n"
    with socket.create_connection(("127.0.0.1", sqlite_server.port), timeout=30) as connection:
        for _ in range(3):
            for start in range(0, len(head), PIECE):
                connection.sendall(head[start : start + PIECE])
            answer = b""
            while b'"ok"' not in answer and b"{" not in answer:
                answer += connection.recv(10_000)
            assert answer.startswith(b"HTTP/1.1 200 ")


def test_what_is_no_http_is_refused(sqlite_server: Running) -> None:
    with socket.create_connection(("127.0.0.1", sqlite_server.port), timeout=30) as connection:
        connection.sendall(b"\x16\x03\x01 hello, is this TLS?\r\n\r\n")
        assert connection.recv(10_000).startswith(b"HTTP/1.1 400 ")
