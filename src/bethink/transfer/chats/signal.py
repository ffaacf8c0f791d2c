"""Signal: "export chat history" of its desktop app (main.jsonl, or its zip archive), and the database that
signal-backup-decode or signalbackup-tools makes of an Android backup.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bethink.records import Json
from bethink.store.outside import is_database
from bethink.transfer.chats.databases import database_in, opened_database
from bethink.transfer.chats.jsonl import each_object
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

PLATFORM = "signal"
_KINDS, _SENT, _RECEIVED = 0x1F, range(21, 27), 20
# Group changes, people who left, timers, key changes and ended sessions.
_ABOUT_THE_CHAT = 0x10000 | 0x20000 | 0x40000 | 0x8000 | 0x400000


@dataclass
class Export:
    """Who and what the messages of main.jsonl refer to, by the numbers that this one export gave them."""

    people: dict[str, Json] = field(default_factory=dict)
    chats: dict[str, str] = field(default_factory=dict)  # the recipient of each chat
    owner: str | None = None


def read(source: Source) -> Iterator[Said]:
    """The messages of all chats, in order."""
    member = lines_file(source)
    if database_in(source) if source.is_zip and not member else is_database(source.start(member)):
        with opened_database(source, PLATFORM) as database:
            for row in database.signal_messages():
                if said := _of_database(source, row):
                    yield said
        return
    if source.is_zip and not member:
        raise source.refused("the archive", "has neither main.jsonl nor a database.")
    yield from _lines(source, member)


def lines_file(source: Source) -> str | None:
    """main.jsonl of an archive."""
    return next((name for name in source.members if f"/{name}".endswith("/main.jsonl")), None)


def is_signal(first: Any) -> bool:
    """Whether the first line of a file is that of Signal's export."""
    return isinstance(first, dict) and "version" in first and "backupTimeMs" in first


def _lines(source: Source, member: str | None) -> Iterator[Said]:
    known, seen = Export(), False
    for number, frame in each_object(source, member):
        if number == 1 and not is_signal(frame):
            raise source.refused("line 1", "does not begin an export of Signal.")
        seen = True
        if "account" in frame:
            account = as_object(frame["account"])
            known.owner = _joined(account, "givenName", "familyName") or short(account.get("username"))
        elif "recipient" in frame:
            person = as_object(frame["recipient"])
            known.people[str(person.get("id"))] = person
        elif "chat" in frame:
            chat = as_object(frame["chat"])
            known.chats[str(chat.get("id"))] = str(chat.get("recipientId"))
        elif "chatItem" in frame and (said := _of_export(source, known, as_object(frame["chatItem"]))):
            yield said
    if not seen:
        raise source.refused("line 1", "there is none; this is no export of Signal.")


def _of_export(source: Source, known: Export, item: Json) -> Said | None:
    at = _time(item.get("dateSent"))
    message, sticker = as_object(item.get("standardMessage")), as_object(item.get("stickerMessage"))
    if at is None:
        source.left_out["messages without a time left out"] += 1
        return None
    if not (message or sticker):
        source.left_out["deleted messages and lines about the chat itself left out"] += 1
        return None
    text = as_object(message.get("text")).get("body") or as_object(message.get("longText")).get("body")
    files = [
        filled(name=short(pointer.get("fileName")), type=pointer.get("contentType") or "file",
               size=as_object(pointer.get("locatorInfo")).get("size"))
        for one in as_objects(message.get("attachments"))
        for pointer in (as_object(one.get("pointer")),)
    ]  # fmt: skip
    if sticker:
        files.append(filled(type="sticker", name=short(as_object(sticker.get("sticker")).get("emoji"))))
    words = clean(text).strip() if isinstance(text, str) else ""
    if not words and not files:
        source.left_out["messages without content left out"] += 1
        return None
    recipient = known.people.get(known.chats.get(str(item.get("chatId")), ""), {})
    author = known.people.get(str(item.get("authorId")), {})
    mine = "outgoing" in item or "self" in author
    group, contact = as_object(recipient.get("group")), as_object(author.get("contact"))
    title = _name(recipient, known.owner)
    chat, key = _key(recipient), "self" if mine else _key(author)
    quote = as_object(message.get("quote"))
    return Said(
        conversation=Conversation(
            id_of(chat), title=title, channel=title if group else None, contact=None if group else title
        ),
        id=id_of(chat, key, str(item.get("dateSent"))),
        at=at,
        content=words,
        name=known.owner if mine else _name(author, known.owner),
        known_as=tuple(str(contact[name]) for name in ("e164", "username", "aci") if contact.get(name)),
        is_me=mine,
        attachments=files,
        metadata=filled(
            reply_to_at=quote.get("targetSentTimestamp"), edited=True if item.get("revisions") else None
        ),
    )


def _key(person: Json) -> str:
    """What stays the same of a person or group from one export to the next, unlike its number."""
    if "self" in person:
        return "self"
    contact, group = as_object(person.get("contact")), as_object(person.get("group"))
    for value in (contact.get("aci"), contact.get("e164"), contact.get("pni"), group.get("masterKey")):
        if value:
            return str(value)
    return str(person.get("id") or "unknown")


def _name(person: Json, owner: str | None) -> str | None:
    contact = as_object(person.get("contact"))
    title = as_object(as_object(as_object(person.get("group")).get("snapshot")).get("title")).get("title")
    names = (
        short(title),
        _joined(as_object(contact.get("nickname")), "given", "family"),
        _joined(contact, "systemGivenName", "systemFamilyName"),
        _joined(contact, "profileGivenName", "profileFamilyName"),
        short(contact.get("username")),
        short(str(contact.get("e164") or "")),
        (owner or "Note to Self") if "self" in person else None,
    )
    return next((name for name in names if name), None)


def _joined(values: Json, *names: str) -> str | None:
    return short(" ".join(str(values.get(name) or "") for name in names))


def _of_database(source: Source, row: Json) -> Said | None:
    at, type_ = _time(row["date"]), row["type"] if isinstance(row["type"], int) else 0
    kind = type_ & _KINDS
    if at is None:
        source.left_out["messages without a time left out"] += 1
        return None
    if type_ & _ABOUT_THE_CHAT or not (kind in _SENT or kind == _RECEIVED) or row["deleted"]:
        source.left_out["deleted messages and lines about the chat itself left out"] += 1
        return None
    files = [filled(**item) for item in as_objects(json.loads(row["files"] or "[]"))]
    words = clean(row["body"]).strip() if isinstance(row["body"], str) else ""
    if not words and not files:
        source.left_out["messages without content left out"] += 1
        return None
    mine, group = kind in _SENT, bool(row["is_group"])
    title = short(row["group_title"]) if group else short(str(row["chat_name"] or ""))
    chat = str(row["chat"] or f"thread {row['thread']}")
    author, name = str(row["author"] or ""), short(str(row["author_name"] or ""))
    return Said(
        conversation=Conversation(
            id_of(chat), title=title, channel=title if group else None, contact=None if group else title
        ),
        id=id_of(chat, "self" if mine else author, str(row["date"])),
        at=at,
        content=paragraphs([words]),
        name=name,
        known_as=tuple(str(one) for one in (row["author_phone"], author) if one),
        is_me=mine,
        attachments=files,
        metadata=filled(reply_to_at=row["reply_to"] or None),
    )


def _time(stamp: Any) -> datetime | None:
    try:
        return from_epoch(int(stamp) / 1000)
    except (TypeError, ValueError, OverflowError):
        return None
