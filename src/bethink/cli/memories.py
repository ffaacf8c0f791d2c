"""bethink list, pin and forget: the memories themselves."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import Secrets, TypeName
from bethink.cli.confirm import confirm
from bethink.cli.erase import erase as erase_chosen
from bethink.cli.inputs import standard_input
from bethink.cli.invoke import Invocation, command
from bethink.cli.output import clipped, counted
from bethink.cli.render import show_memories
from bethink.cli.times import past_time
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.shapes.outcomes import Compaction, Forgotten


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands."""
    command(app, "list", panel=panel)(list_memories)
    command(app, panel=panel)(pin)
    command(app, panel=panel)(forget)
    command(app, panel=panel)(compact)


Types = Annotated[list[TypeName] | None, typer.Option("--type", help="Only this kind; may be repeated.")]
Tags = Annotated[list[str] | None, typer.Option(metavar="TAG", help="Only with one of these tags.")]
Categories = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only of this category; may be repeated.")
]
Sources = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only from this source; may be repeated.")
]
Pinned = Annotated[
    bool | None, typer.Option("--pinned/--not-pinned", help="Only pinned ones, or only the others.")
]
Since = Annotated[
    datetime | None,
    typer.Option(parser=past_time, metavar="TIME", help="Observed at this time or later: 2025-05-31, 7d."),
]
Until = Annotated[
    datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Observed before this time.")
]


async def list_memories(
    here: Invocation,
    type_: Types = None,
    tag: Tags = None,
    category: Categories = None,
    person: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only about this person; may be repeated.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only from this conversation; may be repeated.")
    ] = None,
    source: Sources = None,
    pinned: Pinned = None,
    archived: Annotated[bool, typer.Option("--archived", help="Those that are archived instead.")] = False,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Memories at most.")] = 50,
    offset: Annotated[int, typer.Option(metavar="N", help="Memories to leave out at the beginning.")] = 0,
    secrets: Secrets = False,
) -> None:
    """List memories, newest first."""
    from bethink.records import MemoryType

    async with here.reading() as space:
        memories = await space.list(
            types=[MemoryType(name.value) for name in type_] if type_ else None,
            person_ids=person or None,
            session_ids=session or None,
            tags=tag or None,
            categories=category or None,
            sources=source or None,
            pinned=pinned,
            archived=archived,
            since=since,
            until=until,
            limit=limit,
            offset=offset,
            secrets=secrets,
        )
    if here.out.json:
        here.out.data(memories)
        return
    show_memories(here.out, memories)
    filtered = (
        offset
        or archived
        or pinned is not None
        or any((type_, tag, category, person, session, source, since, until))
    )
    if not memories and filtered:
        here.out.note("No memories match. Try fewer filters.")
    elif not memories:
        here.out.note(f"There are no memories in space '{space.name}'. Begin with: bethink remember \"…\"")
    elif len(memories) == limit:
        here.out.note(f"There may be more: add --offset {offset + limit}.")


async def pin(
    here: Invocation,
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Memories to pin.")],
    off: Annotated[bool, typer.Option("--off", help="Unpin them.")] = False,
) -> None:
    """Pin memories, so that they rank higher and do not age."""
    async with here.reading() as space:
        changed = [await space.pin(memory_id, not off) for memory_id in dict.fromkeys(ids)]
    if here.out.json:
        here.out.data(changed)
        return
    for memory in changed:
        here.out.line(("unpinned" if off else "pinned", "green"), f" {memory.id}")


