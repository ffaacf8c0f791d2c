"""Vector search by PostgreSQL itself."""

from __future__ import annotations

from datetime import datetime
from math import isnan

from recollect.records import Space
from recollect.store import vectors
from recollect.store.driver import Tx
from recollect.store.filters import EntryFilter
from recollect.store.vectors import Vector


class PgVectors:
    """pgvector: nothing is kept in this process."""

    name = "pgvector"

    def drop(self, space: Space) -> None:
        """Nothing to let go of."""

    def nearest(
        self,
        tx: Tx,
        space: Space,
        signature: str,
        query: Vector,
        chosen: EntryFilter,
        now: datetime,
        limit: int,
    ) -> list[tuple[int, float]]:
        near = vectors.nearest(tx, space, signature, query, chosen, now, limit)
        return [(id_, cosine) for id_, cosine in near if not isnan(cosine)]  # as a row of zeros gives
