"""Real HTTP hosts on this machine that answer as embedding hosts and the Hugging Face hub do."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Asked:
    """One request that came in."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Answer:
    """What to reply, how late, and whether to hang up without a reply."""

    body: Any
    status: int = 200
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False


@dataclass
class Host:
    """A running host: where it is and what it was asked."""

    url: str
    asked: list[Asked]

    @property
    def texts(self) -> list[list[str]]:
        return [request.body["input"] for request in self.asked]


@contextmanager
def running_host(answer: Callable[[Asked], Answer], port: int = 0) -> Iterator[Host]:
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            request = Asked(self.path, dict(self.headers), json.loads(self.rfile.read(length)))
            asked.append(request)
            reply = answer(request)
            if reply.hang_up:
                self.close_connection = True
                return
            time.sleep(reply.delay)
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self._send(reply.status, {"Content-Type": "application/json", **reply.headers}, body)

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True  # the client gave up waiting, as a test wanted

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class calls it so)
            del format, args

    with _running(Handler, port) as url:
        yield Host(url, asked)


@contextmanager
def running_hub(files: dict[str, Path]) -> Iterator[tuple[str, list[str]]]:
    """A hub with one model `owner/model` made of `files`; yields its address and what was asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def _answer(self, *, with_body: bool) -> None:
            asked.append(f"{self.command} {self.path}")
            file = files.get(self.path.removeprefix("/owner/model/resolve/main/"))
            body = file.read_bytes() if file else b""
            self.send_response(200 if file else 404)
            self.send_header("X-Repo-Commit", "0" * 40)
            if file:
                self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
            else:
                self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class calls it so)
            del format, args

    with _running(Handler, 0) as url:
        yield url, asked


def numbers_of(text: str, length: int) -> list[float]:
    """A vector that tells texts apart and is not of length 1."""
    digest = hashlib.sha256(text.encode()).digest()
    return [digest[place % 32] / 16 + 0.1 for place in range(length)]


def unused_port() -> int:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        return server.server_port


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


@contextmanager
def _running(handler: type[BaseHTTPRequestHandler], port: int) -> Iterator[str]:
    server = _Server(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
