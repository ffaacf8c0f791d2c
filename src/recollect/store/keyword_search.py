"""Keyword search: FTS5 or GIN finds the rows, BM25 with the space's own statistics ranks them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from recollect.records import Layer, Space
from recollect.store import entries
from recollect.store.columns import micros
from recollect.store.driver import Tx
from recollect.store.filters import EntryFilter
from recollect.store.ids import id_range
from recollect.store.terms import marked

CONTEXT_WEIGHT = 0.5  # of a word said nearby against a word of the record itself
ROW_BUDGET = 8_000  # rows scored per query: a query's commonest terms are left out once the rarer fill it
LENGTH_NORM, SATURATION = 0.75, 1.2  # BM25's b and k1, as FTS5 has them
SAMPLE = 2_000  # entries counted exactly; beyond that an estimate is as good
COUNT_SECONDS, COUNTS_KEPT = 60.0, 20_000


class Counts:
    """Remembers large counts (entries of a space, entries that hold a term) for a while.

    Small ones are counted each time: that is quick, and what is rare now may be new in a moment.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, float]] = {}

    def clear(self) -> None:
        """Forget every count, and with it the terms."""
        self._kept.clear()

    def get(self, name: str, count: Callable[[], int]) -> int:
        kept = self._kept.get(name)
        if kept and time.monotonic() - kept[1] < COUNT_SECONDS:
            return kept[0]
        found = count()
        if found >= SAMPLE:
            if len(self._kept) > COUNTS_KEPT:
                self._kept.clear()
            self._kept[name] = (found, time.monotonic())
        return found


def idf(total: int, holding: int) -> float:
    """BM25's weight of a term that `holding` of `total` entries hold; never negative."""
    return math.log(1 + (max(total, holding) - holding + 0.5) / (holding + 0.5))


def search(
    tx: Tx,
    space: Space,
    terms: Sequence[str],
    chosen: EntryFilter,
    now: datetime,
    limit: int,
    memo: Counts,
) -> list[tuple[int, float]]:
    """The best entries for a query's terms with their BM25 scores, best first."""
    planned = _planned(tx, [marked(space.number, term) for term in terms], memo)
    if not planned or limit < 1 or (chosen.layers is not None and not chosen.layers):
        return []
    size = memo.get(f"space {space.number}", partial(_size, tx, space))
    find = _search_sqlite if tx.dialect == "sqlite" else _search_postgres
    return find(tx, space, size, planned, chosen, now, limit)


def _planned(tx: Tx, terms: Sequence[str], memo: Counts) -> dict[str, int]:
    """The terms to search for, rarest first, with how many entries hold them."""
    found = sorted((memo.get(term, partial(_holding, tx, term)), term) for term in terms)
    planned: dict[str, int] = {}
    rows = 0
    for holding, term in found:
        rows += holding
        if planned and rows > ROW_BUDGET:
            break
        if holding:
            planned[term] = holding
    return planned


def _holding(tx: Tx, term: str) -> int:
    row = tx.one("terms.frequency", {"term": term if tx.dialect == "sqlite" else _tsquery(term)})
    return int(row["doc"]) if row else 0


def _search_sqlite(
    tx: Tx, space: Space, size: int, planned: dict[str, int], chosen: EntryFilter, now: datetime, limit: int
) -> list[tuple[int, float]]:
    """FTS5's bm25() weighs a term by the whole table; here its weight is exchanged for that of the space."""
    table_size = _table_size(tx)
    ids: list[NDArray[np.int64]] = []
    scores: list[NDArray[np.float64]] = []
    for term, holding in planned.items():
        table_weight = max(math.log((table_size - holding + 0.5) / (holding + 0.5)), 1e-6)
        weight = -idf(size, holding) / table_weight
        for low, high in chosen.id_ranges(space.number):
            values = {"term": f'"{term}"', "low": low, "high": high, "context_weight": CONTEXT_WEIGHT}
            if found := tx.tuples("terms.scores", values):
                rows, raw = zip(*found, strict=True)
                ids.append(np.array(rows, np.int64))
                scores.append(np.array(raw) * weight)
    if not ids:
        return []
    unique, place = np.unique(np.concatenate(ids), return_inverse=True)
    total = np.bincount(place, np.concatenate(scores))
    if over := entries.expired(tx, space.id, now):
        total[np.isin(unique, over)] = 0.0
    if chosen.needs_sql:
        total[~np.isin(unique, entries.allowed(tx, space.id, chosen))] = 0.0
    unique, total = unique[total > 0], total[total > 0]
    best = np.lexsort((unique, -total))[:limit]
    return [(int(unique[i]), float(total[i])) for i in best]


def _search_postgres(
    tx: Tx, space: Space, size: int, planned: dict[str, int], chosen: EntryFilter, now: datetime, limit: int
) -> list[tuple[int, float]]:
    """BM25 in SQL, from the counts that ts_rank gives away."""
    sample = tx.one("terms.average_length", {"space_id": space.id, "limit": SAMPLE})
    average = max(float(sample["length"] or 0) if sample else 0.0, 1.0)
    where, values = chosen.sql(tx.dialect)
    values |= {"space_id": space.id, "now": micros(now), "limit": limit, "average": average}
    values |= {"norm": LENGTH_NORM, "saturation": SATURATION, "context": CONTEXT_WEIGHT}
    values |= {"any": " | ".join(map(_tsquery, planned))}
    parts = []
    for number, (term, holding) in enumerate(planned.items()):
        values |= {f"idf{number}": idf(size, holding), f"term{number}": _tsquery(term)}
        body, anywhere = _count_sql("{0,0,0,1}", number), _count_sql("{0,0,1,1}", number)
        count = f"({body} + :context * ({anywhere} - {body}))"
        parts.append(f":idf{number} * {count} / ({count} + room)")
    rows = tx.tuples("terms.best", values, score=" + ".join(parts), where=where)
    return [(int(id_), float(score)) for id_, score in rows]


def _count_sql(weights: str, number: int) -> str:
    """How often a term stands in the parts of a tsvector that have weight.

    For n occurrences ts_rank is the sum of 1/i² up to n, over π²/6: short of 1 by about 6/π² / (n + ½).
    """
    return f"floor(0.6079271 / (1 - ts_rank('{weights}'::real[], terms, :term{number}::tsquery)))"


def _size(tx: Tx, space: Space) -> int:
    """How many entries a space has: exactly while they are few, closely enough for a weight beyond that."""
    low, high = id_range(space.number)
    row = tx.one("terms.space_size", {"space_id": space.id, "low": low, "high": high, "limit": SAMPLE})
    total = int(row["total"]) if row else 0
    if total == SAMPLE and tx.dialect == "sqlite":
        return sum(entries.last_number(tx, space, layer) for layer in Layer)
    return total


def _table_size(tx: Tx) -> int:
    """The row count bm25() uses: the first number, a variable-length integer, of FTS5's averages record."""
    row = tx.one("terms.averages")
    value = 0
    for byte in row["block"] if row else b"":
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def _tsquery(term: str) -> str:
    return f"'{term}'"
