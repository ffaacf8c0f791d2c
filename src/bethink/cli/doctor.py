"""bethink doctor: what works, what is degraded, what is broken, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Output, clean

if TYPE_CHECKING:
    from bethink.cli.checks import Check

_MARKS = {"ok": ("✓", "green"), "degraded": ("!", "yellow"), "broken": ("✗", "bold red")}


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(doctor)


async def doctor(
    here: Invocation,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every record, and check the whole database; may take long.")
    ] = False,
) -> None:
    """Say what works, what does not, and what to do about it.

    The exit code is 1 when something is broken; 0 otherwise, for a degraded memory still stores and finds.
    """
    from bethink.cli.checks import examine

    checks = [check async for check in examine(here, deep=deep)]
    states = [check.state for check in checks]
    status = next((state for state in ("broken", "degraded") if state in states), "ok")
    if here.out.json:
        here.out.data({"status": status, "checks": [vars(check) for check in checks]})
    else:
        _show(here.out, checks)
        here.out.line(_verdict(states))
    if status == "broken":
        raise typer.Exit(1)


def _show(out: Output, checks: list[Check]) -> None:
    if not out.rich:
        for check in checks:
            out.line(
                "\t".join(
                    (check.state, check.name, check.detail, *([f"fix: {check.fix}"] if check.fix else []))
                )
            )
        return
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for check in checks:
        told = Text(clean(check.detail))
        if check.fix:
            told.append(f"\n→ {clean(check.fix)}", "cyan")
        grid.add_row(Text(*_MARKS[check.state]), Text(check.name, "bold"), told)
    out.console.print(grid)


def _verdict(states: Sequence[str]) -> str:
    broken, degraded = states.count("broken"), states.count("degraded")
    if broken:
        return f"{broken} of {len(states)} checks failed: the memory cannot be relied on until that is fixed."
    if degraded:
        return f"The memory works; {degraded} of {len(states)} checks could be better."
    return "Everything works."
