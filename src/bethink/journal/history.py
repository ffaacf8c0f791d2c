"""Read the journal, piece by piece."""

from __future__ import annotations

from bethink.shapes.rights import JournalPage, JournalQuery, cursor_of, place_of
from bethink.store import Tx, journal
from bethink.store.rows import micros


def history(tx: Tx, space_id: str, asked: JournalQuery, limit: int) -> JournalPage:
    """The newest lines that are asked for, and where to go on."""
    filters = {name: getattr(asked, name) for name in JournalQuery.model_fields if name != "cursor"}
    place = place_of(asked.cursor) if asked.cursor else None
    found = journal.newest(tx, space_id, **filters, before=place, limit=limit + 1)
    items, more = found[:limit], len(found) > limit
    next_cursor = cursor_of(micros(items[-1].at), items[-1].id) if more else None
    return JournalPage(items=items, next_cursor=next_cursor)
