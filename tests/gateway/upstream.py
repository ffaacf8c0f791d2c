"""A provider for tests: it answers as it is told to, and keeps every request to the byte."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What to answer: pieces of the body, between which to wait, and whether to break off in the end."""

    body: bytes | Iterable[bytes] = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    pause: float = 0.0
    cut: bool = False
    before: Callable[[], object] | None = None


Script = Callable[[Asked], Answer | None]


class Upstream:
    """A running provider."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.asked: list[Asked] = []
        self.gone = threading.Event()  # a client left in the middle of an answer
        self.sent_bytes = 0
        self.script: Script = converse
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"

    @property
    def last(self) -> Asked:
        return self.asked[-1]

    def say(self, *pieces: str) -> None:
        """Answer everything with this from now on."""
        self.script = lambda asked: converse(asked, pieces)

    def answer(self, answer: Answer | None) -> None:
        self.script = lambda _: answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream: Upstream

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, body)
        self.upstream.asked.append(asked)
        answer = self.upstream.script(asked)
        if answer is None:
            self.close_connection = True
            self.connection.close()
            return
        if answer.before:
            answer.before()
        try:
            self._send(answer)
        except OSError:
            self.close_connection = True
            self.upstream.gone.set()

    def __getattr__(self, name: str) -> Any:
        if name in ("do_GET", "do_POST"):
            return self._serve
        raise AttributeError(name)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.kind)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if isinstance(answer.body, bytes):
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)
            return
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in answer.body:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.upstream.sent_bytes += len(piece)
            time.sleep(answer.pause)
        if answer.cut:
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        """Nothing: the tests tell enough."""


@contextmanager
def provider() -> Iterator[Upstream]:
    """A provider at an address of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    upstream = Upstream(server)
    server.RequestHandlerClass = type("Handler", (_Handler,), {"upstream": upstream})
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield upstream
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def converse(asked: Asked, pieces: Sequence[str] = ("Hello", " there.")) -> Answer:
    """An answer in the shape of the address that was asked."""
    path = asked.path.partition("?")[0]
    if path.endswith("/models"):
        return Answer(json.dumps({"object": "list", "data": [{"id": "m1", "object": "model"}]}).encode())
    if path.endswith("/embeddings"):
        row = {"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return Answer(json.dumps({"object": "list", "data": [row], "model": "e", "usage": usage}).encode())
    stream = asked.json.get("stream", False)
    kind = path.rpartition("/v1/")[2]
    if not stream:
        return Answer(json.dumps(_WHOLE[kind]("".join(pieces))).encode())
    return Answer([*_STREAMS[kind](pieces)], kind="text/event-stream")


def chat(text: str | None, **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m1",
        "choices": [{**choice, "message": {"role": "assistant", "content": text, **message}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def responses(text: str, id_: str = "resp_1") -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    output = {
        "type": "message",
        "id": "msg_1",
        "status": "completed",
        "role": "assistant",
        "content": content,
    }
    return {
        "id": id_,
        "object": "response",
        "created_at": 1,
        "model": "m1",
        "status": "completed",
        "output": [output],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def messages(text: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def event(data: Any, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def chat_stream(pieces: Sequence[str]) -> Iterator[bytes]:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m1"}
    for piece in pieces:
        delta = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        yield event({**base, "choices": [delta]})
    yield event({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield b"data: [DONE]\n\n"


def responses_stream(pieces: Sequence[str]) -> Iterator[bytes]:
    whole = responses("".join(pieces))
    yield event({"type": "response.created", "response": {**whole, "output": []}, "sequence_number": 0})
    item = {**whole["output"][0], "content": [], "status": "in_progress"}
    place = {"output_index": 0, "sequence_number": 0}
    yield event({"type": "response.output_item.added", "item": item, **place})
    part = {"type": "output_text", "text": "", "annotations": []}
    at = {"item_id": "msg_1", "content_index": 0, **place}
    yield event({"type": "response.content_part.added", "part": part, **at})
    for number, piece in enumerate(pieces, 1):
        yield event(
            {
                "type": "response.output_text.delta",
                "delta": piece,
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "logprobs": [],
                "sequence_number": number,
            }
        )
    yield event({"type": "response.completed", "response": whole, "sequence_number": len(pieces) + 1})


def messages_stream(pieces: Sequence[str]) -> Iterator[bytes]:
    start = {**messages(""), "content": [], "stop_reason": None}
    yield event({"type": "message_start", "message": start}, "message_start")
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield event(block, "content_block_start")
    for piece in pieces:
        delta = {"type": "text_delta", "text": piece}
        yield event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")
    yield event({"type": "content_block_stop", "index": 0}, "content_block_stop")
    end = {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 2}}
    yield event({"type": "message_delta", **end}, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


_WHOLE: dict[str, Callable[[str], Any]] = {
    "chat/completions": chat,
    "responses": responses,
    "messages": messages,
}
_STREAMS: dict[str, Callable[[Sequence[str]], Iterator[bytes]]] = {
    "chat/completions": chat_stream,
    "responses": responses_stream,
    "messages": messages_stream,
}
