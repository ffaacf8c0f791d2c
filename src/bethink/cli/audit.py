"""bethink audit: look through what is remembered, and mend what is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Column, counted

if TYPE_CHECKING:
    from bethink.cli.output import Output
    from bethink.shapes.audits import Audit, Fixed

SHOWN = 50  # findings in the table; all of them with --json


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(audit)


async def audit(
    here: Invocation,
    fix: Annotated[
        list[str] | None,
        typer.Option(metavar="ID|KIND", help="Mend this finding, or all of a kind; may be repeated."),
    ] = None,
    fix_all: Annotated[bool, typer.Option("--fix-all", help="Mend everything that is found.")] = False,
) -> None:
    """Look for duplicates, near-duplicates, junk, secrets, contradictions and stale facts.

    Duplicates are merged, junk is forgotten, of contradictions the newest is kept, and stale facts are ended.
    The journal keeps what was before, and can bring it back. A memory, fact or message with a secret in it is
    erased as a whole, for good.
    """
    from bethink.shapes.audits import Finding

    kinds = [kind for kind in Finding if fix_all or kind.value in (fix or ())]
    ids = [one for one in fix or () if one not in {kind.value for kind in Finding}]
    async with here.writing() as space:
        done = await space.fix(*ids, kinds=kinds) if ids or kinds else None
        found = await space.audit()
    if here.out.json:
        here.out.data({"fixed": done, "audit": found})
    else:
        _show(here.out, done, found)


def _show(out: Output, done: Fixed | None, found: Audit) -> None:
    if done:
        told = f"{counted(done.fixed, 'finding')} mended, {done.forgotten:,} records gone or ended"
        out.line(told + (f", {done.gone:,} no longer found" if done.gone else ""))
    rows = [
        [one.id[:24], one.kind.value, one.fix.value, one.reason, " | ".join(one.texts)]
        for one in found.found[:SHOWN]
    ]
    columns = [Column("Id"), Column("Found", style="cyan"), Column("Fix"), Column("Why", wraps=True)]
    if rows:
        out.table([*columns, Column("What", wraps=True)], rows)
    counts = ", ".join(f"{number:,} {kind.value}" for kind, number in found.counts.items()) or "nothing"
    looked = f"{found.memories:,} memories, {found.facts:,} facts and {found.messages:,} messages looked at"
    out.line(f"{looked}; found: {counts}")
    if len(found.found) > SHOWN:
        out.note(f"{len(found.found) - SHOWN:,} more: --json shows them all.")
    for note in found.notes:
        out.note(note)
