"""HTTP as the server speaks it: by httptools, which is quick but reads a request's head however long it is."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD_BYTES = 65_536


class LimitedHeads(HttpToolsProtocol):
    """A connection that ends when the head of a request does not."""

    _head_bytes: int | None = None  # of the head under way, but for what came with its beginning

    def data_received(self, data: bytes) -> None:
        """Read what came, and see how much of a head that makes."""
        if self._head_bytes is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes is not None and self._head_bytes > MOST_HEAD_BYTES:
            self.send_400_response(f"The head of the request is over {MOST_HEAD_BYTES:,} bytes.")
            self._head_bytes = None

    def on_message_begin(self) -> None:
        """A head begins."""
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """It has ended."""
        self._head_bytes = None
        super().on_headers_complete()
