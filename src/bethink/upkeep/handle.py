"""The façade's part about upkeep: which sweeps there are, running one, and what they did."""

from __future__ import annotations

import builtins
from collections.abc import Callable

from bethink.contracts import Schedule, Sweep
from bethink.core import Handle
from bethink.errors import BethinkError
from bethink.records import Run, Space
from bethink.shapes.fields import check_page
from bethink.shapes.outcomes import Progress
from bethink.shapes.upkeep import SweepFailure, SweepStatus
from bethink.upkeep.runner import Runner


class AsyncUpkeep:
    """The sweeps that keep a space in order. They run by themselves; here they are looked at and run now."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def list(self) -> list[SweepStatus]:
        """Every sweep: how much is due, whether it is running, and how it went."""
        core, space = await self._space.inside.here()
        runner = core.part(Runner)
        return [await _status(runner, sweep, space) for sweep in runner.sweeps.values()]

    async def run(
        self, name: str, *, dry_run: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> Run:
        """Run a sweep now; with `dry_run` only count what it would do.

        The status is `skipped_locked` when a run of it is under way, in this process or in another.
        """
        core, space = await self._space.inside.here()
        return await core.part(Runner).run(name, space, dry_run=dry_run, progress=progress)

    async def history(self, name: str | None = None, *, limit: int = 50) -> builtins.list[Run]:
        """What the sweeps did, or one of them, newest first.

        A run that nobody asked for and that found nothing to do is left out.
        """
        core, space = await self._space.inside.here()
        check_page(limit)
        runner = core.part(Runner)
        return await runner.history(space, runner.sweep(name).name if name is not None else None, limit)


async def _status(runner: Runner, sweep: Sweep, space: Space) -> SweepStatus:
    due, problem = None, None
    try:
        due = await sweep.due(space)
    except BethinkError as error:
        problem = error.message
    failure = runner.last_failure(sweep.name, space)
    return SweepStatus(
        name=sweep.name,
        enabled=await sweep.enabled(space),
        running=runner.is_running(sweep.name, space),
        due=due,
        problem=problem,
        schedule=_in_words(sweep.schedule) if sweep.schedule else None,
        last_run=next(iter(await runner.history(space, sweep.name, 1)), None),
        last_failure=SweepFailure(message=failure[0], at=failure[1]) if failure else None,
    )


def _in_words(schedule: Schedule) -> str:
    if schedule.every is not None:
        return f"every {schedule.every.total_seconds():g} seconds"
    return f"daily at {schedule.at:%H:%M}" if schedule.at else "never"
