"""Waiting for what is sure to come, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_SECONDS = 300.0  # only a defect lets it pass


def eventually(look: Callable[[], T]) -> T:
    """What `look` sees as soon as that is something; fails when it never is."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (seen := look()):
        assert time.monotonic() < deadline, "what was waited for has not come"
        time.sleep(0.01)
    return seen
