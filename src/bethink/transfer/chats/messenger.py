"""Messenger and Instagram: "download your information" in JSON, and Messenger's own end-to-end export.

The first writes the bytes of UTF-8 as if each were a letter, newest message first, and gives no ids.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bethink.records import Json
from bethink.transfer.chats.in_time import InTime
from bethink.transfer.chats.said import (
    Conversation,
    Said,
    as_object,
    as_objects,
    clean,
    filled,
    from_epoch,
    hash_of,
    id_of,
    paragraphs,
    short,
)
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.walk import Walker

PLATFORM = "messenger"
_PART = re.compile(r"(?P<thread>(?:.*/)?(?P<box>[^/]+)/[^/]+)/message_\d+\.json")
_UNWANTED = {"message_requests", "filtered_threads"}
_OWNER_FILES = ("/profile_information.json", "/personal_information.json")
_EVENTS = {"Call", "Subscribe", "Unsubscribe"}
_MEDIA = {"photos": "photo", "videos": "video", "audio_files": "audio", "files": "file", "gifs": "gif"}
# What stands there in place of words when somebody taps on a message.
_REACTION = re.compile(r"(?:Reacted .{1,12} to your message|Liked a message|.{1,80} liked a message) *")


def read(source: Source) -> Iterator[Said]:
    """The messages of each conversation, oldest first."""
    owner = _owner(source)
    for files in _threads(source):
        about: Json = {}
        with InTime(source) as kept:
            for member in files:
                with source.opened(member) as stream:
                    _keep(source, Walker(stream, source, member), about, kept)
            where = _conversation(about)
            last: datetime | None = None
            same: Counter[str] = Counter()
            for message in kept:
                if (at := _time(message)) is None:
                    continue
                said = _message(where, message, at)
                if said.at != last:
                    last, same = said.at, Counter()
                told = hash_of(where.id, said.at.isoformat(), said.name or "", said.content,
                               *(str(item) for item in said.attachments))  # fmt: skip
                said.id = id_of(f"{told}.{same[told]}")
                same[told] += 1
                said.is_me = owner is not None and said.name == owner
                yield said


def box_of(source: Source) -> str | None:
    """Whose archive this is, by the folders of its conversations: messenger, instagram, or None."""
    parts = [name for name in source.members if (found := _PART.fullmatch(name)) and "messages" in found[0]]
    if not parts:
        return None
    return "instagram" if any("instagram" in name.lower() for name in (source.name, *parts[:1])) else PLATFORM


def _threads(source: Source) -> list[list[str | None]]:
    """The files of each conversation."""
    if not source.is_zip:
        return [[None]]
    threads: dict[str, list[str | None]] = {}
    for name in source.members:
        if not (found := _PART.fullmatch(name)):
            continue
        if found["box"] in _UNWANTED:
            source.left_out["files of message requests and spam left out"] += 1
        else:
            threads.setdefault(found["thread"], []).append(name)
    if threads:
        return list(threads.values())
    files = [[name] for name in source.members if name.endswith(".json")]
    if not files:
        raise source.refused("the archive", "holds no file of messages in JSON.")
    return [list(file) for file in files]


def _keep(source: Source, walker: Walker, about: Json, kept: InTime) -> None:
    """Read one file: what it says of the conversation, and its messages."""
    if walker.kind() != "{":
        raise walker.refused("must be an object with participants and messages.")
    seen = False
    for name in walker.names():
        if name == "messages" and walker.kind() == "[":
            seen = True
            for _ in walker.items():
                message = as_object(walker.load())
                if (at := _time(message)) and _is_said(source, message):
                    kept.add(at, message)
                elif at is None:
                    source.left_out["messages without a time left out"] += 1
        elif name in ("title", "thread_path", "threadName", "participants"):
            about.setdefault(name, walker.load())
        else:
            walker.skip()
    walker.finish()
    if not seen or "participants" not in about:
        raise walker.refused("messages and participants: must be there; this is no export of Messenger.")


def _time(message: Json) -> datetime | None:
    stamp = message.get("timestamp_ms") or message.get("timestamp")
    return from_epoch(stamp / 1000) if isinstance(stamp, int | float) and stamp is not True else None


def _is_said(source: Source, message: Json) -> bool:
    text = message.get("content") or message.get("text") or ""
    if message.get("is_unsent") or message.get("isUnsent"):
        source.left_out["deleted messages left out"] += 1
    elif message.get("call_duration") is not None or message.get("type") in _EVENTS:
        source.left_out["lines about the chat itself left out"] += 1
    elif isinstance(text, str) and _REACTION.fullmatch(_plain(text)):
        source.left_out["reactions left out"] += 1
    elif not text and not _attachments(message) and not as_object(message.get("share")):
        source.left_out["messages without content left out"] += 1
    else:
        return True
    return False


def _conversation(about: Json) -> Conversation:
    people = about.get("participants")
    names = [
        name
        for one in (people if isinstance(people, list) else [])
        if (name := short(_plain(one.get("name") if isinstance(one, dict) else one)))
    ]
    thread = str(about.get("thread_path") or about.get("threadName") or ", ".join(sorted(names)))
    title = short(_plain(about.get("title"))) or short(re.sub(r"_\d+$", "", thread.rpartition("/")[2]))
    direct = len(names) <= 2
    return Conversation(
        # The folder moves between inbox and archive; its name does not change.
        id_of(thread.rpartition("/")[2] or "messages"),
        title=title,
        channel=None if direct else title,
        contact=title if direct else None,
    )


def _message(where: Conversation, message: Json, at: datetime) -> Said:
    share = as_object(message.get("share"))
    text = _plain(message.get("content") if "content" in message else message.get("text"))
    shared = [part for key in ("share_text", "link") if (part := _plain(share.get(key))) and part not in text]
    return Said(
        conversation=where,
        id="",
        at=at,
        content=text.strip(),
        name=short(_plain(message.get("sender_name") or message.get("senderName"))),
        attachments=_attachments(message)
        + ([filled(type="link", name=paragraphs(shared)[:1000])] if shared else []),
    )


def _attachments(message: Json) -> list[Json]:
    found = [
        filled(type=kind, name=_file(item), path=_plain(item.get("uri")))
        for field, kind in _MEDIA.items()
        for item in as_objects(message.get(field))
    ]
    found += [filled(type="media", name=_file(item), path=item.get("uri"))
              for item in as_objects(message.get("media"))]  # fmt: skip
    if sticker := as_object(message.get("sticker")):
        found.append(filled(type="sticker", name=_file(sticker)))
    return found


def _file(item: Json) -> str | None:
    return short(_plain(item.get("uri")).rpartition("/")[2])


def _owner(source: Source) -> str | None:
    """The name of whoever downloaded the archive, where it says so."""
    for member in source.members:
        if f"/{member}".endswith(_OWNER_FILES):
            with source.opened(member) as stream:
                about = as_object(Walker(stream, source, member).load())
            users = as_objects(about.get("profile_user"))
            values = as_object(users[0].get("string_map_data")) if users else {}
            for name in (
                as_object(as_object(about.get("profile_v2")).get("name")).get("full_name"),
                as_object(values.get("Name")).get("value"),
            ):
                if told := short(_plain(name)):
                    return told
    return None


def _plain(text: Any) -> str:
    """A text whose letters are the bytes of UTF-8, as what it says; any other text as it is."""
    if not isinstance(text, str):
        return ""
    try:
        return clean(text.encode("latin-1").decode())
    except UnicodeError:
        return clean(text)
