"""The façade's part about summaries."""

from __future__ import annotations

import builtins
from typing import Unpack

from bethink.clock import now
from bethink.core import Handle
from bethink.errors import NotFound
from bethink.records import Message, Record, Space, Summary
from bethink.shapes.fields import check_page, checked, is_storable
from bethink.shapes.inputs import SummaryQuery
from bethink.shapes.keywords import SummaryFilters
from bethink.shapes.outcomes import SummaryList
from bethink.shapes.rights import Cursor, cursor_of, place_of
from bethink.store import Tx, messages, rows, summaries
from bethink.store.filters import SummaryFilter
from bethink.store.rows import micros


class _Place(Record):
    cursor: Cursor | None = None


class AsyncSummaries:
    """The summaries of a space: what old messages come to. The messages themselves are kept."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def list(
        self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[SummaryFilters]
    ) -> SummaryList:
        """Summaries, those of the newest messages first; `cursor` is the `next_cursor` of the page before."""
        core, space = await self._space.inside.here()
        check_page(limit)
        query = checked(SummaryQuery, filters)
        asked = {name: getattr(query, name) for name in SummaryQuery.model_fields}
        chosen = SummaryFilter(**asked, kept_since=await core.options.kept_since(space, now()))
        place = checked(_Place, {"cursor": cursor}).cursor
        before = place_of(place) if place else None
        page = await core.driver.read(_page, space.id, chosen, limit, before)
        page.items = await self._space.inside.shown(page.items)
        return page

    async def get(self, summary_id: str) -> Summary:
        """One summary by its id."""
        core, space = await self._space.inside.here()
        return await self._space.inside.shown(await core.driver.read(_get, space, summary_id))

    async def messages(self, summary_id: str, *, secrets: bool = False) -> builtins.list[Message]:
        """The messages that a summary was made from, as they were said."""
        core, space = await self._space.inside.here()
        found = await core.driver.read(_messages, space, summary_id)
        return await self._space.inside.shown(found, secrets=secrets)


def _page(
    tx: Tx, space_id: str, chosen: SummaryFilter, limit: int, before: tuple[int, str] | None
) -> SummaryList:
    found = summaries.page(tx, space_id, chosen, limit + 1, before)
    items = found[:limit]
    last = items[-1] if len(found) > limit else None
    following = cursor_of(micros(last.end_at), last.id) if last else None
    return SummaryList(items=items, total=summaries.count(tx, space_id, chosen), next_cursor=following)


def _get(tx: Tx, space: Space, summary_id: str) -> Summary:
    found = rows.by_ids(tx, space.id, "summary", [summary_id]) if is_storable(summary_id) else {}
    if summary_id not in found:
        raise NotFound(f"There is no summary {summary_id!r} in this space.", field="id")
    summary: Summary = found[summary_id]
    return summary


def _messages(tx: Tx, space: Space, summary_id: str) -> list[Message]:
    ids = _get(tx, space, summary_id).source_ids
    found = messages.by_ids(tx, space.id, ids)
    return [found[id_] for id_ in ids if id_ in found]
