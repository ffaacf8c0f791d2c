"""bethink upkeep list, run and history: the sweeps of a space, one of them now, and what they did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bethink.cli.invoke import Invocation
from bethink.cli.output import Column
from bethink.cli.progress import progress_bar
from bethink.cli.times import shown

if TYPE_CHECKING:
    from bethink.records import Run
    from bethink.shapes.upkeep import SweepStatus


async def list_sweeps(here: Invocation) -> None:
    """List the sweeps: how much is due, and how each went."""
    async with here.reading() as space:
        found = await space.upkeep.list()
    if here.out.json:
        here.out.data(found)
        return
    columns = [Column("Sweep", style="cyan"), Column("Due", right=True), Column("Last run"), Column("Ended")]
    rows = [[one.name, _due(one), *_last(one.last_run), one.problem or ""] for one in found]
    here.out.table([*columns, Column("Problem", wraps=True)], rows)


async def run_sweep(
    here: Invocation,
    name: Annotated[str, typer.Argument(metavar="SWEEP", help="Its name: 'bethink upkeep list'.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what it would do.")] = False,
) -> None:
    """Run a sweep now, unless another process is at it."""
    async with here.writing() as space:
        with progress_bar(here.out, f"Running {name}") as show:
            run = await space.upkeep.run(
                name, dry_run=dry_run, progress=lambda seen: show(seen.done, seen.total, None)
            )
    if here.out.json:
        here.out.data(run)
    else:
        here.out.line(f"{name}: {run.status.value}{' (dry run)' if dry_run else ''}; {_counts(run)}")
        if run.error:
            here.out.warn(run.error)
    if run.status != "done":
        raise typer.Exit(1)


async def list_runs(
    here: Invocation,
    name: Annotated[
        str | None, typer.Argument(metavar="SWEEP", help="Only of this one.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="At most so many.")] = 20,
) -> None:
    """List what the sweeps did, newest first."""
    async with here.reading() as space:
        found = await space.upkeep.history(name, limit=limit)
    if here.out.json:
        here.out.data(found)
    elif found:
        columns = [Column("When"), Column("Sweep", style="cyan"), Column("Ended"), Column("Did")]
        rows = [
            [shown(run.started_at), run.sweep, _ended(run), _counts(run), run.error or ""] for run in found
        ]
        here.out.table([*columns, Column("Why", wraps=True)], rows)
    else:
        here.out.note("No sweep has done anything here yet. They run as things are written.")


def _due(sweep: SweepStatus) -> str:
    if not sweep.enabled:
        return "off"
    return "?" if sweep.due is None else f"{sweep.due:,}"


def _last(run: Run | None) -> tuple[str, str]:
    return (shown(run.started_at), _ended(run)) if run else ("never", "")


def _ended(run: Run) -> str:
    return f"{run.status.value} (dry run)" if run.dry_run else run.status.value


def _counts(run: Run) -> str:
    return (
        ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in run.counts.items()) or "nothing"
    )
