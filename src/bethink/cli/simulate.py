"""bethink simulate: years of a made-up household in minutes, and what its memory still knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Column
from bethink.cli.progress import progress_bar

if TYPE_CHECKING:
    from bethink.simulation import Simulation, Snapshot


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(simulate)


async def simulate(
    here: Invocation,
    years: Annotated[float, typer.Option(min=0.1, max=50, help="How long the household talks.")] = 5,
    per_day: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="Messages a day.")] = 20,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed says the same.")] = 7,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it into this file, too.", show_default=False)
    ] = None,
) -> None:
    """Let a made-up household talk for years, in a memory of its own, and see what it still knows.

    Your memory is not touched. With these settings: its tiers, its models.
    """
    from bethink.simulation import picture
    from bethink.simulation import simulate as run

    with progress_bar(here.out, "Living") as show:
        found = await run(
            years=years,
            per_day=per_day,
            seed=seed,
            settings=here.settings,
            progress=lambda done, days: show(done, days, None),
        )
    if svg:
        svg.write_text(picture(found), "utf-8")
    if here.out.json:
        here.out.data(found)
        return
    names = ("Until", "Said", "Short", "Mid", "Long", "Archived", "L1", "L2", "L3", "Memories", "Searched")
    columns = [Column(name, right=name != "Until") for name in (*names, "MB", "Pinned", "Important", "Plain")]
    here.out.table(columns, [_row(one) for one in found.snapshots])
    here.out.line(_verdict(found))
    for text in found.lost:
        here.out.note(f"not recalled: {text}")


def _row(one: Snapshot) -> list[str]:
    counts = [one.observed, *one.tiers.values(), one.archived, *one.summaries.values(), one.memories]
    recalled = [f"{part.found}/{part.planted}" for part in one.recalled.values()]
    size = f"{one.database_bytes / 1e6:,.0f}"
    return [one.date.isoformat(), *(f"{count:,}" for count in (*counts, one.searched)), size, *recalled]


def _verdict(found: Simulation) -> str:
    last = found.snapshots[-1]
    texts = last.observed_tokens / max(last.searched_tokens, 1)
    return (
        f"Recall searches {found.smaller:.1f} times fewer entries than messages were said,"
        f" of {texts:.1f} times fewer tokens."
    )
