"""What somebody forgot is not extracted again from what had been said by then.

The journal knows what was forgotten and when. A message said after that, or edited after that, may bring it
back. What was erased is in no journal: a message that still says it may be read as if for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.capture.needles import strings_in
from recollect.capture.said import Said
from recollect.capture.twins import find_twin, plain
from recollect.inputs import FactDraft, MemoryDraft
from recollect.records import Fact, JournalEntry, Json, Memory, Message
from recollect.store import Tx, journal
from recollect.store.vectors import Vector

REASON = "somebody forgot it after it was said"


@dataclass(frozen=True)
class Forgettings:
    """What was forgotten since the first of some messages, and when each of these was said or last edited."""

    said: Said
    memories: Sequence[tuple[datetime, Memory]]
    facts: Sequence[tuple[datetime, Fact]]

    @property
    def texts(self) -> list[str]:
        """What the forgotten memories that came from these messages said."""
        return [memory.content for _, memory in self.memories if self.said.any(_sources(memory))]

    def has_memory(self, draft: MemoryDraft, vectors: Mapping[str, Vector], least: float) -> bool:
        """Whether a draft says what was forgotten: its key, its words, or its messages' meaning."""
        said, words = self.said.first(strings_in(draft.source_ref.get("messages"))), plain(draft.content)
        for at, memory in self.memories:
            if said >= at:
                continue
            if draft.key is not None and draft.key == memory.key:
                return True
            same = (memory.person_id, memory.title) == (draft.person_id, draft.title)
            if same and plain(memory.content) == words:
                return True
            if same and self.said.any(_sources(memory)):
                cosine = _cosine(vectors.get(draft.content), vectors.get(memory.content))
                if find_twin(draft, [(memory, cosine)], least):
                    return True
        return False

    def has_fact(self, draft: FactDraft) -> bool:
        """Whether a draft sets what was forgotten: the fact itself, or its value by another name."""
        said, value = self.said.first(draft.provenance), plain(draft.value)
        return any(
            (fact.category, fact.key) == (draft.category, draft.key)
            or (plain(fact.value) == value and self.said.any(fact.provenance))
            for at, fact in self.facts
            if said < at and fact.person_id == draft.person_id
        )


def look(tx: Tx, space_id: str, turns: Sequence[Message]) -> Forgettings:
    """What was forgotten of a space since these messages were taken in."""
    edited = journal.edited_at(tx, space_id, [turn.id for turn in turns])
    said_at = {turn.id: edited.get(turn.id, turn.created_at) for turn in turns}
    lines = journal.forgotten(tx, space_id, min(said_at.values()))
    return Forgettings(
        Said(said_at),
        [(at, Memory.model_validate(before)) for at, before in _were(lines, "memory", space_id)],
        [(at, Fact.model_validate(before)) for at, before in _were(lines, "fact", space_id)],
    )


def _were(lines: Iterable[JournalEntry], noun: str, space_id: str) -> Iterator[tuple[datetime, Json]]:
    """What records were before they were forgotten; an erasure may have taken it out of a line."""
    for line in lines:
        if line.noun == noun and line.before is not None:
            yield line.at, line.before | {"space_id": space_id}


def _sources(memory: Memory) -> Iterable[str]:
    return strings_in(memory.source_ref.get("messages"))


def _cosine(one: Vector | None, other: Vector | None) -> float | None:
    return float(one @ other) if one is not None and other is not None else None
