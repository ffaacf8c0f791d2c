"""Mirrors of async classes: the same members, which wait for their results.

The async methods run on an event loop in a thread of their own, whatever the caller is doing.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from bethink.errors import BethinkError, Closed
from bethink.store.driver import OwnProcess

T = TypeVar("T")


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="bethink-loop", daemon=True)
        self._thread.start()
        self._taking = threading.Lock()
        self._stopped = False
        self._process = OwnProcess()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine that runs in the loop's thread."""
        try:
            self._check()
            with self._taking:
                if self._stopped:
                    raise Closed
                future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except BaseException:
            work.close()
            raise
        try:
            return future.result()
        except BaseException:
            future.cancel()  # of no effect on one that is done; Ctrl-C comes here too
            raise

    def stop(self) -> None:
        """Let what is under way finish, then end the thread."""
        with self._taking:
            if self._stopped:
                return
            self._stopped = True
        asyncio.run_coroutine_threadsafe(_others_done(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _check(self) -> None:
        self._process.check()
        if threading.current_thread() is self._thread:
            raise BethinkError("Bethink was called from its own event loop; use AsyncBethink there.")


async def _others_done() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()


MIRRORS: dict[type, type] = {}  # each async class and the class that mirrors it


def mirroring(original: type) -> Callable[[type[T]], type[T]]:
    """Give a class the public members of `original`, coroutines in blocking form, but for those it has."""

    def fill(kind: type[T]) -> type[T]:
        for name, (member, _) in members_of(original).items():
            if not name.startswith("_") and name not in vars(kind):
                setattr(kind, name, _mirrored(member))
        kind.__doc__ = without_async(original.__doc__)
        MIRRORS[original] = kind
        return kind

    return fill


def members_of(original: type) -> dict[str, tuple[Any, type]]:
    """The members of a class and where each is defined: its own, and those of bases without a mirror."""
    found: dict[str, tuple[Any, type]] = {}
    for kind in (original, *(base for base in original.__mro__[1:] if base is not object)):
        if kind is not original and kind in MIRRORS:
            break  # the mirror of that base has the rest
        for name, member in vars(kind).items():
            found.setdefault(name, (member, kind))
    return found


def _mirrored(member: Any) -> Any:
    if isinstance(member, property):
        return property(_call(member.fget))
    return _call(member) if callable(member) else member


def _call(method: Any) -> Callable[..., Any]:
    """A function of a mirror that calls the original, waits for it, and mirrors what it gives."""

    @functools.wraps(method)
    def call(self: Mirror, *args: Any, **kwargs: Any) -> Any:
        found = method(self._original, *args, **kwargs)
        if inspect.iscoroutine(found):
            found = self._loop.run(found)
        kind = MIRRORS.get(type(found))
        return kind(found, self._loop) if kind else found

    call.__doc__ = without_async(method.__doc__)
    return call


def without_async(text: str | None) -> str:
    """What is said of the async classes, said of these."""
    return (text or "").replace("Async", "").replace("async with", "with").replace("`await ", "`")


class Mirror:
    """Holds the async object whose members a mirrored class offers."""

    def __init__(self, original: Any, loop: Loop) -> None:
        self._original, self._loop = original, loop


def original_of(mirror: Mirror) -> Any:
    """The async object behind a mirror."""
    return mirror._original


def loop_of(mirror: Mirror) -> Loop:
    """The event loop that a mirror's calls run on."""
    return mirror._loop
