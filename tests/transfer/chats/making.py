"""Exports of other programs, made in the shape in which each writes them."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.transfer.chats.reading import zipped

SENT = datetime(2023, 5, 8, 13, 1, 5, tzinfo=UTC)
SECONDS = int(SENT.timestamp())
MILLIS = SECONDS * 1000


def raw(value: Any) -> bytes:
    return json.dumps(value).encode()


# Messenger and Instagram


def mangled(text: str) -> str:
    """A text as Meta writes it: each byte of its UTF-8 as a letter."""
    return text.encode().decode("latin-1")


def thread(*messages: dict[str, Any], title: str = "Jürgen 🎂", people: int = 2) -> dict[str, Any]:
    """message_1.json of one conversation: newest first, and its title after its messages."""
    names = ["Jürgen 🎂", "Anna Bäcker", "Carl"][:people]
    return {
        "participants": [{"name": mangled(name)} for name in names],
        "messages": list(messages),
        "title": mangled(title),
        "is_still_participant": True,
        "thread_path": "inbox/jurgen_123",
        "magic_words": [],
    }


def wrote(name: str, text: str | None, after: int, **more: Any) -> dict[str, Any]:
    words = {} if text is None else {"content": mangled(text)}
    stamp = MILLIS + after * 1000
    return {
        "sender_name": mangled(name),
        "timestamp_ms": stamp,
        **words,
        "is_geoblocked_for_viewer": False,
        **more,
    }


def messenger() -> bytes:
    photo = {"uri": "your_facebook_activity/messages/inbox/jurgen_123/photos/cake.jpg"}
    return raw(
        thread(
            wrote("Jürgen 🎂", "Liked a message", 9),
            wrote("Jürgen 🎂", "you missed a call", 8, call_duration=0),
            wrote("Jürgen 🎂", "gone", 7, is_unsent=True),
            wrote("Anna Bäcker", None, 6, photos=[photo]),
            wrote("Jürgen 🎂", "Grüß dich, 你好 🎂", 1),
            wrote("Anna Bäcker", "I bake käsekuchen", 0),
        )
    )


def meta_archive(activity: str = "your_facebook_activity") -> bytes:
    box = f"{activity}/messages/inbox/jurgen_123"
    profile: dict[str, Any] = {"profile_v2": {"name": {"full_name": mangled("Anna Bäcker")}}}
    if "instagram" in activity:
        profile = {"profile_user": [{"string_map_data": {"Name": {"value": mangled("Anna Bäcker")}}}]}
    kind = "personal_information" if "instagram" in activity else "profile_information"
    spam = f"{activity}/messages/message_requests/x_1/message_1.json"
    return zipped(
        *((f"ads_information/ad_{number}.json", b"{}") for number in range(8)),
        (f"{box}/message_1.json", raw(thread(wrote("Anna Bäcker", "later", 60)))),
        (f"{box}/message_2.json", raw(thread(wrote("Jürgen 🎂", "first", 0)))),
        (spam, raw(thread(wrote("Carl", "win money", 0)))),
        (f"personal_information/{kind}/{kind}.json", raw(profile)),
    )


def end_to_end() -> bytes:
    """Messenger's own export of encrypted chats: letters as they are."""
    said = {"isUnsent": False, "media": [], "reactions": [], "senderName": "Anna Bäcker", "text": "Grüße é",
            "timestamp": MILLIS, "type": "text"}  # fmt: skip
    return raw({"participants": ["Bob", "Anna Bäcker"], "threadName": "Bob_7", "messages": [said]})


# Matrix


def event(number: int, sender: str, kind: Any = "m.room.message", **content: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "sender": f"@{sender}:example.org",
        "content": content,
        "origin_server_ts": MILLIS + number * 1000,
        "event_id": f"${number}",
        "room_id": "!room:example.org",
    }


