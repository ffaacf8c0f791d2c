"""Take in a batch of messages of several conversations at once, as an import reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bethink.conversations.observe import observe
from bethink.index.describe import Style
from bethink.records import Space
from bethink.shapes.inputs import MessageDraft
from bethink.shapes.outcomes import Status
from bethink.store import Tx, messages, sessions


@dataclass
class Piece:
    """Some messages of one conversation, all of one platform and each with its id there."""

    session_id: str
    title: str | None
    drafts: list[MessageDraft] = field(default_factory=list)


def take_in(
    tx: Tx, space: Space, pieces: Sequence[Piece], now: datetime, actor: str, style: Style
) -> Counter[str]:
    """Observe each piece; how many sessions and messages are new, and how many messages were known.

    A message that is known in another session stays there: what one export gives as a message of a channel
    may begin a thread in the next.
    """
    counts: Counter[str] = Counter()
    for piece in pieces:
        platform = piece.drafts[0].platform
        ids = [draft.external_id for draft in piece.drafts if draft.external_id]
        known = messages.sessions_by_external_ids(tx, space.id, platform, ids)
        drafts = [
            d for d in piece.drafts if known.get(d.external_id or "", piece.session_id) == piece.session_id
        ]
        counts["duplicate"] += len(piece.drafts) - len(drafts)
        if not drafts:
            continue
        counts["session"] += sessions.find(tx, space.id, piece.session_id) is None
        sessions.ensure(tx, space.id, piece.session_id, platform, now, piece.title)
        for outcome in observe(tx, space, piece.session_id, drafts, now, actor, style).outcomes:
            counts["message" if outcome.status is Status.STORED else outcome.status.value] += 1
    return counts
