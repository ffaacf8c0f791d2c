"""Who must know of a change: a room says once what it changed, and what follows from it subscribes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from bethink.records import Record, Space

# What can change: a noun of the store, or what is done to many of them at once.
Subject = Literal[
    "memory", "fact", "message", "session", "context", "person", "text", "options", "space",
    "archive", "erasure", "undo",
]  # fmt: skip
Follow = Callable[["Change"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that was just committed. `record` is what it left, where it is one record."""

    subject: Subject
    space: Space
    session_id: str | None = None
    record: Record | None = None


class Changes:
    """What follows from each kind of change, in the order in which it was subscribed."""

    def __init__(self) -> None:
        self._follows: defaultdict[Subject, list[Follow]] = defaultdict(list)

    def on(self, *subjects: Subject, follow: Follow) -> None:
        """Let `follow` be called after every change of these subjects."""
        for subject in subjects:
            self._follows[subject].append(follow)

    async def tell(self, change: Change) -> None:
        """Do what follows from a change, one thing after the other."""
        for follow in self._follows[change.subject]:
            await follow(change)
