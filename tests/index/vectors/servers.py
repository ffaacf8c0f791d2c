"""Vector stores for tests: a real Chroma server, Qdrant's engine behind HTTP, its client without a server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from bench.qdrant_front import KEY, Request, qdrant_server

from bethink.clock import new_id
from bethink.contracts import VectorIndex
from bethink.settings import VectorSettings
from tests.waiting import eventually

MEMORY = Path("/dev/shm")  # the engine waits for the disk at each of its many small files


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


@contextmanager
def qdrant_engine(asked: list[Request] | None = None, *, index_from_kb: int | None = None) -> Iterator[int]:
    """Qdrant's engine behind its HTTP, which asks for `KEY`; its port."""
    pytest.importorskip("qdrant_edge", reason="Qdrant's engine is not installed: pip install qdrant-edge-py")
    with (
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder,
        qdrant_server(asked, folder=Path(folder), index_from_kb=index_from_kb) as port,
    ):
        yield port


def at_engine(port: int, **settings: object) -> VectorIndex:
    """An index in a server that `qdrant_engine` started."""
    from bethink.index.vectors.qdrant import QdrantVectors, connect

    chosen = VectorSettings.model_validate({"host": "127.0.0.1", "port": port, "api_key": KEY} | settings)
    return QdrantVectors(connect(chosen), chosen, new_id())


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
