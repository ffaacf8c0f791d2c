"""What FTS5 knows of a term in a space: which entries hold it, how often, and how long these are (SQLite).

Read as they are and ranked here, in a fifth of the time that FTS5's own bm25() takes, which looks up the
length of every row it meets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bethink.records import Space
from bethink.store import changes
from bethink.store.driver import Tx
from bethink.store.ids import NUMBER_BITS, id_range

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
