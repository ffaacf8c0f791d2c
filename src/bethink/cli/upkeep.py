"""bethink stats, reindex, migrate and version: how the memory is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bethink import __version__
from bethink.cli.invoke import ACTOR, Invocation, command
from bethink.cli.output import Column
from bethink.cli.progress import progress_bar
from bethink.cli.schema import bring_up_to_date

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands."""
    for function in (stats, reindex, migrate, version):
        command(app, panel=panel)(function)


async def stats(here: Invocation) -> None:
    """Show what the space holds and how its index is doing."""
    async with here.reading() as space:
        found = await space.stats()
    if here.out.json:
        here.out.data(found)
        return
    columns = Column("Layer", style="cyan"), Column("Records", right=True), Column("With vector", right=True)
    rows = [[name.value, f"{count.total:,}", f"{count.embedded:,}"] for name, count in found.layers.items()]
    if rows:
        here.out.table(columns, rows)
    else:
        here.out.note(f"The space '{found.space}' is empty. Begin with: bethink remember \"…\"")
    here.out.line(("embedding  ", "dim"), found.signature or found.embedding_source)
    if found.signature:
        here.out.line(("because    ", "dim"), found.embedding_reason)
    if found.embedding_advice:
        here.out.note(f"{found.embedding_advice[0].upper()}{found.embedding_advice[1:]}.")
    for problem in found.degraded:
        here.out.warn(f"{problem} ('bethink doctor' says what to do)")
    if found.awaiting_vectors and found.signature:
        here.out.note(f"{found.awaiting_vectors:,} await their vectors: 'bethink reindex' makes them now.")


async def reindex(
    here: Invocation,
    force: Annotated[bool, typer.Option("--force", help="Make the whole index anew.")] = False,
    every_space: Annotated[bool, typer.Option("--all-spaces", help="Do so in every space.")] = False,
) -> None:
    """Make the vectors that are missing or of another model."""
    from bethink.access import list_spaces

    made: dict[str, int] = {}
    async with here.memory() as memory:
        names = await list_spaces(memory) if every_space else [here.settings.space]
        for name in names:
            made[name] = await _reindex(here, memory.space(name, actor=ACTOR), force)
            if not here.out.json and (made[name] or not every_space):
                told = f"{made[name]:,} made" if made[name] else "none were missing"
                here.out.line(f"vectors of space '{name}': {told}")
    if here.out.json:
        here.out.data({"embedded": sum(made.values()), "spaces": made})
    elif every_space and not any(made.values()):
        here.out.line(f"vectors of {len(made):,} spaces: none were missing")


async def _reindex(here: Invocation, space: AsyncSpace, force: bool) -> int:
    with progress_bar(here.out, f"Making vectors of '{space.name}'") as show:
        return await space.reindex(force=force, progress=lambda seen: show(seen.done, seen.total, None))


async def migrate(here: Invocation) -> None:
    """Bring the database's schema up to date.

    Every command that opens the database does so too; this one tells what was applied.
    """
    here.check_place()
    schema = await bring_up_to_date(here.settings)
    if here.out.json:
        here.out.data({"applied": schema.applied, "version": schema.version})
    elif schema.applied:
        for name in schema.applied:
            here.out.line(("applied", "green"), f" {name}")
    else:
        here.out.line(f"up to date (version {schema.version})")


def version(here: Invocation) -> None:
    """Print the version."""
    if here.out.json:
        here.out.data({"version": __version__})
    else:
        here.out.line(f"bethink {__version__}")
