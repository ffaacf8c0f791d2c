"""Vector stores for tests: a real Chroma server, started once, and Qdrant in this process or where it is."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from bethink.clock import new_id
from bethink.contracts import VectorIndex
from bethink.settings import VectorSettings
from tests.waiting import eventually


@contextmanager
def chroma_server(folder: Path) -> Iterator[int]:
    """A Chroma server with its data in this folder; its port."""
    port = free_port()
    command = [
        str(Path(sys.executable).with_name("chroma")),
        "run",
        "--path",
        str(folder),
        "--port",
        str(port),
    ]
    with (folder.with_suffix(".log")).open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"HOME": str(folder)})
        try:
            eventually(lambda: process.poll() is not None or _answers(port))
            yield port
        finally:
            process.terminate()
            process.wait()


def qdrant(**settings: object) -> VectorIndex:
    """Qdrant at `BETHINK_TEST_QDRANT_URL`; without it, the form of its client that needs no server."""
    from qdrant_client import AsyncQdrantClient

    from bethink.index.vectors.qdrant import QdrantVectors, connect

    if url := os.environ.get("BETHINK_TEST_QDRANT_URL"):
        parts = urlsplit(url)
        there = {"host": parts.hostname, "port": parts.port, "tls": parts.scheme == "https"}
        chosen = VectorSettings.model_validate(there | settings)
        return QdrantVectors(connect(chosen), chosen, new_id())
    chosen = VectorSettings.model_validate(settings)
    return QdrantVectors(AsyncQdrantClient(":memory:"), chosen, new_id(), is_server=False)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/api/v2/heartbeat", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
