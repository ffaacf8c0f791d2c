"""Slow and large heads of requests, on a real connection."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from tests.rest.serving import Running, new_space, running
from tests.waiting import PATIENCE_SECONDS

HEAD_SECONDS = 0.3
START = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n"


def connected(server: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS)


def begun(server: Running, data: bytes) -> socket.socket:
    """A connection whose first bytes were sent well within the time that a head may take."""
    while True:
        opened = time.monotonic()
        connection = connected(server)
        connection.sendall(data)
        if time.monotonic() - opened < HEAD_SECONDS / 2:
            return connection
        connection.close()  # too slow to tell anything


def answer(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    said = b""
    while piece := connection.recv(65_536):
        said += piece
    return said


@pytest.mark.parametrize("sent", [b"", b"GET", START])
def test_a_connection_without_a_whole_head_is_closed(tmp_path: Path, sent: bytes) -> None:
    limits = {"head_seconds": HEAD_SECONDS}
    with running(str(tmp_path / "memory.db"), server=limits) as server, connected(server) as connection:
        connection.sendall(sent)
        assert answer(connection) == b""


def test_a_second_head_that_stays_half_is_closed_too(tmp_path: Path) -> None:
    limits, heads = {"head_seconds": HEAD_SECONDS}, START + b"\r\n" + START
    with running(str(tmp_path / "memory.db"), server=limits) as server, begun(server, heads) as connection:
        said = answer(connection)
        assert said.startswith(b"HTTP/1.1 200")
        assert said.count(b"HTTP/1.1") == 1


def test_the_limit_ends_with_the_head_and_a_body_may_take_its_time(tmp_path: Path) -> None:
    with running(str(tmp_path / "memory.db"), server={"head_seconds": HEAD_SECONDS}) as server:
        secret, body = server.key(new_space()), b'{"content": "They like tea"}'
        head = "POST /api/memory HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        head += f"x-api-key: {secret}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        with begun(server, head.encode()) as connection:
            # Longer than a head may take; however slow the machine is, the answer is the same.
            time.sleep(2 * HEAD_SECONDS)
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
