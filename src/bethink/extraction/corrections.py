"""What somebody corrected by hand stands against what had been said by then, whenever that is read.

The journal knows who set what and when. What is said after that, in a new message or by editing an old one,
counts as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bethink.extraction.duplicates import Drafted
from bethink.extraction.said import Said, said
from bethink.records import Memory, Message
from bethink.shapes.inputs import FactDraft
from bethink.store import Tx, facts, journal, memories
from bethink.text.traces import strings_in

REASON = "somebody corrected it after it was said"
_SETS = {"stored", "superseded", "verified"}  # not "restored": then its person is back, and it with them
REWRITES = {"updated", "merged"}


@dataclass(frozen=True, slots=True)
class Uncorrected:
    """The drafts that take no correction back."""

    memories: Sequence[Drafted]
    facts: Sequence[FactDraft]


def look(
    tx: Tx, space_id: str, turns: Sequence[Message], drafted: Sequence[Drafted], drafts: Sequence[FactDraft]
) -> Uncorrected:
    """Leave out what was corrected since it was said; with a fact also the memory that says the same."""
    read = said(tx, space_id, turns)
    kept = [draft for draft in drafts if not _stands(tx, space_id, read, draft)]
    in_words = {(draft.person_id, draft.source_context) for draft in drafts if draft not in kept}
    known = memories.by_keys(tx, space_id, [one.draft.key for one in drafted if one.draft.key])
    return Uncorrected(
        [
            one
            for one in drafted
            if (one.draft.person_id, one.draft.content) not in in_words
            and not _is_rewritten(tx, space_id, read, one, known.get(one.draft.key or ""))
        ],
        kept,
    )


def _stands(tx: Tx, space_id: str, read: Said, draft: FactDraft) -> bool:
    """Whether somebody set the fact to something else after it was said, whatever became of that since."""
    named = facts.versions(tx, space_id, draft.person_id, draft.category, draft.key)
    values = {version.id: version.value for version in named}
    lines = journal.by_hand(tx, space_id, list(values), read.first)
    newest = next((line for line in lines if line.action in _SETS), None)
    if newest is None or values[newest.record_id] == draft.value:
        return False
    return read.by(newest.at, draft.provenance, draft.value)


def _is_rewritten(tx: Tx, space_id: str, read: Said, one: Drafted, same_key: Memory | None) -> bool:
    """Whether somebody gave the memory that the draft would write over its words."""
    replaced = same_key or (one.duplicate.memory if one.duplicate and one.duplicate.says_less else None)
    if replaced is None or replaced.content == one.draft.content:
        return False
    lines = [
        line
        for line in journal.by_hand(tx, space_id, [replaced.id], read.first)
        if line.action in REWRITES and "content" in (line.after or {})
    ]
    if not lines or (lines[-1].before or {}).get("content") == replaced.content:  # or it was undone
        return False
    return read.by(lines[0].at, strings_in(one.draft.source_ref.get("messages")), one.draft.content)
