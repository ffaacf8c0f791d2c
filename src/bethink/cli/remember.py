"""bethink remember: store one memory."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from bethink.cli.choices import TypeName
from bethink.cli.inputs import json_object, text_of
from bethink.cli.invoke import Invocation, command
from bethink.cli.times import coming_time

STATUS_STYLES = {"stored": "green", "merged": "cyan", "duplicate": "yellow"}


def register(app: typer.Typer, panel: str) -> None:
    """Add the command."""
    command(app, panel=panel)(remember)


async def remember(
    here: Invocation,
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="What to remember; - reads it from standard input.")
    ],
    key: Annotated[
        str | None, typer.Option(metavar="NAME", help="Stable name: the same key again updates this memory.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A title, searched like the text.")
    ] = None,
    type_: Annotated[TypeName | None, typer.Option("--type", help="Kind of memory.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A tag; may be repeated.")] = None,
    category: Annotated[str | None, typer.Option(metavar="NAME", help="A category.")] = None,
    pinned: Annotated[
        bool | None,
        typer.Option("--pinned/--not-pinned", help="A pinned memory ranks higher and never ages."),
    ] = None,
    expires: Annotated[
        datetime | None,
        typer.Option(parser=coming_time, metavar="TIME", help="Forget it then: 2026-01-31, or 30d from now."),
    ] = None,
    metadata: Annotated[
        dict[str, Any] | None, typer.Option(parser=json_object, metavar="JSON", help="A JSON object to keep.")
    ] = None,
    person: Annotated[str | None, typer.Option(metavar="ID", help="The person it is about.")] = None,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="The conversation it is from.")] = None,
) -> None:
    """Store a memory.

    The outcome says what happened: stored, merged into the memory its key names, or duplicate.
    """
    given: dict[str, Any] = {
        "key": key,
        "title": title,
        "type": type_ and type_.value,
        "tags": tag,
        "category": category,
        "pinned": pinned,
        "expires_at": expires,
        "metadata": metadata,
        "person_id": person,
        "session_id": session,
    }
    content = text_of(text)
    async with here.writing() as space:
        outcome = await space.remember(content, **{n: v for n, v in given.items() if v is not None})
        if here.out.json:
            here.out.data(outcome)
        else:
            style = STATUS_STYLES[outcome.status.value]
            why = f" ({outcome.reason})" if outcome.reason else ""
            here.out.line((outcome.status.value, style), f" {outcome.id}", (why, "dim"))
