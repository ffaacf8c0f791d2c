"""When the messages were said that something was read from. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Said:
    """The time of each of the messages that were read together."""

    at: Mapping[str, datetime]

    def first(self, message_ids: Iterable[str]) -> datetime:
        """The earliest of these, or of all if none is known: a model may name too many."""
        known = [self.at[id_] for id_ in message_ids if id_ in self.at]
        return min(known or self.at.values())

    def any(self, message_ids: Iterable[str]) -> bool:
        """Whether one of these was read."""
        return any(id_ in self.at for id_ in message_ids)
