"""bethink summaries: what old messages come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from bethink.cli.choices import Secrets, SummaryTierName
from bethink.cli.invoke import Invocation
from bethink.cli.output import Column
from bethink.cli.people import add_group
from bethink.cli.times import shown


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    commands: dict[str, Callable[..., Any]] = {"list": list_summaries, "show": show}
    add_group(app, panel, summaries, commands)


def summaries(context: typer.Context) -> None:
    """What old messages come to. The messages themselves are kept."""


async def list_summaries(
    here: Invocation,
    tier: Annotated[list[SummaryTierName] | None, typer.Option(help="Only of this tier.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Summaries at most.")] = 20,
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on where the list before ended.")
    ] = None,
) -> None:
    """List summaries, those of the newest messages first."""
    from bethink.records import SummaryTier

    tiers = [SummaryTier(name.value) for name in tier] if tier else None
    async with here.reading() as space:
        page = await space.summaries.list(tiers=tiers, limit=limit, cursor=cursor)
    if here.out.json:
        here.out.data(page)
        return
    columns = [Column("Id"), Column("Until"), Column("Tier"), Column("Messages", right=True)]
    rows = [
        [one.id, shown(one.end_at), one.summary_tier.value, str(one.message_count), one.summary_text]
        for one in page.items
    ]
    if rows:
        here.out.table([*columns, Column("Summary", wraps=True)], rows)
    else:
        here.out.note("There are no summaries yet. Old messages become some: bethink upkeep run tiers")
    if page.next_cursor:
        here.out.note(f"{page.total:,} in all: add --cursor {page.next_cursor}")


async def show(
    here: Invocation,
    summary_id: Annotated[str, typer.Argument(metavar="ID", help="The summary's id.")],
    secrets: Secrets = False,
) -> None:
    """Print a summary, and the messages that it was made from."""
    async with here.reading() as space:
        found = await space.summaries.get(summary_id)
        said = await space.summaries.messages(summary_id, secrets=secrets)
    if here.out.json:
        here.out.data({"summary": found, "messages": said})
        return
    here.out.line(found.summary_text)
    for message in said:
        here.out.line(
            (f"  {shown(message.sent_at)}  {message.name or message.role}", "cyan"), f": {message.content}"
        )
