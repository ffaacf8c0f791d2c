"""One space's vectors, held in memory as int8 and scanned whole for every search.

A row is a vector as `bethink.store.vectors` has it: a score is the exact cosine between two code vectors,
within a few thousandths of that between the originals. The caller rescores the best with those as stored.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any, Final

import numpy as np
import simsimd
from numpy.typing import NDArray

from bethink.errors import InvalidInput
from bethink.store.vectors import BLOCK, quantise

NEVER: Final = int(np.iinfo(np.int64).max)
"""The expiry of a row that does not expire."""

_SHARED_FROM: Final = 131_072  # rows; fewer are not worth waking another thread
_SHARES: Final = min(4, os.cpu_count() or 1)
_GATHER_BELOW: Final = 6  # copying fewer than one row in six beats reading them all

_Ids = NDArray[np.int64]
_Floats = NDArray[np.float32]
_Rows = NDArray[np.intp]
Page = tuple[_Ids, NDArray[np.uint8], NDArray[np.int8], _Floats]  # ids, layers, codes, their inverse lengths
_NO_ROWS: Final[_Rows] = np.empty(0, np.intp)


class ResidentVectors:
    """An int8 matrix of one space's vectors, searched by cosine while it is being written to.

    Any number of threads may search while others write: a search answers from the rows as they were when
    it began. Every id has at most one vector; putting it again replaces the vector it had.
    """

    # Why no search needs the lock: a row, once published, is never written again. A writer fills rows past
    # the end of every published view (or fresh arrays), then replaces the snapshot in one assignment; a
    # replaced or removed row is only listed as dead in the new snapshot. A search reads the snapshot once.

    def __init__(self, dimensions: int) -> None:
        if dimensions < 1:
            raise InvalidInput(f"dimensions must be at least 1, not {dimensions}", field="dimensions")
        self.dimensions = dimensions
        self._columns = _Columns.empty(0, dimensions)
        self._snapshot = _Snapshot.of(self._columns, _NO_ROWS)
        self._writing = Lock()

    @classmethod
    def loaded(
        cls, dimensions: int, pages: Iterable[Page], expiring: Mapping[int, int], *, room: int
    ) -> ResidentVectors:
        """The codes as they are stored, page by page in the order of their ids: about `room` of them."""
        resident = cls(dimensions)
        columns, end = _Columns.empty(room, dimensions), 0
        for ids, layers, codes, inverse_lengths in pages:
            start, end = end, end + len(ids)
            if end > len(columns):
                columns = columns.copy(np.arange(start), capacity=end + end // 4)
            part = columns[start:end]
            part.ids[:], part.layers[:], part.expires[:] = ids, layers, NEVER
            part.codes[:], part.inverse_lengths[:] = codes, inverse_lengths
        if 2 * end < room:
            columns = columns.copy(np.arange(end), capacity=end)
        ends = np.array(list(expiring.items()), np.int64).reshape(-1, 2)
        places = _places(ends[:, 0], columns.ids[:end])
        columns.expires[places[places >= 0]] = ends[places >= 0, 1]
        resident._columns, resident._snapshot = columns, _Snapshot.of(columns[:end], _NO_ROWS)
        return resident

    def __len__(self) -> int:
        """The number of rows; one that has expired counts until it is removed."""
        snapshot = self._snapshot
        return len(snapshot.columns) - len(snapshot.dead)

    @property
    def bytes(self) -> int:
        """The memory held, room for growth included."""
        snapshot = self._snapshot
        lookup = snapshot.sorted_ids.nbytes + snapshot.sorted_rows.nbytes + snapshot.dead.nbytes
        return lookup + sum(column.nbytes for column in self._columns.all())

    def put(self, ids: _Ids, vectors: _Floats, layers: NDArray[np.uint8], expires: NDArray[np.int64]) -> None:
        """Insert rows, or replace those whose ids are here; the last of equal ids wins.

        A row is not found once `now` reaches its `expires`; `NEVER` keeps it.
        """
        _check_shape("vectors", vectors, (len(ids), self.dimensions), "embed with the model of this index")
        for name, column in (("ids", ids), ("layers", layers), ("expires", expires)):
            _check_shape(name, column, (len(ids),), "give one for each vector")
        if not len(ids):
            return
        latest = _last_of_each(ids)
        ids, vectors, layers, expires = ids[latest], vectors[latest], layers[latest], expires[latest]
        with self._writing:
            if len(self._snapshot.columns) + len(ids) > len(self._columns):
                self._rebuild(room=len(ids))
            before = self._snapshot
            start = len(before.columns)
            fresh = self._columns[start : start + len(ids)]
            fresh.ids[:], fresh.layers[:], fresh.expires[:] = ids, layers, expires
            quantise(vectors, fresh.codes, fresh.inverse_lengths, field="vectors")
            self._publish(
                start + len(ids),
                before.find(ids),
                min(before.earliest, int(expires.min())),
                before.layers.union(layers.tolist()),
            )

    def remove(self, ids: _Ids) -> None:
        """Remove the rows of these ids; an id that is not here is passed over."""
        with self._writing:
            before = self._snapshot
            self._publish(len(before.columns), before.find(ids), before.earliest, before.layers)

    def held(self, ids: _Ids | None) -> _Ids:
        """Which of these ids have a row here, or every id that has."""
        snapshot = self._snapshot
        rows = _all_but(snapshot.dead, len(snapshot.columns)) if ids is None else snapshot.find(ids)
        return snapshot.columns.ids[rows]

    def nearest(
        self,
        query: _Floats,
        count: int,
        *,
        now: int,
        layers: frozenset[int] | None = None,
        allowed: _Ids | None = None,
    ) -> tuple[_Ids, _Floats]:
        """The ids nearest to the query and their approximate cosines, best first, at most `count`.

        Equal cosines come in the order of their ids. `layers` and `allowed` restrict the search to rows of
        those layers and to those ids; an empty one matches nothing.
        """
        if count < 1:
            raise InvalidInput(f"count must be at least 1, not {count}", field="count")
        code, inverse_length = self._encode_query(query)
        snapshot = self._snapshot
        rows = snapshot.visible(now, layers, allowed)
        if len(snapshot.columns if rows is None else rows) == 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        scores = _cosines(code, snapshot.columns, rows)
        best = np.flatnonzero(scores >= _threshold(scores, count))
        ids = snapshot.columns.ids[best if rows is None else rows[best]]
        order = np.lexsort((ids, -scores[best]))[:count]
        return ids[order], np.clip(scores[best[order]] * inverse_length, -1, 1)

    def _encode_query(self, query: _Floats) -> tuple[NDArray[np.int8], np.float32]:
        _check_shape("query", query, (self.dimensions,), "embed with the model of this index")
        code, inverse_length = np.empty((1, self.dimensions), np.int8), np.empty(1, np.float32)
        quantise(query[None], code, inverse_length, field="query")
        if inverse_length[0] == 0:
            raise InvalidInput("query is a zero vector, near to nothing: check the embedder", field="query")
        return code, inverse_length[0]

    def _publish(self, end: int, gone: _Rows, earliest: int, layers: frozenset[int]) -> None:
        before = self._snapshot
        dead = np.concatenate((before.dead, gone)) if len(gone) else before.dead
        after = replace(before, columns=self._columns[:end], dead=dead, earliest=earliest, layers=layers)
        unsettled = end - before.settled_rows + len(dead) - before.settled_dead
        self._snapshot = after
        if len(dead) > max(64, end // 4):
            self._rebuild(room=0)
        elif unsettled > max(1024, end // 16):
            self._snapshot = _Snapshot.of(after.columns, dead)

    def _rebuild(self, room: int) -> None:
        """Copy the living rows, and only those, to new arrays with at least this much room after them."""
        living = _all_but(self._snapshot.dead, len(self._snapshot.columns))
        self._columns = self._columns.copy(living, capacity=len(living) + max(room, len(living) // 4))
        self._snapshot = _Snapshot.of(self._columns[: len(living)], _NO_ROWS)


@dataclass(frozen=True, slots=True)
class _Columns:
    """What is kept of each row, by row number."""

    codes: NDArray[np.int8]
    inverse_lengths: _Floats
    ids: _Ids
    layers: NDArray[np.uint8]
    expires: NDArray[np.int64]

    @classmethod
    def empty(cls, rows: int, dimensions: int) -> _Columns:
        """Room for so many rows."""
        return cls(
            np.empty((rows, dimensions), np.int8),
            np.empty(rows, np.float32),
            np.empty(rows, np.int64),
            np.empty(rows, np.uint8),
            np.empty(rows, np.int64),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: slice) -> _Columns:
        return _Columns(*(column[part] for column in self.all()))

    def all(self) -> tuple[NDArray[Any], ...]:
        return self.codes, self.inverse_lengths, self.ids, self.layers, self.expires

    def copy(self, rows: _Rows, *, capacity: int) -> _Columns:
        copy = _Columns(*(np.empty((capacity, *column.shape[1:]), column.dtype) for column in self.all()))
        for old, new in zip(self.all(), copy.all(), strict=True):
            np.take(old, rows, axis=0, out=new[: len(rows)], mode="clip")
        return copy


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The published rows, the dead among them, and a lookup of the living by id.

    The lookup is sorted afresh only now and then: it knows the first `settled_rows` rows but for the first
    `settled_dead` dead, and what came later is looked through one by one.
    """

    columns: _Columns
    dead: _Rows
    sorted_ids: _Ids
    sorted_rows: _Rows
    settled_rows: int
    settled_dead: int
    earliest: int  # no living row expires before this
    layers: frozenset[int]  # no living row is of another

    @classmethod
    def of(cls, columns: _Columns, dead: _Rows) -> _Snapshot:
        living = _all_but(dead, len(columns))
        by_id = living[np.argsort(columns.ids[living])]
        earliest = int(columns.expires[living].min(initial=NEVER))
        layers = frozenset(np.unique(columns.layers[living]).tolist())
        return cls(columns, dead, columns.ids[by_id], by_id, len(columns), len(dead), earliest, layers)

    def find(self, ids: _Ids) -> _Rows:
        """The living row of each of these ids that has one."""
        wanted = np.sort(ids)
        places = _places(wanted, self.sorted_ids)
        risen = np.diff(places, prepend=-1) > 0  # so neither absent nor the same id again
        settled = self.sorted_rows[places[risen]]
        later = np.flatnonzero(_places(self.columns.ids[self.settled_rows :], wanted) >= 0)
        found = np.concatenate((settled, later + self.settled_rows))
        return found[np.isin(found, self.dead[self.settled_dead :], invert=True)]

    def visible(self, now: int, layers: frozenset[int] | None, allowed: _Ids | None) -> _Rows | None:
        """The rows a search may return; None for all of them."""
        if layers is not None and layers >= self.layers:
            layers = None
        if allowed is None and layers is None and not len(self.dead) and now < self.earliest:
            return None
        rows = None if allowed is None else self.find(allowed)
        seen = np.ones(len(self.columns) if rows is None else len(rows), np.bool_)
        at = slice(None) if rows is None else rows
        if rows is None:
            seen[self.dead] = False
        if layers is not None:
            seen &= np.isin(np.arange(256), list(layers)).take(self.columns.layers[at])
        if now >= self.earliest:
            seen &= self.columns.expires[at] > now
        return np.flatnonzero(seen) if rows is None else rows[seen]