def matrix() -> bytes:
    joins = [
        event(n, who, "m.room.member", displayname=name, membership="join")
        | {"state_key": f"@{who}:example.org"}
        for n, (who, name) in enumerate((("anna", "Anna"), ("bob", "Bob")))
    ]
    answer = {"m.in_reply_to": {"event_id": "$2"}}
    text = "m.text"

    def edited(number: int, who: str, body: str) -> dict[str, Any]:
        new: dict[str, Any] = {"m.new_content": {"msgtype": text, "body": body}}
        about = {"m.relates_to": {"rel_type": "m.replace", "event_id": "$2"}}
        return event(number, who, msgtype=text, body=f"* {body}", **new, **about)

    return raw(
        {
            "room_name": "Baking",
            "room_creator": "Anna",
            "topic": "",
            "export_date": "08/05/2023",
            "exported_by": "Anna",
            "messages": [
                *joins,
                event(2, "anna", msgtype=text, body="I bake rye bread"),
                event(
                    3,
                    "bob",
                    msgtype=text,
                    body="> <@anna:example.org> I bake rye bread\n\nMe too",
                    **{"m.relates_to": answer},
                ),
                edited(4, "anna", "I bake corn bread"),
                edited(5, "bob", "I bake nothing"),
                event(6, "bob", msgtype="m.image", body="loaf.jpg", info={"size": 9}),
                event(7, "timer", msgtype="m.notice", body="10 minutes left"),
                event(8, "bob", "m.room.encrypted", algorithm="m.megolm.v1.aes-sha2"),
                event(9, "bob"),
            ],
        }
    )  # fmt: skip


# Teams


def teams() -> bytes:
    def item(number: int, who: str, name: str | None, content: str, kind: str = "RichText/Html") -> Any:
        return {
            "id": str(MILLIS + number),
            "displayName": name,
            "originalarrivaltime": f"2023-05-08T13:0{number}:05.5Z",
            "messagetype": kind,
            "version": MILLIS,
            "content": content,
            "conversationid": "19:abc@thread.v2",
            "from": who,
            "properties": None,
            "amsreferences": None,
        }

    reply = (
        '<blockquote itemtype="http://schema.skype.com/Reply"><p>Who bakes İstanbul bread?</p></blockquote>'
        '<p>I do &amp; gladly <emoji id="cake" alt="🎂" title="x"></emoji></p>'
    )
    messages = [
        item(5, "8:live:bob", "Bob", "<addmember/>", "ThreadActivity/AddMember"),
        item(4, "8:live:bob", "Bob", "<URIObject>cake.pdf</URIObject>", "RichText/Media_GenericFile"),
        item(
            3,
            "8:live:anna",
            None,
            reply,
        ),
        item(2, "8:live:bob", "Bob", "<p>Who bakes <b>bread</b>?</p>"),
    ]
    conversation = {"id": "19:abc@thread.v2", "displayName": "Baking", "version": 1, "properties": {},
                    "threadProperties": None, "MessageList": messages}  # fmt: skip
    return raw({"userId": "8:live:anna", "exportDate": "2023-05-09T10:00", "conversations": [conversation]})


def graph() -> bytes:
    def message(number: int, who: dict[str, Any], content: str, **more: Any) -> Any:
        return {
            "id": str(MILLIS + number),
            "replyToId": None,
            "messageType": "message",
            "createdDateTime": f"2023-05-08T13:0{number}:05.5Z",
            "deletedDateTime": None,
            "subject": None,
            "chatId": "19:abc@thread.v2",
            "from": who,
            "body": {"contentType": "html", "content": content},
            "attachments": [],
            **more,
        }

    anna = {"application": None, "user": {"id": "u-1", "displayName": "Anna"}}
    bot = {"application": {"id": "a-1", "displayName": "Timer"}, "user": None}
    file = {"id": "f", "contentType": "reference", "name": "cake.pdf", "contentUrl": "https://example.org/c"}
    return raw(
        {
            "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#chats('x')/messages",
            "value": [
                message(4, anna, "", deletedDateTime="2023-05-08T14:00:00Z"),
                message(3, bot, "<p>10 minutes left</p>"),
                message(2, anna, "<div>I bake <i>rye</i> bread</div>", attachments=[file]),
                message(1, anna, "", messageType="systemEventMessage"),
            ],
        }
    )


# Google Chat


def google_message(number: int, who: str, text: str, date: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "creator": {"name": who, "email": f"{who.lower()}@example.org", "user_type": "Human"},
        "created_date": date or f"Monday, May 8, 2023 at 1:01:0{number}\u202fPM UTC",
        "text": text,
        "topic_id": "t",
        "message_id": f"AAA/t/{number}",
        **more,
    }


def google_messages() -> bytes:
    return raw(
        {
            "messages": [
                google_message(5, "Anna", "I bake rye bread"),
                google_message(6, "Bob", "Me too", attached_files=[
                    {"original_name": "loaf.jpg", "export_name": "File-loaf.jpg"}]),
                google_message(7, "Bob", "", message_state="DELETED"),
            ]
        }
    )  # fmt: skip


