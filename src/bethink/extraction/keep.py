"""Store what an extractor drafted, in one transaction with the record that it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bethink.extraction import corrections, forgettings
from bethink.extraction.corrections import Uncorrected
from bethink.extraction.duplicates import Drafted, Twin
from bethink.extraction.extractors.contract import with_less
from bethink.facts.versions import set_fact
from bethink.index.describe import memory_entry
from bethink.journal.note import note, values_of
from bethink.memories.remember import remember
from bethink.records import Extraction, Json, Memory, Message, Space
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.shapes.outcomes import FactSet, Outcome, Remembered, Status
from bethink.store import Tx, entries, extractions, facts, journal, memories, messages, spaces


def keep(
    tx: Tx,
    space: Space,
    turns: Sequence[Message],
    drafted: Sequence[Drafted],
    fact_drafts: Sequence[FactDraft],
    read: Extraction,
    now: datetime,
    actor: str,
    *,
    again: bool = False,
) -> list[Outcome]:
    """What became of each draft; the reading itself is recorded too. Nothing, if the turns were erased."""
    spaces.hold(tx, space.id)  # nothing is erased meanwhile
    if not _still_there(tx, space, turns):
        return []
    left = _uncorrected(tx, space, turns, drafted, fact_drafts)
    less = len(drafted) - len(left.memories), len(fact_drafts) - len(left.facts)
    read = with_less(read, *less, corrections.REASON)
    set_facts = [
        kept for draft in left.facts if (kept := _keep_fact(tx, space, draft, now, actor)) is not None
    ]
    as_fact = {kept.fact.source_context: kept.id for kept in set_facts if kept.fact.source_context}
    stored = [_keep_memory(tx, space, _linked(one, as_fact), now, actor) for one in left.memories]
    if again:
        extractions.mark(tx, read)
    else:
        extractions.record(tx, read)
    return [*set_facts, *stored]


def _uncorrected(
    tx: Tx,
    space: Space,
    turns: Sequence[Message],
    drafted: Sequence[Drafted],
    fact_drafts: Sequence[FactDraft],
) -> Uncorrected:
    """What takes nothing back that somebody changed by hand, if only since it was last looked at."""
    if not (drafted or fact_drafts):
        return Uncorrected(drafted, fact_drafts)
    gone = forgettings.look(tx, space.id, turns)
    memories_left = [one for one in drafted if gone.why_no_memory(one.draft) is None]
    facts_left = [draft for draft in fact_drafts if not gone.has_fact(draft)]
    return corrections.look(tx, space.id, turns, memories_left, facts_left)


def _still_there(tx: Tx, space: Space, turns: Sequence[Message]) -> bool:
    ids = [turn.id for turn in turns]
    return len(messages.by_ids(tx, space.id, ids)) == len(ids)


def _linked(one: Drafted, as_fact: Mapping[str, str]) -> Drafted:
    """The draft with the fact that says the same, so that a prompt need not say it twice."""
    fact_id = as_fact.get(one.draft.content)
    if fact_id is None:
        return one
    sources = {**one.draft.source_ref, "fact": fact_id}
    return replace(one, draft=one.draft.model_copy(update={"source_ref": sources}))


def _keep_memory(tx: Tx, space: Space, one: Drafted, now: datetime, actor: str) -> Outcome:
    draft = one.draft
    known = memories.by_keys(tx, space.id, [draft.key]).get(draft.key) if draft.key else None
    if known is None and one.twin:
        known = memories.by_ids(tx, space.id, [one.twin.memory.id]).get(one.twin.memory.id)
        if known is not None:
            return _merge(tx, space, known, draft, one.twin, now, actor)
    if known is not None and draft.observed_at and draft.observed_at < known.observed_at:
        reason = "something newer is known of it"
        return Remembered(status=Status.DUPLICATE, id=known.id, memory=known, reason=reason)
    if known is not None:
        sources = united(known.source_ref, draft.source_ref)
        draft = draft.model_copy(update={"source_ref": sources})
    return remember(tx, space, [draft], now, actor)[0]


def _merge(
    tx: Tx, space: Space, known: Memory, draft: MemoryDraft, twin: Twin, now: datetime, actor: str
) -> Outcome:
    """Add a source to what is known; its words become the new ones when these say more."""
    update = {
        "source_ref": united(known.source_ref, draft.source_ref),
        "confidence": max(known.confidence, draft.confidence),
        "content": draft.content if twin.says_less else known.content,
    }
    changes = {name for name, value in update.items() if getattr(known, name) != value}
    if not changes:
        return Remembered(status=Status.DUPLICATE, id=known.id, memory=known, reason=twin.reason)
    merged = known.model_copy(update={**update, "updated_at": now})
    memories.update(tx, merged)
    entries.put(tx, space, [memory_entry(merged, space.timezone)])
    before, after = values_of(known, changes), values_of(merged, changes)
    line = note(space, now, actor, "merged", merged, reason=twin.reason, before=before, after=after)
    journal.add(tx, [line])
    return Remembered(status=Status.MERGED, id=merged.id, memory=merged, reason=twin.reason)


def _keep_fact(tx: Tx, space: Space, draft: FactDraft, now: datetime, actor: str) -> FactSet | None:
    """Set a fact, unless what it was said in is older than what the current value was said in."""
    current = facts.current(tx, space.id, draft.person_id, draft.category, draft.key)
    if current is not None:
        said = messages.by_ids(tx, space.id, [*current.provenance, *draft.provenance])
        newest = [max((said[id_].sent_at for id_ in ids if id_ in said), default=None)
                  for ids in (current.provenance, draft.provenance)]  # fmt: skip
        if newest[0] and newest[1] and newest[1] < newest[0]:
            return None
    return set_fact(tx, space, draft, now, actor)


def united(known: Json, new: Json) -> Json:
    """Both sources: lists of ids are joined, what else there is stays."""
    joined = {
        name: list(dict.fromkeys([*known[name], *new[name]]))
        for name in known.keys() & new.keys()
        if isinstance(known[name], list) and isinstance(new[name], list)
    }
    return {**known, **new, **joined}
