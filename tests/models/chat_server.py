"""A chat host on a real socket that does what its script says: answers well, badly, late, or not at all."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODELS = ("big-70b", "small-1b", "text-embedding-small")


@dataclass
class Turn:
    """What happens to one request: an answer of the model, or a status, after a delay, whole or in part."""

    text: str | None = ""
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    half: bool = False  # send only half of the answer, then close the connection
    hang_up: bool = False  # close the connection without an answer
    finish: str = "stop"


def good(value: Any) -> Turn:
    """The model answers with this as JSON."""
    return Turn(json.dumps(value, ensure_ascii=False))


def fenced(value: Any) -> Turn:
    """The same in a code fence, with prose around it."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return Turn(f"Sure! Here is what I found:\n\n```json\n{text}\n```\nLet me know if you need more.")


def limited(seconds: float | str = 0.01) -> Turn:
    """429 with Retry-After."""
    return Turn(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": str(seconds)})


def broken_down() -> Turn:
    """500 that may be tried again at once."""
    return Turn(status=500, body={"error": {"message": "boom"}}, headers={"retry-after-ms": "1"})


def refused(message: str = "response_format is not supported") -> Turn:
    return Turn(status=400, body={"error": {"message": message, "type": "invalid_request_error"}})


Script = Sequence[Turn] | Callable[[dict[str, Any]], Turn]


@dataclass
class ChatServer:
    """A running host: where it is, and what it was asked."""

    url: str
    asked: list[dict[str, Any]]  # the bodies of chat requests
    headers: list[dict[str, str]]
    listings: list[str]  # the paths of other requests

    @property
    def prompts(self) -> list[str]:
        """What was said to the model in each request, as one text."""
        return ["\n".join(message["content"] for message in body["messages"]) for body in self.asked]


@contextmanager
def chat_server(
    script: Script = (), *, models: Sequence[str] | None = MODELS, port: int = 0
) -> Iterator[ChatServer]:
    """Run a host. A list of turns is gone through once, and its last is repeated.

    With `models` None the host does not list them. A request with `stream` is answered in events.
    """
    served = ChatServer("", [], [], [])
    lock = threading.Lock()

    def next_turn(body: dict[str, Any], number: int) -> Turn:
        if callable(script):
            return script(body)
        return script[min(number, len(script) - 1)] if script else Turn("ok")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            served.listings.append(self.path)
            if models is None:
                self._send(404, b'{"error": {"message": "no such page"}}', {})
                return
            listed = [{"id": name, "object": "model", "created": 0, "owned_by": "x"} for name in models]
            self._send(200, json.dumps({"object": "list", "data": listed}).encode(), {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(served.asked)
                served.asked.append(body)
                served.headers.append({name.lower(): value for name, value in self.headers.items()})
            turn = next_turn(body, number)
            time.sleep(turn.delay)
            if turn.hang_up:
                self.close_connection = True
                return
            if turn.status != 200 or turn.body is not None:
                self._send(turn.status, json.dumps(turn.body or {}).encode(), turn.headers)
            elif body.get("stream"):
                self._send(200, _events(body, turn), turn.headers, half=turn.half, kind="text/event-stream")
            else:
                self._send(200, json.dumps(_completion(body, turn)).encode(), turn.headers, half=turn.half)

        def _send(
            self,
            status: int,
            body: bytes,
            headers: Mapping[str, str],
            *,
            half: bool = False,
            kind: str = "application/json",
        ) -> None:
            try:
                self.send_response(status)
                for name, value in {"Content-Type": kind, **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if half else body)
                self.close_connection = self.close_connection or half
            except ConnectionError:
                self.close_connection = True  # the client gave up waiting, as a test wanted

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class calls it so)
            del format, args

    server = _Server(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def _completion(body: dict[str, Any], turn: Turn) -> dict[str, Any]:
    message = {"role": "assistant", "content": turn.text}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": turn.finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def _events(body: dict[str, Any], turn: Turn) -> bytes:
    text, size = turn.text or "", 8
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[place : place + size]} for place in range(0, len(text), size)]
    chunks = [
        {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
        | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    last = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
    chunks.append(last | {"choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish}]})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()
