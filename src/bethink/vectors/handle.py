"""The façade's part about the vector store: where it is, whether it answers, what it finds by itself."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Unpack, cast

from bethink.clock import now
from bethink.contracts import VectorQuery
from bethink.core import Handle
from bethink.core.current_options import VECTOR_KEY
from bethink.errors import ModelError
from bethink.options.handle import AsyncOptions
from bethink.records import Space
from bethink.shapes.fields import checked
from bethink.shapes.keywords import OptionChanges, VectorPlaceChanges
from bethink.shapes.vectors import (
    StoreHealth,
    VectorHit,
    VectorPlace,
    VectorPlaceChange,
    VectorsCleaned,
    VectorSearch,
    VectorsFound,
)
from bethink.store import Tx, settings, vectors
from bethink.store.filters import EntryFilter
from bethink.store.rows import by_entries

FIRST_STORE = "qdrant"  # that `enabled` takes where none is named


class AsyncVectors:
    """The vector store of this memory; the rows of the database, where there is none beside it."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def get(self) -> VectorPlace:
        """Which store is searched, and where it is."""
        core, space = await self._space.inside.here()
        await core.options.look(space)
        applied, place = core.options.applied, core.options.applied.vectors
        return VectorPlace(
            enabled=core.index.ladder.chosen is not None,
            store=core.index.ladder.name,
            host=place.host,
            port=place.port,
            grpc_port=place.grpc_port,
            tls=place.tls,
            collection=place.collection,
            quantisation=place.quantisation,
            has_api_key=bool(applied.vectors.api_key and applied.vectors.api_key.get_secret_value()),
        )

    async def update(self, **changes: Unpack[VectorPlaceChanges]) -> VectorPlace:
        """Change where vectors are searched; the new store is filled while the one before answers."""
        core, _ = await self._space.inside.here()
        change = checked(VectorPlaceChange, changes)
        sent = change.model_fields_set
        options: dict[str, Any] = {
            f"vector_{name}": getattr(change, name) for name in sent - {"enabled", "api_key"}
        }
        if change.enabled is False:
            options["vector_store"] = "auto"
        elif change.enabled and "store" not in sent and core.index.ladder.chosen is None:
            options["vector_store"] = FIRST_STORE
        if change.api_key is not None:
            await core.driver.write(_keep_key, change.api_key.get_secret_value(), now())
            core.options.forget()
        await AsyncOptions(self._space).update(scope="server", **cast("OptionChanges", options))
        return await self.get()

    async def check(self) -> StoreHealth:
        """Ask the store for an answer, and how long that took."""
        core, _ = await self._space.inside.here()
        index = core.index.ladder.chosen.index if core.index.ladder.chosen else core.index.ladder.ground.index
        started = time.perf_counter()
        problem = await index.health()
        return StoreHealth(store=index.name, ok=not problem, latency_ms=_since(started), error=problem)

    async def search(self, query: str, *, top_k: int = 5) -> VectorsFound:
        """What the store finds by vectors alone; an error where it does not answer."""
        core, space = await self._space.inside.here()
        asked = checked(VectorSearch, {"query": query, "top_k": top_k})
        signature, vector = await core.index.vector_maker.query(asked.query)
        started = time.perf_counter()
        at = now()
        chosen = EntryFilter(kept_since=await core.options.kept_since(space, at))
        looked = VectorQuery(space, signature, vector, chosen, at, asked.top_k)
        rung = core.index.ladder.chosen
        (near,) = await (rung or core.index.ladder.ground).nearest_each([looked])
        took = _since(started)
        hits = await core.driver.read(_hits, space, near.ranked, at)
        shown = await self._space.inside.shown(hits)
        return VectorsFound(store=core.index.ladder.name, latency_ms=took, hits=shown)

    async def cleanup(self, *, dry_run: bool = False) -> VectorsCleaned:
        """Count what the store need not hold, then compare it with the rows and mend what differs."""
        core, space = await self._space.inside.here()
        rung, signature = core.index.ladder.chosen, await core.signature()
        if signature is None:
            raise ModelError(f"There are no vectors: {core.resolution.problem or core.resolution.reason}")
        before = await core.options.kept_since(space, now())
        found = VectorsCleaned(
            store=core.index.ladder.name,
            dry_run=dry_run,
            expired=await core.driver.read(vectors.ended, space, signature, now()),
            older=await core.driver.read(vectors.older, space, signature, before) if before else 0,
            awaiting=await rung.feed.untold(space.number, signature) if rung else 0,
        )
        if dry_run or rung is None:
            return found
        mended = await rung.feed.reconcile(space.number, signature)
        return found.model_copy(update={"added": mended.added, "removed": mended.removed})


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _keep_key(tx: Tx, key: str, at: datetime) -> None:
    settings.put(tx, settings.SERVER, VECTOR_KEY, key, at)


def _hits(tx: Tx, space: Space, ranked: list[tuple[int, float]], at: datetime) -> list[VectorHit]:
    briefs = by_entries(tx, space.id, [id_ for id_, _ in ranked], at)
    return [
        VectorHit(id=brief.id, layer=brief.layer, text=brief.text, score=round(cosine, 6))
        for id_, cosine in ranked
        if (brief := briefs.get(id_))
    ]
