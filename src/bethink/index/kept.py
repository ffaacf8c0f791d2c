"""Keeps what searches found, to be used again while nothing changed that they look at.

Only ids and scores are kept, never a text: what is recalled is read from the rows each time, and weighed by
the clock. Whether a search still holds is seen in the transaction that reads them, by the log of changes, so
another process's commit counts like one's own.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from bethink.errors import StoreError
from bethink.index.makers import VectorMaker
from bethink.index.vectors.ladder import Ladder
from bethink.models.embed import Resolution
from bethink.models.late import LateEncoder
from bethink.records import Space
from bethink.store import Tx, changes, entries
from bethink.store.changes import Standing
from bethink.store.filters import EntryFilter
from bethink.store.rows import micros

Ranked = Sequence[tuple[int, float]]
Lists = tuple[Ranked | None, Ranked | None, Ranked | None]  # by terms, by vector, by late interaction
_log = logging.getLogger(__name__)


class Asked(NamedTuple):
    """A search by all that its outcome depends on but the rows and the time."""

    space_id: str
    session_ids: frozenset[str] | None  # to which it is restricted
    digest: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """What a search found, and how the space stood before it."""

    lists: Lists
    standing: Standing
    now: datetime

    def holds(self, standing: Standing, now: datetime) -> bool:
        """Whether the same search would find the same now: nothing changed, and nothing ended since."""
        ends = self.standing.ends_at
        return self.now <= now and (ends is None or micros(now) < ends) and self.standing.is_same(standing)


class KeptSearches:
    """The searches of this process, by space and session; those not used for longest go first."""

    def __init__(
        self, capacity: int, resolution: Resolution, vector_maker: VectorMaker, ladder: Ladder
    ) -> None:
        self.capacity, self.hits, self.misses = capacity, 0, 0
        self._resolution, self._vector_maker, self._ladder = resolution, vector_maker, ladder
        self._kept: OrderedDict[Asked, Kept] = OrderedDict()
        self._numbering: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def hit_rate(self) -> float | None:
        """The share of searches that need not be carried out."""
        asked = self.hits + self.misses
        return round(self.hits / asked, 4) if asked else None

    def asked(self, space: Space, chosen: EntryFilter, said: object) -> Asked | None:
        """What names a search; None for one that looks at what the log of changes does not tell of."""
        of_memories = (chosen.types, chosen.tags, chosen.categories, chosen.sources, chosen.pinned)
        signature = self._signature
        if not self.capacity or signature is None or any(value is not None for value in of_memories):
            return None
        whole = repr((chosen, said, signature))
        sessions = None if chosen.session_ids is None else frozenset(chosen.session_ids)
        digest = blake2b(whole.encode(errors="surrogatepass"), digest_size=16).digest()
        return Asked(space.id, sessions, digest)

    def standing(self, tx: Tx, space: Space, now: datetime, *, late: bool) -> Standing | None:
        """How a space stands; None while a record lacks what is made of it, of which no log tells."""
        signature = self._signature
        if not self.capacity or signature is None or entries.stale(tx, space.id, signature, 1):
            return None
        if late and entries.stale(tx, space.id, LateEncoder.signature, 1, "late"):
            return None
        return changes.standing(tx, space, now)

    def get(self, asked: Asked) -> Kept | None:
        """What was found when this was asked last; whether it still holds is for the caller to see."""
        if found := self._kept.get(asked):
            self._kept.move_to_end(asked)
        return found

    def set(self, asked: Asked, found: Kept, after: Standing) -> None:
        """Keep what a search found, if nothing changed while it searched."""
        if not after.is_settled:
            self._number_soon()
        elif found.standing.is_same(after):
            self._kept[asked] = found
            self._kept.move_to_end(asked)
            while len(self._kept) > self.capacity:
                self._kept.popitem(last=False)

    def invalidate(self, space: Space, session_id: str | None = None) -> None:
        """Let go of the searches of a space, or of those of it that look at a session."""
        for asked in [asked for asked in self._kept if asked.space_id == space.id]:
            if session_id is None or asked.session_ids is None or session_id in asked.session_ids:
                del self._kept[asked]

    def clear(self) -> None:
        """Let go of everything."""
        self._kept.clear()

    async def close(self) -> None:
        """Finish what is under way."""
        if self._numbering:
            await self._numbering

    @property
    def _signature(self) -> str | None:
        embedder = self._resolution.embedder
        return self._vector_maker.signature_of(embedder) if embedder else None

    def _number_soon(self) -> None:
        """Have the changes numbered, so that the next search can be kept."""
        if self._numbering is None or self._numbering.done():
            self._numbering = asyncio.create_task(self._number())

    async def _number(self) -> None:
        try:
            await self._ladder.ground.number()
        except StoreError as error:
            _log.warning("Searches are not kept: %s", error.message)
