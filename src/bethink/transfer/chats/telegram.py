"""Telegram's export in JSON: result.json of one chat, or of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from bethink.records import Json
from bethink.shapes.inputs import SpeakerRole
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

PLATFORM = "telegram"
_DIRECT = {"personal_chat", "bot_chat", "saved_messages"}
_MISSING = "(File "  # how Telegram begins what stands in place of a file that was not exported


def read(source: Source) -> Iterator[Said]:
    """The messages of each chat, in order."""
    files = [name for name in source.members if name.endswith("result.json")] if source.is_zip else [None]
    for member in files:
        with source.opened(member) as stream:
            yield from _document(source, Walker(stream, source, member))


def _document(source: Source, walker: Walker) -> Iterator[Said]:
    if walker.kind() != "{":
        raise walker.refused("must be an object with messages or chats.")
    owner: str | None = None
    about: Json = {}
    seen = False
    for name in walker.names():
        match name:
            case "personal_information":
                user_id = as_object(walker.load()).get("user_id")
                owner = f"user{user_id}" if user_id else None
            case "chats" | "left_chats" if walker.kind() == "{":
                seen = True
                for part in walker.names():
                    if part == "list":
                        for _ in walker.items():
                            yield from _chat(source, walker, owner)
                    else:
                        walker.skip()
            case "messages" if walker.kind() == "[":
                seen = True
                yield from _messages(source, walker, _conversation(about), owner)
            case "name" | "type" | "id":
                about[name] = walker.load()
            case _:
                walker.skip()
    if not seen:
        raise walker.refused("messages: must be there; this is no export of Telegram.")


def _chat(source: Source, walker: Walker, owner: str | None) -> Iterator[Said]:
    """One chat of an export; its name, type and id come before its messages."""
    about: Json = {}
    for name in walker.names():
        if name == "messages" and walker.kind() == "[":
            yield from _messages(source, walker, _conversation(about), owner)
        elif name in ("name", "type", "id"):
            about[name] = walker.load()
        else:
            walker.skip()


def _conversation(about: Json) -> Conversation:
    name, direct = short(about.get("name")), str(about.get("type")) in _DIRECT
    title = name or ("Saved Messages" if about.get("type") == "saved_messages" else None)
    return Conversation(
        id_of(str(about.get("id") or title)),
        title=title,
        channel=None if direct else name,
        contact=name if direct else None,
        with_bot=about.get("type") == "bot_chat",
    )


def _messages(source: Source, walker: Walker, where: Conversation, owner: str | None) -> Iterator[Said]:
    for _ in walker.items():
        if said := _message(source, where, as_object(walker.load()), owner):
            yield said


def _message(source: Source, where: Conversation, message: Json, owner: str | None) -> Said | None:
    at = _time(source, message)
    if at is None or message.get("id") is None:
        source.left_out["messages without an id or a time left out"] += 1
        return None
    if message.get("type") == "service":
        source.left_out["lines about the chat itself left out"] += 1
        return None
    text, attachments = clean(_text(message.get("text"))).strip(), _attachments(message)
    if not text and not attachments:
        source.left_out["messages without content left out"] += 1
        return None
    sender = str(message.get("from_id") or "")
    is_owner = bool(owner) and sender == owner
    return Said(
        conversation=where,
        id=id_of(where.id, str(message["id"])),
        at=at,
        content=text,
        role=_role(where, message, is_owner=is_owner),
        name=short(message.get("forwarded_from")) or short(message.get("from")) or short(sender),
        known_as=(sender, sender.removeprefix("user")) if sender else (),
        is_me=is_owner,
        attachments=attachments,
        metadata=filled(
            reply_to=message.get("reply_to_message_id"),
            forwarded_by=message.get("from") if message.get("forwarded_from") else None,
            edited_at=message.get("edited"),
            via_bot=message.get("via_bot"),
        ),
    )


def _role(where: Conversation, message: Json, *, is_owner: bool) -> SpeakerRole | None:
    """What is forwarded are another's words, whoever sent them on; a bot answers in a chat with a bot."""
    if message.get("forwarded_from"):
        return "contact"
    is_bot = where.with_bot and not is_owner and short(message.get("from")) == where.contact
    return "assistant" if is_bot else None


def _time(source: Source, message: Json) -> datetime | None:
    """The moment, with the offset of the clock it was exported on."""
    moment = from_epoch(message.get("date_unixtime"))
    try:
        local = datetime.fromisoformat(str(message.get("date")))
    except ValueError:
        return moment
    if local.tzinfo is None and moment is not None:
        ahead = round((local - moment.replace(tzinfo=None)) / timedelta(minutes=1))
        return moment.astimezone(timezone(timedelta(minutes=ahead))) if abs(ahead) < 1440 else moment
    return local if local.tzinfo else local.replace(tzinfo=source.zone)


def _text(text: Any) -> str:
    """A text is a string, or a list of strings and of entities such as links and mentions."""
    match text:
        case str():
            return text
        case list():
            return "".join(_text(part) for part in text)
        case {"text": str() as inner}:
            return inner
        case _:
            return ""


def _attachments(message: Json) -> list[Json]:
    found = []
    for field in ("photo", "file"):
        if isinstance(path := message.get(field), str):
            name = message.get("file_name") or (
                None if path.startswith(_MISSING) else path.rpartition("/")[2]
            )
            kind = "photo" if field == "photo" else message.get("media_type") or message.get("mime_type")
            emoji = message.get("sticker_emoji")
            found.append(filled(name=name, type=kind or "file", path=path, emoji=emoji))
    if place := as_object(message.get("location_information")):
        found.append(filled(type="location", **{name: place.get(name) for name in ("latitude", "longitude")}))
    if contact := as_object(message.get("contact_information")):
        name = " ".join(str(contact.get(part) or "") for part in ("first_name", "last_name")).strip()
        found.append(filled(type="contact", name=name, phone=contact.get("phone_number")))
    if poll := as_object(message.get("poll")):
        found.append(filled(type="poll", name=poll.get("question")))
    return found
