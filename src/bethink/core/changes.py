"""Who must know of a change: a room says once what it changed, and what follows from it subscribes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bethink.nouns import Nouns
from bethink.records import Record, Space

DEEDS = ("options", "archive", "erasure", "undo")  # what is done to many records at once
Follow = Callable[["Change"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that was just committed. `record` is what it left, where it is one record.

    `subject` is a noun or one of `DEEDS`.
    """

    subject: str
    space: Space
    session_id: str | None = None
    record: Record | None = None


class Changes:
    """What follows from each kind of change, in the order in which it was subscribed."""

    def __init__(self, nouns: Nouns) -> None:
        self._nouns = nouns
        self._follows: defaultdict[str, list[Follow]] = defaultdict(list)

    def on(self, *subjects: str, follow: Follow) -> None:
        """Let `follow` be called after every change of these subjects."""
        for subject in subjects:
            self._follows[subject].append(follow)

    async def tell(self, change: Change) -> None:
        """Do what follows from a change, one thing after the other."""
        if change.subject not in self._nouns and change.subject not in DEEDS:
            raise ValueError(f"{change.subject!r} is neither a noun nor one of {', '.join(DEEDS)}")
        for follow in self._follows[change.subject]:
            await follow(change)
