"""The memories nearest to texts that are not stored yet, by words and by meaning."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bethink.errors import ModelError
from bethink.index.search import Index, Search
from bethink.records import Layer, Memory, Space
from bethink.store import Driver, Tx, entries, memories
from bethink.store.filters import EntryFilter
from bethink.store.vectors import Vector
from bethink.text.terms import query_terms

NEAREST = 5  # looked at by meaning, and as many by words
_MEMORIES = EntryFilter(layers=[Layer.MEMORY])
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Nearby:
    """For each text its vector and the memories near it with their cosines; no vectors without a model."""

    signature: str | None
    vectors: Sequence[Vector | None]
    memories: Sequence[Sequence[tuple[Memory, float | None]]]


async def near(driver: Driver, index: Index, space: Space, texts: Sequence[str], now: datetime) -> Nearby:
    """What is stored that might say what these texts say."""
    signature: str | None = None
    vectors: Sequence[Vector | None] = [None] * len(texts)
    try:
        if index.vector_maker.enabled:
            signature, vectors = await index.vector_maker.documents(texts)
            await index.backfill.catch_up(space, index.vector_maker)
    except ModelError as error:
        _log.warning("Memories are compared by their words only: %s", error.message)
    found = await driver.read(_find, index, space, texts, signature, vectors, now)
    return Nearby(signature, vectors, found)


def _find(
    tx: Tx,
    index: Index,
    space: Space,
    texts: Sequence[str],
    signature: str | None,
    vectors: Sequence[Vector | None],
    now: datetime,
) -> list[list[tuple[Memory, float | None]]]:
    found: list[dict[int, float | None]] = []
    for text, vector in zip(texts, vectors, strict=True):
        wanted = Search(space, query_terms(text), text, text, _MEMORIES, now, NEAREST)
        ranked: dict[int, float | None] = {}
        if signature and vector is not None:
            ranked |= dict(index.nearest(tx, wanted, signature, vector))
        ranked |= {id_: None for id_, _ in index.terms(tx, wanted) if id_ not in ranked}
        found.append(ranked)
    rows = entries.by_ids(tx, space.id, list({id_ for ranked in found for id_ in ranked}))
    records = memories.by_ids(tx, space.id, [row["record_id"] for row in rows.values()])
    return [
        [
            (records[rows[id_]["record_id"]], cosine)
            for id_, cosine in ranked.items()
            if id_ in rows and rows[id_]["record_id"] in records
        ]
        for ranked in found
    ]
