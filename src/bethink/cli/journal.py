"""bethink journal and bethink undo: who changed what, and taking it back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.invoke import Invocation, command
from bethink.cli.output import Column, clipped, flat
from bethink.cli.times import past_time, shown

if TYPE_CHECKING:
    from bethink.records import JournalEntry
    from bethink.shapes.keywords import JournalFilters

CHANGE_CHARS = 120  # of what a change replaced


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands."""
    command(app, panel=panel)(journal)
    command(app, panel=panel)(undo)


async def journal(
    here: Invocation,
    record: Annotated[str | None, typer.Option(metavar="ID", help="Only changes of this record.")] = None,
    noun: Annotated[
        str | None, typer.Option(metavar="NOUN", help="Only of such records: memory, fact, message, …")
    ] = None,
    action: Annotated[
        str | None, typer.Option(metavar="VERB", help="Only such changes: stored, updated, forgotten, …")
    ] = None,
    actor: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only changes made by this actor.")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Made then or later: 7d.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Made before this time.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Changes at most.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on where the listing that gave it ended.")
    ] = None,
) -> None:
    """Show who changed what, newest first."""
    asked: JournalFilters = {
        "record_id": record, "noun": noun, "action": action, "actor": actor,
        "since": since, "until": until, "cursor": cursor,
    }  # fmt: skip
    async with here.reading() as space:
        page = await space.journal(limit=limit, **asked)
    if here.out.json:
        here.out.data(page)
        return
    if not page.items:
        here.out.note("No changes match." if any(asked.values()) else "Nothing has been changed here yet.")
        return
    columns = [Column(title) for title in ("Id", "When", "Who", "What", "Record")]
    rows = [
        [line.id, shown(line.at), line.actor, _what(line), line.record_id, _told(line)] for line in page.items
    ]
    here.out.table([*columns, Column("Change", wraps=True)], rows)
    if page.next_cursor:
        here.out.note(f"There is more: add --cursor {page.next_cursor}")


async def undo(
    here: Invocation,
    ids: Annotated[
        list[str], typer.Argument(metavar="ID", help="Lines of the journal, undone in this order.")
    ],
) -> None:
    """Undo changes: updates, merges, edits, renamings, and what was forgotten or removed.

    Refused when the record has changed since. 'bethink journal' shows the ids.
    """
    async with here.writing() as space:
        undone = []
        for journal_id in dict.fromkeys(ids):
            made = await space.undo(journal_id)
            undone.append(made)
            if not here.out.json:
                here.out.line(
                    ("undone", "green"),
                    f" {made.undone}: {made.entry.noun} {made.entry.record_id} {made.entry.action}",
                )
    if here.out.json:
        here.out.data(undone)


def _what(line: JournalEntry) -> str:
    """What was done to what; and whether it was done elsewhere, and came with an archive."""
    return f"{line.noun} {line.action}" + (" (imported)" if line.imported else "")


def _told(line: JournalEntry) -> str:
    """Why a change was made, and from what to what."""
    before, after = line.before or {}, line.after or {}
    if line.action in ("forgotten", "withdrawn", "ended", "restored"):
        changed = _text(before or after)
    else:
        named = sorted(after if line.noun != "options" else before.keys() | after.keys())
        changed = "; ".join(
            f"{name}: {_shown(before.get(name))} → {_shown(after.get(name))}"
            for name in named
            if after.get(name) != before.get(name)
        )
    return clipped("; ".join(filter(None, (line.reason, changed))), 2 * CHANGE_CHARS)


def _text(record: Mapping[str, Any]) -> str:
    return _shown(record.get("content") or record.get("value") or record.get("name"))


def _shown(value: Any) -> str:
    return "" if value is None else clipped(flat(str(value)), CHANGE_CHARS)
