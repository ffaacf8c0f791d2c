"""/api/messages: what was said, word for word, one message at a time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from bethink.records import Message, MessageTier, Utc
from bethink.rest.admission import in_turn
from bethink.rest.callers import Asking, ReadSpace, Secrets, WriteSpace
from bethink.rest.pages import Limit
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name, Names, Title
from bethink.shapes.inputs import MessageChange, MessageSearch
from bethink.shapes.outcomes import MessageDetail, MessageList, MessageResults
from bethink.shapes.rights import Cursor

MessageId = Annotated[Name, Path(alias="id", description="The message's id.")]
Original = Annotated[bool, Query(description="All that an archived message says, not only how it begins.")]

router = APIRouter(prefix="/api/messages", tags=["messages"], route_class=KeyRoute)


@dataclass(frozen=True)
class ChosenMessages:
    """Which messages to list."""

    tiers: Annotated[list[MessageTier] | None, Query(alias="tier", description="In this tier.")] = None
    platforms: Annotated[Names | None, Query(alias="platform", description="From this platform.")] = None
    channels: Annotated[Names | None, Query(alias="channel", description="From this channel.")] = None
    contacts: Annotated[Names | None, Query(alias="contact", description="From a chat with them.")] = None
    person_ids: Annotated[Names | None, Query(alias="personId", description="Said by this person.")] = None
    names: Annotated[Names | None, Query(alias="name", description="Said under this name.")] = None
    session_ids: Annotated[Names | None, Query(alias="sessionId", description="Of this conversation.")] = None
    pinned: Annotated[bool | None, Query(description="Only pinned ones, or only those that are not.")] = None
    archived: Annotated[bool | None, Query(description="Only archived ones, or only the others.")] = None
    since: Annotated[Utc | None, Query(description="Sent at this time or later.")] = None
    until: Annotated[Utc | None, Query(description="Sent before this time.")] = None


@router.get(
    "",
    summary="List messages",
    response_description="The messages, and how many there are in all.",
    responses=problems(),
)
async def list_all_messages(
    space: ReadSpace,
    chosen: Annotated[ChosenMessages, Depends()],
    secrets: Secrets,
    original: Original = False,
    limit: Limit = 50,
    cursor: Annotated[
        Cursor | None, Query(description="The `nextCursor` of the piece before, with the same filters.")
    ] = None,
) -> MessageList:
    """Messages of all conversations, newest first. A filter given several times matches any of its values."""
    return await space.messages.list(
        **asdict(chosen), limit=limit, cursor=cursor, original=original, secrets=secrets
    )


@router.post(
    "/search",
    summary="Search the messages",
    response_description="The messages that answer, and summaries where they are too few.",
    responses=problems(body=True),
)
async def search_messages(
    wanted: MessageSearch, space: ReadSpace, asking: Asking, http: Request
) -> MessageResults:
    """Messages that answer a query, best first; with summaries, where they are too few, newest first.

    Without a query, what was said in the time from `since` to `until`. `secrets` needs a key that may write
    in the space.
    """
    if wanted.secrets:
        asking.require_writing(space)
    return await in_turn(http, lambda: space.messages.search(**wanted.model_dump(exclude_unset=True)))


@router.get(
    "/{id:path}", summary="Get a message", response_description="The message.", responses=problems(404)
)
async def get_message(
    message_id: MessageId, space: ReadSpace, secrets: Secrets, original: Original = False
) -> MessageDetail:
    """One message by its id, and how the index keeps it. It counts as a use of the message."""
    return await space.messages.get(message_id, original=original, secrets=secrets)


@router.patch(
    "/{id:path}",
    summary="Change a message",
    response_description="The message as it is now.",
    responses=problems(404, body=True),
)
async def change_message(message_id: MessageId, change: MessageChange, space: WriteSpace) -> Message:
    """Change who said it, what it is worth, whether it is pinned or archived; the rest stays.

    What was taken from it is read again when somebody else said it.
    """
    return await space.messages.update(message_id, **change.model_dump(exclude_unset=True))


@router.post(
    "/{id:path}/pin",
    summary="Pin a message",
    response_description="The message, pinned.",
    responses=problems(404),
)
async def pin_message(message_id: MessageId, space: WriteSpace) -> Message:
    """Pin a message, so that it ranks higher and is never archived by itself."""
    return await space.messages.pin(message_id)


@router.delete(
    "/{id:path}/pin",
    summary="Unpin a message",
    response_description="The message, no longer pinned.",
    responses=problems(404),
)
async def unpin_message(message_id: MessageId, space: WriteSpace) -> Message:
    """Let a message rank and age like others again."""
    return await space.messages.pin(message_id, pinned=False)


@router.post(
    "/{id:path}/archive",
    summary="Archive a message",
    response_description="The message, archived.",
    responses=problems(404),
)
async def archive_message(message_id: MessageId, space: WriteSpace) -> Message:
    """Keep a message, and let no recall find it any more."""
    return await space.messages.archive(message_id)


@router.delete(
    "/{id:path}/archive",
    summary="Unarchive a message",
    response_description="The message, no longer archived.",
    responses=problems(404),
)
async def unarchive_message(message_id: MessageId, space: WriteSpace) -> Message:
    """Let a message be found again."""
    return await space.messages.archive(message_id, archived=False)


@router.delete(
    "/{id:path}",
    summary="Forget a message",
    response_description="What the message was.",
    responses=problems(404),
)
async def forget_message(
    message_id: MessageId,
    space: WriteSpace,
    reason: Annotated[Title | None, Query(description="Why, for the journal.")] = None,
) -> Message:
    """Delete a message, and what was taken from it alone; the journal keeps what it was."""
    return (await space.messages.forget(message_id, reason=reason))[0]
