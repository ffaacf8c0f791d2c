"""The vectors of entries. On SQLite they are blobs with a log of changes, from which a resident copy is kept
fresh across processes; on PostgreSQL they are pgvector columns and the database searches them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from bethink.records import Layer, Space
from bethink.store.codes import Codes, pack, unpack
from bethink.store.columns import micros
from bethink.store.driver import Tx
from bethink.store.filters import EntryFilter
from bethink.store.ids import id_range

CHANGES_KEPT = 500_000  # a copy that has missed more than the log still knows is loaded anew
_PRUNE_EVERY = 10_000
PAGE = 20_000  # vectors loaded at once, so that loading a large space needs little memory beside its copy
NEVER = (1 << 63) - 1  # the expiry of what does not expire

Vector = NDArray[np.float32]
Page = tuple[NDArray[np.int64], Codes, NDArray[np.float32]]  # ids, codes, inverse lengths of these
Loaded = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]  # ids, vectors, expiry times


def put(tx: Tx, space: Space, signature: str, made: Iterable[tuple[int, str, Vector]]) -> int:
    """Store vectors made for (entry id, fingerprint); one whose text has changed meanwhile is not kept."""
    made = list(made)
    kept: list[int] = []
    codes = pack([vector for _, _, vector in made]) if tx.dialect == "sqlite" else [b""] * len(made)
    for (entry_id, fingerprint, vector), code in zip(made, codes, strict=True):
        values = {"space_id": space.id, "id": entry_id, "fingerprint": fingerprint, "signature": signature}
        if tx.dialect == "postgres":
            if tx.run("vectors.put", values | {"vector": literal(vector)}):
                kept.append(entry_id)
        elif tx.run("vectors.sign", values):
            tx.run("vectors.put", values | {"vector": vector.astype("<f4").tobytes()})
            tx.run("vectors.put_codes", values | {"codes": code})
            kept.append(entry_id)
    if tx.dialect == "sqlite":
        _note(tx, space.number, kept)
    return len(kept)


def forget(tx: Tx, space_number: int, *, changed: Sequence[int], dropped: Sequence[int]) -> None:
    """Drop vectors and tell every resident copy which entries to look at again (SQLite)."""
    if dropped:
        tx.run("vectors.drop", {"ids": list(dropped)})
    _note(tx, space_number, changed)


def last_change(tx: Tx, space_number: int) -> int:
    """The newest change of a space: a resident copy that has seen it is fresh."""
    row = tx.one("vectors.last_change", {"space_number": space_number})
    return int(row["seq"]) if row else 0


def changed_since(tx: Tx, space_number: int, seq: int) -> list[int] | None:
    """The entries that changed after `seq`, or None when the log no longer reaches back so far."""
    oldest = tx.one("vectors.oldest_change")
    if oldest and int(oldest["seq"]) > seq + 1:
        return None
    return [row[0] for row in tx.tuples("vectors.changed_since", {"space_number": space_number, "seq": seq})]


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
    rows = tx.tuples("vectors.of_layer", values)
    if tx.dialect == "postgres":
        return {record_id: np.array(data, np.float32) for record_id, data in rows}
    return {record_id: np.frombuffer(data, "<f4") for record_id, data in rows}


def nearest(
    tx: Tx, space: Space, signature: str, query: Vector, chosen: EntryFilter, now: datetime, limit: int
) -> list[tuple[int, float]]:
    """The entries nearest to a query with their cosines, best first (PostgreSQL)."""
    where, values = chosen.sql(tx.dialect)
    values |= {"space_id": space.id, "signature": signature, "query": literal(query)}
    values |= {"now": micros(now), "limit": limit}
    return [(int(id_), float(near)) for id_, near in tx.tuples("vectors.nearest", values, where=where)]


def literal(vector: Vector) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(map(str, vector.tolist())) + "]"


def _loaded(rows: list[tuple[int, bytes, int]]) -> Loaded:
    ids = np.array([row[0] for row in rows], np.int64)
    data = b"".join(row[1] for row in rows)
    vectors = np.frombuffer(data, "<f4").reshape(len(rows), -1) if rows else np.zeros((0, 0), np.float32)
    return ids, vectors, np.array([row[2] for row in rows], np.int64)


def _note(tx: Tx, space_number: int, entry_ids: Sequence[int]) -> None:
    if not entry_ids:
        return
    tx.many("vectors.note_change", [{"space_number": space_number, "entry_id": id_} for id_ in entry_ids])
    newest = last_change(tx, space_number)
    if newest // _PRUNE_EVERY != (newest - len(entry_ids)) // _PRUNE_EVERY:
        tx.run("vectors.prune_changes", {"seq": newest - CHANGES_KEPT})
