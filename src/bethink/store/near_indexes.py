"""HNSW indexes of PostgreSQL: one for each layer of a space that has grown large.

One index over every space would find the nearest of all spaces and lose those of the space that was asked.
So each large layer of a space, under one signature, has a partial index of its own; what is small is scanned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256

from bethink.records import Layer, Space
from bethink.store.driver import Driver, Tx
from bethink.store.rows import LAYER_CODES, every_layer, id_range, micros
from bethink.store.vectors import Vector, literal

MOST_DIMENSIONS = 4000  # that a halfvec index takes
_WORD = r"\w(?:[\w./@+-]*\w)?"
_PLAIN = re.compile(f"{_WORD}(?::{_WORD})*", re.ASCII)


def names(space: Space, signature: str) -> dict[Layer, str]:
    """What the index of each layer is called, under this signature."""
    model = sha256(signature.encode()).hexdigest()[:12]
    return {layer: f"{_prefix(space)}{LAYER_CODES[layer]}_{model}" for layer in every_layer()}


def existing(tx: Tx, space: Space) -> dict[str, bool]:
    """The indexes of a space by name, and whether they can be used: one still being built cannot."""
    return dict(tx.tuples("vectors.indexes", {"prefix": _prefix(space)}))


def sizes(tx: Tx, space: Space, signature: str, most: int) -> dict[Layer, int]:
    """How many vectors of this signature each layer of a space has, counted up to `most`."""
    counted = {}
    for layer in every_layer():
        low, high = id_range(space.number, layer)
        values = {"low": low, "high": high, "signature": signature, "limit": most}
        row = tx.one("vectors.count_of_range", values)
        counted[layer] = int(row["total"]) if row else 0
    return counted


def can_index(signature: str, dimensions: int) -> bool:
    """Whether there can be an index: a signature stands in its definition, so it must be plain text."""
    return dimensions <= MOST_DIMENSIONS and _PLAIN.fullmatch(signature) is not None


async def build(driver: Driver, space: Space, layer: Layer, signature: str, dimensions: int) -> None:
    """Make the index of a layer, while everyone goes on reading and writing; the caller holds a lease."""
    name = names(space, signature)[layer]
    there = await driver.read(existing, space)
    of_layer = f"{_prefix(space)}{LAYER_CODES[layer]}_"
    for other, valid in there.items():
        if other.startswith(of_layer) and (
            other != name or not valid
        ):  # of another model, or left half built
            await driver.alone("vectors.drop_index", index=other)
    await driver.alone("vectors.build_index", index=name, **_marks(space, layer, signature, dimensions))


def nearest(
    tx: Tx, space: Space, layer: Layer, signature: str, query: Vector, now: datetime, limit: int
) -> list[tuple[int, float]]:
    """The entries of an indexed layer nearest to a query with their cosines, best first."""
    values = {"query": literal(query), "now": micros(now), "limit": limit}
    rows = tx.tuples("vectors.nearest_of_range", values, **_marks(space, layer, signature, len(query)))
    return [(int(id_), float(near)) for id_, near in rows]


def _prefix(space: Space) -> str:
    return f"entries_near_{space.number}_"


def _marks(space: Space, layer: Layer, signature: str, dimensions: int) -> Mapping[str, str]:
    """What stands in the statement itself: a planner that does not see it cannot choose a partial index."""
    low, high = id_range(space.number, layer)
    return {"low": str(low), "high": str(high), "signature": f"'{signature}'", "dimensions": str(dimensions)}
