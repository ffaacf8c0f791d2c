"""Stages of work, for whoever watches: the server's metrics and traces. Without a watcher they cost nothing.

Who watches is a matter of the request under way, so that several servers in one process do not mix.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

Watcher = Callable[[str], AbstractContextManager[None]]

_watcher: ContextVar[Watcher | None] = ContextVar("bethink_watcher", default=None)
_NOBODY = nullcontext()


def stage(name: str) -> AbstractContextManager[None]:
    """What a stage of work is done in: `with stage("recall.search"): …`"""
    watcher = _watcher.get()
    return _NOBODY if watcher is None else watcher(name)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Within, every stage is told to a watcher, also those of tasks that begin here."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def timed(milliseconds: dict[str, float]) -> Iterator[None]:
    """Within, how long every stage takes is added up by its name; whoever else watches goes on watching."""
    before = _watcher.get()

    @contextmanager
    def watch(name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            with _NOBODY if before is None else before(name):
                yield
        finally:
            milliseconds[name] = milliseconds.get(name, 0.0) + (time.perf_counter() - started) * 1000

    with watched_by(watch):
        yield
