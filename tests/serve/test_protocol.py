"""Slow and large heads of requests, on a real connection."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from tests.rest.serving import Running, new_space, running

START = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n"


def connected(server: Running) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.settimeout(60)
    return connection


def answer(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    said = b""
    while piece := connection.recv(65_536):
        said += piece
    return said


@pytest.mark.parametrize("sent", [b"", b"GET", START])
def test_a_connection_without_a_whole_head_is_closed(tmp_path: Path, sent: bytes) -> None:
    limits = {"head_seconds": 0.2}
    with running(str(tmp_path / "memory.db"), server=limits) as server, connected(server) as connection:
        connection.sendall(sent)
        assert answer(connection) == b""


def test_a_second_head_that_stays_half_is_closed_too(tmp_path: Path) -> None:
    limits = {"head_seconds": 0.2}
    with running(str(tmp_path / "memory.db"), server=limits) as server, connected(server) as connection:
        connection.sendall(START + b"\r\n" + START)
        said = answer(connection)
        assert said.startswith(b"HTTP/1.1 200")
        assert said.count(b"HTTP/1.1") == 1


def test_the_limit_ends_with_the_head_and_a_body_may_take_its_time(tmp_path: Path) -> None:
    with running(str(tmp_path / "memory.db"), server={"head_seconds": 0.1}) as server:
        secret, body = server.key(new_space()), b'{"content": "They like tea"}'
        head = "POST /api/memory HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        head += f"x-api-key: {secret}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        with connected(server) as connection:
            connection.sendall(head.encode())
            time.sleep(
                0.3
            )  # longer than a head may take; however slow the machine is, the answer is the same
            connection.sendall(body)
            assert answer(connection).startswith(b"HTTP/1.1 201")


@pytest.mark.parametrize("pieces", [1, 20])
@pytest.mark.parametrize(("size", "status"), [(30_000, b"200"), (70_000, b"431")])
def test_the_size_of_a_head_is_limited_where_the_documents_say(
    tmp_path: Path, size: int, status: bytes, pieces: int
) -> None:
    with running(str(tmp_path / "memory.db")) as server, connected(server) as connection:
        head = START + b"x-long: " + b"y" * size + b"\r\nconnection: close\r\n\r\n"
        for place in range(0, len(head), len(head) // pieces + 1):
            connection.sendall(head[place : place + len(head) // pieces + 1])
        said = answer(connection)
        assert said.startswith(b"HTTP/1.1 " + status)
        assert status == b"200" or b"server.max_head_bytes" in said
