"""bethink upkeep: the group, and reading conversations now, also what could not be read before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from bethink.cli.invoke import Invocation
from bethink.cli.output import Column, counted
from bethink.cli.people import add_group
from bethink.cli.sweeps import list_runs, list_sweeps, run_sweep


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    commands: dict[str, Callable[..., Any]] = {
        "list": list_sweeps,
        "run": run_sweep,
        "history": list_runs,
        "extract": extract,
        "extractions": list_extractions,
    }
    add_group(app, panel, upkeep, commands)


def upkeep(context: typer.Context) -> None:
    """Jobs that keep a memory in order; a server does them by itself."""


async def extract(
    here: Invocation,
    retry: Annotated[bool, typer.Option("--retry", help="Also what could not be read before.")] = False,
) -> None:
    """Read what is new in the conversations and remember what is worth it."""
    async with here.writing() as space:
        done = await space.extract(retry=retry)
    if here.out.json:
        here.out.data(done)
    else:
        here.out.line(
            f"{counted(done.sessions, 'conversation')} read: {done.stored:,} stored, {done.merged:,} merged,"
            f" {done.duplicate:,} known"
        )
        if done.held:
            here.out.line(f"{counted(done.held, 'fact')} not replaced: see bethink journal")
        if done.retried:
            here.out.line(f"{done.retried:,} tried again, {done.failed:,} still failing")
        for name in done.unavailable:
            here.out.warn(f"The extractor '{name}' needs a chat model: set chat.base_url or chat.api_key.")
    if done.failed:
        raise typer.Exit(1)


async def list_extractions(
    here: Invocation,
    failed: Annotated[bool, typer.Option("--failed", help="Only what could not be read.")] = False,
    limit: Annotated[int, typer.Option(metavar="N", help="At most so many.")] = 20,
) -> None:
    """List what was read of the conversations, by which extractor, and what failed; newest first."""
    from bethink.records import ExtractionStatus

    async with here.reading() as space:
        found = await space.extractions(status=ExtractionStatus.FAILED if failed else None, limit=limit)
    if here.out.json:
        here.out.data(found)
    elif found:
        rows = [
            [one.at.strftime("%Y-%m-%d %H:%M"), one.extractor, one.status.value,
             f"{one.session_id} {one.first_position}–{one.last_position}", one.reason or ""]
            for one in found
        ]  # fmt: skip
        columns = [Column("When"), Column("Extractor", style="cyan"), Column("Status"), Column("Messages")]
        here.out.table([*columns, Column("Why", wraps=True)], rows)
    else:
        here.out.note("Nothing was read yet. Conversations are read as they are observed.")
