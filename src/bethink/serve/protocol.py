"""HTTP/1.1 as uvicorn speaks it, with an end to waiting for a request's head, and its size kept to."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_TOO_LARGE = json.dumps(
    {
        "type": "urn:bethink:problem:head-too-large",
        "title": "The head of the request is over its limit",
        "status": 431,
        "detail": "Send fewer or shorter headers, or raise the setting server.max_head_bytes.",
    }
).encode()


class PromptProtocol(H11Protocol):
    """Closes a connection whose client takes too long to send the head of a request."""

    head_seconds = 5.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What cannot be read is told so; a head that is too large, why."""
        error = sys.exception()
        if not isinstance(error, h11.RemoteProtocolError) or error.error_status_hint != 431:
            super().send_400_response(msg)
            return
        headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
        head = h11.Response(status_code=431, headers=headers, reason=b"Request Header Fields Too Large")
        for event in (head, h11.Data(data=_TOO_LARGE), h11.EndOfMessage()):
            if output := self.conn.send(event):
                self.transport.write(output)
        self.transport.close()

    def _watch_head(self) -> None:
        """Begin to wait for a head with its first byte, or with the connection; end with its last."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_watching()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop_watching(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            self.transport.close()


def protocol_with(head_seconds: float) -> type[PromptProtocol]:
    """The protocol with a limit of its own."""
    return type("PromptProtocol", (PromptProtocol,), {"head_seconds": head_seconds})
