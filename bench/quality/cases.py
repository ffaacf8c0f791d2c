"""What every data set is brought to: cases of sessions, turns and questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said; `id` is what questions name as evidence."""

    id: str
    text: str
    sent_at: datetime | None = None
    speaker: str | None = None
    role: Literal["user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    turns: Sequence[Turn]


@dataclass(frozen=True, slots=True)
class Document:
    """A text of a collection that is no conversation."""

    id: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    evidence: frozenset[str]
    category: str = "all"


@dataclass(frozen=True)
class Case:
    """One space and the questions asked of it. A document is its own session."""

    id: str
    questions: Sequence[Question]
    sessions: Sequence[Session] = ()
    documents: Sequence[Document] = ()
    session_of: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        session_of = {turn.id: session.id for session in self.sessions for turn in session.turns}
        session_of.update((document.id, document.id) for document in self.documents)
        object.__setattr__(self, "session_of", session_of)

    @property
    def size(self) -> int:
        """How many records the case puts into its space."""
        return len(self.session_of)
