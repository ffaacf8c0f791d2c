"""python -m bench.qdrant_front: as much of Qdrant's HTTP as Bethink speaks, over Qdrant's own engine.

So requests go over a real connection, with a key, and can fail on their way. It is for tests and measuring.
Its times are no server's: it reads and writes JSON in Python, and answers one request after the other.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from bench.qdrant_engine import Collections

KEY = "a key for tests"
ROOT = Path(__file__).parents[1]


class Request(NamedTuple):
    """What was asked of the server."""

    verb: str
    path: str
    query: dict[str, str]
    body: Any


class _Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    collections: Collections
    asked: list[Request] | None
    key: str | None
    lock: threading.Lock

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # each verb has a method of its own
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = urlsplit(self.path).path.strip("/")
        if self.headers.get("api-key") != self.key:
            self._send(401, b"no key")
        elif path == "readyz":
            self._send(200, b"all shards are ready", "text/plain")
        else:
            told = json.loads(body or b"{}")
            if self.asked is not None:
                query = dict(parse_qsl(urlsplit(self.path).query))
                self.asked.append(Request(self.command, path, query, told))
            self._send(*self._result(path.split("/"), told))

    def _result(self, parts: list[str], body: dict[str, Any]) -> tuple[int, bytes]:
        try:
            with self.lock:
                result = self.collections.answered(self.command, parts, body)
        except KeyError:
            return 404, b'{"status": {"error": "Not found"}}'
        except FileExistsError:
            return 409, b'{"status": {"error": "There already"}}'
        return 200, json.dumps({"result": result, "status": "ok", "time": 0.0}).encode()

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing to tell."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that hung up is nothing to tell of."""


@contextmanager
def qdrant_server(
    asked: list[Request] | None = None,
    *,
    key: str | None = KEY,
    folder: Path | None = None,
    index_from_kb: int | None = None,
) -> Iterator[int]:
    """A server that speaks Qdrant's HTTP; its port. It asks for the key, and tells what it was asked."""
    from bench.qdrant_engine import Collections  # which is installed for development only

    with tempfile.TemporaryDirectory(prefix="bethink-qdrant-") as made:
        collections = Collections(folder or Path(made), index_from_kb=index_from_kb)
        told = {"collections": collections, "asked": asked, "key": key, "lock": threading.Lock()}
        front: Callable[..., _Front] = type("Front", (_Front,), told)
        server = _Server(("127.0.0.1", 0), front)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
            collections.close()


class Engine(NamedTuple):
    """Qdrant's engine in a process of its own: where it listens, which process it is, where its data are."""

    port: int
    process: int
    folder: Path


@contextmanager
def qdrant_process() -> Iterator[Engine]:
    """Qdrant's engine in a new process, with nothing in it."""
    with tempfile.TemporaryDirectory(prefix="bethink-qdrant-") as folder:
        command = [sys.executable, "-m", "bench.qdrant_front", "--folder", folder]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            try:
                address = process.stdout.readline() if process.stdout else ""
                yield Engine(int(address.rpartition(":")[2]), process.pid, Path(folder))
            finally:
                process.kill()


def has_engine() -> bool:
    """Whether the package is there that has the engine."""
    return find_spec("qdrant_edge") is not None


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m bench.qdrant_front", description=__doc__)
    parser.add_argument(
        "--folder", type=Path, help="where it keeps its data (default: a new one, which goes)"
    )
    given = parser.parse_args(arguments)
    with qdrant_server(key=None, folder=given.folder) as port:
        print(f"http://127.0.0.1:{port}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