def _check_shape(field: str, array: NDArray[Any], shape: tuple[int, ...], advice: str) -> None:
    if array.shape != shape:
        raise InvalidInput(f"{field} must have shape {shape}, not {array.shape}: {advice}", field=field)


def _all_but(dead: _Rows, count: int) -> _Rows:
    living = np.ones(count, np.bool_)
    living[dead] = False
    return np.flatnonzero(living)


def _places(values: _Ids, ordered: _Ids) -> _Rows:
    """Where each of the values is among the ordered ones; -1 where it is not."""
    places = np.searchsorted(ordered, values)
    places[places == len(ordered)] = -1
    return np.where(ordered[places] == values, places, -1) if len(ordered) else places


def _last_of_each(ids: _Ids) -> _Rows | slice:
    """Where the last of each id is."""
    unique, from_the_end = np.unique(ids[::-1], return_index=True)
    return slice(None) if len(unique) == len(ids) else len(ids) - 1 - from_the_end


def _cosines(code: NDArray[np.int8], columns: _Columns, rows: _Rows | None) -> _Floats:
    """The cosines of these rows with the code, but for the code's own length."""
    if rows is None:
        return _dots(code, columns.codes) * columns.inverse_lengths
    if len(rows) * _GATHER_BELOW > len(columns):
        return _cosines(code, columns, None)[rows]
    cosines = columns.inverse_lengths[rows]
    for start in range(0, len(rows), BLOCK):
        block = slice(start, start + BLOCK)
        cosines[block] *= _dots(code, columns.codes.take(rows[block], axis=0))
    return cosines


