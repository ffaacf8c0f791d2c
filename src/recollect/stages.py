"""Stages of work, for whoever watches: the server's metrics and traces. Without a watcher they cost nothing.

Who watches is a matter of the request under way, so that several servers in one process do not mix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

Watcher = Callable[[str], AbstractContextManager[None]]

_watcher: ContextVar[Watcher | None] = ContextVar("recollect_watcher", default=None)
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
