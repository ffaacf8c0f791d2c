"""Databases that other programs wrote, read only and without trust: a copy of a file, as somebody gave it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw

_STEPS = 20_000  # of SQLite's, between two looks at whether to go on
_LONGEST_VALUE = 32_000_000  # bytes

_IMESSAGE = """
SELECT m.guid AS id, m.text AS text, {attributedBody} AS body, m.date AS date, m.is_from_me AS is_from_me,
       {associated_message_type} AS tapback, {item_type} AS item_type, {date_retracted} AS retracted,
       {date_edited} AS edited, {thread_originator_guid} AS reply_to, {service} AS service,
       h.id AS handle, c.guid AS chat_id, c.chat_identifier AS chat_identifier, {display_name} AS chat_name,
       f.files AS files
FROM message m
JOIN (SELECT message_id, MIN(chat_id) AS chat_id FROM chat_message_join GROUP BY message_id) j
  ON j.message_id = m.ROWID
JOIN chat c ON c.ROWID = j.chat_id
LEFT JOIN handle h ON h.ROWID = m.handle_id
LEFT JOIN (SELECT a.message_id, json_group_array(json_object(
             'name', t.transfer_name, 'type', t.mime_type, 'size', t.total_bytes, 'path', t.filename)
           ) AS files
           FROM message_attachment_join a JOIN attachment t ON t.ROWID = a.attachment_id
           GROUP BY a.message_id) f ON f.message_id = m.ROWID
ORDER BY m.date, m.ROWID
"""
_SIGNAL = """
SELECT m._id AS id, m.date_sent AS date, m.body AS body, m.type AS type, m.thread_id AS thread,
       {remote_deleted} AS deleted, {quote_id} AS reply_to,
       {from_key} AS author, {from_name} AS author_name, {from_e164} AS author_phone,
       {chat_key} AS chat, {chat_name} AS chat_name,
       g.title AS group_title, c.group_id IS NOT NULL AS is_group,
       {files} AS files
FROM message m
JOIN thread t ON t._id = m.thread_id
LEFT JOIN recipient c ON c._id = t.recipient_id
LEFT JOIN recipient r ON r._id = m.from_recipient_id
LEFT JOIN groups g ON g.group_id = c.group_id
ORDER BY m.date_sent, m._id
"""


class Outside:
    """Such a database, opened. `go_on` is asked again and again, and raises when nobody waits any more."""

    def __init__(self, path: Path, go_on: Callable[[], object]) -> None:
        self._connection = connection = apsw.Connection(str(path))
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.execute("PRAGMA query_only = 1")
        connection.set_progress_handler(lambda: bool(go_on()), _STEPS)
        rows = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
        ).fetchall()
        self.columns = {
            str(name): {str(row[0]) for row in connection.execute(
                "SELECT name FROM pragma_table_info(?)", (name,))}
            for (name,) in rows
        }  # fmt: skip

    def __enter__(self) -> Outside:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close(True)

    def imessages(self) -> Iterator[dict[str, Any]]:
        """The messages of iMessage's chat.db, oldest first. Older macOS has fewer columns."""
        message = ("attributedBody", "associated_message_type", "item_type", "date_retracted", "date_edited",
                   "thread_originator_guid", "service")  # fmt: skip
        parts = {name: self._column("message", "m", name) for name in message}
        yield from self._rows(
            _IMESSAGE.format(display_name=self._column("chat", "c", "display_name"), **parts)
        )

    def signal_messages(self) -> Iterator[dict[str, Any]]:
        """The messages of Signal's own database on Android, as decrypted from a backup, oldest first."""
        people = ("system_joined_name", "system_display_name", "profile_joined_name", "signal_profile_name",
                  "profile_given_name", "username", "e164", "phone")  # fmt: skip
        keys = ("aci", "uuid", "e164", "phone", "group_id")
        files = "NULL"
        if {"message_id", "content_type", "file_name"} <= self.columns.get("attachment", set()):
            files = (
                "(SELECT json_group_array(json_object('name', a.file_name, 'type', a.content_type))"
                " FROM attachment a WHERE a.message_id = m._id)"
            )
        yield from self._rows(
            _SIGNAL.format(
                remote_deleted=self._column("message", "m", "remote_deleted"),
                quote_id=self._column("message", "m", "quote_id"),
                from_key=self._first("recipient", "r", keys),
                from_name=self._first("recipient", "r", people),
                from_e164=self._first("recipient", "r", ("e164", "phone")),
                chat_key=self._first("recipient", "c", keys),
                chat_name=self._first("recipient", "c", people),
                files=files,
            )
        )

    def _column(self, table: str, alias: str, name: str) -> str:
        return f"{alias}.{name}" if name in self.columns.get(table, set()) else "NULL"

    def _first(self, table: str, alias: str, names: tuple[str, ...]) -> str:
        """The first of the columns that holds something."""
        there = [f"NULLIF({alias}.{name}, '')" for name in names if name in self.columns.get(table, set())]
        return f"COALESCE({', '.join(there)}, NULL)" if there else "NULL"

    def _rows(self, sql: str) -> Iterator[dict[str, Any]]:
        cursor = self._connection.cursor()
        names: list[str] = []
        for row in cursor.execute(sql):
            names = names or [column[0] for column in cursor.getdescription()]
            yield dict(zip(names, row, strict=True))


def is_database(start: bytes) -> bool:
    """Whether a file begins as an SQLite database does."""
    return start.startswith(b"SQLite format 3\0")


def whole_size(start: bytes) -> int:
    """How long a database is, as its first bytes say; nothing where an old SQLite did not write it down."""
    page = int.from_bytes(start[16:18])
    is_current = start[24:28] == start[92:96]
    return (65_536 if page == 1 else page) * int.from_bytes(start[28:32]) if is_current else 0


Unreadable = apsw.Error
"""What is raised of a file that is damaged, or has other tables than it should."""
