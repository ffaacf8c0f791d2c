"""Memories by what they have in common: listed piece by piece, counted, forgotten together."""

from __future__ import annotations

from typing import Any

from recollect.capture import revise
from recollect.clock import now
from recollect.engine import Engine
from recollect.errors import InvalidInput
from recollect.inputs import MemoryQuery, checked, checked_reason
from recollect.limits import check_page
from recollect.outcomes import Forgotten, MemoryPage
from recollect.records import Record, Space
from recollect.rights import Cursor, cursor_of, place_of
from recollect.store import Tx, memories
from recollect.store.columns import micros
from recollect.store.filters import MemoryFilter

SAMPLE = 10  # memories shown of those that are forgotten together
_BATCH = 500  # memories forgotten per transaction


class _Place(Record):
    cursor: Cursor | None = None


def chosen(**filters: Any) -> MemoryFilter:
    """The memories that filters choose and that have not expired."""
    query = checked(MemoryQuery, filters)
    return MemoryFilter(**{name: getattr(query, name) for name in MemoryQuery.model_fields}, alive_at=now())


async def list_page(
    engine: Engine, space: Space, limit: int, offset: int, cursor: str | None, filters: dict[str, Any]
) -> MemoryPage:
    """A piece of the memories that filters choose, newest first, from an offset or where a cursor says."""
    check_page(limit, offset)
    if cursor is not None and offset:
        raise InvalidInput("cursor: goes on by itself; leave out the offset.", field="cursor")
    place = checked(_Place, {"cursor": cursor}).cursor
    before = place_of(place) if place else None
    return await engine.driver.read(_page, space.id, chosen(**filters), limit, offset, before)


async def forget_together(
    engine: Engine, space: Space, actor: str, filters: dict[str, Any], dry_run: bool, reason: str | None
) -> Forgotten:
    """Forget all memories that filters choose, some hundred at a time; or only say which."""
    wanted, why = chosen(**filters), checked_reason(reason)
    if wanted == MemoryFilter(alive_at=wanted.alive_at):
        raise InvalidInput(
            "Name at least one filter, such as a tag or a type; without one this would forget everything.",
            field="filters",
        )
    count, _ = await engine.driver.read(memories.totals, space.id, wanted)
    sample = await engine.driver.read(memories.page, space.id, wanted, SAMPLE)
    if dry_run:
        return Forgotten(count=count, sample=sample, dry_run=True)
    gone = 0
    while gone < count:  # not those that are added meanwhile
        limit = min(_BATCH, count - gone)
        batch = await engine.driver.write(revise.forget_some, space, wanted, limit, now(), actor, reason=why)
        gone += len(batch)
        if len(batch) < limit:
            break
    return Forgotten(count=gone, sample=sample, dry_run=False)


def _page(
    tx: Tx, space_id: str, wanted: MemoryFilter, limit: int, offset: int, before: tuple[int, str] | None
) -> MemoryPage:
    found = memories.page(tx, space_id, wanted, limit + 1, offset, before)
    total, tokens = memories.totals(tx, space_id, wanted)
    items = found[:limit]
    last = items[-1] if len(found) > limit else None
    following = cursor_of(micros(last.created_at), last.id) if last else None
    return MemoryPage(items=items, total=total, tokens=tokens, next_cursor=following)
