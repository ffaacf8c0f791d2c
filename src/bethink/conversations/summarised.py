"""What becomes of a summary when something that it was made from changes, goes or is withdrawn."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.index.describe import Style
from bethink.index.messages import index_around
from bethink.records import Layer, Message, Space
from bethink.store import Tx, entries, messages, rows


def release(tx: Tx, space: Space, changed: Sequence[Message], style: Style) -> None:
    """Drop the summaries that these messages are in, and let their other messages be found again.

    They are summarised anew, without what is gone, when the sweep next runs.
    """
    ids = sorted({message.summary_id for message in changed if message.summary_id})
    if not ids:
        return
    found = rows.by_ids(tx, space.id, "summary", ids)
    sources = [id_ for summary in found.values() for id_ in summary.source_ids]
    freed = [fresh(message) for message in messages.by_ids(tx, space.id, sources).values()]
    messages.mark(tx, freed)
    entries.remove(tx, space, Layer.SUMMARY, ids)
    rows.delete(tx, space.id, "summary", ids)
    index_around(tx, space, freed, style)


def fresh(message: Message) -> Message:
    """A message as it was before it was summarised."""
    return message.model_copy(update={"archived_at": None, "summary_id": None})
