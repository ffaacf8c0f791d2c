"""Obey a request to forget: what is meant leaves memories, facts, recall and prompt; the store keeps it.

The journal tells what was withdrawn and why, and it can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.facts.versions import drop_fact
from bethink.journal.note import note
from bethink.memories.revise import forget
from bethink.records import Layer, Message, Space
from bethink.store import Tx, entries, facts, journal, memories, messages, units
from bethink.store.units import ReadUnit

ACTION = "withdrawn"
REASON = "the user asked to forget it"
_EVERY = 1_000_000  # more facts than anyone has


def withdraw(tx: Tx, space: Space, meant: Sequence[ReadUnit], now: datetime, actor: str) -> int:
    """Withdraw units and all that was made of them; how many units."""
    units.withdraw(tx, meant)
    by_message: dict[str, list[ReadUnit]] = {}
    for unit in meant:
        by_message.setdefault(unit.message_id, []).append(unit)
    said = messages.by_ids(tx, space.id, list(by_message))
    made = units.of_messages(tx, space.id, list(said))
    for message_id, message in said.items():
        numbers = {unit.number for unit in by_message[message_id]}
        entries.expire(tx, space, Layer.MESSAGE, message_id, message.sent_at)
        _note(tx, space, message, sorted(numbers), now, actor)
        words = [one for one in made.get(message_id, ()) if one.unit.number in numbers]
        kept = [one.unit.memory_id for one in words if one.unit.memory_id]
        there = memories.by_ids(tx, space.id, list(dict.fromkeys(kept)))
        forget(tx, space, list(there), now, actor, reason=REASON, action=ACTION)
        _drop_facts(tx, space, message, [one.text for one in words], now, actor)
    return len(meant)


def _note(tx: Tx, space: Space, message: Message, numbers: Sequence[int], now: datetime, actor: str) -> None:
    after = {"withdrawn_units": list(numbers)}
    journal.add(tx, [note(space, now, actor, ACTION, message, reason=REASON, before={}, after=after)])


def _drop_facts(
    tx: Tx, space: Space, message: Message, words: Sequence[str], now: datetime, actor: str
) -> None:
    for fact in facts.list_current(tx, space.id, limit=_EVERY):
        if message.id in fact.provenance and any(fact.value in text for text in words):
            drop_fact(
                tx, space, fact.person_id, fact.category, fact.key, now, actor, reason=REASON, action=ACTION
            )
