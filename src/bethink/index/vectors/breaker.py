"""Remembers that something failed, so that nobody waits for it while it rests."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from bethink.clock import now

LONGEST_REST_SECONDS = 600.0


class Breaker:
    """Open from a failure until a try works; the rest before the next try doubles with each that fails."""

    def __init__(self, rest_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._first_rest, self._clock = rest_seconds, clock
        self._rest = rest_seconds
        self._until = 0.0
        self.problem: str | None = None
        self.since: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether it failed last, so that it is not to be waited for."""
        return self.problem is not None

    @property
    def seconds_left(self) -> float:
        """Until the next try; 0 where it is due, or nothing failed."""
        return max(0.0, self._until - self._clock()) if self.is_open else 0.0

    def failed(self, problem: str) -> None:
        """Note a failure. Several in the same rest count once, as calls under way fail together."""
        if self.is_open and self.seconds_left > 0:
            return
        self._until = self._clock() + self._rest
        self._rest = min(2 * self._rest, LONGEST_REST_SECONDS)
        self.problem, self.since = problem, self.since or now()

    def worked(self) -> None:
        """Note that it works."""
        self.problem = self.since = None
        self._rest = self._first_rest
