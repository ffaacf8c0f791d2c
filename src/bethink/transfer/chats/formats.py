"""The formats of conversations that can be read, and which of them a file is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bethink.errors import InvalidInput
from bethink.store.outside import is_database
from bethink.transfer.chats import (
    chatgpt,
    claude,
    discord,
    googlechat,
    imessage,
    instagram,
    jsonl,
    mail,
    matrix,
    messenger,
    signal,
    slack,
    teams,
    telegram,
    whatsapp,
)
from bethink.transfer.chats.databases import database_in, kind_of
from bethink.transfer.chats.listed import conversation_files
from bethink.transfer.chats.mailboxes import is_mail, mail_files
from bethink.transfer.chats.said import Said, as_object
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.walk import Walker

JSON_FILES = 5  # of an archive that are looked into


@dataclass(frozen=True)
class Format:
    """How one format is read."""

    name: str
    platform: str
    read: Callable[[Source], Iterator[Said]]


FORMATS = {
    name: Format(name, module.PLATFORM, module.read)
    for name, module in {
        "chatgpt": chatgpt,
        "claude": claude,
        "slack": slack,
        "discord": discord,
        "telegram": telegram,
        "whatsapp": whatsapp,
        "imessage": imessage,
        "signal": signal,
        "messenger": messenger,
        "instagram": instagram,
        "teams": teams,
        "googlechat": googlechat,
        "matrix": matrix,
        "mail": mail,
        "jsonl": jsonl,
    }.items()
}
# What the outermost object of a JSON file holds, or the first object of its list.
_MARKERS = (
    ({"mapping"}, "chatgpt"),
    ({"chat_messages"}, "claude"),
    ({"channel", "messages", "guild"}, "discord"),
    ({"messages", "type", "id"}, "telegram"),
    ({"chats", "about"}, "telegram"),
    ({"chats", "personal_information"}, "telegram"),
    ({"participants", "messages"}, "messenger"),
    ({"conversations", "exportDate"}, "teams"),
    ({"@odata.context", "value"}, "teams"),
    ({"createdDateTime", "messageType"}, "teams"),
    ({"room_name", "messages"}, "matrix"),
)


def format_called(name: str) -> Format:
    """A format by its name."""
    if found := FORMATS.get(name):
        return found
    raise InvalidInput(f"format: {name!r} is not known; known are {', '.join(FORMATS)}.", field="format")


def detect(source: Source) -> Format | None:
    """The format of a file by what it holds; None when it is no conversation that is known."""
    name = _of_archive(source) if source.is_zip else _of_file(source)
    return FORMATS[name] if name else None


def _of_archive(source: Source) -> str | None:
    files = {name.rpartition("/")[2] for name in source.members}
    if "users.json" in files and files & {"channels.json", "dms.json", "groups.json", "mpims.json"}:
        return "slack"
    if box := messenger.box_of(source):
        return box
    if googlechat.message_files(source):
        return "googlechat"
    if signal.lines_file(source):
        return "signal"
    for member in (*conversation_files(source), *_json_files(source)):
        if name := _of_json(source, member):
            return name
    if whatsapp.chat_file(source) and whatsapp.is_whatsapp(source.start(whatsapp.chat_file(source))):
        return "whatsapp"
    if mail_files(source):
        return "mail"
    if database_in(source) and (kind := kind_of(source)):
        return kind
    raise source.refused(
        "the archive", f"holds no file that is known; say what it is with its format: {', '.join(FORMATS)}."
    )


def _json_files(source: Source) -> list[str]:
    return [name for name in source.members if name.endswith(".json")][:JSON_FILES]


def _of_file(source: Source) -> str | None:
    start = source.start().lstrip()
    if is_database(start):
        return kind_of(source)
    if whatsapp.is_whatsapp(start):  # first, for a line of it may begin with a bracket
        return "whatsapp"
    if start[:1] in (b"{", b"["):
        return _of_lines(start) or _of_json(source, None)
    return "mail" if is_mail(start) else None


def _of_lines(start: bytes) -> str | None:
    """Whether the first line is a message by itself."""
    try:
        values = json.loads(start.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return None
    if signal.is_signal(values):
        return "signal"
    return "jsonl" if isinstance(values, dict) and {"role", "content"} <= values.keys() else None


def _of_json(source: Source, member: str | None) -> str | None:
    with source.opened(member) as stream:
        walker = Walker(stream, source, member)
        try:
            return _by_names(walker)
        except InvalidInput:
            return None  # whoever reads it will say what is wrong with it


def _by_names(walker: Walker) -> str | None:
    """The format by the names of the values in the object, or in the first object of the list."""
    if walker.kind() == "[":
        for _ in walker.items():
            break
    names: set[str] = set()
    for name in walker.names() if walker.kind() == "{" else ():
        names.add(name)
        if found := next((format_ for markers, format_ in _MARKERS if markers <= names), None):
            return found
        if name == "messages" and names == {"messages"} and walker.kind() == "[":
            return "googlechat" if _first_names(walker) & {"creator", "created_date"} else None
        walker.skip()
    return None


def _first_names(walker: Walker) -> set[str]:
    """The names of the values in the first object of a list."""
    for _ in walker.items():
        return set(as_object(walker.load()))
    return set()
