"""Obey a request to forget: what is meant leaves memories, facts, recall and prompt; the store keeps it.

The journal tells what was withdrawn and why, and it can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.conversations.summarised import release
from bethink.conversations.undo import WITHDRAWN_UNITS
from bethink.facts.versions import drop_fact
from bethink.index.describe import Style
from bethink.memories.revise import forget
from bethink.records import Layer, Message, Space
from bethink.store import Tx, entries, facts, journal, memories, messages, units
from bethink.store.journal import note
from bethink.store.units import ReadUnit

ACTION = "withdrawn"  # of the message; what was made of it is forgotten, and not read anew
REASON = "the user asked to forget it"
_EVERY = 1_000_000  # more facts than anyone has


def withdraw(tx: Tx, space: Space, meant: Sequence[ReadUnit], now: datetime, actor: str, style: Style) -> int:
    """Withdraw units and all that was made of them, but for those withdrawn already; how many units."""
    said = messages.by_ids(tx, space.id, list(dict.fromkeys(unit.message_id for unit in meant)))
    made = units.of_messages(tx, space.id, list(said))
    places = {(unit.message_id, unit.number) for unit in meant}
    due = [one.unit for read in made.values() for one in read if not one.unit.withdrawn]
    due = [unit for unit in due if (unit.message_id, unit.number) in places]
    units.withdraw(tx, due)
    for message_id, message in said.items():
        numbers = {unit.number for unit in due if unit.message_id == message_id}
        if not numbers:
            continue
        release(tx, space, [message], style)
        entries.expire(tx, space, Layer.MESSAGE, message_id, message.sent_at)
        _note(tx, space, message, sorted(numbers), now, actor)
        words = [one for one in made.get(message_id, ()) if one.unit.number in numbers]
        kept = [one.unit.memory_id for one in words if one.unit.memory_id]
        there = memories.by_ids(tx, space.id, list(dict.fromkeys(kept)))
        forget(tx, space, list(there), now, actor, reason=REASON)
        _drop_facts(tx, space, message, [one.text for one in words], now, actor)
    return len(due)


def _note(tx: Tx, space: Space, message: Message, numbers: Sequence[int], now: datetime, actor: str) -> None:
    after = {WITHDRAWN_UNITS: list(numbers)}
    journal.add(tx, [note(space, now, actor, ACTION, message, reason=REASON, before={}, after=after)])


def _drop_facts(
    tx: Tx, space: Space, message: Message, words: Sequence[str], now: datetime, actor: str
) -> None:
    for fact in facts.list_current(tx, space.id, limit=_EVERY):
        if message.id in fact.provenance and any(fact.value in text for text in words):
            drop_fact(tx, space, fact.person_id, fact.category, fact.key, now, actor, reason=REASON)
