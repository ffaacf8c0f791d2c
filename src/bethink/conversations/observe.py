"""Take in messages: durable first, in the order of their session, each only once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bethink.clock import new_id
from bethink.conversations.repeats import repeated
from bethink.conversations.summarised import release
from bethink.conversations.withdraw import withdraw
from bethink.errors import Conflict
from bethink.index.describe import Style
from bethink.index.messages import index_messages
from bethink.memories.remember import check_persons
from bethink.records import JournalEntry, Message, Space
from bethink.shapes.inputs import TOOL_FIELDS, MessageDraft
from bethink.shapes.outcomes import Observed, Outcome, Status
from bethink.store import Tx, journal, messages, sessions
from bethink.store.journal import note, values_of

SAID_AGAIN = "the session has it in this place already; an id or a time tells equal messages apart"
EDITABLE = {"content", "attachments", "metadata"}  # what an edit of a message replaces


def observe(
    tx: Tx,
    space: Space,
    session_id: str,
    drafts: Sequence[MessageDraft],
    now: datetime,
    actor: str,
    style: Style,
) -> Observed:
    """Store the messages of a session. One already known by its external id is a duplicate, or an edit; those
    without ids that say again what the session ends with are duplicates."""
    check_persons(tx, space, {draft.person_id for draft in drafts if draft.person_id})
    session = sessions.ensure(tx, space.id, session_id, drafts[0].platform if drafts else "chat", now)
    known = _known(tx, space, session_id, drafts)
    again = repeated(tx, space, session_id, drafts)
    gone = journal.withdrawn(tx, space.id, session_id)
    position = first = messages.last_position(tx, space.id, session_id) + 1
    added: list[Message] = []
    edited: dict[str, Message] = {}
    outcomes: list[Outcome] = []
    for place, draft in enumerate(drafts):
        name = (draft.platform, draft.external_id)
        if draft.external_id and (found := known.get(name)):
            outcomes.append(_again(draft, found, edited))
            known[name] = edited.get(found.id, found)
            continue
        if place in again:
            outcomes.append(Outcome(status=Status.DUPLICATE, id=again[place].id, reason=SAID_AGAIN))
            continue
        message = _new(space, session_id, draft, position, now)
        position += 1
        added.append(message)
        if draft.external_id:
            known[name] = message
        outcomes.append(Outcome(status=Status.STORED, id=message.id))
    messages.add(tx, added)
    for message in edited.values():
        edit(tx, space, message, now, actor, style)
    spans = [(first, position - 1)] if added else []
    spans += [(message.position, message.position) for message in edited.values()]
    index_messages(tx, space, session_id, spans, style)
    if added:
        sessions.touch(tx, space.id, session_id, max(message.sent_at for message in added))
        told = {"messages": len(added), "first_position": first, "last_position": position - 1}
        journal.add(tx, [note(space, now, actor, "observed", session, after=told)])
    return Observed(session_id=session_id, outcomes=outcomes, withdrawn=gone)


def _known(
    tx: Tx, space: Space, session_id: str, drafts: Sequence[MessageDraft]
) -> dict[tuple[str, str | None], Message]:
    known: dict[tuple[str, str | None], Message] = {}
    for platform in {draft.platform for draft in drafts if draft.external_id}:
        ids = [draft.external_id for draft in drafts if draft.external_id and draft.platform == platform]
        for external_id, message in messages.by_external_ids(tx, space.id, platform, ids).items():
            if message.session_id != session_id:
                raise Conflict(
                    f"The message id {external_id!r} of platform {platform!r} already belongs to session "
                    f"{message.session_id!r}: ids must be unique on their platform. Nothing was stored.",
                    field="messages.id",
                )
            known[platform, external_id] = message
    return known


def _again(draft: MessageDraft, found: Message, edited: dict[str, Message]) -> Outcome:
    """A message whose id is known: the same, or another text in its place."""
    if draft.content == found.content:
        return Outcome(status=Status.DUPLICATE, id=found.id, reason=f"the id {draft.external_id!r} was known")
    update = {
        "content": draft.content,
        "attachments": draft.attachments,
        "metadata": found.metadata | draft.metadata,
    }
    edited[found.id] = found.model_copy(update=update)
    return Outcome(status=Status.MERGED, id=found.id, reason="the text of a known message was replaced")


def edit(
    tx: Tx,
    space: Space,
    message: Message,
    now: datetime,
    actor: str,
    style: Style,
    *,
    reason: str | None = None,
) -> JournalEntry:
    """Let a message say something else: what was read from it is taken back, and it is to be read again."""
    before = messages.by_ids(tx, space.id, [message.id])[message.id]
    messages.replace_content(tx, message)
    replaced, by = values_of(before, EDITABLE), values_of(message, EDITABLE)
    line = note(space, now, actor, "edited", message, reason=reason, before=replaced, after=by)
    journal.add(tx, [line])
    withdraw(tx, space, message, now, actor)
    release(tx, space, [message], style)
    return line


def _new(space: Space, session_id: str, draft: MessageDraft, position: int, now: datetime) -> Message:
    fields = {name: getattr(draft, name) for name in type(draft).model_fields if name not in TOOL_FIELDS}
    sent_at = draft.sent_at or now
    offset = _offset_in(space.timezone, sent_at) if draft.sent_offset is None else draft.sent_offset
    fields |= {"sent_at": sent_at, "sent_offset": offset, "created_at": now}
    return Message(id=new_id(), space_id=space.id, session_id=session_id, position=position, **fields)


def _offset_in(zone: str, at: datetime) -> int:
    """Minutes ahead of UTC at a place: what counts where a message does not tell of its sender's clock."""
    try:
        offset = at.astimezone(ZoneInfo(zone)).utcoffset()
    except (OverflowError, ZoneInfoNotFoundError):  # the end of time, or a machine without timezones
        return 0
    return int(offset.total_seconds() // 60) if offset else 0
