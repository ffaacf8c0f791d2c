"""iMessage: chat.db of a Mac's or an iPhone's Messages, or a zip archive with it and its chat.db-wal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from bethink.records import Json
from bethink.transfer.chats.databases import opened_database
from bethink.transfer.chats.said import (
    Conversation,
    Said,
    as_objects,
    clean,
    filled,
    from_epoch,
    id_of,
    short,
)
from bethink.transfer.chats.sources import Source

PLATFORM = "imessage"
_EPOCH = datetime(2001, 1, 1, tzinfo=UTC).timestamp()
_NANOSECONDS = 1_000_000_000_000  # a larger stamp counts these; before macOS 10.13 it counts seconds
_TEXT = b"NSString\x01"  # the class of the text in an archived NSAttributedString, and the class's version
_BYTES = b"\x84\x01+"  # says that bytes follow
_HIDDEN = str.maketrans("", "", "\ufffc\ufffd")  # the place of a file within a text


def read(source: Source) -> Iterator[Said]:
    """The messages of all conversations, oldest first."""
    with opened_database(source, PLATFORM) as database:
        for row in database.imessages():
            if said := _message(source, row):
                yield said


def _message(source: Source, row: Json) -> Said | None:
    at = _time(row["date"])
    if at is None or not isinstance(row["id"], str) or not row["id"]:
        source.left_out["messages without an id or a time left out"] += 1
        return None
    if 2000 <= _number(row["tapback"]) < 4000:
        source.left_out["reactions left out"] += 1
        return None
    if _number(row["item_type"]):
        source.left_out["lines about the chat itself left out"] += 1
        return None
    if _number(row["retracted"]):
        source.left_out["deleted messages left out"] += 1
        return None
    text, body = row["text"], row["body"]
    if not isinstance(text, str) or not text:
        text = text_of(body) if isinstance(body, bytes) else ""
        if text is None:
            source.left_out["messages whose text could not be made out left out"] += 1
            return None
    words = clean(text.translate(_HIDDEN)).strip()
    files = [filled(**item) for item in as_objects(json.loads(row["files"] or "[]"))]
    if not words and not files:
        source.left_out["messages without content left out"] += 1
        return None
    handle, mine = str(row["handle"] or ""), bool(row["is_from_me"])
    group = ";+;" in str(row["chat_id"])
    title = short(row["chat_name"]) or short(row["chat_identifier"])
    return Said(
        # The service a chat goes over changes (iMessage, SMS); whom it is with does not.
        conversation=Conversation(
            id_of(str(row["chat_identifier"] or row["chat_id"])),
            title=title,
            channel=title if group else None,
            contact=None if group else title,
        ),
        id=id_of(row["id"]),
        at=at,
        content=words,
        name=None if mine else short(handle),
        known_as=(handle,) if handle and not mine else (),
        is_me=mine,
        attachments=files,
        metadata=filled(
            service=row["service"], reply_to=row["reply_to"], edited=True if _number(row["edited"]) else None
        ),
    )


def text_of(body: bytes) -> str | None:
    """The text in an archived NSAttributedString ("typedstream"); None when it cannot be found.

    The text follows its class, as bytes with their length before them: one byte, or 0x81 and two, or 0x82
    and four.
    """
    start = body.find(_TEXT)
    mark = body.find(_BYTES, start, start + 40) if start >= 0 else -1
    if mark < 0:
        return None
    at = mark + len(_BYTES) + 1
    first = body[at - 1 : at]
    wide = {b"\x81": 2, b"\x82": 4}.get(first, 0)
    length = int.from_bytes(body[at : at + wide] if wide else first, "little")
    raw = body[at + wide : at + wide + length]
    if len(raw) < length:
        return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _time(stamp: Any) -> datetime | None:
    if not isinstance(stamp, int | float) or stamp <= 0:
        return None
    return from_epoch(_EPOCH + (stamp / 1_000_000_000 if stamp > _NANOSECONDS else stamp))


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
