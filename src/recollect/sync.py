"""Recollect: AsyncRecollect without `await`, mirrored when this module is loaded.

The async methods run on an event loop in a thread of their own. `sync.pyi`, from which editors complete the
names, is written by `python -m recollect.stubs` from the same classes.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from recollect import memory

T = TypeVar("T")


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect-loop", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("Recollect was called from its own event loop; use AsyncRecollect there.")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


class _Mirror:
    """Holds the async object whose methods a mirrored class offers."""

    def __init__(self, original: Any, loop: _Loop) -> None:
        self._original, self._loop = original, loop

    @property
    def name(self) -> str:
        """The space's name."""
        return str(self._original.name)


def _mirrored(kind: type) -> dict[str, Any]:
    """Blocking forms of a class's public coroutine methods."""
    return {
        name: _blocking(method)
        for name, method in inspect.getmembers(kind, inspect.iscoroutinefunction)
        if not name.startswith("_")
    }


def _blocking(method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: _Mirror, *args: Any, **kwargs: Any) -> Any:
        return self._loop.run(method(self._original, *args, **kwargs))

    return call


Facts: Any = type("Facts", (_Mirror,), _mirrored(memory.AsyncFacts) | {"__doc__": memory.AsyncFacts.__doc__})


class _Space(_Mirror):
    @property
    def facts(self) -> Any:
        """The facts of this space."""
        return Facts(self._original.facts, self._loop)


Space: Any = type("Space", (_Space,), _mirrored(memory.AsyncSpace) | {"__doc__": memory.AsyncSpace.__doc__})


class _Recollect(_Space):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(memory.AsyncRecollect(*args, **kwargs), _Loop())

    @property
    def settings(self) -> Any:
        """The settings in force."""
        return self._original.settings

    def space(self, name: str, *, actor: str = memory.ACTOR) -> Any:
        """A handle on another space; `actor` is who the journal says made its changes."""
        return Space(self._original.space(name, actor=actor), self._loop)

    def open(self) -> Any:
        """Connect now rather than on first use."""
        self._loop.run(self._original.open())
        return self

    def close(self) -> None:
        """Finish what is under way and let go of the database. Acknowledged writes are safe without it."""
        if self._loop is not None:
            self._loop.run(self._original.close())
            self._loop.stop()

    def __enter__(self) -> Any:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()


_OWN = {"open", "close"}
Recollect: Any = type(
    "Recollect",
    (_Recollect,),
    {name: call for name, call in _mirrored(memory.AsyncRecollect).items() if name not in _OWN}
    | {"__doc__": (memory.AsyncRecollect.__doc__ or "").replace("Async", "").replace("async with", "with")},
)
