"""The vectors of entries. On SQLite they are blobs, of which processes keep resident copies; on PostgreSQL
they are pgvector columns and the database searches them. Every change of them is in the log of changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink import clock
from bethink.contracts import VectorEntry
from bethink.errors import Corrupt, InvalidInput
from bethink.records import Layer, Space
from bethink.store import changes
from bethink.store.driver import Tx
from bethink.store.filters import EntryFilter
from bethink.store.rows import id_range, micros, moment

Codes = NDArray[np.int8]
Floats = NDArray[np.float32]

BLOCK: Final = 2048  # rows of the usual dimensions that stay in a core's own cache
_NEGLIGIBLE: Final = 1e-30  # a vector with no greater component is taken as zero
_LENGTH_BYTES: Final = 4


def quantise(vectors: Floats, codes: Codes, inverse_lengths: Floats, *, field: str) -> None:
    """Fill in the vectors' codes and the inverse lengths of these, 0 for a zero vector."""
    for start in range(0, len(vectors), BLOCK):
        block = slice(start, start + BLOCK)
        part = vectors[block].astype(np.float32, copy=False)
        peaks = np.maximum(part.max(axis=1), -part.min(axis=1))
        if not np.isfinite(peaks).all():
            raise InvalidInput(f"{field} must hold finite numbers only: check the embedder", field=field)
        sizeable = peaks > _NEGLIGIBLE
        factors = np.divide(127, peaks, out=np.zeros_like(peaks), where=sizeable)
        rounded = np.rint(part * factors[:, None])
        codes[block] = rounded
        lengths = np.sqrt(np.einsum("ij,ij->i", rounded, rounded))
        inverse_lengths[block] = np.divide(1, lengths, out=np.zeros_like(lengths), where=sizeable)


def pack(vectors: Sequence[Floats]) -> list[bytes]:
    """The row of each vector, as it is stored."""
    if not vectors:
        return []
    matrix = np.array(vectors, np.float32)
    codes, inverse_lengths = np.empty(matrix.shape, np.int8), np.empty(len(matrix), "<f4")
    quantise(matrix, codes, inverse_lengths, field="vectors")
    return [row.tobytes() + end.tobytes() for row, end in zip(codes, inverse_lengths, strict=True)]


def unpack(rows: Sequence[bytes]) -> tuple[Codes, Floats]:
    """The codes and inverse lengths of stored rows."""
    if not rows:
        return np.empty((0, 0), np.int8), np.empty(0, np.float32)
    table = np.frombuffer(_joined(rows, 1), np.int8).reshape(len(rows), -1)
    ends = np.ascontiguousarray(table[:, -_LENGTH_BYTES:]).view("<f4").reshape(-1)
    return table[:, :-_LENGTH_BYTES], ends


PAGE = 20_000  # vectors loaded at once, so that loading a large space needs little memory beside its copy
LEFT_SHOWN = 100  # ids that are named where a whole space should be gone
NEVER = (1 << 63) - 1  # the expiry of what does not expire

Vector = NDArray[np.float32]
Page = tuple[NDArray[np.int64], Codes, NDArray[np.float32]]  # ids, codes, inverse lengths of these
Loaded = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]  # ids, vectors, expiry times


def put(tx: Tx, space: Space, signature: str, made: Iterable[tuple[int, str, Vector]]) -> int:
    """Store vectors made for (entry id, fingerprint); one whose text has changed meanwhile is not kept."""
    made = list(made)
    kept: list[int] = []
    codes = pack([vector for _, _, vector in made]) if tx.dialect == "sqlite" else [b""] * len(made)
    at = micros(clock.now())
    for (entry_id, fingerprint, vector), code in zip(made, codes, strict=True):
        values = {"space_id": space.id, "id": entry_id, "fingerprint": fingerprint, "signature": signature}
        values["at"] = at
        if tx.dialect == "postgres":
            if tx.run("vectors.put", values | {"vector": literal(vector)}):
                kept.append(entry_id)
        elif tx.run("vectors.sign", values):
            tx.run("vectors.put", values | {"vector": vector.astype("<f4").tobytes()})
            tx.run("vectors.put_codes", values | {"codes": code})
            kept.append(entry_id)
    changes.note(tx, space.number, kept)
    return len(kept)


def forget(tx: Tx, space_number: int, *, changed: Sequence[int], dropped: Sequence[int]) -> None:
    """Drop vectors, and tell every index which entries to look at again."""
    if dropped and tx.dialect == "sqlite":  # elsewhere they are columns of the entries
        tx.run("vectors.drop", {"ids": list(dropped)})
    changes.note(tx, space_number, changed)


def load_space(tx: Tx, space_number: int, signature: str, after: int = 0, limit: int = PAGE) -> Page:
    """The codes of a space's vectors that have this signature, a page at a time in the order of their ids."""
    low, high = id_range(space_number)
    values = {"low": max(low, after + 1), "high": high, "signature": signature, "limit": limit}
    rows = tx.tuples("vectors.of_space", values)
    return np.array([row[0] for row in rows], np.int64), *unpack([row[1] for row in rows])


def expiring(tx: Tx, space_number: int) -> dict[int, int]:
    """The entries of a space that expire, and when."""
    return dict(tx.tuples("vectors.expiring", {"space_number": space_number}))


def load(tx: Tx, ids: Sequence[int], signature: str) -> Loaded:
    """The vectors of these entries that have this signature."""
    return _loaded(tx.tuples("vectors.of_ids", {"ids": list(ids), "signature": signature}) if ids else [])


