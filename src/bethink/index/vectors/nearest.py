"""Asks the vector index, whichever it is, so that every filter of a recall holds.

An index that searches the database's own rows is asked as it is. One that lives elsewhere is told what is new
first; a filter that it does not know is worked out from the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from bethink.clock import now
from bethink.contracts import VectorIndex, VectorQuery
from bethink.index.vectors import RowsIndex
from bethink.index.vectors.feed import NUMBERING, Feed
from bethink.records import Space
from bethink.store import Driver, Tx, changes, entries
from bethink.store.filters import EntryFilter

Ranked = list[tuple[int, float]]
PATIENCE_SECONDS = 2.0  # that a search waits for an index to be told what is new
MOST_ALLOWED = 5_000  # ids that are handed to an index; where a filter allows more, it is asked for more
MORE = 4  # times as many as wanted are asked for where some will be left out, and then times as many again
PRUNE_EVERY = 10_000  # changes between two times that the log is cut
_FILTERS = [field.name for field in fields(EntryFilter)]


class Near(NamedTuple):
    """The nearest entries, and up to which change of the space that is so."""

    ranked: Ranked
    seq: int | None


class Nearest:
    """Vector search through the contract."""

    def __init__(
        self,
        driver: Driver,
        index: VectorIndex,
        feed: Feed | None = None,
        *,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._driver, self.index, self._patience = driver, index, patience
        self.rows = index if isinstance(index, RowsIndex) else None
        self._feed = None if self.rows else feed or Feed(driver, index)
        self._pruned_at: int | None = None  # the newest change when the log was last cut

    async def nearest(self, query: VectorQuery) -> Near:
        """The entries nearest to a query."""
        return (await self.nearest_each([query]))[0]

    async def nearest_each(self, queries: Sequence[VectorQuery]) -> list[Near]:
        """The entries nearest to each of some queries, all of one space and signature."""
        asked = [query for query in queries if query.vector.any()]  # else the model knows no word of it
        if not asked:
            return [Near([], None) for _ in queries]
        answers = self._in_rows(self.rows, asked) if self.rows else self._outside(asked)
        found = iter(await answers)
        return [next(found) if query.vector.any() else Near([], None) for query in queries]

    def current(self, tx: Tx, space: Space, near: Near) -> Ranked:
        """What still holds of what was found: an entry that changed or went since may stand for another text.

        A record that is gone is in no answer anyway, but an id may be given again on SQLite.
        """
        if near.seq is None or changes.last(tx, space.number) <= near.seq:
            return near.ranked
        changed = changes.unread(tx, space.number, near.seq)
        if changed is None:
            return []
        gone = set(changed)
        return [(id_, cosine) for id_, cosine in near.ranked if id_ not in gone]

    async def tend(self, space: Space, signature: str, dimensions: int, made: int) -> None:
        """See to what the index needs after a space has grown by the vectors `made`."""
        if self.rows:
            await self.rows.tend(space, signature, dimensions, made)
        elif self._feed:
            await self._feed.forget_removed()
            await self._feed.catch_up(space.number, signature)
        await self.prune()

    async def prune(self) -> None:
        """Cut the log of changes once it has grown; writes do so themselves on SQLite."""
        if self._driver.dialect != "postgres":
            return
        newest = await self._driver.read(changes.newest_id)
        if newest == 0 or (self._pruned_at is not None and newest - self._pruned_at < PRUNE_EVERY):
            return
        self._pruned_at = newest
        await self.number()
        await self._driver.write(changes.prune, now())

    async def number(self) -> None:
        """Give what was committed its number, where that is not done at once."""
        if await self._driver.read(changes.waiting):
            await self._driver.write_in_turn([NUMBERING], changes.number)

    async def forget(self, space: Space) -> None:
        """Let the index go of what was erased in a space, or of all of it where the space was removed."""
        if self.rows:
            self.rows.drop(space)
        elif self._feed:
            await self._feed.forget(space.number)

    async def close(self) -> None:
        """Stop telling the index, and let go of it."""
        if self._feed:
            await self._feed.close()
        await self.index.close()

    async def _in_rows(self, rows: RowsIndex, queries: Sequence[VectorQuery]) -> list[Near]:
        quick = len(queries) == 1 and rows.at_hand(queries[0].space)
        read = self._driver.peek if quick else self._driver.read
        return await read(_in_rows, rows, queries)

    async def _outside(self, queries: Sequence[VectorQuery]) -> list[Near]:
        first, seq = queries[0], None
        if self._feed:
            seq = await self._feed.catch_up(first.space.number, first.signature, self._patience)
        return [Near(await self._filtered(query), seq) for query in queries]

    async def _filtered(self, query: VectorQuery) -> Ranked:
        """Ask an index with the filters it knows, and see to the others by the rows."""
        knows, chosen = self.index.filters, query.chosen
        unknown = [name for name in _FILTERS if getattr(chosen, name) is not None and name not in knows]
        if not unknown and "now" in knows:
            return await self.index.nearest(query)
        alive = query.now if chosen.alive_at is None else max(query.now, chosen.alive_at)
        left = replace(chosen, alive_at=alive)
        if unknown:  # else all but a few are allowed
            allowed = await self._driver.read(_allowed, query.space.id, left, None, MOST_ALLOWED + 1)
            if not allowed:
                return []
            if len(allowed) <= MOST_ALLOWED:
                return await self.index.nearest(replace(query, chosen=EntryFilter(), allowed=allowed))
        return await self._sifted(replace(query, chosen=replace(chosen, **dict.fromkeys(unknown))), left)

    async def _sifted(self, query: VectorQuery, chosen: EntryFilter) -> Ranked:
        """Ask for more than is wanted, until enough are left of them or there are no more."""
        depth = query.limit
        while True:
            depth *= MORE
            ranked = await self.index.nearest(replace(query, limit=depth))
            ids = [id_ for id_, _ in ranked]
            allowed = set(await self._driver.read(_allowed, query.space.id, chosen, ids, None))
            kept = [(id_, cosine) for id_, cosine in ranked if id_ in allowed]
            if len(kept) >= query.limit or len(ranked) < depth:
                return kept[: query.limit]


def _in_rows(tx: Tx, rows: RowsIndex, queries: Sequence[VectorQuery]) -> list[Near]:
    # Ids are given twice on SQLite only, and there each change has its number at once.
    seq = changes.last(tx, queries[0].space.number) if tx.dialect == "sqlite" else None
    return [Near(rows.nearest_in(tx, query), seq) for query in queries]


def _allowed(
    tx: Tx, space_id: str, chosen: EntryFilter, of: Sequence[int] | None, limit: int | None
) -> list[int]:
    return entries.allowed(tx, space_id, chosen, of=of, limit=limit)
