"""Sessions, their messages, and contexts, as the rest of the system has to know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from bethink.contracts import Archived, Indexed, Line, Noun, Reference, Taking
from bethink.conversations.contexts import detach_everywhere
from bethink.conversations.summarised import fresh
from bethink.conversations.undo import (
    remove_context_again,
    restore_context,
    restore_message,
    restore_units,
    revert_context,
    revert_details,
    revert_message,
    revert_session,
    take_away_again,
)
from bethink.index.describe import embedded_message, message_entry
from bethink.index.messages import index_around, index_messages
from bethink.journal.ways import NEW
from bethink.records import Context, Message, Session, Space
from bethink.shapes.inputs import SpeakerRole
from bethink.store import Tx, contexts, messages, sessions

_ROLES = get_args(SpeakerRole)


def _damaged_context(id_: str, space: Space) -> Context:
    """What takes the place of a damaged record, so that what belongs to it can be imported."""
    return Context(
        id=id_,
        space_id=space.id,
        name=f"Damaged record {id_}",
        content="This text was damaged.",
        created_at=space.created_at,
        updated_at=space.created_at,
    )


def _take_contexts(taking: Taking, records: Sequence[Context]) -> int:
    known = contexts.by_ids(taking.tx, taking.space.id, [context.id for context in records])
    fresh = [context for context in records if context.id not in known]
    for context in fresh:
        contexts.add(taking.tx, context)
    return len(fresh)


def _erase_contexts(tx: Tx, space: Space, ids: Sequence[str]) -> None:
    for context_id in ids:
        detach_everywhere(tx, space, context_id)
        contexts.delete(tx, space.id, context_id)


CONTEXT = Noun(
    "context",
    Context,
    "contexts",
    archived=Archived(long=("content",), stand_in=_damaged_context, take=_take_contexts),
    texts=lambda context: (context.name, context.content),
    erase=_erase_contexts,
    ways={"updated": revert_context, "forgotten": restore_context, "restored": remove_context_again},
    final={"stored": NEW.format("remove it")},
)


def _take_sessions(taking: Taking, records: Sequence[Session]) -> int:
    tx, space, stored = taking.tx, taking.space, 0
    for session in records:
        if sessions.find(tx, space.id, session.id) is None:
            sessions.add(tx, session)
            stored += 1
        elif session.last_message_at:
            sessions.touch(tx, space.id, session.id, session.last_message_at)
    return stored


SESSION = Noun(
    "session",
    Session,
    "sessions",
    ids="space",
    references=(Reference("context_ids", "context"),),
    archived=Archived(
        long=("title",),
        stand_in=lambda id_, space: Session(id=id_, space_id=space.id, created_at=space.created_at),
        take=_take_sessions,
    ),
    traces=lambda session: (session.title,),
    ways={"updated": revert_session},
    final={
        "stored": NEW.format("erase the session"),
        "observed": "messages are what was said and replaced nothing; erase the session instead",
    },
)


def _texts(message: Message) -> list[Any]:
    said = [message.content, message.name, message.contact, message.channel]
    return [*said, message.attachments, message.metadata]


def _check_role(message: Message) -> tuple[str, str] | None:
    return None if message.role in _ROLES else ("role", f"must be one of {', '.join(_ROLES)}")


def _take_messages(taking: Taking, records: Sequence[Message]) -> int:
    tx, space = taking.tx, taking.space
    known = set(messages.by_ids(tx, space.id, [message.id for message in records]))
    by_platform: dict[str, set[str]] = {}
    for platform in {message.platform for message in records if message.external_id}:
        ids = [m.external_id for m in records if m.external_id and m.platform == platform]
        by_platform[platform] = set(messages.by_external_ids(tx, space.id, platform, ids))
    last: dict[str, int] = {}
    fresh: list[Message] = []
    for message in records:
        if message.session_id not in taking.mixed:
            taking.mixed[message.session_id] = messages.last_position(tx, space.id, message.session_id) > 0
        named = by_platform.get(message.platform, set())
        if message.id in known or message.external_id in named:
            continue
        session_id = message.session_id
        if session_id not in last:
            last[session_id] = messages.last_position(tx, space.id, session_id)
        position = max(message.position, last[session_id] + 1)
        last[session_id] = position
        taking.mixed[session_id] |= position != message.position
        fresh.append(message.model_copy(update={"position": position}))
        known.add(message.id)
        if message.external_id:
            named.add(message.external_id)
    messages.add(tx, fresh)
    for session_id in last:
        places = [message.position for message in fresh if message.session_id == session_id]
        index_messages(tx, space, session_id, [(min(places), max(places))], taking.style)
    return len(fresh)


def _relink(tx: Tx, message: Message) -> None:
    """The summary that a message was in is gone: it is found again, until it is summarised anew."""
    messages.mark(tx, [fresh(message)])


MESSAGE = Noun(
    "message",
    Message,
    "messages",
    attached=("units",),
    counted_as="messages",
    references=(
        Reference("session_id", "session", "about"),
        Reference("person_id", "person", "about"),
        Reference("summary_id"),
    ),
    indexed=Indexed(
        code=3,
        brief="briefs.messages",
        entry=lambda message, _, style: message_entry(message, [], style),
        embedded=embedded_message,
        line=lambda message, text: Line(text, message.person_id, message.name or message.role),
        index=index_around,
        count_access="messages.count_access",
        unless="archived_at",
    ),
    archived=Archived(
        query="archive.messages",
        order=("session_id", "position"),
        long=("content",),
        check=_check_role,
        take=_take_messages,
    ),
    texts=_texts,
    traces=lambda message: (message.content,),
    relink=_relink,
    ways={
        "edited": revert_message,
        "updated": revert_details,
        "forgotten": restore_message,
        "withdrawn": restore_units,
        "restored": take_away_again,
    },
)
