"""recollect list and recollect forget: the memories one by one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from recollect.cli.choices import TypeName
from recollect.cli.confirm import confirm
from recollect.cli.erase import erase as erase_chosen
from recollect.cli.inputs import standard_input
from recollect.cli.invoke import Invocation, command
from recollect.cli.output import clipped, counted
from recollect.cli.render import show_memories
from recollect.cli.times import past_time
from recollect.errors import InvalidInput


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands."""
    command(app, "list", panel=panel)(list_memories)
    command(app, panel=panel)(forget)


async def list_memories(
    here: Invocation,
    type_: Annotated[
        list[TypeName] | None, typer.Option("--type", help="Only this kind; may be repeated.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="Only with one of these tags.")] = None,
    category: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only of this category; may be repeated.")
    ] = None,
    person: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only about this person; may be repeated.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only from this conversation; may be repeated.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only from this source; may be repeated.")
    ] = None,
    pinned: Annotated[
        bool | None, typer.Option("--pinned/--not-pinned", help="Only pinned ones, or only the others.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            parser=past_time, metavar="TIME", help="Observed at this time or later: 2025-05-31, 7d."
        ),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Observed before this time.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Memories at most.")] = 50,
    offset: Annotated[int, typer.Option(metavar="N", help="Memories to leave out at the beginning.")] = 0,
) -> None:
    """List memories, newest first."""
    from recollect.records import MemoryType

    async with here.reading() as space:
        memories = await space.list(
            types=[MemoryType(name.value) for name in type_] if type_ else None,
            person_ids=person or None,
            session_ids=session or None,
            tags=tag or None,
            categories=category or None,
            sources=source or None,
            pinned=pinned,
            since=since,
            until=until,
            limit=limit,
            offset=offset,
        )
    if here.out.json:
        here.out.data(memories)
        return
    show_memories(here.out, memories)
    filtered = (
        offset or pinned is not None or any((type_, tag, category, person, session, source, since, until))
    )
    if not memories and filtered:
        here.out.note("No memories match. Try fewer filters.")
    elif not memories:
        here.out.note(f"There are no memories in space '{space.name}'. Begin with: recollect remember \"…\"")
    elif len(memories) == limit:
        here.out.note(f"There may be more: add --offset {offset + limit}.")


async def forget(
    here: Invocation,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Memories to forget; - reads ids, one a line.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why, for the journal.")] = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="Erase every trace, from the journal and the files too.")
    ] = False,
    person: Annotated[
        str | None, typer.Option(metavar="ID", help="With --erase: a person, and all that is of them.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --erase: a conversation, and what is from it.")
    ] = None,
    query: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With --erase: all that holds this text.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="With --erase: all that the space holds.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --erase: only say what would go.")] = False,
) -> None:
    """Delete memories.

    They are gone from the index too; the journal keeps what they were, so that it can be undone. With --erase
    nothing is kept, and a receipt proves it.
    """
    wanted = standard_input().split() if ids == ["-"] else ids or []
    choice = {"person_id": person, "session_id": session, "query": query, "everything": everything}
    if erase:
        await erase_chosen(here, {"memory_ids": wanted, **choice}, dry_run=dry_run, yes=yes)
        return
    if dry_run or any(choice.values()):
        raise InvalidInput("These options erase for good; add --erase to say that this is meant.")
    if ids is None:
        raise InvalidInput("Name the memories to forget; 'recollect list' shows their ids.")
    async with here.reading() as space:
        if not yes:
            found = [await space.get(memory_id) for memory_id in dict.fromkeys(wanted)]
            for memory in found:
                here.out.note(f"{memory.id}  {clipped(memory.content, 100)}")
            confirm(here.out, f"Forget {counted(len(found), 'memory', 'memories')}?")
        forgotten = await space.forget(*wanted, reason=reason)
    if here.out.json:
        here.out.data(forgotten)
        return
    for memory in forgotten:
        here.out.line(("forgotten", "green"), f" {memory.id}")
    if not forgotten:
        here.out.note("There was no id to forget.")
