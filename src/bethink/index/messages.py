"""Messages in the index: each is described with the turns around it, so one that is new touches others."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.index.describe import CONTEXT_TURNS, Style, message_entry
from bethink.records import Message, Space
from bethink.store import Tx, entries, messages


def index_messages(
    tx: Tx, space: Space, session_id: str, spans: Sequence[tuple[int, int]], style: Style
) -> None:
    """Index the messages at these positions, and again those nearby, whose context they are."""
    for first, last in spans:
        reach = 2 * CONTEXT_TURNS  # the neighbours of the neighbours are read, not written
        around = messages.window(tx, space.id, session_id, first - reach, last + reach)
        due = [m for m in around if first - CONTEXT_TURNS <= m.position <= last + CONTEXT_TURNS]
        at = {message.position: message for message in around}
        entries.put(tx, space, [message_entry(message, _near(message, at), style) for message in due])


def _near(message: Message, at: dict[int, Message]) -> list[Message]:
    places = range(message.position - CONTEXT_TURNS, message.position + CONTEXT_TURNS + 1)
    return [at[place] for place in places if place in at and place != message.position]
