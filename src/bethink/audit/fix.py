"""Mend what an audit found, each finding in one step."""

from __future__ import annotations

from datetime import datetime

from bethink.extraction.keep import united
from bethink.facts.versions import drop_fact
from bethink.index.describe import memory_entry
from bethink.journal.note import note, values_of
from bethink.memories.revise import forget
from bethink.records import Memory, Space
from bethink.shapes.audits import Fix, Found
from bethink.store import Tx, entries, facts, journal, memories


def fix(tx: Tx, space: Space, found: Found, now: datetime, actor: str) -> int:
    """Carry out the fix of a finding; how many records are gone or ended by it."""
    reason = f"audit: {found.reason}"
    if found.noun == "fact":
        return _end(tx, space, found, now, actor, reason)
    known = memories.by_ids(tx, space.id, found.records)
    if len(known) < len(found.records):
        return 0  # something else has mended it
    if found.fix is Fix.MERGE:
        _merge(tx, space, [known[id_] for id_ in found.records], now, actor, reason)
    gone = found.records if found.fix is Fix.FORGET else found.records[1:]
    return len(forget(tx, space, gone, now, actor, reason=reason))


def _merge(tx: Tx, space: Space, group: list[Memory], now: datetime, actor: str, reason: str) -> None:
    """The first becomes all of them: every source and tag, the surest confidence, the latest sighting."""
    first, merged = group[0], group[0]
    for other in group[1:]:
        merged = merged.model_copy(
            update={
                "source_ref": united(merged.source_ref, other.source_ref),
                "tags": list(dict.fromkeys([*merged.tags, *other.tags])),
                "metadata": other.metadata | merged.metadata,
                "confidence": max(merged.confidence, other.confidence),
                "observed_at": max(merged.observed_at, other.observed_at),
                "pinned": merged.pinned or other.pinned,
            }
        )
    names = type(first).model_fields
    changes = {name for name in names if getattr(first, name) != getattr(merged, name)}
    if not changes:
        return
    merged = merged.model_copy(update={"updated_at": now})
    memories.update(tx, merged)
    entries.put(tx, space, [memory_entry(merged, space.timezone)])
    before, after = values_of(first, changes), values_of(merged, changes)
    journal.add(tx, [note(space, now, actor, "merged", merged, reason=reason, before=before, after=after)])


def _end(tx: Tx, space: Space, found: Found, now: datetime, actor: str, reason: str) -> int:
    ids = found.records if found.fix is Fix.END else found.records[1:]
    known = facts.by_ids(tx, space.id, ids)
    current = [fact for id_ in ids if (fact := known.get(id_)) and fact.valid_to is None]
    for fact in current:
        drop_fact(tx, space, fact.person_id, fact.category, fact.key, now, actor, reason=reason)
    return len(current)
