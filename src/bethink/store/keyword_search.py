"""Keyword search: FTS5 or GIN finds the rows, BM25 with the space's own statistics ranks them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bethink.records import Space
from bethink.store import entries
from bethink.store.columns import micros
from bethink.store.driver import Tx
from bethink.store.filters import EntryFilter
from bethink.store.ids import LAYER_CODES, NUMBER_BITS, every_layer, id_range
from bethink.store.postings import Postings, varints
from bethink.store.terms import marked_term

CONTEXT_WEIGHT = 0.5  # of a word said nearby against a word of the record itself
ROW_BUDGET = 8_000  # rows scored per query: a query's commonest terms are left out once the rarer fill it
MOST_ROWS = 4 * ROW_BUDGET  # looked at by PostgreSQL, where every word of a query is in most entries
LENGTH_NORM, SATURATION = 0.75, 1.2  # BM25's b and k1, as FTS5 has them
SAMPLE = 2_000  # entries counted exactly; beyond that an estimate is as good
COUNT_SECONDS, COUNTS_KEPT = 60.0, 20_000


class Counts:
    """Remembers large counts (entries of a space, entries that hold a term) for a while, and lengths.

    Small counts are made each time: that is quick, and what is rare now may be new in a moment.
    """

    def __init__(self) -> None:
        self.postings = Postings()
        self._kept: dict[str, tuple[int, float]] = {}

    def clear(self) -> None:
        """Forget every count, and with it the terms."""
        self.postings.clear()
        self._kept.clear()

    def known(self, names: Iterable[str]) -> dict[str, int]:
        """The counts still remembered."""
        since = time.monotonic() - COUNT_SECONDS
        found = {name: self._kept.get(name) for name in names}
        return {name: kept[0] for name, kept in found.items() if kept and kept[1] > since}

    def keep(self, counts: Mapping[str, int]) -> None:
        """Remember the large ones of these counts."""
        large = {name: count for name, count in counts.items() if count >= SAMPLE}
        if len(self._kept) + len(large) > COUNTS_KEPT:
            self._kept.clear()
        self._kept.update({name: (count, time.monotonic()) for name, count in large.items()})

    def get(self, name: str, count: Callable[[], int]) -> int:
        """The count of this name, made now unless it is remembered."""
        if known := self.known([name]):
            return known[name]
        found = count()
        self.keep({name: found})
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
    planned = _planned(tx, [marked_term(space.number, term) for term in terms], memo)
    if not planned or limit < 1 or (chosen.layers is not None and not chosen.layers):
        return []
    size = memo.get(f"space {space.number}", partial(_size, tx, space))
    if tx.dialect == "sqlite":
        return _search_sqlite(tx, space, size, planned, chosen, now, limit, memo.postings)
    return _search_postgres(tx, space, size, planned, chosen, now, limit)


def _planned(tx: Tx, terms: Sequence[str], memo: Counts) -> dict[str, int]:
    """The terms to search for, rarest first, with how many entries hold them."""
    holding = memo.known(terms)
    if fresh := [term for term in terms if term not in holding]:
        counted = _holding(tx, fresh)
        memo.keep(counted)
        holding |= counted
    planned: dict[str, int] = {}
    rows = 0
    for count, term in sorted((count, term) for term, count in holding.items() if count):
        rows += count
        if planned and rows > ROW_BUDGET:
            break
        planned[term] = count
    return planned


def _holding(tx: Tx, terms: Sequence[str]) -> dict[str, int]:
    """How many entries hold each term; PostgreSQL counts no further than would be searched for."""
    if tx.dialect == "sqlite":
        return dict(tx.tuples("terms.frequencies", {"terms": list(terms)}))
    values = {"terms": list(terms), "queries": list(map(_tsquery, terms)), "most": ROW_BUDGET + 1}
    return dict(tx.tuples("terms.frequencies", values))


def _search_sqlite(
    tx: Tx,
    space: Space,
    size: int,
    planned: dict[str, int],
    chosen: EntryFilter,
    now: datetime,
    limit: int,
    postings: Postings,
) -> list[tuple[int, float]]:
    """BM25 as FTS5 has it, but for the weight of a term, which is that of the space and not of the table."""
    found = postings.read(tx, space, list(planned), CONTEXT_WEIGHT)
    weights = [idf(size, holding) for holding in planned.values()]
    held = np.concatenate([places for places, _ in found])
    counts = np.concatenate([count for _, count in found])
    idfs = np.repeat(weights, [len(count) for _, count in found])
    room = 1 - LENGTH_NORM + LENGTH_NORM * postings.lengths(tx, space, held) / _average_length(tx)
    scores = idfs * (SATURATION + 1) * counts / (counts + SATURATION * room)
    offsets, place = np.unique(held, return_inverse=True)
    total: NDArray[np.float64] = np.bincount(place, scores).astype(np.float64, copy=False)
    unique = offsets + id_range(space.number)[0]
    if chosen.layers is not None:
        codes = [LAYER_CODES[layer] for layer in chosen.layers]
        total[~np.isin(offsets >> NUMBER_BITS, codes)] = 0.0
    if over := entries.expired(tx, space.id, now):
        total[np.isin(unique, over)] = 0.0
    if chosen.needs_sql:
        total[~np.isin(unique, entries.allowed(tx, space.id, chosen))] = 0.0
    return _best(unique, total, limit)


def _best(ids: NDArray[np.int64], scores: NDArray[np.float64], limit: int) -> list[tuple[int, float]]:
    """The highest scores above 0 with their ids; of equals the lower id first."""
    places = np.flatnonzero(scores > 0)
    if len(places) > limit:
        least = np.partition(scores[places], -limit)[-limit]
        places = places[scores[places] >= least]
    best = places[np.lexsort((ids[places], -scores[places]))[:limit]]
    return list(zip(ids[best].tolist(), scores[best].tolist(), strict=True))


def _search_postgres(
    tx: Tx, space: Space, size: int, planned: dict[str, int], chosen: EntryFilter, now: datetime, limit: int
) -> list[tuple[int, float]]:
    """BM25 in SQL, from the counts that ts_rank gives away."""
    where, values = chosen.sql(tx.dialect)
    values |= {"space_id": space.id, "now": micros(now), "limit": limit, "most": MOST_ROWS, "sample": SAMPLE}
    values |= {"norm": LENGTH_NORM, "saturation": SATURATION, "context": CONTEXT_WEIGHT}
    values |= {"any": " | ".join(map(_tsquery, planned))}
    parts = []
    for number, (term, holding) in enumerate(planned.items()):
        values |= {f"idf{number}": idf(size, holding), f"term{number}": _tsquery(term)}
        body, anywhere = _count_sql("{0,0,0,1}", number), _count_sql("{0,0,1,1}", number)
        count = f":context * {anywhere} + (1 - :context) * {body}"
        parts.append(f":idf{number} * (1 - room / ({count} + room))")  # each count made once
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
        return sum(entries.last_number(tx, space, layer) for layer in every_layer())
    return total


def _average_length(tx: Tx) -> float:
    """How many terms an entry has on average, by FTS5's record of its rows and of each column's terms."""
    row = tx.one("terms.averages")
    rows, *terms = varints(row["block"]) if row else [0]
    return max(sum(terms) / max(rows, 1), 1.0)


def _tsquery(term: str) -> str:
    return f"'{term}'"