def exact(tx: Tx, ids: Sequence[int], signature: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The vectors of these entries in full precision, without asking when they expire."""
    rows = tx.tuples("vectors.exact", {"ids": list(ids), "signature": signature}) if ids else []
    found, matrix, _ = _loaded([(id_, data, NEVER) for id_, data in rows])
    return found, matrix


def of_layer(tx: Tx, space: Space, layer: Layer, signature: str, limit: int) -> dict[str, Vector]:
    """The vectors of a layer's newest records, by their ids."""
    low, high = id_range(space.number, layer)
    values = {"low": low, "high": high, "signature": signature, "limit": limit}
    return _by_record(tx, tx.tuples("vectors.of_layer", values))


def of_records(
    tx: Tx, space: Space, layer: Layer, record_ids: Sequence[str], signature: str
) -> dict[str, Vector]:
    """The vectors of some records of a layer that have this signature, by their ids."""
    values = {"space_id": space.id, "layer": layer, "record_ids": list(record_ids), "signature": signature}
    return _by_record(tx, tx.tuples("vectors.of_records", values) if record_ids else [])


def check(tx: Tx) -> None:
    """Look at the vectors; raises where that cannot be done."""
    tx.one("vectors.check")


def count(tx: Tx, space_number: int, signature: str) -> int:
    """How many entries of a space have a vector of this signature."""
    row = tx.one("vectors.count", {"space_number": space_number, "signature": signature})
    return int(row["total"]) if row else 0


def whole(tx: Tx, ids: Sequence[int], signature: str) -> list[VectorEntry]:
    """These entries as an index elsewhere is given them, those that have a vector of this signature."""
    return _entries(tx, "vectors.entries_of_ids", {"ids": list(ids), "signature": signature}) if ids else []


def whole_space(tx: Tx, space_number: int, signature: str, after: int, limit: int) -> list[VectorEntry]:
    """The entries of a space likewise, a page at a time in the order of their ids."""
    low, high = id_range(space_number)
    values = {"after": max(low, after), "high": high, "signature": signature, "limit": limit}
    return _entries(tx, "vectors.entries_of_range", values)


def ids(tx: Tx, space_number: int, signature: str, after: int, end: int | None) -> list[int]:
    """The entries of a space that have a vector of this signature: those after one, up to another or all."""
    low, high = id_range(space_number)
    values = {"after": max(low, after), "end": high if end is None else end, "signature": signature}
    return [row[0] for row in tx.tuples("vectors.ids_of_range", values)]


def ended(tx: Tx, space: Space, signature: str, now: datetime) -> int:
    """How many entries with a vector have ended."""
    row = tx.one("vectors.ended", {"space_id": space.id, "signature": signature, "now": micros(now)})
    return int(row["total"]) if row else 0


def older(tx: Tx, space: Space, signature: str, before: datetime) -> int:
    """How many entries with a vector are from before a time."""
    values = {"space_id": space.id, "signature": signature, "before": micros(before)}
    row = tx.one("vectors.older", values)
    return int(row["total"]) if row else 0


def left(tx: Tx, space_number: int, ids: Sequence[int] | None) -> list[int]:
    """Which of these entries still have a vector of whatever signature; some of the space's when None."""
    low, high = id_range(space_number)
    if ids is None:
        rows = tx.tuples("vectors.left_of_range", {"low": low, "high": high, "limit": LEFT_SHOWN})
    else:
        ids = [id_ for id_ in ids if low <= id_ <= high]
        rows = tx.tuples("vectors.left_of_ids", {"ids": ids}) if ids else []
    return [row[0] for row in rows]


def nearest(
    tx: Tx,
    space: Space,
    signature: str,
    query: Vector,
    chosen: EntryFilter,
    now: datetime,
    limit: int,
    allowed: Sequence[int] | None = None,
) -> list[tuple[int, float]]:
    """The entries nearest to a query with their cosines, best first (PostgreSQL)."""
    where, values = chosen.sql(tx.dialect)
    if allowed is not None:
        where, values["allowed"] = f"{where} AND entries.id IN_LIST(:allowed)", list(allowed)
    values |= {"space_id": space.id, "signature": signature, "query": literal(query)}
    values |= {"now": micros(now), "limit": limit}
    return [(int(id_), float(near)) for id_, near in tx.tuples("vectors.nearest", values, where=where)]


def literal(vector: Vector) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(map(str, vector.tolist())) + "]"


def _by_record(tx: Tx, rows: Iterable[Any]) -> dict[str, Vector]:
    if tx.dialect == "postgres":
        return {record_id: np.array(data, np.float32) for record_id, data in rows}
    return {record_id: np.frombuffer(data, "<f4") for record_id, data in rows}


def _entries(tx: Tx, query: str, values: dict[str, Any]) -> list[VectorEntry]:
    made = []
    for id_, data, layer, person_id, session_id, observed_at, expires_at in tx.tuples(query, values):
        vector = np.frombuffer(data, "<f4") if tx.dialect == "sqlite" else np.array(data, np.float32)
        ends = None if expires_at is None else moment(expires_at)
        made.append(VectorEntry(id_, Layer(layer), vector, moment(observed_at), ends, person_id, session_id))
    return made


def _joined(rows: Sequence[bytes], more: int) -> bytes:
    """Stored rows one after the other; `Corrupt` where they are not all of one size that can be."""
    sizes = set(map(len, rows))
    if len(sizes) > 1 or any(size < _LENGTH_BYTES + more for size in sizes):
        raise Corrupt("Vectors are damaged. 'bethink reindex --force' makes them anew from the records.")
    return b"".join(rows)


def _loaded(rows: list[tuple[int, bytes, int]]) -> Loaded:
    ids = np.array([row[0] for row in rows], np.int64)
    data = _joined([row[1] for row in rows], 0)
    vectors = np.frombuffer(data, "<f4").reshape(len(rows), -1) if rows else np.zeros((0, 0), np.float32)
    return ids, vectors, np.array([row[2] for row in rows], np.int64)
