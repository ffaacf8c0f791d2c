"""bethink messages: what was said, word for word."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bethink.cli.choices import MessageTierName, Secrets
from bethink.cli.confirm import confirm
from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation
from bethink.cli.output import Column, clipped, counted, flat
from bethink.cli.people import add_group, found_person
from bethink.cli.render import show_hits
from bethink.cli.times import past_time, shown
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.records import Message
    from bethink.shapes.keywords import MessageChanges

Id = Annotated[str, typer.Argument(metavar="ID", help="The message's id.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID", help="The messages' ids.")]
LIST_CHARS = 300


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    commands: dict[str, Callable[..., Any]] = {
        "list": list_messages,
        "search": search,
        "show": show,
        "pin": pin,
        "archive": archive,
        "attribute": attribute,
        "forget": forget,
    }
    add_group(app, panel, messages, commands)


def messages(context: typer.Context) -> None:
    """What was said, word for word, one message at a time."""


async def list_messages(
    here: Invocation,
    tier: Annotated[
        list[MessageTierName] | None, typer.Option(help="Only of this tier; may be repeated.")
    ] = None,
    platform: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only from here.")] = None,
    channel: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only from it.")] = None,
    person: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only said by this person; may be repeated.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only of this conversation; may be repeated.")
    ] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--not-pinned", help="Only these.")] = None,
    archived: Annotated[bool | None, typer.Option("--archived/--not-archived", help="Only these.")] = None,
    since: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Sent at this time or later.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Sent before this time.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Messages at most.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on where the list before ended.")
    ] = None,
    original: Annotated[bool, typer.Option("--original", help="Show archived ones whole.")] = False,
    secrets: Secrets = False,
) -> None:
    """List messages of all conversations, newest first."""
    from bethink.records import MessageTier

    async with here.reading() as space:
        page = await space.messages.list(
            tiers=[MessageTier(name.value) for name in tier] if tier else None,
            platforms=platform or None,
            channels=channel or None,
            person_ids=person or None,
            session_ids=session or None,
            pinned=pinned,
            archived=archived,
            since=since,
            until=until,
            limit=limit,
            cursor=cursor,
            original=original,
            secrets=secrets,
        )
    if here.out.json:
        here.out.data(page)
        return
    columns = [Column("Id"), Column("Sent"), Column("Tier"), Column("Who", style="cyan")]
    rows = [
        [one.id, shown(one.sent_at), _standing(one), one.name or one.role, clipped(one.content, LIST_CHARS)]
        for one in page.items
    ]
    if rows:
        here.out.table([*columns, Column("Said", wraps=True)], rows)
    else:
        here.out.note("No messages match.")
    if page.next_cursor:
        here.out.note(f"{page.total:,} in all: add --cursor {page.next_cursor}")


async def search(
    here: Invocation,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="[QUERY]", help="What to look for; - reads it from standard input."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Hits at most.")] = 20,
    least: Annotated[
        int | None,
        typer.Option(metavar="N", help="With fewer messages, summaries are searched too; 0 never does."),
    ] = None,
    person: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only said by this person; may be repeated.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only of this conversation; may be repeated.")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Sent at this time or later.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(parser=past_time, metavar="TIME", help="Sent before this time.")
    ] = None,
    secrets: Secrets = False,
) -> None:
    """Find messages, and where too few answer, summaries of older ones."""
    async with here.reading() as space:
        found = await space.messages.search(
            text_of(query) if query else "",
            limit=limit,
            least=least,
            person_ids=person or None,
            session_ids=session or None,
            since=since,
            until=until,
            secrets=secrets,
        )
    if here.out.json:
        here.out.data(found)
        return
    for problem in found.degraded:
        here.out.warn(f"{problem} ('bethink doctor' says what to do)")
    show_hits(here.out, found.hits, explain=False)
    if not found.hits:
        here.out.note("Nothing found. Try other words, or another time.")
    elif any(hit.layer == "summary" for hit in found.hits):
        here.out.note("Few messages answer, so summaries of older ones are here too; newest first.")


async def show(
    here: Invocation,
    message_id: Id,
    original: Annotated[bool, typer.Option("--original", help="All of it, also when archived.")] = False,
    secrets: Secrets = False,
) -> None:
    """Print a message."""
    async with here.reading() as space:
        found = await space.messages.get(message_id, original=original, secrets=secrets)
    if here.out.json:
        here.out.data(found)
        return
    where = [found.id, shown(found.sent_at), _standing(found), found.session_id, found.platform]
    here.out.line((found.name or found.role, "cyan"), f": {found.content}")
    here.out.line(("  ".join(map(flat, where)), "dim"))


async def pin(
    here: Invocation, ids: Ids, off: Annotated[bool, typer.Option("--off", help="Unpin them.")] = False
) -> None:
    """Pin messages, so that they rank higher and are never archived by themselves."""
    async with here.reading() as space:
        changed = [await space.messages.pin(message_id, not off) for message_id in dict.fromkeys(ids)]
    _tell(here, changed, "unpinned" if off else "pinned")


async def archive(
    here: Invocation,
    ids: Ids,
    off: Annotated[bool, typer.Option("--off", help="Take them out of the archive.")] = False,
) -> None:
    """Archive messages: they are kept, and no longer found by a recall."""
    async with here.reading() as space:
        changed = [await space.messages.archive(message_id, not off) for message_id in dict.fromkeys(ids)]
    _tell(here, changed, "unarchived" if off else "archived")


async def attribute(
    here: Invocation,
    message_id: Id,
    person: Annotated[str | None, typer.Option(metavar="PERSON", help="Who said it: a name or id.")] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Under which name.")] = None,
    nobody: Annotated[bool, typer.Option("--nobody", help="Nobody who is known.")] = False,
) -> None:
    """Say who said a message. What was taken from it is read again."""
    if nobody == bool(person or name):
        raise InvalidInput("Say who said it: --person, --name, or --nobody.")
    async with here.reading() as space:
        who: MessageChanges = {"person_id": None, "name": None} if nobody else {}
        if person:
            who["person_id"] = (await found_person(space, person)).id
        if name:
            who["name"] = name
        changed = await space.messages.update(message_id, **who)
    _tell(here, [changed], "attributed")


async def forget(
    here: Invocation,
    ids: Ids,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why, for the journal.")] = None,
) -> None:
    """Delete messages, and what was taken from them alone. The journal keeps what they were."""
    async with here.reading() as space:
        if not yes:
            for message_id in dict.fromkeys(ids):
                found = await space.messages.get(message_id)
                here.out.note(f"{found.id}  {clipped(found.content, 100)}")
            confirm(here.out, f"Forget {counted(len(set(ids)), 'message')}?")
        gone = await space.messages.forget(*ids, reason=reason)
    _tell(here, gone, "forgotten")


def _tell(here: Invocation, changed: list[Message], what: str) -> None:
    if here.out.json:
        here.out.data(changed)
        return
    for message in changed:
        here.out.line((what, "green"), f" {message.id}")


def _standing(message: Message) -> str:
    marks = [message.tier.value, *(["pinned"] if message.pinned else [])]
    return " ".join([*marks, *(["archived"] if message.archived_at else [])])
