"""A long reading that can be stopped: it runs in a thread, and no thread can be ended from outside."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import BinaryIO, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


class Stopped(Exception):
    """Nobody waits for the reading any more."""


class Stop:
    """Tells the readings of one import to end. Every stream that they read from is a `watched` one."""

    def __init__(self) -> None:
        self._told = threading.Event()

    def watched(self, stream: BinaryIO) -> BinaryIO:
        """The stream; once the reading is told to end, reading on raises `Stopped`."""
        return cast(BinaryIO, _Watched(stream, self.go_on))

    def go_on(self) -> None:
        """Raise `Stopped` once the reading is told to end."""
        if self._told.is_set():
            raise Stopped

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do some work in a thread. If the task is cancelled, the work is over before this returns."""
        working = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            self._told.set()
            await asyncio.gather(working, return_exceptions=True)
            raise


class _Watched:
    """As much of a stream as reading needs."""

    def __init__(self, stream: BinaryIO, go_on: Callable[[], None]) -> None:
        self._stream, self._go_on = stream, go_on
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, size: int = -1) -> bytes:
        self._go_on()
        return self._stream.read(size)

    def readline(self, size: int = -1) -> bytes:
        self._go_on()
        return self._stream.readline(size)

    def seekable(self) -> bool:
        return True
