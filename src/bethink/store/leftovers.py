"""Ridding an SQLite file of the bytes of deleted rows, in steps that keep nobody who writes waiting for long.

`secure_delete` overwrites what is deleted. But a row that SQLite moved before may have left a copy in a page,
the index of terms keeps deleted terms until it is merged, and the write-ahead log holds old pages. So the
index is merged bit by bit, the log is emptied, and the file is rewritten. What is still to be done is noted
in the file itself (as its `user_version`), in the very transaction that erases, so that neither a crash nor a
full disk leaves it undone for good.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import apsw

MERGED_PAGES = 256  # of the index of terms, in one step: about a megabyte
READERS_MILLISECONDS = 50  # that emptying the log waits for those who read
LOOKS = 1000  # steps of SQLite's machine between two looks at whether someone waits


class Leftover(IntEnum):
    """What may still hold erased bytes."""

    NOTHING = 0
    LOG = 1
    FILE = 2  # and the log


def leftover(connection: apsw.Connection) -> Leftover:
    """What is noted in the file. A note that another tool made says nothing, so it means the whole file."""
    noted = int(connection.pragma("user_version"))
    return Leftover(noted) if noted in list(Leftover) else Leftover.FILE


def note(connection: apsw.Connection, left: Leftover) -> None:
    """Note in the file what may still hold erased bytes."""
    connection.pragma("user_version", int(left))


def merge_terms(connection: apsw.Connection, *, begin: bool) -> bool:
    """One step of merging the index of terms; whether there is more to do."""
    before = connection.total_changes()
    pages = -MERGED_PAGES if begin else MERGED_PAGES
    connection.execute("INSERT INTO terms (terms, rank) VALUES ('merge', ?)", (pages,))
    return begin or connection.total_changes() - before >= 2  # as its documentation tells the end


def rewrite(connection: apsw.Connection, gives_way: Callable[[], bool] | None = None) -> bool:
    """Write the file anew without its free room; False when it gave way to someone who waits."""
    # The copy is as large as the database, and holds nothing erased.
    connection.pragma("temp_store", "file")
    connection.set_progress_handler(gives_way, LOOKS)
    try:
        connection.execute("VACUUM")
    except apsw.InterruptError:
        return False
    finally:
        connection.set_progress_handler(None)
        connection.pragma("temp_store", "memory")
    return True


def empty_log(connection: apsw.Connection, busy_seconds: float) -> bool:
    """Empty the write-ahead log, unless someone reads what is in it."""
    connection.set_busy_timeout(min(READERS_MILLISECONDS, int(busy_seconds * 1000)))
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
    except apsw.BusyError:
        return False
    finally:
        connection.set_busy_timeout(int(busy_seconds * 1000))
    return not busy
