"""Memories by what they have in common: listed piece by piece, counted, forgotten together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from bethink.clock import now
from bethink.core import Core
from bethink.errors import InvalidInput
from bethink.memories import revise
from bethink.recall import superseded
from bethink.recall.gather import AccessLog
from bethink.recall.recall import find
from bethink.records import Layer, Memory, Record, Space
from bethink.shapes.fields import check_page, checked, checked_reason
from bethink.shapes.inputs import MemoryQuery
from bethink.shapes.keywords import MemoryFilters
from bethink.shapes.outcomes import Forgotten, Hit, MemoryPage
from bethink.shapes.rights import Cursor, cursor_of, place_of
from bethink.store import Tx, memories
from bethink.store.filters import MemoryFilter
from bethink.store.rows import micros

SEARCH_DEPTH = 200  # the most that one recall brings back
SAMPLE = 10  # memories shown of those that are forgotten together
_BATCH = 500  # memories forgotten per transaction


class _Place(Record):
    cursor: Cursor | None = None


def chosen(**filters: Unpack[MemoryFilters]) -> MemoryFilter:
    """The memories that filters choose and that have not expired; of archived ones, these too."""
    query = checked(MemoryQuery, filters)
    named = {name: getattr(query, name) for name in MemoryQuery.model_fields}
    return MemoryFilter(**named, alive_at=None if query.archived else now())


async def listed(core: Core, space: Space, filters: MemoryFilters) -> MemoryFilter:
    """The same, without what is over the retention time and only still to be archived."""
    wanted = chosen(**filters)
    if wanted.archived is not False:
        return wanted
    return replace(wanted, kept_since=await core.options.kept_since(space, now()))


async def list_page(
    core: Core, space: Space, limit: int, offset: int, cursor: str | None, filters: MemoryFilters
) -> MemoryPage:
    """A piece of the memories that filters choose, newest first, from an offset or where a cursor says."""
    check_page(limit, offset)
    if cursor is not None and offset:
        raise InvalidInput("cursor: goes on by itself; leave out the offset.", field="cursor")
    before = _place(cursor)
    if before and before[0] <= SEARCH_DEPTH:
        raise InvalidInput("cursor: is one of a search; send what was searched for, too.", field="cursor")
    return await core.driver.read(_page, space.id, await listed(core, space, filters), limit, offset, before)


async def search_page(
    core: Core,
    space: Space,
    query: str,
    limit: int,
    offset: int,
    cursor: str | None,
    filters: MemoryFilters,
) -> MemoryPage:
    """A piece of the memories that answer a query, best first, from an offset or where a cursor says.

    Every piece is cut from one ranking of the same depth, so that pieces fit together.
    """
    check_page(limit, offset)
    last = _place(cursor)
    if last and offset:
        raise InvalidInput("cursor: goes on by itself; leave out the offset.", field="cursor")
    if last and last[0] > SEARCH_DEPTH:
        raise InvalidInput("cursor: is one of a list, not of a search; leave it out.", field="cursor")
    if filters.get("archived"):
        raise InvalidInput(
            "archived: no search finds what is archived; list it without a query.", field="archived"
        )
    if offset + limit > SEARCH_DEPTH:
        raise InvalidInput(
            f"offset: a search goes {SEARCH_DEPTH} deep; ask for less with limit, page or offset.",
            field="offset",
        )
    asked = {"query": query, "layers": [Layer.MEMORY], "limit": SEARCH_DEPTH, "include_global": False}
    asked["secrets"] = True  # whoever asked for the page masks what is in it
    wanted = {name: value for name, value in filters.items() if name != "archived"}
    hits = (await find(core, space, {**asked, **wanted})).hits
    start = _after(hits, last) if last else offset
    piece = hits[start : start + limit]
    core.part(AccessLog).note(piece)
    end = start + len(piece)
    following = cursor_of(end, piece[-1].id) if piece and end < len(hits) else None
    items = [hit.record for hit in piece if isinstance(hit.record, Memory)]
    replaced = {hit.id: hit.superseded_by for hit in piece if hit.superseded_by}
    return MemoryPage(items=items, total=None, tokens=None, next_cursor=following, superseded_by=replaced)


def _after(hits: Sequence[Hit], last: tuple[int, str]) -> int:
    """Where to go on: after the last hit seen, wherever it stands now; in its place if it is gone."""
    count, id_ = last
    return next((place + 1 for place, hit in enumerate(hits) if hit.id == id_), count - 1)


def _place(cursor: str | None) -> tuple[int, str] | None:
    place = checked(_Place, {"cursor": cursor}).cursor
    return place_of(place) if place else None


async def forget_together(
    core: Core, space: Space, actor: str, filters: MemoryFilters, dry_run: bool, reason: str | None
) -> Forgotten:
    """Forget all memories that filters choose, some hundred at a time; or only say which."""
    wanted, why = chosen(**filters), checked_reason(reason)
    if wanted == MemoryFilter(alive_at=wanted.alive_at, archived=False):
        raise InvalidInput(
            "Name at least one filter, such as a tag or a type; without one this would forget everything.",
            field="filters",
        )
    count, _ = await core.driver.read(memories.totals, space.id, wanted)
    sample = await core.driver.read(memories.page, space.id, wanted, SAMPLE)
    if dry_run:
        return Forgotten(count=count, sample=sample, dry_run=True)
    gone = 0
    while gone < count:  # not those that are added meanwhile
        limit = min(_BATCH, count - gone)
        batch = await core.driver.write(revise.forget_some, space, wanted, limit, now(), actor, reason=why)
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
    replaced = superseded.of_memories(tx, space_id, [one.id for one in items])
    return MemoryPage(
        items=items,
        total=total,
        tokens=tokens,
        next_cursor=following,
        superseded_by={id_: one.id for id_, one in replaced.items()},
    )
