"""Cut what is over a budget of tokens to its first sentences; the journal keeps what it was."""

from __future__ import annotations

from datetime import datetime

from bethink.lifecycle.compact import first_sentences
from bethink.memories.archive import COMPACTED
from bethink.memories.revise import update
from bethink.records import Memory, Space
from bethink.shapes.inputs import MemoryChange
from bethink.shapes.outcomes import Compaction
from bethink.store import Tx, memories
from bethink.store.filters import MemoryFilter
from bethink.text.terms import estimate

SENTENCES = 3
REASON = "condensed to its first sentences"
_EVERY = 1_000_000


def condense(
    tx: Tx, space: Space, session_id: str | None, max_tokens: int, now: datetime, actor: str, dry_run: bool
) -> Compaction:
    """The newest memories stay whole while they fit; of the others the first sentences stay, in place."""
    sessions = None if session_id is None else [session_id]
    chosen = MemoryFilter(session_ids=sessions, alive_at=now, archived=False)
    room, cut = max_tokens, list[tuple[Memory, str]]()
    for memory in memories.page(tx, space.id, chosen, _EVERY):
        tokens = estimate(memory.content)
        if tokens <= room:
            room -= tokens
            continue
        short = first_sentences(memory.content, SENTENCES)
        if not memory.pinned and memory.source != COMPACTED and len(short) < len(memory.content.strip()):
            cut.append((memory, short))
            tokens = estimate(short)
        room = max(room - tokens, 0)
    if not dry_run:
        for memory, short in cut:
            update(tx, space, memory.id, MemoryChange(content=short), now, actor, reason=REASON)
    saved = sum(estimate(memory.content) - estimate(short) for memory, short in cut)
    return Compaction(candidates=len(cut), tokens_saved=saved, dry_run=dry_run)