async def compact(
    here: Invocation,
    older_than: Annotated[int, typer.Option(metavar="DAYS", help="Only what is older than this.")] = 180,
    max_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", help="Instead: cut the older ones to three sentences until all fit."),
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --max-tokens: only from this conversation.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Let one memory tell of many old ones. These are archived: 'bethink list --archived' shows them."""
    if session is not None and max_tokens is None:
        raise InvalidInput("--session goes with --max-tokens.", field="session")

    async with here.reading() as space:

        async def done(dry: bool) -> Compaction:
            if max_tokens is None:
                return await space.compact(older_than_days=older_than, dry_run=dry)
            return await space.condense(session, max_tokens=max_tokens, dry_run=dry)

        found = await done(True)
        if not dry_run and found.candidates:
            if not yes:
                confirm(here.out, f"Compact {counted(found.candidates, 'memory', 'memories')}?")
            found = await done(False)
    if here.out.json:
        here.out.data(found)
        return
    number = counted(found.candidates, "memory", "memories")
    if not found.candidates:
        here.out.note("There is nothing to compact.")
    elif dry_run:
        here.out.note(f"Would compact {number}: {found.tokens_saved:,} tokens fewer. Nothing was changed.")
    else:
        here.out.line(("compacted", "green"), f" {number}: {found.tokens_saved:,} tokens fewer")


async def forget(
    here: Invocation,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Memories to forget; - reads ids, one a line.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why, for the journal.")] = None,
    type_: Types = None,
    tag: Tags = None,
    category: Categories = None,
    source: Sources = None,
    pinned: Pinned = None,
    since: Since = None,
    until: Until = None,
    person: Annotated[
        str | None,
        typer.Option(metavar="ID", help="About this person; with --erase: and all else that is of them."),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="From this conversation; with --erase: and what was said in it."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    erase: Annotated[
        bool, typer.Option("--erase", help="Erase every trace, from the journal and the files too.")
    ] = False,
    query: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With --erase: all that holds this text.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="With --erase: all that the space holds.")
    ] = False,
) -> None:
    """Delete memories: by their ids, or all that the filters choose.

    They are gone from the index too; the journal keeps what they were, so that it can be undone. With --erase
    nothing is kept, and a receipt proves it.
    """
    wanted = standard_input().split() if ids == ["-"] else ids or []
    filters = {
        "types": type_, "tags": tag, "categories": category, "sources": source, "pinned": pinned,
        "since": since, "until": until,
    }  # fmt: skip
    filters = {name: value for name, value in filters.items() if value is not None and value != []}
    if erase:
        if filters:
            raise InvalidInput("--erase takes memory ids, --person, --session, --query or --everything.")
        choice = {"person_id": person, "session_id": session, "query": query, "everything": everything}
        await erase_chosen(here, {"memory_ids": wanted, **choice}, dry_run=dry_run, yes=yes)
        return
    if query or everything:
        raise InvalidInput("These options erase for good; add --erase to say that this is meant.")
    filters |= {"person_ids": [person]} if person else {}
    filters |= {"session_ids": [session]} if session else {}
    if ids is not None and filters:
        raise InvalidInput("Name memories by their ids or by filters, not by both.")
    if ids is None and not filters:
        raise InvalidInput("Name the memories to forget; 'bethink list' shows their ids.")
    if filters:
        await _forget_many(here, filters, dry_run, yes, reason)
    else:
        await _forget_named(here, wanted, dry_run, yes, reason)


async def _forget_named(
    here: Invocation, ids: list[str], dry_run: bool, yes: bool, reason: str | None
) -> None:
    async with here.reading() as space:
        if dry_run or not yes:
            found = [await space.get(memory_id) for memory_id in dict.fromkeys(ids)]
            if dry_run:
                from bethink.shapes.outcomes import Forgotten

                _show(here, Forgotten(count=len(found), sample=found, dry_run=True))
                return
            for memory in found:
                here.out.note(f"{memory.id}  {clipped(memory.content, 100)}")
            confirm(here.out, f"Forget {counted(len(found), 'memory', 'memories')}?")
        forgotten = await space.forget(*ids, reason=reason)
    if here.out.json:
        here.out.data(forgotten)
        return
    for memory in forgotten:
        here.out.line(("forgotten", "green"), f" {memory.id}")
    if not forgotten:
        here.out.note("There was no id to forget.")


async def _forget_many(
    here: Invocation, filters: dict[str, Any], dry_run: bool, yes: bool, reason: str | None
) -> None:
    async with here.reading() as space:
        if dry_run or not yes:
            would = await space.forget_many(**filters, dry_run=True)
            if dry_run or not would.count:
                _show(here, would)
                return
            for memory in would.sample:
                here.out.note(f"{memory.id}  {clipped(memory.content, 100)}")
            if would.count > len(would.sample):
                here.out.note(f"… and {would.count - len(would.sample):,} more")
            confirm(here.out, f"Forget {counted(would.count, 'memory', 'memories')}?")
        _show(here, await space.forget_many(**filters, reason=reason))


def _show(here: Invocation, forgotten: Forgotten) -> None:
    if here.out.json:
        here.out.data(forgotten)
        return
    number = counted(forgotten.count, "memory", "memories")
    if not forgotten.dry_run:
        here.out.line(("forgotten", "green"), f" {number}")
        return
    for memory in forgotten.sample:
        here.out.line(memory.id, f"  {clipped(memory.content, 100)}")
    here.out.note(f"Would forget {number}. Nothing was changed." if forgotten.count else "No memories match.")
