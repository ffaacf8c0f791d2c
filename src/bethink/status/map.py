"""The newest records on a plane: those that mean the like lie near each other."""

from __future__ import annotations

import asyncio
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from bethink.core import Core, shown
from bethink.errors import InvalidInput
from bethink.records import Record, Space
from bethink.shapes.status import MapPoint, SpaceMap
from bethink.store import Tx, entries, vectors
from bethink.store.filters import EntryFilter
from bethink.store.rows import Brief, Whole, by_entries, records

MOST_POINTS = 3000
TEXT_CHARS = 200


async def map_of(core: Core, space: Space, limit: int, now: datetime) -> SpaceMap:
    """As many of the newest records with a vector as asked for."""
    if not 1 <= limit <= MOST_POINTS:
        raise InvalidInput(f"The limit is from 1 to {MOST_POINTS}.", field="limit")
    signature = await core.signature()
    if signature is None:
        return SpaceMap(points=[], signature=None, kept=0.0)
    chosen = EntryFilter(kept_since=await core.options.kept_since(space, now))
    points, matrix = await core.driver.read(_read, space, chosen, limit, signature, now)
    places, kept = await asyncio.to_thread(on_a_plane, matrix)
    for point, (x, y) in zip(points, places.tolist(), strict=True):
        point.x, point.y = x, y
    return SpaceMap(points=await shown(core.secrecy, points), signature=signature, kept=kept)


def on_a_plane(matrix: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """Vectors along the two directions in which they differ most, from -1 to 1; and how much of all that they
    differ by is seen there.
    """
    count, width = matrix.shape
    if count < 2 or width < 2:
        return np.zeros((count, 2)), 1.0 if count else 0.0
    centred = matrix.astype(np.float64) - matrix.mean(axis=0, dtype=np.float64)
    spread, directions = np.linalg.eigh(centred.T @ centred)
    total = float(spread.sum())
    if total <= 1e-9:
        return np.zeros((count, 2)), 1.0
    axes = directions[:, [-1, -2]]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])  # else a new record might turn the map over
    places = centred @ (axes * signs)
    return places / max(float(np.abs(places).max()), 1e-12), float(spread[-2:].sum()) / total


def _read(
    tx: Tx, space: Space, chosen: EntryFilter, limit: int, signature: str, now: datetime
) -> tuple[list[MapPoint], NDArray[np.float32]]:
    newest = entries.newest(tx, space.id, chosen, now, limit)
    made = {one.id: one.vector for one in vectors.whole(tx, newest, signature)}
    briefs = by_entries(tx, space.id, list(made), now)
    whole = records(tx, space.id, [(brief.layer, brief.id) for brief in briefs.values()])
    ids = [id_ for id_ in newest if id_ in briefs]
    matrix = np.stack([made[id_] for id_ in ids]) if ids else np.zeros((0, 0), np.float32)
    return [_point(briefs[id_], whole) for id_ in ids], matrix


def _point(brief: Brief, whole: Whole) -> MapPoint:
    return MapPoint(
        layer=brief.layer,
        id=brief.id,
        text=brief.text[:TEXT_CHARS],
        x=0.0,
        y=0.0,
        category=_category(whole.get((brief.layer, brief.id))),
        person_id=brief.person_id,
        observed_at=brief.observed_at,
    )


def _category(record: Record | None) -> str | None:
    """What kind of thing a record is among those of its layer, where it has a kind."""
    for name in ("category", "type", "kind", "role", "summary_tier"):
        if value := getattr(record, name, None):
            return str(value)
    return None
