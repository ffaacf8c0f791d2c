"""A TCP proxy that does to a connection what bad networks and sick servers do."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

Fault = Literal["silence", "reset", "error", "garbage", "nonsense", "cut"]
FAULTS: tuple[Fault, ...] = ("silence", "reset", "error", "garbage", "nonsense", "cut")
_ANSWERS: dict[str, bytes] = {
    "error": b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 4\r\nconnection: close\r\n\r\noops",
    "garbage": bytes(range(256)) * 8,
    "nonsense": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n"
    b'connection: close\r\n\r\n{"result": [[[[',
}
_CUT_AT = 40  # bytes of an answer that come through


class Proxy:
    """Passes on what comes for a port, or does as `fault` says."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.fault: Fault | None = None
        self.port = 0
        self.met = 0  # requests that met a fault
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    def break_by(self, fault: Fault | None) -> None:
        """Have every connection, also those that are open, do this; None mends it."""
        self.fault = fault
        self._loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        for writer in self._open:  # connections that were kept open; the next request makes a new one
            writer.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stopped = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopped.wait()
        server.close()
        self._hang_up()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        with suppress(OSError, asyncio.CancelledError):
            request = await reader.read(65_536)
            fault = self.fault
            if fault is None or fault == "cut":
                await self._pass_on(request, reader, writer, None if fault is None else _CUT_AT)
            else:
                self.met += 1
                await self._fail(fault, reader, writer)
        self._open.discard(writer)
        writer.close()

    async def _fail(self, fault: Fault, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if fault == "silence":
            while await reader.read(65_536):  # until the other side has had enough
                pass
        elif fault == "reset":
            _reset(writer)
        else:
            writer.write(_ANSWERS[fault])
            await writer.drain()

    async def _pass_on(
        self, request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None
    ) -> None:
        upstream, there = await asyncio.open_connection("127.0.0.1", self._target)
        there.write(request)

        async def back() -> None:
            left = most
            while data := await upstream.read(65_536):
                if left is not None and len(data) > left:
                    self.met += 1
                    writer.write(data[:left])
                    await writer.drain()
                    _reset(writer)
                    break
                writer.write(data)
                await writer.drain()
            writer.close()

        answer = asyncio.create_task(back())
        with suppress(OSError):
            while data := await reader.read(65_536):
                there.write(data)
                await there.drain()
        there.close()
        with suppress(OSError):
            await answer


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close a connection as a server does that has died: with no good-bye."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextmanager
def proxied(port: int) -> Iterator[Proxy]:
    """A proxy before a port."""
    proxy = Proxy(port)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
