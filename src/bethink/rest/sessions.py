"""/api/sessions: conversations and their messages."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from bethink.memory import FARTHEST
from bethink.records import Record, Session
from bethink.rest.callers import ReadSpace, Secrets, WriteSpace
from bethink.rest.pages import Limit, MessagePage, SessionList
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name
from bethink.shapes.inputs import MessageDraft, SessionDraft
from bethink.shapes.outcomes import Observed, Status

SessionId = Annotated[Name, Path(alias="id", description="The conversation's name, percent-encoded.")]

router = APIRouter(prefix="/api/sessions", tags=["sessions"], route_class=KeyRoute)


class Conversation(Record):
    """Messages of one conversation, in order."""

    messages: list[MessageDraft] = Field(min_length=1)


@router.get("", summary="List conversations", response_description="The conversations.", responses=problems())
async def list_sessions(space: ReadSpace, limit: Limit = 50) -> SessionList:
    """Conversations, the most recently active first."""
    return SessionList(items=await space.sessions(limit))


class NewSession(SessionDraft):
    """A conversation to begin."""

    id: Name | None = Field(None, description="What to call it; a name is made when left out.")


@router.post(
    "",
    status_code=201,
    summary="Begin a conversation",
    response_description="The conversation.",
    responses=problems(body=True),
)
async def begin_session(draft: NewSession, space: WriteSpace, response: Response) -> Session:
    """Begin a conversation, or change what is told of the one of this name; what is left out stays."""
    fields = draft.model_dump(exclude_unset=True, exclude={"id"})
    session = await space.begin(draft.id, **fields)
    response.headers["location"] = f"/api/sessions/{quote(session.id)}/messages"
    return session


# A conversation is known by the name its caller gave it, which may hold slashes: hence `path`.
@router.post(
    "/{id:path}/messages",
    status_code=201,
    summary="Take in messages",
    response_description="What happened to each message; at least one was stored.",
    responses=problems(409, body=True)
    | {200: {"model": Observed, "description": "None was new: each was known, or edited in its place."}},
)
async def observe(
    session_id: SessionId, conversation: Conversation, space: WriteSpace, response: Response
) -> Observed:
    """Take in messages. They are durable when this answers; the same call twice stores them once."""
    seen = await space.observe(session_id, conversation.messages)
    if all(outcome.status is not Status.STORED for outcome in seen.outcomes):
        response.status_code = 200
    return seen


@router.get(
    "/{id:path}/messages",
    summary="Read a conversation",
    response_description="The messages, in order.",
    responses=problems(),
)
async def list_messages(
    session_id: SessionId,
    space: ReadSpace,
    secrets: Secrets,
    after: Annotated[int, Query(ge=0, le=FARTHEST, description="Begin after this position.")] = 0,
    limit: Limit = 100,
) -> MessagePage:
    """The messages of a conversation in order; none for a conversation that is not known."""
    found = await space.messages.of(session_id, after=after, limit=limit, secrets=secrets)
    return MessagePage(items=found, next_after=found[-1].position if len(found) == limit else None)
