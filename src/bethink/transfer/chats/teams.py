"""Teams: messages.json of "export your data" (as Skype wrote it), and messages as Graph has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bethink.records import Json
from bethink.transfer.chats.html_text import text_of_html, unescaped
from bethink.transfer.chats.in_time import InTime
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

PLATFORM = "teams"
_WORDS = {"Text", "RichText", "RichText/Html"}
_EMOJI = re.compile(r'<emoji\b(?=[^<>]*+>)(?:(?!\balt=")[^<>])*+\balt="([^"<>]*+)"[^<>]*+>', re.IGNORECASE)
_QUOTE = re.compile(r"<(quote|blockquote)\b", re.IGNORECASE)
_QUOTE_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("quote", "blockquote")}


def read(source: Source) -> Iterator[Said]:
    """The messages of each conversation, oldest first."""
    files = [name for name in source.members if name.endswith(".json")] if source.is_zip else [None]
    if not files:
        raise source.refused("the archive", "holds no messages in JSON.")
    for member in files:
        with source.opened(member) as stream:
            walker = Walker(stream, source, member)
            yield from _graph(source, walker) if walker.kind() == "[" else _document(source, walker)
            walker.finish()


def _document(source: Source, walker: Walker) -> Iterator[Said]:
    if walker.kind() != "{":
        raise walker.refused("must be an object with conversations, or a list of messages.")
    owner: str | None = None
    seen = False
    for name in walker.names():
        if name == "userId":
            owner = str(walker.load())
        elif name == "conversations" and walker.kind() == "[":
            seen = True
            for _ in walker.items():
                yield from _conversation(source, walker, owner)
        elif name == "value" and walker.kind() == "[":
            seen = True
            yield from _graph(source, walker)
        else:
            walker.skip()
    if not seen:
        raise walker.refused("conversations or value: must be there; this is no export of Teams.")


def _conversation(source: Source, walker: Walker, owner: str | None) -> Iterator[Said]:
    """One conversation of "export your data", which lists the newest message first."""
    about: Json = {}
    if walker.kind() != "{":
        raise walker.refused("a conversation must be an object.")
    with InTime(source) as kept:
        for name in walker.names():
            if name == "MessageList" and walker.kind() == "[":
                for _ in walker.items():
                    message = as_object(walker.load())
                    if at := from_iso(message.get("originalarrivaltime")):
                        kept.add(at, message)
                    else:
                        source.left_out["messages without an id or a time left out"] += 1
            elif name in ("id", "displayName", "threadProperties"):
                about[name] = walker.load()
            else:
                walker.skip()
        id_ = str(about.get("id") or "conversation")
        title = short(about.get("displayName")) or short(
            as_object(about.get("threadProperties")).get("topic")
        )
        direct = not id_.startswith("19:") or "@unq" in id_
        where = Conversation(id_of(id_), title=title, channel=None if direct else title,
                             contact=title if direct else None)  # fmt: skip
        for message in kept:
            if said := _exported(source, where, message, owner):
                yield said


def _exported(source: Source, where: Conversation, message: Json, owner: str | None) -> Said | None:
    kind, at = str(message.get("messagetype")), from_iso(message.get("originalarrivaltime"))
    sender, properties = str(message.get("from") or ""), as_object(message.get("properties"))
    raw = str(message.get("content") or "")
    is_file = kind.startswith(("RichText/UriObject", "RichText/Media"))
    if at is None or not (kind in _WORDS or is_file):
        source.left_out["lines about the chat itself left out"] += 1
        return None
    if properties.get("deletetime") or properties.get("isDeleted") or not raw:
        source.left_out["deleted messages and messages without content left out"] += 1
        return None
    text = _plain(unescaped(raw) if kind == "Text" else _said(raw))
    return Said(
        conversation=where,
        id=id_of(where.id, str(message.get("id") or at.isoformat())),
        at=at,
        content="" if is_file else text,
        name=short(message.get("displayName")) or short(_bare(sender)),
        known_as=(sender, _bare(sender)) if sender else (),
        is_me=bool(owner) and _bare(sender) == _bare(str(owner)),
        attachments=[filled(type=kind.partition("/")[2], name=short(text))] if is_file else [],
        metadata=filled(edited_at=properties.get("edittime")),
    )


def _graph(source: Source, walker: Walker) -> Iterator[Said]:
    """Messages as Microsoft Graph gives them, in any order."""
    with InTime(source) as kept:
        for number, _ in enumerate(walker.items(), start=1):
            message = walker.load()
            if not isinstance(message, dict) or "createdDateTime" not in message:
                raise walker.refused(f"message {number} must be an object with createdDateTime.")
            if at := from_iso(message.get("createdDateTime")):
                kept.add(at, message)
            else:
                source.left_out["messages without an id or a time left out"] += 1
        for message in kept:
            if said := _of_graph(source, message):
                yield said


def _of_graph(source: Source, message: Json) -> Said | None:
    at: datetime | None = from_iso(message.get("createdDateTime"))
    if at is None or message.get("messageType", "message") != "message":
        source.left_out["lines about the chat itself left out"] += 1
        return None
    body, sender = as_object(message.get("body")), as_object(message.get("from"))
    raw = str(body.get("content") or "")
    text = _plain(_said(raw) if body.get("contentType") == "html" else raw)
    files = [
        filled(id=item.get("id"), name=short(item.get("name")), type=item.get("contentType"),
               url=item.get("contentUrl"))
        for item in as_objects(message.get("attachments"))
        if item.get("contentType") != "messageReference"
    ]  # fmt: skip
    if message.get("deletedDateTime") or not (text or files):
        source.left_out["deleted messages and messages without content left out"] += 1
        return None
    user, app = as_object(sender.get("user")), as_object(sender.get("application"))
    who = app or user
    channel = as_object(message.get("channelIdentity"))
    root = str(message.get("chatId") or channel.get("channelId") or "conversation")
    thread = message.get("replyToId") or (message.get("id") if channel else None)
    return Said(
        conversation=Conversation(
            id_of(root, str(thread)) if thread and channel else id_of(root),
            title=short(message.get("subject")),
            channel=short(channel.get("channelId")),
        ),
        id=id_of(root, str(message.get("id") or at.isoformat())),
        at=at,
        content=paragraphs([clean(str(message.get("subject") or "")), text]),
        role="assistant" if app else None,
        name=short(who.get("displayName")) or short(who.get("id")),
        known_as=tuple(str(who[key]) for key in ("id", "userPrincipalName", "email") if who.get(key)),
        bot_id=id_of(str(app.get("id") or app.get("displayName"))) if app else None,
        attachments=files,
        metadata=filled(reply_to=message.get("replyToId"), edited_at=message.get("lastEditedDateTime")),
    )


def _said(html: str) -> str:
    """What somebody wrote, without what they quote of others."""
    kept, place = [], 0
    while start := _QUOTE.search(html, place):
        end = _QUOTE_ENDS[start[1].lower()].search(html, start.end())
        if end is None:
            break
        kept.append(html[place : start.start()])
        place = end.end()
    return text_of_html(_EMOJI.sub(r"\1", "".join((*kept, html[place:]))))


def _plain(text: Any) -> str:
    return clean(text).strip()


def _bare(user: str) -> str:
    """An id without the number of the network that it is of."""
    return user.rpartition("/")[2].partition(":")[2] if re.match(r"(?:.*/)?\d+:", user) else user
