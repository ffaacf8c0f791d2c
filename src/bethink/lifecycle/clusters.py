"""Which memories say one thing, how often it came up, and the fact that it makes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bethink.extraction.duplicates import differ
from bethink.extraction.patterns import extract
from bethink.extraction.slotted import stated
from bethink.records import Memory, Message
from bethink.text.secrets import masked
from bethink.text.slug import slug

LEAST = 3  # sources that make a thing stable
CATEGORY, KEY_CHARS, VALUE_CHARS = "notes", 60, 500
Source = tuple[str, date]  # a conversation, or a note, and a day


@dataclass(frozen=True, slots=True)
class Stable:
    """What a fact is to be called, and what it says."""

    category: str
    key: str
    value: str


def sources(memory: Memory, messages: Mapping[str, Message]) -> set[Source]:
    """When and where something came up: what one conversation repeats on one day counts once."""
    said = [messages[id_] for id_ in memory.said_in if id_ in messages]
    found = {(message.session_id, message.sent_at.date()) for message in said}
    return found or {(memory.session_id or memory.id, memory.observed_at.date())}


def cluster(seed: Memory, near: Iterable[Memory]) -> list[Memory]:
    """The seed and what says the same as it, of the same person, the oldest first."""
    alike = {
        memory.id: memory
        for memory in near
        if memory.person_id == seed.person_id and not differ(seed.content, memory.content)
    }
    return sorted({**alike, seed.id: seed}.values(), key=lambda one: (one.observed_at, one.id))


def in_slot(members: Sequence[Memory]) -> Stable | None:
    """The fact that a cluster makes, in the words of the newest that a slot knows; None where none does."""
    for memory in reversed(members):
        for found in extract(memory.content):
            for one in stated(found):
                return Stable(one.category, one.key, one.value)
    return None


def in_words(members: Sequence[Memory]) -> Stable:
    """The fact that a cluster makes, in the words of the newest."""
    newest = members[-1]
    value = " ".join(masked(newest.content).split())
    value = value if len(value) <= VALUE_CHARS else value[: VALUE_CHARS - 1].rstrip() + "…"
    key = slug(newest.key or newest.title or value)[:KEY_CHARS].strip("_") or newest.id
    return Stable(newest.category or CATEGORY, key, value)
