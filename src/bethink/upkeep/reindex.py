"""Making vectors on demand, with progress that can be looked at: runs of the sweep `vectors`.

What is to be made is in the rows, so one that a restart cut short goes on when it is started again, or bit by
bit with the searches and writes that come.
"""

from __future__ import annotations

from bethink.core import Core
from bethink.errors import ModelError
from bethink.index.backfill import KINDS
from bethink.index.sweeps import VECTORS, MissingVectors, WholeIndex
from bethink.records import Space
from bethink.shapes.status import ReindexStarted, ReindexStatus
from bethink.store import Tx, entries
from bethink.upkeep.attempt import Told
from bethink.upkeep.runner import Runner


async def reindex(core: Core, space: Space, *, force: bool, progress: Told | None) -> int:
    """Make what is missing, or with `force` everything anew, now; how many vectors were made."""
    if force:
        await core.driver.write(entries.unembed, space)
    run = await core.part(Runner).finish(_sweep(core, force), space, progress=progress)
    return sum(run.counts.get(kind, 0) for kind in KINDS.values())


async def start_reindex(core: Core, space: Space, *, force: bool) -> ReindexStarted:
    """Make what is missing, or with `force` everything anew, in the background."""
    pending = await _pending(core, space)  # raises while the model cannot be used
    runner = core.part(Runner)
    if _is_demanded(runner, space):
        return ReindexStarted(started=False, pending=pending)
    if force:
        await core.driver.write(entries.unembed, space)
        pending = await _pending(core, space)
    started = runner.start(_sweep(core, force), space, total=pending)
    return ReindexStarted(started=started, pending=pending)


async def reindex_status(core: Core, space: Space) -> ReindexStatus:
    """How far it has come; `pending` is counted in the rows, whoever makes the vectors."""
    try:
        pending = await _pending(core, space)
    except ModelError:
        pending = await core.driver.read(_all, space.id)
    runner = core.part(Runner)
    status = ReindexStatus(running=runner.is_running(VECTORS, space), pending=pending)
    if (run := runner.demanded(VECTORS, space)) is None:
        return status
    return status.model_copy(
        update={
            "done": run.progress.done,
            "total": run.progress.total,
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "error": run.problem,
        }
    )


def _sweep(core: Core, force: bool) -> MissingVectors:
    if force:
        return WholeIndex(core.backfill, core.driver, core.settings.index.text_form)
    return MissingVectors(core.backfill)


async def _pending(core: Core, space: Space) -> int:
    return sum((await core.backfill.pending(space)).values())


def _is_demanded(runner: Runner, space: Space) -> bool:
    run = runner.demanded(VECTORS, space)
    return run is not None and run.finished_at is None


def _all(tx: Tx, space_id: str) -> int:
    return sum(total for total, _ in entries.count(tx, space_id, "").values())
