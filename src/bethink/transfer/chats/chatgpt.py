"""ChatGPT's export: conversations.json, or the zip archive with it.

A conversation is a tree, for a question that was edited or an answer made anew opens a branch. What counts is
the branch that was last on the screen: from `current_node` up to the root.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bethink.records import Json
from bethink.shapes.inputs import SpeakerRole
from bethink.transfer.chats.listed import each_conversation
from bethink.transfer.chats.said import (
    Conversation,
    Said,
    as_object,
    as_objects,
    clean,
    filled,
    from_epoch,
    id_of,
    paragraphs,
    short,
)
from bethink.transfer.chats.sources import Source

PLATFORM = "chatgpt"
_ROLES: dict[str, SpeakerRole] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
}
# What the model thought, and what was put before it unseen: nobody said it in the conversation.
_UNSAID = {"thoughts", "reasoning_recap", "model_editable_context", "user_editable_context"}


def read(source: Source) -> Iterator[Said]:
    """The messages of every conversation, in order."""
    for number, values in each_conversation(source, "mapping"):
        mapping = values.get("mapping")
        if not isinstance(mapping, dict):
            raise source.refused(f"conversation {number}", "mapping: must be an object.")
        yield from _conversation(source, values, mapping)


def _conversation(source: Source, values: Json, mapping: Mapping[str, Any]) -> Iterator[Said]:
    branch = _branch(mapping, values.get("current_node"))
    first = branch[0] if branch else ""
    id_ = values.get("conversation_id") or values.get("id") or first
    where = Conversation(id_of(str(id_)), title=short(values.get("title")))
    at = from_epoch(values.get("create_time"))
    for node_id in branch:
        message = mapping[node_id].get("message")
        if not isinstance(message, dict):
            continue  # the root of the tree
        at = from_epoch(message.get("create_time")) or at or from_epoch(values.get("update_time"))
        if said := _message(source, where, node_id, message, at):
            yield said


def _branch(mapping: Mapping[str, Any], current: Any) -> list[str]:
    """The ids of the nodes from the root down to the current one."""
    node_id: Any = current if isinstance(current, str) and current in mapping else _latest_leaf(mapping)
    branch: dict[str, None] = {}
    while isinstance(node_id, str) and node_id not in branch and isinstance(mapping.get(node_id), dict):
        branch[node_id] = None
        node_id = mapping[node_id].get("parent")
    return list(branch)[::-1]


def _latest_leaf(mapping: Mapping[str, Any]) -> str | None:
    """Where the newest message without one below it stands."""

    def time_of(node_id: str) -> float:
        message = mapping[node_id].get("message")
        at = from_epoch(message.get("create_time")) if isinstance(message, dict) else None
        return at.timestamp() if at else 0.0

    nodes = {node_id: node for node_id, node in mapping.items() if isinstance(node, dict)}
    return max(
        (node_id for node_id, node in nodes.items() if not node.get("children")), key=time_of, default=None
    )


def _message(
    source: Source, where: Conversation, node_id: str, message: Json, at: datetime | None
) -> Said | None:
    author, about = as_object(message.get("author")), as_object(message.get("metadata"))
    content = as_object(message.get("content"))
    role = _ROLES.get(str(author.get("role")))
    kind = str(content.get("content_type"))
    hidden = message.get("weight") == 0 or about.get("is_visually_hidden_from_conversation")
    if role is None or hidden or kind in _UNSAID:
        source.left_out["hidden messages left out"] += 1
        return None
    text, attachments = _content(content)
    attachments += [
        filled(id=item.get("id"), name=item.get("name"), type=item.get("mimeType") or item.get("mime_type"),
               size=item.get("size"))
        for item in as_objects(about.get("attachments"))
    ]  # fmt: skip
    if not text and not attachments:
        source.left_out["messages without content left out"] += 1
        return None
    if at is None:
        source.left_out["messages without a time left out"] += 1
        return None
    recipient = message.get("recipient")
    return Said(
        conversation=where,
        id=id_of(where.id, str(message.get("id") or node_id)),
        at=at,
        content=text,
        role=role,
        name=short(author.get("name")) if role == "tool" else None,
        attachments=attachments,
        metadata=filled(
            model=about.get("model_slug"),
            recipient=recipient if recipient != "all" else None,
            content_type=kind if kind not in ("text", "multimodal_text") else None,
        ),
    )


def _content(content: Json) -> tuple[str, list[Json]]:
    """The words of a message, and what is no words."""
    texts, attachments = [], []
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, str):
            texts.append(clean(part))
        elif isinstance(part, dict):
            if isinstance(part.get("text"), str):
                texts.append(clean(part["text"]))  # what was heard in a recording
            elif pointer := _pointer(part):
                attachments.append(pointer)
    texts += [clean(content[name]) for name in ("text", "result") if isinstance(content.get(name), str)]
    return paragraphs(texts), attachments


def _pointer(part: Json) -> Json:
    """A picture or a recording, by its place in the archive."""
    inner = as_object(part.get("audio_asset_pointer")) or part
    if not inner.get("asset_pointer"):
        return {}
    kind = str(part.get("content_type") or "file").removesuffix("_asset_pointer")
    sizes = {name: inner.get(name) for name in ("width", "height")}
    return filled(id=inner["asset_pointer"], type=kind, size=inner.get("size_bytes"), **sizes)
