"""What somebody forgot, or gave other words, is not extracted again from what had been said by then.

The journal knows what was given up and when. A message said after that, or edited after that, may bring it
back. What was erased is in no journal: a message that still says it may be read as if for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from bethink.extraction import corrections
from bethink.extraction.duplicates import find_twin, plain
from bethink.extraction.said import Said, said
from bethink.records import Fact, JournalEntry, Json, Memory, Message
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.store import Tx, journal, memories
from bethink.store.vectors import Vector
from bethink.text.traces import strings_in

REASON = "somebody forgot it after it was said"
_BESIDE = ("title", "person_id")  # what memories are the same by, with their content


@dataclass(frozen=True)
class GivenUp:
    """A memory as it was until somebody forgot it or gave it other words."""

    at: datetime
    memory: Memory
    why: str


@dataclass(frozen=True)
class Forgettings:
    """What was given up since the first of some messages was said."""

    said: Said
    memories: Sequence[GivenUp]
    facts: Sequence[tuple[datetime, Fact]]

    @property
    def texts(self) -> list[str]:
        """What the memories said that came from these messages."""
        return [one.memory.content for one in self.memories if self.said.any(_sources(one.memory))]

    def why_no_memory(
        self, draft: MemoryDraft, vectors: Mapping[str, Vector] = MappingProxyType({}), least: float = 1.0
    ) -> str | None:
        """Why a draft is not kept: it has the key, the words, or the messages and meaning of one given up."""
        sources, words = list(strings_in(draft.source_ref.get("messages"))), plain(draft.content)
        for one in self.memories:
            memory = one.memory
            if not self.said.by(one.at, sources, draft.content):
                continue
            if draft.key is not None and draft.key == memory.key:
                return one.why
            same = (memory.person_id, memory.title) == (draft.person_id, draft.title)
            if same and plain(memory.content) == words:
                return one.why
            if same and self.said.any(_sources(memory)):
                cosine = _cosine(vectors.get(draft.content), vectors.get(memory.content))
                if find_twin(draft, [(memory, cosine)], least):
                    return one.why
        return None

    def has_fact(self, draft: FactDraft) -> bool:
        """Whether a draft sets what was forgotten: the fact itself, or its value by another name."""
        value = plain(draft.value)
        return any(
            (fact.category, fact.key) == (draft.category, draft.key)
            or (plain(fact.value) == value and self.said.any(fact.provenance))
            for at, fact in self.facts
            if fact.person_id == draft.person_id and self.said.by(at, draft.provenance, draft.value)
        )


def look(tx: Tx, space_id: str, turns: Sequence[Message]) -> Forgettings:
    """What was given up of a space since these messages were said."""
    read = said(tx, space_id, turns)
    lines = journal.forgotten(tx, space_id, read.first)
    gone = [
        GivenUp(at, Memory.model_validate(before), REASON) for at, before in _were(lines, "memory", space_id)
    ]
    known = [*memories.of_session(tx, space_id, turns[0].session_id), *(one.memory for one in gone)]
    return Forgettings(
        read,
        gone + _rewritten(tx, space_id, [one for one in known if read.any(_sources(one))], read.first),
        [(at, Fact.model_validate(before)) for at, before in _were(lines, "fact", space_id)],
    )


def _rewritten(tx: Tx, space_id: str, known: Sequence[Memory], since: datetime) -> list[GivenUp]:
    """Memories as they were each time before somebody gave them other words than they have now."""
    now = {memory.id: memory for memory in known}
    then = {memory.id: memory.model_copy(update={"key": None}) for memory in known}  # its key it has still
    found: list[GivenUp] = []
    for line in journal.by_hand(tx, space_id, list(now), since):
        before = {name: value for name, value in (line.before or {}).items() if _is_words(name, value)}
        if line.action not in corrections.REWRITES or not before:
            continue
        then[line.record_id] = was = then[line.record_id].model_copy(update=before)
        if was.content != now[line.record_id].content:
            found.append(GivenUp(line.at, was, corrections.REASON))
    return found


def _is_words(name: str, value: object) -> bool:
    """Whether it is what memories are the same by; a line that came with an archive may say anything."""
    return isinstance(value, str) if name == "content" else name in _BESIDE and isinstance(value, str | None)


def _were(lines: Iterable[JournalEntry], noun: str, space_id: str) -> Iterator[tuple[datetime, Json]]:
    """What records were before they were forgotten; an erasure may have taken it out of a line."""
    for line in lines:
        if line.noun == noun and line.before is not None:
            yield line.at, line.before | {"space_id": space_id}


def _sources(memory: Memory) -> Iterable[str]:
    return strings_in(memory.source_ref.get("messages"))


def _cosine(one: Vector | None, other: Vector | None) -> float | None:
    return float(one @ other) if one is not None and other is not None else None
