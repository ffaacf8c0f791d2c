"""The contract every extractor keeps, and what it is given and gives back. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bethink.clock import new_id
from bethink.errors import ExtractionFailure
from bethink.index.describe import SENT_OFFSET
from bethink.models.worth import Unit
from bethink.records import Extraction, ExtractionStatus, Fact, Json, Message, Space
from bethink.shapes.inputs import FactDraft, MemoryDraft

SOURCE = "chat_extract"  # of everything that was extracted from a conversation
IsSmall = Callable[[], Awaitable[bool]]  # whether a chat model is so small that it is asked little at a time
NOBODY = frozenset({"user", "human", "me", "you"})  # names that tell nobody apart


def from_messages(turns: Sequence[Message]) -> Json:
    """The `source_ref` of what was extracted from these turns: which they are, and the clock of who spoke.

    What is said last decides what "tomorrow" is, as it does when the whole was said.
    """
    offset = {SENT_OFFSET: max(turns, key=lambda turn: turn.sent_at).sent_offset} if turns else {}
    return {"messages": [turn.id for turn in turns], **offset}


@dataclass(frozen=True, slots=True)
class Unread:
    """The messages of a session that an extractor has not read yet, in order, and how long it has rested."""

    messages: Sequence[Message]
    idle: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known already and need not be extracted again.

    `memories` are those nearest to what the user said in the stretch, the nearest first; `contexts` the texts
    attached to the session; `before` the turns just before the stretch, to understand it by.
    """

    memories: Sequence[str] = ()
    contexts: Sequence[str] = ()
    facts: Sequence[Fact] = ()
    before: Sequence[Message] = ()


@dataclass(frozen=True, slots=True)
class Over:
    """Something that is no longer so, or that `instead` is: of which slots, whose, and which object.

    Without slots it can be of any. Without a value it ends what a slot holds, where that may be without
    naming the object.
    """

    slots: Sequence[str]
    subject: str | None
    value: str | None
    person_id: str | None
    message_id: str
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an extractor drafts, and what it left out, in words that never quote what was said.

    `skipped` says why the model was not asked at all.
    """

    memories: Sequence[MemoryDraft] = ()
    facts: Sequence[FactDraft] = ()
    over: Sequence[Over] = ()
    left_out: Sequence[str] = ()
    # What was read, by message and number of the unit.
    units: Mapping[str, Mapping[int, Unit]] = field(default_factory=dict)
    skipped: str | None = None
    attempts: int = 1
    model: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


async def never_small() -> bool:
    """For a chat model of which nothing is known."""
    return False


class Extractor(Protocol):
    """Reads turns and drafts memories and facts of the user."""

    @property
    def name(self) -> str:
        """As in the option `extractors`."""

    def due(self, unread: Unread) -> list[Sequence[Message]]:
        """The stretches to read now, each by itself, in order; none while it is too early."""

    async def extract(self, turns: Sequence[Message], known: Known) -> Extracted:
        """Read one stretch. Raises `ExtractionFailure` when the model gives nothing that can be used."""


def reading(
    space: Space,
    extractor: str,
    turns: Sequence[Message],
    came: Extracted | ExtractionFailure,
    now: datetime,
    *,
    again: Extraction | None = None,
) -> Extraction:
    """What is recorded of a stretch that was read, or tried; `again` is the earlier record of the same."""
    counts = {} if isinstance(came, ExtractionFailure) else _counts(came)
    return Extraction(
        id=again.id if again else new_id(),
        space_id=space.id,
        session_id=turns[0].session_id,
        extractor=extractor,
        first_position=turns[0].position,
        last_position=turns[-1].position,
        status=_status(came),
        reason=_reason(came),
        attempts=came.attempts + (again.attempts if again else 0),
        model=came.model,
        counts={"turns": len(turns)} | counts,
        at=now,
    )


def with_less(read: Extraction, memories: int, facts: int, reason: str) -> Extraction:
    """The record of a stretch of which so many drafts were left out in the end."""
    if not memories and not facts:
        return read
    less = {"memories": -memories, "facts": -facts, "left_out": memories + facts}
    counts = read.counts | {name: read.counts.get(name, 0) + more for name, more in less.items()}
    known = (read.reason or "").split("; ")
    reasons = "; ".join(dict.fromkeys(one for one in (*known, reason) if one))
    return read.model_copy(update={"counts": counts, "reason": reasons})


def _status(came: Extracted | ExtractionFailure) -> ExtractionStatus:
    if isinstance(came, ExtractionFailure):
        return ExtractionStatus.FAILED
    return ExtractionStatus.SKIPPED if came.skipped else ExtractionStatus.OK


def _reason(came: Extracted | ExtractionFailure) -> str | None:
    if isinstance(came, ExtractionFailure):
        return came.message
    return came.skipped or "; ".join(dict.fromkeys(came.left_out)) or None


def _counts(came: Extracted) -> dict[str, int]:
    told = {"memories": len(came.memories), "facts": len(came.facts), "left_out": len(came.left_out)}
    return told | dict(came.counts)
