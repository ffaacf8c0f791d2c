"""Change and forget single messages: who said them, whether they are pinned or archived."""

from __future__ import annotations

from datetime import datetime

from bethink.conversations.summarised import release
from bethink.conversations.withdraw import take_back, withdraw
from bethink.errors import NotFound
from bethink.index.describe import Style
from bethink.index.messages import index_around
from bethink.memories.remember import check_persons
from bethink.records import Layer, Message, Space
from bethink.shapes.fields import is_storable
from bethink.shapes.inputs import MessageChange
from bethink.shapes.outcomes import MessageDetail, MessageList
from bethink.shapes.rights import cursor_of
from bethink.store import Tx, entries, journal, messages
from bethink.store.filters import MessageFilter
from bethink.store.journal import note, values_of
from bethink.store.rows import micros, moment

MUTABLE = {"person_id", "name", "importance", "pinned", "archived_at"}
ATTRIBUTION = {"person_id", "name"}
SHORT_CHARS = 160  # of an archived message, unless the original is asked for


def get(tx: Tx, space: Space, message_id: str) -> Message:
    """The message of this id; `NotFound` when there is none in the space."""
    found = messages.by_ids(tx, space.id, [message_id]) if is_storable(message_id) else {}
    if message_id not in found:
        raise NotFound(f"There is no message {message_id!r} in this space.", field="id")
    return found[message_id]


def detail(tx: Tx, space: Space, message_id: str, *, original: bool) -> MessageDetail:
    """A message with what the index keeps of it."""
    found = get(tx, space, message_id)
    row = entries.of_record(tx, space.id, Layer.MESSAGE, message_id)
    told: dict[str, object] = {"embedding_content_hash": row["fingerprint"]} if row else {}
    if row and row["signature"]:
        source, _, rest = row["signature"].partition(":")
        model, _, dimensions = rest.rpartition(":")
        told |= {"embedding_model": f"{source}:{model}", "embedding_dimensions": int(dimensions)}
        told["embedding_updated_at"] = moment(row["embedded_at"]) if row["embedded_at"] else None
    shown = found if original else in_short(found)
    return MessageDetail.made(**shown.__dict__, **told)


def list_page(
    tx: Tx, space_id: str, wanted: MessageFilter, limit: int, before: tuple[int, str] | None, original: bool
) -> MessageList:
    """A piece of the messages that a filter chooses, newest first."""
    found = messages.page(tx, space_id, wanted, limit + 1, before)
    items = found[:limit]
    last = items[-1] if len(found) > limit else None
    return MessageList(
        items=items if original else [in_short(message) for message in items],
        total=messages.count(tx, space_id, wanted),
        next_cursor=cursor_of(micros(last.sent_at), last.id) if last else None,
    )


def in_short(message: Message) -> Message:
    """A message as it is listed: an archived one says only how it begins."""
    if message.archived_at is None or len(message.content) <= SHORT_CHARS:
        return message
    return message.model_copy(update={"content": message.content[: SHORT_CHARS - 1].rstrip() + "…"})


def change(
    tx: Tx, space: Space, message_id: str, asked: MessageChange, now: datetime, actor: str, style: Style
) -> Message:
    """Lay the fields that are set over a message. Where another person said it, it is read again."""
    found = get(tx, space, message_id)
    values = {name: getattr(asked, name) for name in asked.model_fields_set}
    if (archived := values.pop("archived", None)) is not None and archived != bool(found.archived_at):
        values["archived_at"] = now if archived else None
    changed = {name for name, value in values.items() if getattr(found, name) != value}
    if not changed:
        return found
    check_persons(tx, space, {values["person_id"]} if values.get("person_id") else set())
    message = found.model_copy(update=values)
    messages.mark(tx, [message])
    before, after = values_of(found, changed), values_of(message, changed)
    journal.add(tx, [note(space, now, actor, "updated", message, before=before, after=after)])
    if changed & ATTRIBUTION:
        withdraw(tx, space, message, now, actor)
        release(tx, space, [message], style)
    index_around(tx, space, [message], style)
    return message


def forget(
    tx: Tx, space: Space, message_id: str, now: datetime, actor: str, style: Style, *, reason: str | None
) -> Message:
    """Delete a message, and what was taken from it alone. The journal keeps what it was."""
    found = get(tx, space, message_id)
    take_back(tx, space, found, now, actor)
    release(tx, space, [found], style)
    entries.remove(tx, space, Layer.MESSAGE, [found.id])
    messages.delete(tx, space.id, found.id)
    journal.add(tx, [note(space, now, actor, "forgotten", found, reason=reason, before=values_of(found))])
    index_around(tx, space, [found], style)
    return found
