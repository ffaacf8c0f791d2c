"""Which process something belongs to: threads and connections do not survive a fork."""

from __future__ import annotations

import os

from bethink.errors import Forked


class OwnProcess:
    """The process in which this was made."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    @property
    def is_this(self) -> bool:
        """Is this still that process, and not one forked from it?"""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Raise `Forked` in a forked child: what it waits for would never come."""
        if not self.is_this:
            raise Forked