def _dots(code: NDArray[np.int8], codes: NDArray[np.int8]) -> _Floats:
    """The products of the code with every row. Cores share a large matrix: a scan does not hold the GIL."""
    if len(codes) < _SHARED_FROM or _SHARES < 2:
        return _scanned(code, codes)
    bounds = [len(codes) * share // _SHARES for share in range(_SHARES + 1)]
    first, *others = [codes[start:end] for start, end in pairwise(bounds)]
    waiting = [_scanners().submit(_scanned, code, part) for part in others]
    return np.concatenate((_scanned(code, first), *(one.result() for one in waiting)))


def _scanned(code: NDArray[np.int8], codes: NDArray[np.int8]) -> _Floats:
    # Never with out=: simsimd 6.5 then gives away a reference to None that is not its own, and Python 3.11
    # dies after some thousand calls.
    dots: _Floats = np.asarray(simsimd.cdist(code, codes, metric="dot", out_dtype="float32"))
    return dots.reshape(-1)


@cache
def _scanners() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_SHARES - 1, "bethink-scan")


def _threshold(scores: _Floats, count: int) -> np.float32:
    """A score that at least `count` of the scores reach, or all when they are fewer, and not many more.

    The best of each column of a grid of the scores are that many different ones, so the count-th best of
    these will do, in a twentieth of the time it takes to partition all the scores.
    """
    count = min(count, len(scores))
    height = min(64, len(scores) // (4 * count))
    if height > 1:
        width = len(scores) // height
        scores = scores[: height * width].reshape(height, width).max(axis=0)
    kth: np.float32 = np.partition(scores, -count)[-count]
    return kth
