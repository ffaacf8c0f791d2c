"""Mend what an audit found, each finding in one step."""

from __future__ import annotations

from datetime import datetime

from bethink.extraction.keep import united
from bethink.facts.versions import drop_fact, set_fact
from bethink.memories.archive import index
from bethink.memories.revise import forget
from bethink.records import Fact, Memory, Mode, Space
from bethink.shapes.audits import Fix, Found
from bethink.shapes.inputs import FactDraft
from bethink.store import Tx, facts, journal, memories
from bethink.store.journal import note, values_of
from bethink.text.slots import key_for, named


def fix(tx: Tx, space: Space, found: Found, now: datetime, actor: str) -> int:
    """Carry out the fix of a finding; how many records are gone or ended by it."""
    reason = f"audit: {found.reason}"
    if found.fix is Fix.UNITE:
        return _unite(tx, space, found, now, actor, reason)
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
    index(tx, space, [merged])
    before, after = values_of(first, changes), values_of(merged, changes)
    journal.add(tx, [note(space, now, actor, "merged", merged, reason=reason, before=before, after=after)])


def _end(tx: Tx, space: Space, found: Found, now: datetime, actor: str, reason: str) -> int:
    ids = found.records if found.fix is Fix.END else found.records[1:]
    known = facts.by_ids(tx, space.id, ids)
    current = [fact for id_ in ids if (fact := known.get(id_)) and fact.valid_to is None]
    for fact in current:
        drop_fact(tx, space, fact.person_id, fact.category, fact.key, now, actor, reason=reason)
    return len(current)


def _unite(tx: Tx, space: Space, found: Found, now: datetime, actor: str, reason: str) -> int:
    """One record with the newest value and every source, under the names of its slot; the others end."""
    known = facts.by_ids(tx, space.id, found.records)
    current = [fact for id_ in found.records if (fact := known.get(id_)) and fact.valid_to is None]
    if len(current) < len(found.records):
        return 0  # something else has mended it
    draft = _united(space, current)
    for fact in current:
        if (fact.person_id, fact.category, fact.key) != (draft.person_id, draft.category, draft.key):
            drop_fact(tx, space, fact.person_id, fact.category, fact.key, now, actor, reason=reason)
    set_fact(tx, space, draft, now, actor, because=reason, since=current[0].valid_from)
    return len(current) - 1


def _united(space: Space, group: list[Fact]) -> FactDraft:
    newest = group[0]
    fields = {name: getattr(newest, name) for name in FactDraft.model_fields}
    fields["provenance"] = list(dict.fromkeys(id_ for fact in group for id_ in fact.provenance))
    fields["promoted"] = any(fact.promoted for fact in group)
    fields["person_id"] = None if space.mode == Mode.SINGLE else newest.person_id
    abouts = [about for fact in group if (about := named(fact.category, fact.key, fact.value))]
    if abouts:  # the names of one that has nobody's name before it
        about = abouts[0]
        subject = about.subject.replace("_", " ") if about.subject else None
        fields |= {"category": about.slot.category, "key": key_for(about.slot, subject, newest.value)}
    return FactDraft(**fields)
