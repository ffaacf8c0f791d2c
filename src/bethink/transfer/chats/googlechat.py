"""Google Chat as Takeout writes it: a folder for each conversation, with its messages and its members."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from bethink.records import Json
from bethink.transfer.chats.long_dates import long_date
from bethink.transfer.chats.said import (
    Conversation,
    Said,
    as_object,
    as_objects,
    clean,
    filled,
    hash_of,
    id_of,
    short,
)
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.walk import Walker

PLATFORM = "googlechat"


def read(source: Source) -> Iterator[Said]:
    """The messages of each conversation, in order."""
    owner = _owner(source)
    files = message_files(source) if source.is_zip else [None]
    if not files:
        raise source.refused("the archive", "has no messages.json of a conversation.")
    for member in files:
        with source.opened(member) as stream:
            yield from _conversation(source, Walker(stream, source, member), member, owner)


def message_files(source: Source) -> list[str | None]:
    """The files of an archive with messages of Google Chat."""
    return [
        name
        for name in source.members
        if name.endswith("/messages.json") and f"{name[:-13]}group_info.json" in source.members
    ]


def _conversation(source: Source, walker: Walker, member: str | None, owner: str | None) -> Iterator[Said]:
    if walker.kind() != "{":
        raise walker.refused("must be an object with messages.")
    seen = False
    for name in walker.names():
        if name == "messages" and walker.kind() == "[":
            seen = True
            group = _group(source, member)
            for _ in walker.items():
                if said := _message(source, walker, group, as_object(walker.load()), owner):
                    yield said
        else:
            walker.skip()
    walker.finish()
    if not seen:
        raise walker.refused("messages: must be there; this is no export of Google Chat.")


def _group(source: Source, member: str | None) -> Json:
    """What Takeout says of a conversation: its name, its members, and the folder that tells direct ones."""
    if member is None:
        return {"folder": source.stem}
    folder = member[: -len("/messages.json")]
    with source.opened(f"{folder}/group_info.json") as stream:
        about = as_object(Walker(stream, source, f"{folder}/group_info.json").load())
    return {**about, "folder": folder.rpartition("/")[2]}


def _owner(source: Source) -> str | None:
    """The address of whoever asked for the archive."""
    for member in source.members:
        if member.endswith("/user_info.json"):
            with source.opened(member) as stream:
                about = as_object(Walker(stream, source, member).load())
            if address := as_object(about.get("user")).get("email"):
                return str(address).casefold()
    return None


def _message(source: Source, walker: Walker, group: Json, message: Json, owner: str | None) -> Said | None:
    written = message.get("created_date")
    if not isinstance(written, str):
        source.left_out["messages without a time left out"] += 1
        return None
    at: datetime | None = long_date(written)
    if at is None:
        raise walker.refused(
            f"created_date: {written[:80]!r} is in a language that is not known; set the account's language"
            " to English and ask for the archive again."
        )
    creator, text = as_object(message.get("creator")), clean(str(message.get("text") or "")).strip()
    files = [
        filled(name=short(item.get("original_name")), path=item.get("export_name"))
        for item in as_objects(message.get("attached_files"))
    ]
    if message.get("message_state") == "DELETED" or message.get("deletion_metadata") or not (text or files):
        source.left_out["deleted messages and messages without content left out"] += 1
        return None
    address, is_bot = str(creator.get("email") or ""), creator.get("user_type") == "Bot"
    id_ = str(message.get("message_id") or hash_of(written, address, text))
    quoted = as_object(message.get("quoted_message_metadata"))
    return Said(
        conversation=_where(group, id_, owner),
        id=id_of(id_),
        at=at,
        content=text,
        role="assistant" if is_bot else None,
        name=short(creator.get("name")) or short(address),
        known_as=(address,) if address else (),
        is_me=bool(owner) and address.casefold() == owner,
        bot_id=id_of(address or str(creator.get("name"))) if is_bot else None,
        attachments=files,
        metadata=filled(
            topic=message.get("topic_id"),
            edited_at=message.get("updated_date"),
            reply_to=quoted.get("message_id"),
        ),
    )


def _where(group: Json, message_id: str, owner: str | None) -> Conversation:
    folder, name = str(group.get("folder") or ""), short(group.get("name"))
    others = [
        who
        for person in as_objects(group.get("members"))
        if str(person.get("email")).casefold() != owner and (who := short(person.get("name")))
    ]
    direct = folder.startswith("DM ")
    title = name or short(", ".join(others))
    # The folder is called after the conversation's id; a message's id begins with it too.
    id_ = folder.rpartition(" ")[2] or message_id.partition("/")[0]
    return Conversation(
        id_of(id_), title=title, channel=None if direct else title, contact=title if direct else None
    )
