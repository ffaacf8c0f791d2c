"""Matrix, as Element exports a room in JSON: the events of its timeline, newer ones telling of older ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bethink.records import Json
from bethink.transfer.chats.said import (
    Conversation,
    Said,
    as_object,
    clean,
    filled,
    from_epoch,
    id_of,
    short,
)
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.walk import Walker

PLATFORM = "matrix"
_FILES = {"m.image": "image", "m.video": "video", "m.audio": "audio", "m.file": "file"}


@dataclass
class Room:
    """What the events say of the room and of each other."""

    name: str | None = None
    exported_by: str | None = None
    names: dict[str, str] = field(default_factory=dict)  # of people, by their ids
    edits: dict[str, tuple[datetime, str]] = field(default_factory=dict)  # the last text of an event
    seen: bool = False


def read(source: Source) -> Iterator[Said]:
    """The messages of each room, in the order of its timeline."""
    files = [name for name in source.members if name.endswith(".json")] if source.is_zip else [None]
    if not files:
        raise source.refused("the archive", "holds no export of a room in JSON.")
    for member in files:
        room = Room()
        for event in _events(source, member, room):
            _learn(room, event)
        me = {user for user, name in room.names.items() if room.exported_by in (name, user)}
        for event in _events(source, member, Room()):
            if said := _message(source, room, event):
                said.is_me = len(me) == 1 and event.get("sender") in me
                yield said


def _events(source: Source, member: str | None, room: Room) -> Iterator[Json]:
    with source.opened(member) as stream:
        walker = Walker(stream, source, member)
        if walker.kind() != "{":
            raise walker.refused("must be an object with messages.")
        for name in walker.names():
            if name == "messages" and walker.kind() == "[":
                room.seen = True
                for _ in walker.items():
                    yield as_object(walker.load())
            elif name == "room_name":
                room.name = short(walker.load())
            elif name == "exported_by":
                room.exported_by = short(walker.load())
            else:
                walker.skip()
        walker.finish()
        if not room.seen:
            raise walker.refused("messages: must be there; this is no export of Element.")


def _learn(room: Room, event: Json) -> None:
    content, sender = as_object(event.get("content")), str(event.get("sender"))
    is_own = event.get("type") == "m.room.member" and event.get("state_key") == sender
    if is_own and (name := short(content.get("displayname"))):
        room.names[sender] = name
    room.names.setdefault(sender, sender)
    at, target = _time(event), _replaced(content)
    if at and target and (text := _text(as_object(content.get("m.new_content")))):
        key = f"{sender} {target}"  # only who wrote a message can edit it
        if key not in room.edits or room.edits[key][0] <= at:
            room.edits[key] = (at, text)


def _message(source: Source, room: Room, event: Json) -> Said | None:
    content, sender, at = as_object(event.get("content")), str(event.get("sender")), _time(event)
    kind, id_ = event.get("type"), event.get("event_id")
    if kind == "m.room.encrypted":
        source.left_out["messages that the export could not decrypt left out"] += 1
        return None
    if kind not in ("m.room.message", "m.sticker"):
        source.left_out["lines about the chat itself left out"] += 1
        return None
    if _replaced(content):
        return None  # its text stands in the message that it replaces
    if at is None or not isinstance(id_, str):
        source.left_out["messages without an id or a time left out"] += 1
        return None
    edited = room.edits.get(f"{sender} {id_}")
    type_ = str(content.get("msgtype"))
    name = content.get("filename") or content.get("body")
    size = as_object(content.get("info")).get("size")
    is_file = type_ in _FILES or kind == "m.sticker"
    attachments = [filled(type=_FILES.get(type_, "sticker"), name=name, size=size)] if is_file else []
    text = edited[1] if edited else _text(content)
    if attachments and content.get("filename", content.get("body")) == content.get("body"):
        text = ""  # the name of the file again; else it is a caption
    if not text and not attachments:
        source.left_out["deleted messages and messages without content left out"] += 1
        return None
    room_id = str(event.get("room_id") or room.name or "room")
    relation = as_object(content.get("m.relates_to"))
    return Said(
        conversation=Conversation(id_of(room_id), title=room.name, channel=room.name),
        id=id_of(id_),
        at=at,
        content=text,
        role="assistant" if type_ == "m.notice" else None,  # what bots are told to use
        name=short(room.names.get(sender, sender)),
        known_as=(sender,),
        bot_id=id_of(sender) if type_ == "m.notice" else None,
        attachments=attachments,
        metadata=filled(
            reply_to=as_object(relation.get("m.in_reply_to")).get("event_id"),
            thread=relation.get("event_id") if relation.get("rel_type") == "m.thread" else None,
            edited_at=edited[0].isoformat() if edited else None,
        ),
    )


def _replaced(content: Json) -> str | None:
    relation = as_object(content.get("m.relates_to"))
    target = relation.get("event_id")
    return target if relation.get("rel_type") == "m.replace" and isinstance(target, str) else None


def _time(event: Json) -> datetime | None:
    stamp: Any = event.get("origin_server_ts")
    return from_epoch(stamp / 1000) if isinstance(stamp, int) and stamp is not True else None


def _text(content: Json) -> str:
    """The words of a message, without the lines that quote what it answers."""
    body = content.get("body")
    text = clean(body) if isinstance(body, str) else ""
    if as_object(content.get("m.relates_to")).get("m.in_reply_to") and text.startswith("> "):
        quoted, gap, own = text.partition("\n\n")
        text = own if gap and all(line.startswith(">") for line in quoted.split("\n")) else text
    return text.strip()
