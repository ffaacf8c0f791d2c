"""Discord, as DiscordChatExporter writes it: JSON, one file a channel, or a zip archive of such files."""

from __future__ import annotations

from collections.abc import Iterator

from bethink.records import Json
from bethink.transfer.chats.said import (
    Conversation,
    Said,
    as_object,
    as_objects,
    clean,
    filled,
    from_iso,
    id_of,
    paragraphs,
    short,
)
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.walk import Walker

PLATFORM = "discord"
_SAID = {"Default", "Reply", "ThreadStarterMessage"}  # other types tell of pins, calls and newcomers
_DIRECT = {"DirectTextChat", "DirectGroupTextChat"}


def read(source: Source) -> Iterator[Said]:
    """The messages of each channel, in order."""
    files = [name for name in source.members if name.endswith(".json")] if source.is_zip else [None]
    for member in files:
        with source.opened(member) as stream:
            yield from _channel(source, Walker(stream, source, member))


def _channel(source: Source, walker: Walker) -> Iterator[Said]:
    """A channel's messages; its name and its guild come before them in the file."""
    if walker.kind() != "{":
        raise walker.refused("must be an object with guild, channel and messages.")
    about: dict[str, Json] = {}
    seen = False
    for name in walker.names():
        if name in ("guild", "channel"):
            about[name] = as_object(walker.load())
        elif name == "messages":
            if "channel" not in about or walker.kind() != "[":
                raise walker.refused("messages: must be a list that comes after channel.")
            seen, where = True, _conversation(about)
            for _ in walker.items():
                if said := _message(source, where, as_object(walker.load())):
                    yield said
        else:
            walker.skip()
    if not seen:
        raise walker.refused("messages: must be there; this is no file of DiscordChatExporter.")


def _conversation(about: dict[str, Json]) -> Conversation:
    guild, channel = about.get("guild", {}), about["channel"]
    name, direct = short(channel.get("name")), str(channel.get("type")) in _DIRECT
    title = name if direct else " / ".join(part for part in (short(guild.get("name")), name) if part)
    return Conversation(
        id_of(str(channel.get("id") or title)),
        title=title,
        channel=None if direct else name,
        contact=name if direct else None,
    )


def _message(source: Source, where: Conversation, message: Json) -> Said | None:
    at = from_iso(message.get("timestamp"))
    if at is None or not message.get("id"):
        source.left_out["messages without an id or a time left out"] += 1
        return None
    if str(message.get("type", "Default")) not in _SAID:
        source.left_out["lines about the chat itself left out"] += 1
        return None
    author = as_object(message.get("author"))
    embeds = [
        paragraphs(str(item.get(part) or "") for part in ("title", "description"))
        for item in _embeds(message)
    ]
    text = paragraphs([clean(str(message.get("content") or "")), *map(clean, embeds)])
    attachments = [
        filled(
            id=item.get("id"), name=item.get("fileName"), url=item.get("url"), size=item.get("fileSizeBytes")
        )
        for item in as_objects(message.get("attachments"))
    ]
    attachments += [
        filled(type="sticker", name=item.get("name")) for item in as_objects(message.get("stickers"))
    ]
    if not text and not attachments:
        source.left_out["messages without content left out"] += 1
        return None
    name = author.get("nickname") or author.get("name")
    reply = as_object(message.get("reference")).get("messageId")
    return Said(
        conversation=where,
        id=id_of(where.id, str(message["id"])),
        at=at,
        content=text,
        role="assistant" if author.get("isBot") else None,
        name=short(name),
        known_as=tuple(str(author[key]) for key in ("name", "nickname", "id") if author.get(key)),
        bot_id=id_of(str(author.get("id") or name)) if author.get("isBot") else None,
        attachments=attachments,
        metadata=filled(reply_to=reply, edited_at=message.get("timestampEdited")),
    )


def _embeds(message: Json) -> list[Json]:
    return as_objects(message.get("embeds"))
