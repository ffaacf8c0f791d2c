"""An import whose client leaves ends where it is, and is not said to be done."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest

from bethink.shapes.rights import Imported
from bethink.transfer import bounds
from bethink.transfer import verbs as transferring
from bethink.transfer.moving import import_space
from tests.rest.serving import Running

ITEMS = 60 * bounds.BATCH
WAIT_SECONDS = 120


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set once an import is over, however it ended."""
    over = threading.Event()

    async def watched(*args: Any) -> Imported:
        try:
            return await import_space(*args)
        finally:
            over.set()

    monkeypatch.setattr(transferring, "import_space", watched)
    return over


def test_an_import_ends_when_its_client_leaves(server: Running, space: str, ended: threading.Event) -> None:
    body = json.dumps([f"note number {number}" for number in range(ITEMS)]).encode()
    head = (
        f"POST /api/import HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n"
        f"authorization: Bearer {server.key(space)}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    room = server.memory.space(space)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(head.encode() + body)
        while server.call(room.count()) == 0:
            assert not ended.is_set()
    assert ended.wait(WAIT_SECONDS)
    stored = server.call(room.count())
    assert 0 < stored < ITEMS
    assert all(line.action != "imported" for line in server.call(room.journal(limit=5)).items)
    with server.client(server.key(space)) as client:  # and it goes on where it ended
        done = client.post("/api/import", content=json.dumps(["note number 0", "another"])).json()
    assert (done["stored"], done["duplicates"]) == ({"memory": 1}, {"memory": 1})
