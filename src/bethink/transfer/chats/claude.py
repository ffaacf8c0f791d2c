"""Claude's export: conversations.json, or the zip archive with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bethink.records import Json
from bethink.shapes.inputs import SpeakerRole
from bethink.transfer.chats.listed import each_conversation
from bethink.transfer.chats.said import (
    Conversation,
    Said,
    as_objects,
    clean,
    filled,
    from_iso,
    id_of,
    paragraphs,
    short,
)
from bethink.transfer.chats.sources import Source

PLATFORM = "claude"
TEXT_CHARS = 20_000  # of an attached text that are kept with the message
_ROLES: dict[str, SpeakerRole] = {"human": "user", "user": "user", "assistant": "assistant"}


def read(source: Source) -> Iterator[Said]:
    """The messages of every conversation, in order."""
    for number, values in each_conversation(source, "chat_messages"):
        messages = values["chat_messages"]
        if not isinstance(messages, list) or not all(isinstance(item, dict) for item in messages):
            raise source.refused(f"conversation {number}", "chat_messages: must be a list of objects.")
        where = Conversation(id_of(str(values.get("uuid") or number)), title=short(values.get("name")))
        for message in _branch(messages):
            if said := _message(source, where, values, message):
                yield said


def _branch(messages: Sequence[Json]) -> Sequence[Json]:
    """The messages that lead to the last one. Older exports know no branches: there all of them count."""
    by_id = {str(message.get("uuid")): message for message in messages}
    if not messages or not all(message.get("parent_message_uuid") for message in messages):
        return messages
    branch: list[Json] = []
    message: Json | None = max(messages, key=lambda item: str(item.get("created_at")))
    while message is not None and len(branch) < len(messages):
        branch.append(message)
        message = by_id.get(str(message["parent_message_uuid"]))
    return branch[::-1]


def _message(source: Source, where: Conversation, values: Json, message: Json) -> Said | None:
    role = _ROLES.get(str(message.get("sender")))
    blocks = as_objects(message.get("content"))
    texts = [clean(block["text"]) for block in blocks if _is_text(block)]
    text = paragraphs(texts) or clean(str(message.get("text") or "")).strip()
    attachments = [_attachment(item) for item in _files(message)]
    at = from_iso(message.get("created_at")) or from_iso(values.get("created_at"))
    if role is None or at is None:
        source.left_out["messages without a sender or a time left out"] += 1
        return None
    if not text and not attachments:
        source.left_out["messages without content left out"] += 1
        return None
    tools = [short(block.get("name")) for block in blocks if block.get("type") == "tool_use"]
    return Said(
        conversation=where,
        id=id_of(where.id, str(message.get("uuid"))),
        at=at,
        content=text,
        role=role,
        attachments=attachments,
        metadata=filled(tools=[tool for tool in tools if tool]),
    )


def _is_text(block: Json) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _files(message: Json) -> Iterator[Json]:
    for name in ("attachments", "files", "files_v2"):
        yield from as_objects(message.get(name))


def _attachment(item: Json) -> Json:
    name = item.get("file_name") or item.get("name")
    return filled(
        id=item.get("id") or item.get("file_uuid"),
        name=name,
        type=item.get("file_type") or item.get("file_kind"),
        size=item.get("file_size"),
        text=str(item.get("extracted_content") or "")[:TEXT_CHARS],
    )
