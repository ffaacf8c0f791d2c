"""Which processors threads run on: whoever reads a query gets one of their own (Linux).

A thread that is woken often lands on the processor of the one that woke it, in small virtual machines even
while another is idle. The model that reads a query then takes turns with the very threads that wait for it,
for several milliseconds. Only a process of our own divides its processors so; a library leaves them alone.
"""

from __future__ import annotations

import logging
import os

_log = logging.getLogger(__name__)


class _Division:
    """All processors of this process, and the one that is kept for queries; both empty while none is."""

    everyones: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()


def keep_one_for_queries() -> None:
    """The calling thread, and those that it starts from now on, leave one processor to `use_kept`."""
    if not hasattr(os, "sched_setaffinity"):
        return
    everyones = frozenset(os.sched_getaffinity(0))
    kept = frozenset({max(everyones)})
    if len(everyones) > 1 and _use(everyones - kept):
        _Division.everyones, _Division.kept = everyones, kept


def use_kept() -> None:
    """The calling thread moves to the processor that is kept for queries."""
    if _Division.kept:
        _use(_Division.kept)


def use_every() -> None:
    """The calling thread may use every processor: for work that can wait its turn."""
    if _Division.everyones:
        _use(_Division.everyones)


def _use(processors: frozenset[int]) -> bool:
    try:
        os.sched_setaffinity(0, processors)
    except OSError as error:  # as in a container that must not
        _log.info("Threads share all processors: %s", error)
        return False
    return True
