"""Facts that answer a query: those near to it in meaning, else those that hold its text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bethink.errors import ModelError, StoreError
from bethink.index.search import WAITING, Index, Search
from bethink.index.vectors.nearest import Near
from bethink.models.embed import threshold
from bethink.records import Fact, Layer, Space
from bethink.shapes.inputs import FactsQuery
from bethink.shapes.outcomes import FactsFound
from bethink.store import Driver, Tx, entries, facts
from bethink.store.filters import EntryFilter
from bethink.store.rows import records
from bethink.store.vectors import Vector
from bethink.text.fold import fold

_EVERY = 1_000_000  # more facts than anyone has
_DEPTH = 200  # nearest facts looked at before the filters on category and promotion


async def find_facts(
    driver: Driver,
    index: Index,
    space: Space,
    query: str,
    wanted: FactsQuery,
    limit: int,
    farthest: float,
    now: datetime,
) -> FactsFound:
    """The facts no farther from the query than this (on the common scale), nearest first; else by text."""
    degraded: list[str] = []
    near: list[tuple[Fact, float]] = []
    try:
        if not await index.backfill.catch_up(space, index.vector_maker):
            degraded.append(WAITING)
        signature, vector = await index.vector_maker.query(query)
        least = threshold(signature, "facts", 1 - farthest)
        if vector.any():
            found = await _nearest(index, space, query, signature, vector, wanted, now)
            near = await driver.read(_facts, index, space, found, wanted, now, least)
    except (ModelError, StoreError) as error:
        degraded.append(f"facts are not searched by meaning: {error.message}")
    if near:
        chosen = near[:limit]
        return FactsFound(
            items=[fact for fact, _ in chosen],
            found_by="vector",
            distances=[round(1 - cosine, 4) for _, cosine in chosen],
            degraded=degraded,
        )
    held = await driver.read(list_facts, space.id, wanted, now, _EVERY)
    items = [fact for fact in held if _holds_text(fact, _plain(query))]
    return FactsFound(items=items[:limit], found_by="substring", degraded=degraded)


def list_facts(tx: Tx, space_id: str, wanted: FactsQuery, now: datetime, limit: int) -> list[Fact]:
    """The facts that are wanted and hold now, or held at the time asked for."""
    given: dict[str, Any] = {
        "category": wanted.category,
        "person_id": wanted.person_id,
        "promoted": wanted.promoted,
    }
    if wanted.as_of is None:
        return facts.list_current(tx, space_id, **given, now=now, limit=limit)
    return facts.list_at(tx, space_id, wanted.as_of, **given, limit=limit)


async def _nearest(
    index: Index, space: Space, query: str, signature: str, vector: Vector, wanted: FactsQuery, now: datetime
) -> Near:
    persons = [wanted.person_id] if wanted.person_id else None
    chosen = EntryFilter(layers=[Layer.FACT], person_ids=persons, as_of=wanted.as_of)
    search = Search(space, (), query, query, chosen, wanted.as_of or now, _DEPTH)
    (near,) = await index.nearest([(search, vector)], signature)
    return near


def _facts(
    tx: Tx, index: Index, space: Space, near: Near, wanted: FactsQuery, now: datetime, least: float
) -> list[tuple[Fact, float]]:
    at, ranked = wanted.as_of or now, index.current(tx, space, near)
    close = [(id_, cosine) for id_, cosine in ranked if cosine >= least]
    rows = entries.by_ids(tx, space.id, [id_ for id_, _ in close])
    known = records(tx, space.id, [(Layer.FACT, row["record_id"]) for row in rows.values()])
    return [
        (fact, cosine)
        for id_, cosine in close
        if id_ in rows
        and isinstance(fact := known.get((Layer.FACT, rows[id_]["record_id"])), Fact)
        and _is_wanted(fact, wanted, at)
    ]


def _is_wanted(fact: Fact, wanted: FactsQuery, at: datetime) -> bool:
    ends: Sequence[datetime | None] = (fact.valid_to, fact.expires_at)
    return (
        fact.valid_from <= at
        and all(end is None or end > at for end in ends)
        and wanted.category in (None, fact.category)
        and wanted.promoted in (None, fact.promoted)
    )


def _holds_text(fact: Fact, folded: str) -> bool:
    parts = (fact.category, fact.key, fact.key.replace("_", " "), fact.value)
    return any(folded in _plain(part) for part in parts)


def _plain(text: str) -> str:
    return fold(text).casefold().strip()
