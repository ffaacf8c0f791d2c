"""When it was said what is read now, beside what somebody changed by hand in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bethink.records import Message
from bethink.store import Tx, journal
from bethink.text.terms import query_terms

OLD = timedelta(minutes=10)  # a message taken in so long after it was sent is of old; clocks differ by less
EVERY = 1_000_000  # terms of a message


@dataclass(frozen=True, slots=True)
class Said:
    """The messages that are read together: when each was said, or last edited, and its words."""

    at: Mapping[str, datetime]
    texts: Mapping[str, str]

    @property
    def first(self) -> datetime:
        """When the earliest was said."""
        return min(self.at.values())

    def by(self, moment: datetime, message_ids: Iterable[str], text: str) -> bool:
        """Whether what was taken from these messages, or from all if none is known, was said by then.

        A model may name too many of them. Where some were said later, it is news if one of those has most
        of its words.
        """
        ids = [id_ for id_ in message_ids if id_ in self.at] or list(self.at)
        later = [id_ for id_ in ids if self.at[id_] >= moment]
        if not later or len(later) == len(ids):
            return not later
        return not any(_tells(self.texts[id_], text) for id_ in later)

    def any(self, message_ids: Iterable[str]) -> bool:
        """Whether one of these is read."""
        return any(id_ in self.at for id_ in message_ids)


def _tells(message: str, text: str) -> bool:
    """Whether a message says a text, or has most of its words."""
    if text.casefold() in message.casefold():
        return True
    terms = set(query_terms(text))
    return 2 * len(terms.intersection(query_terms(message, EVERY))) > len(terms)


def said(tx: Tx, space_id: str, turns: Sequence[Message]) -> Said:
    """When these turns were said: as a clock of ours has it, unless they are of old or were edited since."""
    edited = journal.edited_at(tx, space_id, [turn.id for turn in turns])
    return Said(
        {turn.id: edited.get(turn.id) or _said_at(turn) for turn in turns},
        {turn.id: turn.content for turn in turns},
    )


def _said_at(turn: Message) -> datetime:
    return turn.sent_at if turn.created_at - turn.sent_at > OLD else turn.created_at
