"""Where vectors are searched, and how each store beside the database is doing."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime

from bethink.core import Core
from bethink.errors import StoreError
from bethink.index.sweeps import VECTORS
from bethink.index.vectors.ladder import Rung
from bethink.records import Run, Space
from bethink.shapes.status import VectorRung, VectorStoreStatus
from bethink.store import Tx, changes, runs
from bethink.store.filters import EntryFilter

RUNS_LOOKED_AT = 200


async def vector_store(core: Core, space: Space, signature: str | None) -> VectorStoreStatus:
    """What was chosen, what answers, and why it is not the same."""
    ladder, settings = core.index.ladder, core.options.applied
    problem, failing = await ladder.ground.index.health(), await ladder.problems()
    stores = [await _rung(core, space, signature, rung, failing.get(rung)) for rung in ladder.rungs]
    answering = next(
        (one.name for one in stores if one.state in ("ready", "leaving")), ladder.ground.index.name
    )
    chosen = ladder.chosen
    index = chosen.index if chosen else ladder.ground.index
    embedder = core.resolution.embedder
    return VectorStoreStatus(
        name=ladder.name,
        chosen=settings.index.vector_store,
        state="failing" if problem or failing else "ready",
        problem=problem or next(iter(failing.values()), None),
        answering=answering,
        top_k=settings.vectors.top_k or settings.recall.candidates,
        vec_loaded=not (failing.get(chosen) if chosen else problem),
        active_dim=embedder.dimensions if embedder else None,
        quantisation=settings.vectors.quantisation if chosen else "none",
        last_reset_at=await core.driver.read(_reset_at, space, chosen),
        by_rows=sorted({field.name for field in fields(EntryFilter)} - index.filters),
        stores=stores,
        left_behind=sorted(ladder.lost),
    )


async def _rung(
    core: Core, space: Space, signature: str | None, rung: Rung, problem: str | None
) -> VectorRung:
    awaiting, is_filled = 0, True
    if signature and rung is core.index.ladder.chosen:
        try:
            awaiting = await rung.feed.untold(space.number, signature)
            is_filled = await rung.feed.is_filled(space.number, signature)
        except StoreError as error:
            problem = problem or error.message
    if problem:
        state = "resting"
    elif rung is not core.index.ladder.chosen:
        state = "leaving"
    else:
        state = "ready" if is_filled else "filling"
    return VectorRung.model_validate(
        {
            "name": rung.name,
            "state": state,
            "problem": problem,
            "since": rung.breaker.since,
            "next_try_seconds": round(rung.breaker.seconds_left, 3) if rung.breaker.is_open else None,
            "awaiting": awaiting,
        }
    )


def _reset_at(tx: Tx, space: Space, chosen: Rung | None) -> datetime | None:
    """When the vectors were last made anew or filled anew; of the rows, the history of runs knows."""
    if chosen:
        return changes.filled_at(tx, chosen.index.reader, space.number)
    made = runs.newest(tx, space.id, sweep=VECTORS, limit=RUNS_LOOKED_AT)
    return next((run.started_at for run in made if _is_reset(run)), None)


def _is_reset(run: Run) -> bool:
    return "described" in run.counts and not run.dry_run
