"""Erase: delete records and every trace of them in the database, in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bethink.clock import new_id
from bethink.conversations.contexts import detach_everywhere
from bethink.erasure.selection import Chosen, choose
from bethink.index.describe import Style, fact_entry, memory_entry, message_entry
from bethink.index.messages import index_messages
from bethink.people import household
from bethink.records import JournalEntry, Layer, Message, Space
from bethink.shapes.rights import EraseRequest, Place
from bethink.store import (
    Tx,
    archive,
    contexts,
    entries,
    erasure,
    journal,
    memories,
    persons,
    sessions,
    spaces,
)
from bethink.store.columns import to_json
from bethink.text.traces import Needles

RECORDS_SHOWN = 1000  # in a dry run


@dataclass
class Erased:
    """What was erased, and what to look for to prove it. It stays in this process."""

    id: str
    counts: dict[str, int] = field(default_factory=dict)
    records: list[Place] = field(default_factory=list)
    needles: Needles = field(default_factory=Needles)
    entry_ids: list[int] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    whole_space: bool = False
    reasons: int = 0  # of extractions that quoted what was erased

    @property
    def found(self) -> bool:
        """Whether there was anything to erase."""
        return bool(self.reasons or any(self.counts.values()))


def preview(tx: Tx, space: Space, asked: EraseRequest) -> Erased:
    """What would be erased."""
    if asked.everything:
        counts = {archive.TABLES[noun]: archive.count(tx, space.id, noun) for noun in archive.NOUNS}
        return Erased(new_id(), counts, whole_space=True)
    chosen = choose(tx, space.id, asked)
    lines, _ = _journal(tx, space, chosen, chosen.needles())
    return Erased(new_id(), _counts(chosen, lines), list(chosen.records)[:RECORDS_SHOWN])


def erase(tx: Tx, space: Space, asked: EraseRequest, now: datetime, actor: str, style: Style) -> Erased:
    """Delete what is asked for and all that tells of it; the journal keeps only that something was erased."""
    erasure.secure(tx)
    spaces.claim(tx, space.id, now)  # so that nothing is derived meanwhile from what goes
    erased = _everything(tx, space, now) if asked.everything else _some(tx, space, asked, now, style)
    if erased.found:
        erasure.leaves_bytes(tx)
    told = ", ".join(f"{number} {noun}" for noun, number in erased.counts.items() if number)
    line = JournalEntry(
        id=new_id(),
        space_id=space.id,
        at=now,
        actor=actor,
        action="erased",
        noun="erasure",
        record_id=erased.id,
        reason=f"{asked.kind}: {told or 'nothing was found'}",
    )
    journal.add(tx, [line])
    return erased


def _everything(tx: Tx, space: Space, now: datetime) -> Erased:
    counts = erasure.everything(tx, space)
    fresh = spaces.get(tx, space.id).model_copy(
        update={"display_name": space.name, "mode": "single", "timezone": "UTC", "locale": "en-US"}
        | {"settings": {}, "updated_at": now}
    )
    spaces.update(tx, fresh)
    household.ensure(tx, space.name, None, now)
    return Erased(new_id(), counts, whole_space=True)


def _some(tx: Tx, space: Space, asked: EraseRequest, now: datetime, style: Style) -> Erased:
    chosen = choose(tx, space.id, asked)
    needles = chosen.needles()
    lines, blanked = _journal(tx, space, chosen, needles)
    records = [*chosen.memories, *chosen.messages, *chosen.facts]
    erased = Erased(
        new_id(),
        _counts(chosen, lines),
        needles=needles,
        entry_ids=erasure.entry_ids(tx, space.id, records),
        terms=_terms(chosen, style),
    )
    erasure.journal(tx, space.id, lines)
    erasure.blank(tx, space.id, blanked)
    quoting = _extractions(tx, space, needles)
    erased.reasons = len(quoting)
    erasure.extractions(tx, space.id, quoting)
    _unname_sessions(tx, space, chosen)
    _delete(tx, space, chosen)
    _mend(tx, space, chosen, style)
    if chosen.person:
        persons.delete(tx, space.id, chosen.person.id)
        household.ensure(tx, space.name, None, now)  # someone always lives in a space
    if chosen.session:
        erasure.session(tx, space.id, chosen.session.id)
    erased.counts["journal lines blanked"] = len(blanked)
    return erased


def _unname_sessions(tx: Tx, space: Space, chosen: Chosen) -> None:
    """Conversations that are called by what is erased stay, without their titles and under other ids."""
    for session in chosen.titled.values():
        sessions.update(tx, session.model_copy(update={"title": None, "metadata": {}}))
    for old in chosen.misnamed:
        erasure.rename_session(tx, space.id, old, new_id())


def _delete(tx: Tx, space: Space, chosen: Chosen) -> None:
    entries.remove(tx, space, Layer.MEMORY, list(chosen.memories))
    entries.remove(tx, space, Layer.MESSAGE, list(chosen.messages))
    entries.remove(tx, space, Layer.FACT, list(chosen.facts))
    memories.delete(tx, space.id, list(chosen.memories))
    erasure.messages(tx, space.id, list(chosen.messages))
    erasure.facts(tx, space.id, list(chosen.facts))
    erasure.standing(tx, space.id)
    for context_id in chosen.contexts:
        detach_everywhere(tx, space, context_id)
        contexts.delete(tx, space.id, context_id)


def _mend(tx: Tx, space: Space, chosen: Chosen, style: Style) -> None:
    """What is left must not name what is gone: facts their sources, messages the turns beside them."""
    gone = chosen.ids
    named = [
        fact
        for fact in archive.each(tx, space.id, "fact")
        if fact.superseded_by in gone or not gone.isdisjoint(fact.provenance)
    ]
    for fact in named:
        update = {
            "provenance": [id_ for id_ in fact.provenance if id_ not in gone],
            "superseded_by": None if fact.superseded_by in gone else fact.superseded_by,
        }
        erasure.relink(tx, fact.model_copy(update=update))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for message in chosen.messages.values():
        places[message.session_id].append(message.position)
    for session_id, positions in places.items():
        if not chosen.session or chosen.session.id != session_id:
            index_messages(tx, space, session_id, [(place, place) for place in positions], style)


def _journal(tx: Tx, space: Space, chosen: Chosen, needles: Needles) -> tuple[list[str], list[str]]:
    """The lines about what is erased, which go, and the others that quote it, which lose their content."""
    lines, blanked, gone = [], [], chosen.ids
    for line in archive.each(tx, space.id, "journal"):
        if line.record_id in gone:
            lines.append(line.id)
            continue
        quoted = [to_json(part) for part in (line.before, line.after) if part is not None]
        quoted += [line.reason] if line.reason else []
        if any(needles.text_in(part) or needles.id_in(part) for part in quoted):
            blanked.append(line.id)
    return lines, blanked


def _extractions(tx: Tx, space: Space, needles: Needles) -> list[str]:
    """Failed extractions whose reason quotes what is erased: a host may have said it back."""
    told = ((one.id, one.reason) for one in archive.each(tx, space.id, "extraction") if one.reason)
    return [id_ for id_, reason in told if needles.text_in(reason) or needles.id_in(reason)]


def _counts(chosen: Chosen, lines: Sequence[str]) -> dict[str, int]:
    return {
        "memories": len(chosen.memories),
        "messages": len(chosen.messages),
        "facts": len(chosen.facts),
        "contexts": len(chosen.contexts),
        "persons": 1 if chosen.person else 0,
        "sessions": 1 if chosen.session else 0,
        "session titles": len(chosen.titled),
        "session ids": len(chosen.misnamed),
        "journal": len(lines),
    }


def _terms(chosen: Chosen, style: Style) -> list[str]:
    """Every term that the index held of what is erased."""
    nobody: list[Message] = []
    said = [memory_entry(memory).body for memory in chosen.memories.values()]
    said += [message_entry(message, nobody, style).body for message in chosen.messages.values()]
    said += [fact_entry(fact).body for fact in chosen.facts.values()]
    return sorted({term for body in said for term in body})
