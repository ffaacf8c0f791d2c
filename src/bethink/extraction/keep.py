"""Store what an extractor drafted, in one transaction with the record that it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bethink.extraction import corrections, forgettings, standing
from bethink.extraction.closing import close, was_ended
from bethink.extraction.corrections import Uncorrected
from bethink.extraction.duplicates import Drafted, Duplicate
from bethink.extraction.extractors.contract import Over, with_less
from bethink.extraction.hold import Held, confirm, gives_another_name, held_back, hold, weigh
from bethink.extraction.one_record import all_placed, learn_names
from bethink.extraction.withdrawing import withdraw
from bethink.facts.versions import set_fact
from bethink.index.describe import Style
from bethink.memories.archive import index
from bethink.memories.remember import remember
from bethink.records import Extraction, Json, Memory, Message, Space
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.shapes.outcomes import FactSet, Outcome, Remembered, Status
from bethink.store import Tx, extractions, facts, journal, memories, messages, spaces
from bethink.store.journal import note, values_of
from bethink.store.units import ReadUnit
from bethink.text.identity import in_another_name
from bethink.text.slots import named


def keep(
    tx: Tx,
    space: Space,
    turns: Sequence[Message],
    drafted: Sequence[Drafted],
    fact_drafts: Sequence[FactDraft],
    read: Extraction,
    now: datetime,
    actor: str,
    read_units: Sequence[ReadUnit] = (),
    forgotten: Sequence[ReadUnit] = (),
    *,
    over: Sequence[Over] = (),
    again: bool = False,
    style: Style = "lean",
) -> list[Outcome]:
    """What became of each draft; the reading itself is recorded too. Nothing, if the turns were erased."""
    spaces.hold(tx, space.id)  # nothing is erased meanwhile
    if not _still_there(tx, space, turns):
        return []
    learn_names(tx, space, turns, now, actor)
    fact_drafts = all_placed(tx, space, fact_drafts)
    left = _uncorrected(tx, space, turns, drafted, fact_drafts)
    less = len(drafted) - len(left.memories), len(fact_drafts) - len(left.facts)
    read = with_less(read, *less, corrections.REASON)
    kept = _keep_facts(tx, space, turns, left.facts, over, now, actor)
    set_facts = [one for one in kept if isinstance(one, FactSet)]
    held = [one for one in kept if isinstance(one, Held)]
    as_fact = {one.fact.source_context: one.id for one in set_facts if one.fact.source_context}
    said = [_linked(one, as_fact) for one in _beside(left.memories, held)]
    stored = [_keep_memory(tx, space, one, now, actor) for one in said]
    standing.put(tx, space, read_units, zip((one.draft for one in said), stored, strict=True))
    if forgotten:
        count = withdraw(tx, space, forgotten, now, actor, style)
        read = read.model_copy(update={"counts": {**read.counts, "withdrawn": count}})
    if again:
        extractions.mark(tx, read)
    else:
        extractions.record(tx, read)
    return [*(one.outcome if isinstance(one, Held) else one for one in kept), *stored]


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


def _beside(drafted: Sequence[Drafted], held: Sequence[Held]) -> list[Drafted]:
    """The drafts with what was held back kept beside what is known, and not in its place."""
    by_words = {
        (one.draft.person_id, one.draft.source_context): one for one in held if one.draft.source_context
    }
    said, beside = [], set()
    for one in drafted:
        words = (one.draft.person_id, one.draft.content)
        if back := by_words.get(words):
            beside.add(words)
            one = Drafted(held_back(one.draft, back.draft, back.outcome.reason or ""), None)
        said.append(one)
    alone = [one for one in held if (one.draft.person_id, one.draft.source_context) not in beside]
    return [*said, *(Drafted(one.memory, None) for one in alone if one.memory)]


def _keep_memory(tx: Tx, space: Space, one: Drafted, now: datetime, actor: str) -> Outcome:
    draft = one.draft
    known = memories.by_keys(tx, space.id, [draft.key]).get(draft.key) if draft.key else None
    if known is None and one.duplicate:
        known = memories.by_ids(tx, space.id, [one.duplicate.memory.id]).get(one.duplicate.memory.id)
        if known is not None:
            return _merge(tx, space, known, draft, one.duplicate, now, actor)
    if known is not None and draft.observed_at and draft.observed_at < known.observed_at:
        reason = "something newer is known of it"
        return Remembered(status=Status.DUPLICATE, id=known.id, memory=known, reason=reason)
    if known is not None:
        sources = united(known.source_ref, draft.source_ref)
        draft = draft.model_copy(update={"source_ref": sources})
    return remember(tx, space, [draft], now, actor)[0]


def _merge(
    tx: Tx, space: Space, known: Memory, draft: MemoryDraft, duplicate: Duplicate, now: datetime, actor: str
) -> Outcome:
    """Add a source to what is known; its words become the new ones when these say more."""
    update = {
        "source_ref": united(known.source_ref, draft.source_ref),
        "confidence": max(known.confidence, draft.confidence),
        "content": draft.content if duplicate.says_less else known.content,
    }
    changes = {name for name, value in update.items() if getattr(known, name) != value}
    if not changes:
        return Remembered(status=Status.DUPLICATE, id=known.id, memory=known, reason=duplicate.reason)
    merged = known.model_copy(update={**update, "updated_at": now})
    memories.update(tx, merged)
    index(tx, space, [merged])
    before, after = values_of(known, changes), values_of(merged, changes)
    line = note(space, now, actor, "merged", merged, reason=duplicate.reason, before=before, after=after)
    journal.add(tx, [line])
    return Remembered(status=Status.MERGED, id=merged.id, memory=merged, reason=duplicate.reason)


def _keep_facts(
    tx: Tx,
    space: Space,
    turns: Sequence[Message],
    drafts: Sequence[FactDraft],
    over: Sequence[Over],
    now: datetime,
    actor: str,
) -> list[FactSet | Held]:
    """Set and end facts in the order in which it was said: what is over first, then what is so instead."""
    places = {turn.id: number for number, turn in enumerate(turns)}
    said = [(max((places.get(id_, 0) for id_ in draft.provenance), default=0), draft) for draft in drafts]
    kept: list[FactSet | Held] = []
    for number in sorted({place for place, _ in said} | {places.get(one.message_id, 0) for one in over}):
        here = all_placed(tx, space, [draft for place, draft in said if place == number])
        strangers = gives_another_name(tx, space, here, now)
        for one in over:
            is_here = places.get(one.message_id, 0) == number and one.person_id not in strangers
            if is_here and not _is_replaced(one, here):
                kept += close(tx, space, one, now, actor)
        for draft in here:
            if kept:  # which the draft may be about
                (draft,) = all_placed(tx, space, [draft])
            is_stranger = draft.person_id in strangers
            one_kept = _keep_fact(tx, space, draft, now, actor, is_stranger=is_stranger)
            kept += [one_kept] if one_kept is not None else []
    return kept


def _is_replaced(over: Over, drafts: Sequence[FactDraft]) -> bool:
    """Whether the same message gives the new value, which then takes the place of the old one."""
    abouts = [named(draft.category, draft.key, draft.value) for draft in drafts]
    return over.instead is None and any(
        about and not about.slot.many and about.slot.name in over.slots[:1] for about in abouts
    )


def _keep_fact(
    tx: Tx, space: Space, draft: FactDraft, now: datetime, actor: str, *, is_stranger: bool
) -> FactSet | Held | None:
    """Set a fact, unless what it was said in is older than what the current value was said in.

    Who somebody is known to be is not replaced by one mention that is not said as a change, nor by a
    stranger, who gives another name.
    """
    current = facts.current(tx, space.id, draft.person_id, draft.category, draft.key)
    known = current.provenance if current else []
    said = messages.by_ids(tx, space.id, [*known, *draft.provenance])
    before, since = (
        max((said[id_].sent_at for id_ in ids if id_ in said), default=None)
        for ids in (known, draft.provenance)
    )
    if current is None:
        if since and was_ended(tx, space, draft, since):
            return None
        return set_fact(tx, space, draft, now, actor, since=since)
    if before and since and since < before:
        return None
    decision = weigh(tx, space, current, draft, said, now)
    if decision is not None and decision.replace and is_stranger:
        decision = in_another_name(draft.key, current.value, draft.value)
    if decision is None:
        return set_fact(tx, space, draft, now, actor, since=since)
    if decision.replace:
        confirm(tx, space, draft, now, actor)
        return set_fact(tx, space, draft, now, actor, since=since)
    if decision.same:
        return FactSet(status=Status.DUPLICATE, id=current.id, reason=decision.reason, fact=current)
    return hold(tx, space, current, draft, said, decision.reason, now, actor)


def united(known: Json, new: Json) -> Json:
    """Both sources: lists of ids are joined, what else there is stays."""
    joined = {
        name: list(dict.fromkeys([*known[name], *new[name]]))
        for name in known.keys() & new.keys()
        if isinstance(known[name], list) and isinstance(new[name], list)
    }
    return {**known, **new, **joined}
