"""The memories nearest to texts that are not stored yet, by words and by meaning."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bethink.errors import ModelError, StoreError
from bethink.index.search import Index, Search
from bethink.index.vectors.nearest import Near
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
    """For each text its vector and the memories near it with their cosines. There are no vectors without a
    model, nor of a text that the model cannot read: the cosine of two of those says nothing.
    """

    signature: str | None
    vectors: Sequence[Vector | None]
    memories: Sequence[Sequence[tuple[Memory, float | None]]]


async def near(driver: Driver, index: Index, space: Space, texts: Sequence[str], now: datetime) -> Nearby:
    """What is stored that might say what these texts say."""
    signature: str | None = None
    vectors: Sequence[Vector | None] = [None] * len(texts)
    try:
        if index.vector_maker.enabled:
            signature, made = await index.vector_maker.documents(texts)
            vectors = [
                None if index.reading(text) == "unread" else vector
                for text, vector in zip(texts, made, strict=True)
            ]
            await index.backfill.catch_up(space, index.vector_maker)
    except ModelError as error:
        _log.warning("Memories are compared by their words only: %s", error.message)
    wanted = [Search(space, query_terms(text), text, text, _MEMORIES, now, NEAREST) for text in texts]
    by_meaning: Sequence[Near | None] = [None] * len(texts)
    if signature:
        given = [(one, vector) for one, vector in zip(wanted, vectors, strict=True) if vector is not None]
        found = iter(await _nearest(index, given, signature))
        by_meaning = [None if vector is None else next(found) for vector in vectors]
    return Nearby(signature, vectors, await driver.read(_find, index, space, wanted, by_meaning))


async def _nearest(
    index: Index, given: Sequence[tuple[Search, Vector]], signature: str
) -> Sequence[Near | None]:
    try:
        return await index.nearest(given, signature)
    except StoreError as error:
        _log.warning("Memories are compared by their words only: %s", error.message)
        return [None] * len(given)


def _find(
    tx: Tx, index: Index, space: Space, wanted: Sequence[Search], by_meaning: Sequence[Near | None]
) -> list[list[tuple[Memory, float | None]]]:
    found: list[dict[int, float | None]] = []
    for one, near in zip(wanted, by_meaning, strict=True):
        ranked: dict[int, float | None] = dict(index.current(tx, space, near)) if near else {}
        ranked |= {id_: None for id_, _ in index.terms(tx, one) if id_ not in ranked}
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
