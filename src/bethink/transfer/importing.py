"""Conversations of other programs taken in: read twice, first to check them, then to store them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bethink.clock import now
from bethink.conversations.take_in import take_in
from bethink.core import Core
from bethink.records import Space
from bethink.shapes.outcomes import Progress
from bethink.shapes.rights import Imported, ImportRequest
from bethink.store.persons import list_all
from bethink.transfer.bounds import MOST_ITEMS, SPLIT, some
from bethink.transfer.chats.draft import Drafting
from bethink.transfer.chats.formats import Format
from bethink.transfer.chats.people import People, who_is_me
from bethink.transfer.chats.said import Said
from bethink.transfer.chats.sources import Source
from bethink.transfer.take import finish


@dataclass
class Outline:
    """What a first reading found."""

    messages: int = 0
    people: People = field(default_factory=People)


async def import_chats(
    core: Core,
    space: Space,
    source: Source,
    format_: Format,
    request: ImportRequest,
    actor: str,
    watch: Callable[[Progress], None] | None,
) -> Imported:
    """Take in the conversations of a file. What is known by its id stays, so a run that was broken off can
    be begun again and goes on where it ended.
    """
    outline = await source.stop.run(_outline, source, format_.read(source))
    source.left_out.clear()
    persons = await core.driver.read(list_all, space.id)
    drafting = Drafting(
        platform=format_.platform,
        me=who_is_me(source, outline.people, request.me, persons),
        content_chars=core.settings.limits.content_chars,
        zone=source.zone,
    )
    done = Imported(format=format_.name, stored={"session": 0, "message": 0}, duplicates={"message": 0})
    said, style = format_.read(source), core.settings.index.text_form
    seen = edited = 0
    while batch := await source.stop.run(some, said, lambda message: len(message.content)):
        pieces = drafting.pieces(batch)
        for piece in pieces:
            piece.drafts = core.secrecy.to_store(piece.drafts)
            piece.title = piece.title and core.secrecy.text_to_store(piece.title)
        counts = await core.driver.write(take_in, space, pieces, now(), actor, style)
        for piece in pieces if counts["message"] or counts["merged"] else ():
            await core.changed("message", space, session_id=piece.session_id)
        for noun in done.stored:
            done.stored[noun] += counts[noun]
        done.duplicates["message"] += counts["duplicate"]
        edited += counts["merged"]
        seen += len(batch)
        if watch:
            watch(Progress(done=seen, total=outline.messages))
    left_out = source.left_out + drafting.left_out
    done.notes = [f"{number:,} {what}" for what, number in sorted(left_out.items())]
    if edited:
        done.notes.append(f"{edited:,} messages were known with another text, which was replaced")
    await core.driver.write(finish, space, done, now(), actor)
    return done


def _outline(source: Source, said: Iterator[Said]) -> Outline:
    """Read all of it once, so that what is wrong is said before anything is stored."""
    outline = Outline()
    for message in said:
        outline.messages += 1
        if outline.messages > MOST_ITEMS:
            raise source.too_large("the file", f"holds more than {MOST_ITEMS:,} messages; {SPLIT}.")
        if message.role is None:
            outline.people.add(message)
    return outline
