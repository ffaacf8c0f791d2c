"""A vector index that lives elsewhere: a dictionary that knows of the database only what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from bethink.contracts import VectorEntry, VectorQuery
from bethink.errors import StoreError
from bethink.store.filters import EntryFilter

SOME_FILTERS = frozenset({"layers", "person_ids", "session_ids", "since", "until", "as_of", "now"})


class DictVectors:
    """Holds (signature, entry) by space and id. While it is `down` it answers nothing."""

    name, reader = "dict", "dict:here"

    def __init__(self, filters: frozenset[str] = SOME_FILTERS) -> None:
        self.filters = filters
        self.held: dict[tuple[int, int], tuple[str, VectorEntry]] = {}
        self.down = False
        self.wiped = 0
        self.told: list[int] = []  # the ids that were put
        self.asked: list[VectorQuery] = []

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        self._answer()
        self.held |= {(space, entry.id): (signature, entry) for entry in entries}
        self.told += [entry.id for entry in entries]

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        self._answer()
        for id_ in ids:
            self.held.pop((space, id_), None)

    async def wipe(self, space: int) -> None:
        self._answer()
        self.wiped += 1
        self.held = {key: kept for key, kept in self.held.items() if key[0] != space}

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        self._answer()
        self.asked.append(query)
        ranked = [
            (entry.id, float(entry.vector @ query.vector))
            for (space, _), (signature, entry) in self.held.items()
            if (space, signature) == (query.space.number, query.signature) and self._passes(entry, query)
        ]
        return sorted(ranked, key=lambda item: (-item[1], item[0]))[: query.limit]

    async def count(self, space: int, signature: str) -> int:
        self._answer()
        return sum((number, held[0]) == (space, signature) for (number, _), held in self.held.items())

    async def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        self._answer()
        there = [id_ for (number, id_), held in self.held.items() if (number, held[0]) == (space, signature)]
        return sorted(id_ for id_ in there if id_ > after)[:limit]

    async def health(self) -> str | None:
        return "The dictionary is closed; open it." if self.down else None

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        self._answer()
        return [id_ for number, id_ in self.held if number == space and (ids is None or id_ in ids)]

    async def close(self) -> None:
        self.down = True

    def _answer(self) -> None:
        if self.down:
            raise StoreError("The dictionary is closed; open it.")

    def _passes(self, entry: VectorEntry, query: VectorQuery) -> bool:
        assert np.isfinite(entry.vector).all()
        if query.allowed is not None:
            return entry.id in query.allowed
        chosen = query.chosen
        assert {name for name, value in vars(chosen).items() if value is not None} <= self.filters
        return (
            ("now" not in self.filters or entry.expires_at is None or entry.expires_at > query.now)
            and (chosen.layers is None or entry.layer in chosen.layers)
            and (chosen.person_ids is None or entry.person_id in chosen.person_ids)
            and (chosen.session_ids is None or entry.session_id in chosen.session_ids)
            and _in_time(entry.observed_at, chosen)
        )


def _in_time(at: datetime, chosen: EntryFilter) -> bool:
    return (
        (chosen.since is None or at >= chosen.since)
        and (chosen.until is None or at < chosen.until)
        and (chosen.as_of is None or at <= chosen.as_of)
    )