def google_archive() -> bytes:
    people = [
        {"name": name, "email": f"{name.lower()}@example.org", "user_type": "Human"}
        for name in ("Anna", "Bob")
    ]
    root = "Takeout/Google Chat"
    return zipped(
        (f"{root}/Groups/DM AAA/messages.json", google_messages()),
        (f"{root}/Groups/DM AAA/group_info.json", raw({"members": people})),
        (f"{root}/Groups/Space BBB/messages.json", raw({"messages": [
            google_message(1, "Bob", "welcome") | {"message_id": "BBB/t/1"}]})),
        (f"{root}/Groups/Space BBB/group_info.json", raw({"name": "Bakers", "members": people})),
        (f"{root}/Users/User 1/user_info.json", raw({"user": people[0], "membership_info": []})),
    )  # fmt: skip


# Signal


def signal() -> bytes:
    def item(chat: str, author: str, after: int, **more: Any) -> dict[str, Any]:
        way: dict[str, Any] = (
            {"outgoing": {"sendStatus": []}} if author == "1" else {"incoming": {"read": True}}
        )
        return {
            "chatItem": {"chatId": chat, "authorId": author, "dateSent": str(MILLIS + after * 1000)}
            | way
            | more
        }

    def text(body: str, **more: Any) -> dict[str, Any]:
        return {"standardMessage": {"text": {"body": body}, **more}}

    file = {"pointer": {"contentType": "image/jpeg", "fileName": "loaf.jpg", "locatorInfo": {"size": 9}}}
    frames = [
        {"version": "1", "backupTimeMs": str(MILLIS), "mediaRootBackupKey": "x"},
        {"account": {"givenName": "Anna", "familyName": "Bäcker"}},
        {"recipient": {"id": "1", "self": {}}},
        {
            "recipient": {
                "id": "2",
                "contact": {"aci": "YWNp", "e164": "491701234", "profileGivenName": "Bob"},
            }
        },
        {
            "recipient": {
                "id": "3",
                "group": {"masterKey": "Z3I=", "snapshot": {"title": {"title": "Bakers"}}},
            }
        },
        {"chat": {"id": "10", "recipientId": "2"}},
        {"chat": {"id": "11", "recipientId": "3"}},
        item("10", "1", 0, **text("I bake rye bread 🍞")),
        item("10", "2", 1, **text("Me too", quote={"targetSentTimestamp": str(MILLIS)})),
        item("11", "2", 2, **text("", attachments=[file])),
        item("11", "2", 3, updateMessage={"groupChange": {}}),
        item("10", "2", 4, remoteDeletedMessage={}),
    ]
    return b"".join(raw(frame) + b"\n" for frame in frames)


