"""Slack's export: a zip archive with the people, the channels, and a file for each channel and day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from bethink.records import Json
from bethink.transfer.chats.html_text import unescaped
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
from bethink.transfer.chats.walk import Walker

PLATFORM = "slack"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_LISTS = ("channels", "groups", "mpims", "dms")
# What people and programs say; other subtypes tell of newcomers, topics and pins.
_SAID = {
    "",
    "me_message",
    "bot_message",
    "file_share",
    "file_comment",
    "thread_broadcast",
    "reply_broadcast",
}
_MARKUP = re.compile(r"<([@#!])?([^<>|]*)(?:\|([^<>]*))?>")


@dataclass
class Workspace:
    """Who and what the messages refer to."""

    users: dict[str, Json] = field(default_factory=dict)
    channels: dict[str, Json] = field(default_factory=dict)  # by the name of their folder
    titles: dict[str, str] = field(default_factory=dict)  # by id

    def name_of(self, user_id: str) -> str | None:
        """The name a person goes by."""
        user = self.users.get(user_id, {})
        profile = as_object(user.get("profile"))
        names = (
            profile.get("display_name"),
            profile.get("real_name"),
            user.get("real_name"),
            user.get("name"),
        )
        return next((name for name in map(short, names) if name), None)


def read(source: Source) -> Iterator[Said]:
    """The messages of each channel, day by day."""
    lists = [
        name
        for name in source.members
        if name.rpartition("/")[2] in ("channels.json", "users.json", "dms.json")
    ]
    if not lists:
        raise source.refused(
            "the archive", "has neither users.json nor channels.json: it is no export of Slack."
        )
    root = min(lists, key=len).rpartition("/")[0]
    root += "/" if root else ""
    workspace = _workspace(source, root)
    for member in source.members:
        folder, _, file = member.removeprefix(root).rpartition("/")
        if member.startswith(root) and folder and _DAY.fullmatch(file):
            yield from _day(source, workspace, member, folder)


def _workspace(source: Source, root: str) -> Workspace:
    found = Workspace()
    for user in _objects(source, f"{root}users.json"):
        found.users[str(user.get("id"))] = user
    for kind in _LISTS:
        for channel in _objects(source, f"{root}{kind}.json"):
            id_, name = str(channel.get("id")), short(channel.get("name"))
            people = channel.get("members")
            members = (
                [found.name_of(str(user)) or str(user) for user in people] if isinstance(people, list) else []
            )
            channel["direct"] = kind in ("dms", "mpims")
            channel["people"] = ", ".join(members)
            found.channels[name or id_] = found.channels[id_] = channel
            found.titles[id_] = channel["people"] if channel["direct"] else f"#{name or id_}"
    return found


def _objects(source: Source, member: str) -> Iterator[Json]:
    if member not in source.members:
        return
    with source.opened(member) as stream:
        walker = Walker(stream, source, member)
        if walker.kind() != "[":
            raise walker.refused("must be a list.")
        for number, _ in enumerate(walker.items(), start=1):
            value = walker.load()
            if not isinstance(value, dict):
                raise walker.refused(f"item {number} must be an object.")
            yield value


def _day(source: Source, workspace: Workspace, member: str, folder: str) -> Iterator[Said]:
    channel = workspace.channels.get(folder, {"id": folder, "name": folder})
    for message in _objects(source, member):
        if message.get("type", "message") != "message" or str(message.get("subtype") or "") not in _SAID:
            source.left_out["lines about the chat itself left out"] += 1
        elif said := _message(source, workspace, channel, message):
            yield said


def _message(source: Source, workspace: Workspace, channel: Json, message: Json) -> Said | None:
    at, stamp = from_epoch(message.get("ts")), str(message.get("ts"))
    if at is None:
        source.left_out["messages without a time left out"] += 1
        return None
    text = _plain(str(message.get("text") or ""), workspace)
    if not text:
        text = paragraphs(_plain(str(item.get("fallback") or item.get("text") or ""), workspace)
                          for item in as_objects(message.get("attachments")))  # fmt: skip
    attachments = [
        filled(id=item.get("id"), name=item.get("name") or item.get("title"), type=item.get("mimetype"),
               size=item.get("size"), url=item.get("url_private"))
        for item in as_objects(message.get("files"))
    ]  # fmt: skip
    if not text and not attachments:
        source.left_out["messages without content left out"] += 1
        return None
    user_id = str(message.get("user") or "")
    user = workspace.users.get(user_id, {})
    is_bot = bool(message.get("bot_id") or user.get("is_bot") or message.get("subtype") == "bot_message")
    profile = as_object(message.get("user_profile"))
    names = (workspace.name_of(user_id), profile.get("display_name"), profile.get("real_name"),
             as_object(message.get("bot_profile")).get("name"), message.get("username"), user_id)  # fmt: skip
    known_as = (user_id, user.get("name"), user.get("real_name"), as_object(user.get("profile")).get("email"))
    where = _conversation(workspace, channel, message)
    return Said(
        conversation=where,
        id=id_of(str(channel.get("id")), stamp),
        at=_on_clock(at, user.get("tz")),
        content=text,
        role="assistant" if is_bot else None,
        name=next((name for name in map(short, names) if name), None),
        known_as=tuple(str(name) for name in known_as if name),
        bot_id=id_of(str(message.get("bot_id") or user_id)) if is_bot else None,
        attachments=attachments,
        metadata=filled(
            edited_at=as_object(message.get("edited")).get("ts"), thread=message.get("thread_ts")
        ),
    )


def _conversation(workspace: Workspace, channel: Json, message: Json) -> Conversation:
    """A thread is a conversation of its own, for its answers may come days later, among others."""
    id_, thread = str(channel.get("id")), message.get("thread_ts")
    title = workspace.titles.get(id_) or f"#{channel.get('name')}"
    direct = bool(channel.get("direct"))
    return Conversation(
        id_of(id_, str(thread)) if thread else id_of(id_),
        title=short(f"{title}, a thread" if thread else title),
        channel=None if direct else short(channel.get("name")),
        contact=short(channel.get("people")) if direct else None,
    )


def _plain(text: str, workspace: Workspace) -> str:
    """A text with names in place of the ids that it mentions, and without Slack's escapes."""

    def shown(found: re.Match[str]) -> str:
        kind, target, label = found[1], found[2], found[3]
        match kind:
            case "@":
                return f"@{label or workspace.name_of(target) or target}"
            case "#":
                known = workspace.titles.get(target, f"#{target}")
                return f"#{label}" if label else known
            case "!":
                return label or f"@{target.partition('^')[0]}"
            case _:
                return f"{label} ({target})" if label and label != target else target

    return unescaped(clean(_MARKUP.sub(shown, text))).strip()


def _on_clock(at: datetime, zone: object) -> datetime:
    """The moment on the sender's own clock, where it is known."""
    try:
        return at.astimezone(ZoneInfo(str(zone))) if zone else at
    except (KeyError, ValueError, OSError):  # what ZoneInfo says of a zone that is none
        return at
