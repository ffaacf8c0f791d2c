"""Keyword search: FTS5 or GIN finds the rows, BM25 with the space's own statistics ranks them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bethink.records import Space
from bethink.store import changes, entries
from bethink.store.driver import Tx
from bethink.store.entries import marked_term
from bethink.store.filters import EntryFilter
from bethink.store.rows import LAYER_CODES, NUMBER_BITS, every_layer, id_range, micros

LOOKED_UP = 500  # unknown lengths looked up one by one; with more, the layer's are read in a row
PAGE = 50_000  # lengths read at once
KEPT = 8_000_000  # lengths kept in memory, two bytes each, before all are forgotten

Offsets = NDArray[np.int64]  # ids of entries, counted from the space's lowest
Floats = NDArray[np.float64]
_NUMBERS = (1 << NUMBER_BITS) - 1


def _counted(text: str, context_weight: float) -> tuple[Offsets, Floats]:
    places = np.fromstring(text, np.int64, sep=",") if text else np.zeros(0, np.int64)
    entries = places >> 1
    first = np.flatnonzero(np.diff(entries, prepend=-1))
    worth = np.where(places & 1, context_weight, 1.0)
    return entries[first], np.add.reduceat(worth, first) if len(first) else worth


@dataclass
class _Known:
    """The lengths of one space's entries by layer and number, 0 where unknown, as of a change."""

    seen: int
    by_layer: dict[int, NDArray[np.uint16]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


class Postings:
    """Reads postings, and remembers how many terms entries have until they change."""

    def __init__(self) -> None:
        self._spaces: dict[int, _Known] = {}
        self._lock = Lock()

    def clear(self) -> None:
        """Forget every length."""
        with self._lock:
            self._spaces.clear()

    def read(
        self, tx: Tx, space: Space, terms: Sequence[str], context_weight: float
    ) -> list[tuple[Offsets, Floats]]:
        """For each term the entries that hold it and how often; a word nearby counts `context_weight`."""
        low, _ = id_range(space.number)
        rows = tx.tuples("terms.postings", {"terms": list(terms), "low": low})
        return [_counted(row[0] or "", context_weight) for row in rows]

    def lengths(self, tx: Tx, space: Space, entries: Offsets) -> NDArray[np.uint16]:
        """The length of each of these entries."""
        known = self._fresh(tx, space)
        found = np.zeros(len(entries), np.uint16)
        layers = entries >> NUMBER_BITS
        with known.lock:
            for layer in np.unique(layers).tolist():
                chosen = layers == layer
                found[chosen] = self._of_layer(tx, space, known, layer, entries[chosen] & _NUMBERS)
        return found

    def _fresh(self, tx: Tx, space: Space) -> _Known:
        """What is known of a space, without what has changed since."""
        newest = changes.last(tx, space.number)
        with self._lock:
            if sum(len(one) for known in self._spaces.values() for one in known.by_layer.values()) > KEPT:
                self._spaces.clear()
            known = self._spaces.setdefault(space.number, _Known(newest))
        with known.lock:
            if known.seen != newest:
                _forget_changed(tx, space, known)
                known.seen = newest
        return known

    def _of_layer(
        self, tx: Tx, space: Space, known: _Known, layer: int, numbers: Offsets
    ) -> NDArray[np.uint16]:
        lengths = known.by_layer.get(layer, np.zeros(0, np.uint16))
        if (room := int(numbers.max()) + 1) > len(lengths):
            lengths = np.concatenate((lengths, np.zeros(room + room // 4 - len(lengths), np.uint16)))
            known.by_layer[layer] = lengths
        unknown = numbers[lengths[numbers] == 0]
        if len(unknown):
            _look_up(tx, (space.number << 32) + (layer << NUMBER_BITS), unknown, lengths)
        found: NDArray[np.uint16] = lengths[numbers]
        return found


def _forget_changed(tx: Tx, space: Space, known: _Known) -> None:
    changed = changes.since(tx, space.number, known.seen)
    if changed is None:
        known.by_layer.clear()
        return
    offsets = np.array(changed, np.int64) - id_range(space.number)[0]
    for layer, lengths in known.by_layer.items():
        numbers = offsets[offsets >> NUMBER_BITS == layer] & _NUMBERS
        lengths[numbers[numbers < len(lengths)]] = 0


def _look_up(tx: Tx, base: int, unknown: Offsets, lengths: NDArray[np.uint16]) -> None:
    """Fill in the lengths of these numbers of a layer; if they are many, of all from first to last."""
    if len(unknown) <= LOOKED_UP:
        _fill(tx.tuples("terms.sizes_of_ids", {"ids": (unknown + base).tolist()}), base, lengths)
        return
    low, high = base + int(unknown.min()), base + int(unknown.max())
    _fill(tx.tuples("terms.long_sizes_of_range", {"low": low, "high": high}), base, lengths)
    while True:
        values = {"base": base, "low": low, "high": high, "limit": PAGE}
        last, numbers, sizes = tx.tuples("terms.sizes_of_range", values)[0]
        if last is None:
            return
        if numbers:  # of entries with fewer than 128 terms in either column, so a byte each
            totals = np.frombuffer(bytes.fromhex(sizes), np.uint8).reshape(-1, 2).sum(axis=1)
            lengths[np.fromstring(numbers, np.int64, sep=",")] = totals
        low = last + 1


def _fill(rows: Sequence[tuple[int, bytes]], base: int, lengths: NDArray[np.uint16]) -> None:
    if rows:
        ids, sizes = zip(*rows, strict=True)
        totals = {size: min(sum(varints(size)), 0xFFFF) for size in set(sizes)}
        lengths[np.array(ids, np.int64) - base] = [totals[size] for size in sizes]


def varints(data: bytes) -> list[int]:
    """The variable-length integers of one of FTS5's records."""
    found, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(value)
            value = 0
    return found


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


def weights(tx: Tx, searched: Sequence[Space], terms: Sequence[str]) -> dict[str, float]:
    """The weight of each term in several spaces as if they were one."""
    size = sum(_size(tx, space) for space in searched)
    holding = dict.fromkeys(terms, 0)
    for space in searched:
        counted = _holding(tx, [marked_term(space.number, term) for term in terms])
        for term in terms:
            holding[term] += counted.get(marked_term(space.number, term), 0)
    return {term: idf(size, count) for term, count in holding.items()}


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