def made(*statements: str | tuple[str, tuple[Any, ...]]) -> bytes:
    """A database with these tables and rows, as a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "made.db")
        connection = sqlite3.connect(path)
        for one in statements:
            sql, values = one if isinstance(one, tuple) else (one, ())
            connection.execute(sql, values)
        connection.commit()
        connection.close()
        return path.read_bytes()


def signal_database() -> bytes:
    """What signal-backup-decode makes of a backup: Signal's tables on Android, the columns that count."""
    rows = [
        (
            1,
            10,
            1,
            MILLIS,
            10485783,
            "I bake rye bread",
            0,
        ),  # 23 is "sent"; the rest are flags
        (2, 10, 2, MILLIS + 1000, 10485780, "Me too", 0),
        (3, 11, 2, MILLIS + 2000, 10485780, "Cake?", 0),
        (4, 11, 2, MILLIS + 3000, 10485780 | 0x10000, "CiQKI", 0),
        (5, 10, 2, MILLIS + 4000, 10485780, None, 1),
        (6, 10, 2, MILLIS + 5000, 1, None, 0),  # a call
    ]
    return made(
        "CREATE TABLE recipient (_id INTEGER PRIMARY KEY, e164 TEXT, aci TEXT, group_id TEXT,"
        " system_joined_name TEXT, profile_joined_name TEXT)",
        "CREATE TABLE thread (_id INTEGER PRIMARY KEY, recipient_id INTEGER)",
        "CREATE TABLE groups (_id INTEGER PRIMARY KEY, group_id TEXT, title TEXT)",
        "CREATE TABLE message (_id INTEGER PRIMARY KEY, thread_id INTEGER, from_recipient_id INTEGER,"
        " date_sent INTEGER, type INTEGER, body TEXT, remote_deleted INTEGER, quote_id INTEGER DEFAULT 0)",
        "CREATE TABLE attachment (_id INTEGER PRIMARY KEY, message_id INTEGER, content_type TEXT,"
        " file_name TEXT)",
        "INSERT INTO recipient VALUES (1, '+491', 'aci-1', NULL, NULL, 'Anna'),"
        " (2, '+492', 'aci-2', NULL, '', 'Bob'), (3, NULL, NULL, 'g-1', NULL, NULL)",
        "INSERT INTO thread VALUES (10, 2), (11, 3)",
        "INSERT INTO groups VALUES (1, 'g-1', 'Bakers')",
        "INSERT INTO attachment VALUES (1, 3, 'image/png', 'cake.png')",
        *(("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row) for row in rows),
    )


# iMessage


def archived(text: str, kind: bytes = b"NSAttributedString") -> bytes:
    """An NSAttributedString as macOS archives it ("typedstream")."""
    words = text.encode()
    length = (
        bytes([len(words)])
        if len(words) < 0x80
        else b"\x81" + len(words).to_bytes(2, "little")
        if len(words) < 0x8000
        else b"\x82" + len(words).to_bytes(4, "little")
    )
    mutable = kind == b"NSMutableAttributedString"
    head = (
        b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84" + bytes([len(kind)]) + kind + b"\x00\x84\x84"
    )
    parent = b"\x12NSAttributedString\x00\x84\x84" if mutable else b""
    string = b"\x84\x84\x84" + (b"\x0fNSMutableString\x01\x84\x84" if mutable else b"") + b"\x08NSString\x01"
    mark = b"\x95" if mutable else b"\x94"
    rest = b"\x86\x84\x02iI\x01\x04\x92\x84\x84\x84\x0cNSDictionary\x00\x94\x84\x01i\x00\x86\x86"
    head += parent + b"\x08NSObject\x00\x85\x92" + string + mark + b"\x84\x01+"
    return head + length + words + rest


def imessage(old: bool = False) -> bytes:
    nanoseconds = 1 if old else 1_000_000_000

    def at(after: int) -> int:
        return (SECONDS - int(datetime(2001, 1, 1, tzinfo=UTC).timestamp()) + after) * nanoseconds

    long = "Ich backe jeden Sonntag Käsekuchen. " * 8
    rows = [
        (1, "G1", "I bake rye bread", None, 0, at(0), 1, 0, 0),
        (2, "G2", None, archived("Me too 🎂"), 1, at(1), 0, 0, 0),
        (3, "G3", None, archived(long, b"NSMutableAttributedString"), 0, at(2), 1, 0, 0),
        (4, "G4", None, archived("\ufffc"), 1, at(3), 0, 0, 0),
        (5, "G5", "Loved “Me too 🎂”", None, 1, at(4), 0, 2000, 0),
        (6, "G6", None, None, 1, at(5), 0, 0, 2),
        (7, "G7", "hi all", None, 2, at(6), 0, 0, 0),
        (8, "G8", None, b"\x04\x0bstreamtyped no text", 1, at(7), 0, 0, 0),
    ]
    newer = (
        "" if old else ", associated_message_type INTEGER, item_type INTEGER, service TEXT DEFAULT 'iMessage'"
    )
    names = "ROWID, guid, text, attributedBody, handle_id, date, is_from_me" + (
        "" if old else ", associated_message_type, item_type"
    )
    count = 7 if old else 9
    return made(
        "CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT, attributedBody BLOB,"
        f" handle_id INTEGER, date INTEGER, is_from_me INTEGER{newer})",
        "CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT)",
        "CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, chat_identifier TEXT, display_name TEXT)",
        "CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER)",
        "CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY, filename TEXT, mime_type TEXT, transfer_name"
        " TEXT, total_bytes INTEGER)",
        "CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER)",
        "INSERT INTO handle VALUES (1, '+491701234'), (2, 'carl@example.org')",
        "INSERT INTO chat VALUES (1, 'iMessage;-;+491701234', '+491701234', NULL),"
        " (2, 'iMessage;+;chat77', 'chat77', 'Bakers')",
        "INSERT INTO attachment VALUES (1, '~/Library/Messages/loaf.heic', 'image/heic', 'loaf.heic', 9)",
        "INSERT INTO message_attachment_join VALUES (4, 1)",
        *(
            (f"INSERT INTO message ({names}) VALUES ({', '.join('?' * count)})", row[:count])
            for row in (rows if not old else rows[:2])
        ),
        *(("INSERT INTO chat_message_join VALUES (?, ?)", (2 if row[0] == 7 else 1, row[0])) for row in rows),
    )
