"""Take back what was extracted from a message that says something else now.

Nobody forgot it, so the journal calls it withdrawn: another message may say it still.
"""

from __future__ import annotations

from datetime import datetime

from bethink.facts.versions import drop_fact
from bethink.memories.revise import forget
from bethink.records import Fact, Memory, Message, Space
from bethink.store import Tx, extractions, facts, journal, memories, units
from bethink.store.journal import note, values_of

ACTION = "withdrawn"
REASON = "the message that said it was changed"
_EVERY = 1_000_000  # more facts than anyone has


def withdraw(tx: Tx, space: Space, message: Message, now: datetime, actor: str) -> None:
    """Forget what came from this message alone; what others say too stays. It is to be read again."""
    extractions.reopen(tx, space.id, message.session_id, message.position)
    take_back(tx, space, message, now, actor)


def take_back(tx: Tx, space: Space, message: Message, now: datetime, actor: str) -> None:
    """The same of a message that is not to be read again."""
    units.forget(tx, space.id, [message.id])
    units.revive(tx, space.id, [message.id])
    for memory in memories.of_session(tx, space.id, message.session_id):
        if memory.said_in == [message.id]:
            forget(tx, space, [memory.id], now, actor, reason=REASON, action=ACTION)
        elif message.id in memory.said_in:
            _drop_source(tx, space, memory, message.id, now, actor)
    for fact in facts.list_current(tx, space.id, limit=_EVERY):
        if fact.provenance == [message.id]:
            _drop_fact(tx, space, fact, now, actor)


def _drop_source(tx: Tx, space: Space, memory: Memory, message_id: str, now: datetime, actor: str) -> None:
    left = [id_ for id_ in memory.said_in if id_ != message_id]
    changed = memory.model_copy(
        update={"source_ref": {**memory.source_ref, "messages": left}, "updated_at": now}
    )
    memories.update(tx, changed)
    before, after = values_of(memory, {"source_ref"}), values_of(changed, {"source_ref"})
    journal.add(tx, [note(space, now, actor, "updated", changed, reason=REASON, before=before, after=after)])


def _drop_fact(tx: Tx, space: Space, fact: Fact, now: datetime, actor: str) -> None:
    drop_fact(tx, space, fact.person_id, fact.category, fact.key, now, actor, reason=REASON, action=ACTION)
