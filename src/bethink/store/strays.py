"""Where records and what the index keeps of them do not agree: what one has and the other lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from bethink.nouns import NOUNS
from bethink.records import Layer, Space
from bethink.store import changes
from bethink.store.driver import Tx
from bethink.store.rows import every_layer, id_range

# An entry whose record is gone, or whose terms, vector or token vectors are; and those whose entry is gone.
Stray = Literal["orphans", "without_terms", "without_vector", "without_tokens", "terms", "vectors", "tokens"]
_FIND: dict[Stray, str] = {
    "orphans": "strays.orphans",
    "without_terms": "strays.without_terms",
    "without_vector": "strays.without_vector",
    "without_tokens": "strays.without_tokens",
    "terms": "strays.terms",
    "vectors": "strays.vectors",
    "tokens": "strays.tokens",
}
_DROP: dict[Stray, str] = {  # the others' records are described anew
    "without_vector": "strays.drop_without_vector",
    "without_tokens": "strays.drop_without_tokens",
    "terms": "strays.drop_terms",
    "vectors": "strays.drop_vectors",
    "tokens": "strays.drop_tokens",
}
_ONLY_SQLITE: frozenset[Stray] = frozenset({"terms", "vectors"})  # elsewhere they are columns of the entries
_EVERY = 10_000_000
Sums = tuple[int, int]  # how many there are, and a sum over their ids


def strays(tx: Tx, space: Space, kind: Stray, among: tuple[int, int] | None = None) -> list[int]:
    """The ids of entries, or of what should belong to one, that are astray; of all, or in a range."""
    if kind in _ONLY_SQLITE and tx.dialect != "sqlite":
        return []
    found: list[int] = []
    for layer in every_layer() if kind == "orphans" else (None,):
        low, high = id_range(space.number, layer)
        if among:
            low, high = max(low, among[0]), min(high, among[1])
        values = {"low": low, "high": high, "layer": layer, "limit": _EVERY}
        found += [row[0] for row in tx.tuples(_FIND[kind], values, **(_marks(layer) if layer else {}))]
    return found


def behind(tx: Tx, ids: Sequence[int]) -> dict[Layer, list[str]]:
    """The records that entries stand for, by layer."""
    found: dict[Layer, list[str]] = {}
    for layer, record_id in tx.tuples("strays.records", {"ids": list(ids)}):
        found.setdefault(Layer(layer), []).append(record_id)
    return found


def drop(tx: Tx, space: Space, kind: Stray, ids: Sequence[int]) -> None:
    """Let go of what belongs to nothing in a space, or note that something is to be made anew."""
    low, high = id_range(space.number)
    ids = [id_ for id_ in ids if low <= id_ <= high]
    tx.run(_DROP[kind], {"ids": ids})
    if kind in ("without_vector", "vectors") and tx.dialect == "sqlite":
        tx.run("vectors.drop", {"ids": ids})
        tx.run("strays.drop_codes", {"ids": ids})
    changes.note(tx, space.number, ids)


def sums(tx: Tx, space: Space) -> Iterator[tuple[str, Sums, Sums]]:
    """What must be equal where nothing is astray: what it is, and its sums on either side."""
    for layer in every_layer():
        low, high = id_range(space.number, layer)
        values = {"low": low, "high": high, "space_id": space.id, "layer": layer}
        yield (
            layer,
            _sums(tx, "strays.sums_of_records", values, _marks(layer)),
            _sums(tx, "strays.sums_of_entries", values),
        )
    low, high = id_range(space.number)
    values = {"low": low, "high": high}
    yield "terms", _sums(tx, "strays.sums_of_ids", values), _sums(tx, "strays.sums_of_terms", values)
    yield "vectors", _sums(tx, "strays.sums_of_signed", values), _sums(tx, "strays.sums_of_vectors", values)


def _sums(tx: Tx, query: str, values: Mapping[str, object], marks: Mapping[str, str] | None = None) -> Sums:
    ((count, total),) = tx.tuples(query, values, **(marks or {}))
    return int(count), int(total or 0)


def _marks(layer: Layer) -> dict[str, str]:
    """The table of a layer's records, and which of them are to be found."""
    unless, table = NOUNS.indexed[layer].unless, NOUNS.by_name[layer].table
    return {"table": table, "shown": f"AND {table}.{unless} IS NULL" if unless else ""}
