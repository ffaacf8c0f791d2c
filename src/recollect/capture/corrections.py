"""What somebody corrected by hand stands against what had been said by then, whenever that is read.

The journal knows who set what and when. A message said after that, or edited after that, counts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.capture.keep import Drafted
from recollect.capture.needles import strings_in
from recollect.capture.said import Said
from recollect.inputs import FactDraft
from recollect.records import JournalEntry, Memory, Message
from recollect.store import Tx, facts, journal, memories

REASON = "somebody corrected it after it was said"
EXTRACTOR = "extractor:"  # how the names of those begin who are not somebody
LINES = 100  # of a record's journal that are looked at, the newest first
_SET = {"stored", "superseded", "verified", "restored"}


@dataclass(frozen=True, slots=True)
class Uncorrected:
    """The drafts that take no correction back, and how many others there were."""

    memories: Sequence[Drafted]
    facts: Sequence[FactDraft]
    left_out: int


def look(
    tx: Tx, space_id: str, turns: Sequence[Message], drafted: Sequence[Drafted], drafts: Sequence[FactDraft]
) -> Uncorrected:
    """Leave out what was corrected since these turns were said; with a fact also the memory that says it."""
    edited = journal.edited_at(tx, space_id, [turn.id for turn in turns])
    said = Said({turn.id: edited.get(turn.id, min(turn.sent_at, turn.created_at)) for turn in turns})
    kept_facts = [draft for draft in drafts if not _is_set_by_hand(tx, space_id, said, draft)]
    in_words = {draft.source_context for draft in drafts} - {draft.source_context for draft in kept_facts}
    known = memories.by_keys(tx, space_id, [one.draft.key for one in drafted if one.draft.key])
    kept = [
        one
        for one in drafted
        if one.draft.content not in in_words
        and not _is_written_by_hand(tx, space_id, said, one, known.get(one.draft.key or ""))
    ]
    return Uncorrected(kept, kept_facts, len(drafted) - len(kept) + len(drafts) - len(kept_facts))


def _is_set_by_hand(tx: Tx, space_id: str, said: Said, draft: FactDraft) -> bool:
    current = facts.current(tx, space_id, draft.person_id, draft.category, draft.key)
    if current is None or current.value == draft.value:
        return False
    lines = _by_hand(tx, space_id, current.id, said.first(draft.provenance))
    return any(line.action in _SET for line in lines)


def _is_written_by_hand(tx: Tx, space_id: str, said: Said, one: Drafted, same_key: Memory | None) -> bool:
    replaced = same_key or (one.twin.memory if one.twin and one.twin.says_less else None)
    if replaced is None or replaced.content == one.draft.content:
        return False
    at = said.first(strings_in(one.draft.source_ref.get("messages")))
    lines = _by_hand(tx, space_id, replaced.id, at)
    return any(line.action == "stored" or "content" in (line.after or {}) for line in lines)


def _by_hand(tx: Tx, space_id: str, record_id: str, after: datetime) -> list[JournalEntry]:
    lines = journal.newest(tx, space_id, record_id=record_id, since=after, limit=LINES)
    return [line for line in lines if line.at > after and not line.actor.startswith(EXTRACTOR)]
