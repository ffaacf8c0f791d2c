"""Messages in the index: each is described with the turns around it, so one that is new touches others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from bethink.index.describe import CONTEXT_TURNS, Style, masked_entry
from bethink.records import Layer, Message, Space
from bethink.store import Tx, entries, messages, units
from bethink.text.secrets import masked_record


def index_messages(
    tx: Tx, space: Space, session_id: str, spans: Sequence[tuple[int, int]], style: Style
) -> None:
    """Index the messages at these positions, and again those nearby, whose context they are."""
    for first, last in spans:
        reach = 2 * CONTEXT_TURNS  # the neighbours of the neighbours are read, not written
        around = messages.window(tx, space.id, session_id, first - reach, last + reach)
        around = [masked_record(message) for message in around]
        due = [m for m in around if first - CONTEXT_TURNS <= m.position <= last + CONTEXT_TURNS]
        at = {message.position: message for message in around}
        archived = [message.id for message in due if message.archived_at]
        entries.remove(tx, space, Layer.MESSAGE, archived)  # its summary is found instead
        due = [message for message in due if not message.archived_at]
        entries.put(tx, space, [masked_entry(message, _near(message, at), style) for message in due])
        gone = units.withdrawn(tx, space.id, [message.id for message in due])
        for message in due:
            if message.id in gone:  # somebody asked to forget it: it is kept, and not found
                entries.expire(tx, space, Layer.MESSAGE, message.id, message.sent_at)


def index_around(tx: Tx, space: Space, records: Sequence[Message], style: Style) -> None:
    """Index messages that came, changed or went, and again those nearby."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for message in records:
        places[message.session_id].append(message.position)
    for session_id, positions in places.items():
        index_messages(tx, space, session_id, list(_spans(positions)), style)


def _spans(positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Runs of positions that follow one another, so that each message is described about once."""
    first = last = None
    for position in sorted(positions):
        if last is not None and position == last + 1:
            last = position
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = position
    if first is not None and last is not None:
        yield first, last


def _near(message: Message, at: dict[int, Message]) -> list[Message]:
    places = range(message.position - CONTEXT_TURNS, message.position + CONTEXT_TURNS + 1)
    return [at[place] for place in places if place in at and place != message.position]
