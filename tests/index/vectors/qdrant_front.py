"""As much of Qdrant's HTTP as Bethink speaks, over the form of its client that needs no server.

So the requests go over a real connection, with a key, and can fail on their way.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from qdrant_client import QdrantClient, models

KEY = "a key for tests"
_lock = threading.Lock()  # the client in this process knows nothing of threads


def _answered(client: QdrantClient, verb: str, parts: list[str], body: dict[str, Any]) -> Any:
    """The result of a request."""
    if parts == ["collections"]:
        return {"collections": [{"name": one.name} for one in client.get_collections().collections]}
    name, rest = parts[1], parts[2:]
    if rest == ["exists"]:
        return {"exists": client.collection_exists(name)}
    if rest == ["index"]:
        return {"operation_id": 0, "status": "completed"}  # of no use there
    if not rest and verb == "PUT":
        if client.collection_exists(name):
            raise FileExistsError
        made = models.CreateCollection.model_validate(body)
        return client.create_collection(name, vectors_config=made.vectors)
    if not rest and verb == "DELETE":
        return client.delete_collection(name)
    if not client.collection_exists(name):
        raise FileNotFoundError
    return _of_points(client, name, tuple(rest), body)


def _of_points(client: QdrantClient, name: str, rest: tuple[str, ...], body: dict[str, Any]) -> Any:
    chosen = models.Filter.model_validate(body["filter"]) if body.get("filter") else None
    if rest == ("points",):
        client.upsert(name, [models.PointStruct.model_validate(point) for point in body["points"]])
    elif rest == ("points", "delete"):
        client.delete(name, models.FilterSelector(filter=chosen) if chosen else body["points"])
    elif rest == ("points", "count"):
        return {"count": client.count(name, chosen).count}
    elif rest == ("points", "scroll"):
        points, after = client.scroll(
            name, chosen, limit=body["limit"], offset=body.get("offset"), with_payload=False
        )
        return {"points": [{"id": point.id} for point in points], "next_page_offset": after}
    elif rest == ("points", "query"):
        nearest = body["query"]["nearest"]
        found = client.query_points(name, query=nearest, query_filter=chosen, limit=body["limit"])
        return {"points": [{"id": one.id, "version": 0, "score": one.score} for one in found.points]}
    else:
        raise FileNotFoundError
    return {"operation_id": 0, "status": "completed"}


class Request(NamedTuple):
    """What was asked of the server."""

    verb: str
    path: str
    query: dict[str, str]
    body: Any


class _Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    client: QdrantClient
    asked: list[Request]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # each verb has a method of its own
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = urlsplit(self.path).path.strip("/")
        if self.headers.get("api-key") != KEY:
            self._send(401, b"no key")
        elif path == "readyz":
            self._send(200, b"all shards are ready", "text/plain")
        else:
            told = json.loads(body or b"{}")
            self.asked.append(Request(self.command, path, dict(parse_qsl(urlsplit(self.path).query)), told))
            self._send(*self._result(path.split("/"), told))

    def _result(self, parts: list[str], body: dict[str, Any]) -> tuple[int, bytes]:
        try:
            with _lock, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = _answered(self.client, self.command, parts, body)
        except FileNotFoundError:
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
def qdrant_server(asked: list[Request] | None = None) -> Iterator[int]:
    """A server that speaks Qdrant's HTTP; its port. It asks for `KEY`, and tells what it was asked."""
    told = {"client": QdrantClient(":memory:"), "asked": [] if asked is None else asked}
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
