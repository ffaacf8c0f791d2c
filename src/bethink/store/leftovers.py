"""Ridding an SQLite file of the bytes of deleted rows, in steps that keep nobody who writes waiting for long.

`secure_delete` overwrites what is deleted. But a row that SQLite moved before may have left a copy in a page,
the index of terms keeps deleted terms until it is merged, and the write-ahead log holds old pages. So the
index is merged bit by bit, the log is emptied, and the file is rewritten. What is still to be done is noted
in the file itself (as its `user_version`), in the very transaction that erases, so that neither a crash nor a
full disk leaves it undone for good.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from enum import IntEnum

import apsw

from bethink.store.sqlite_file import SqliteFile

_log = logging.getLogger(__name__)

MERGED_PAGES = 256  # of the index of terms, in one step: about a megabyte
READERS_MILLISECONDS = 50  # that emptying the log waits for those who read
RETRY_SECONDS = 60.0  # before it is tried again, when it failed
LONGEST_PAUSE_SECONDS = 3600.0  # the same, when it gave way to who wrote, again and again
LOOKS = 1000  # steps of SQLite's machine between two looks at whether someone waits
BUSY = (
    "Another process was reading the database, so its write-ahead log could not be emptied. It is emptied at"
    " a quiet moment after that process has finished; erase again, whatever it is, to have it done at once."
)
AGAIN = "It is tried again by itself every minute, and with every erasure, also one that finds nothing."


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


class Tidying:
    """Rids a file of erased bytes at quiet moments. All but `is_due` is for the thread that writes."""

    def __init__(
        self, file: SqliteFile, vacuum_bytes: int, quiet_seconds: float, someone_waits: Callable[[], bool]
    ) -> None:
        self._file, self._vacuum_bytes, self._quiet_seconds = file, vacuum_bytes, quiet_seconds
        self._someone_waits = someone_waits
        self.is_due = False  # whether erased bytes may be left
        self._from = 0.0  # when to see to it
        self._pause = quiet_seconds  # how long it waited after it last gave way

    @property
    def is_small(self) -> bool:
        """Whether the file is rewritten at once."""
        return self._file.size <= self._vacuum_bytes

    @property
    def later(self) -> str:
        """What is to be known of a file that is not."""
        return (
            f"The file is over {self._vacuum_bytes:,} bytes (the setting store.vacuum_mb), so it is"
            f" rewritten as soon as nothing was written for {self._quiet_seconds:g} s. Until then its pages"
            " may hold copies of erased rows that no query reaches."
        )

    def look(self, connection: apsw.Connection) -> None:
        """See whether anything is due."""
        self.is_due = leftover(connection) is not Leftover.NOTHING
        if not self.is_due:
            self._pause = self._quiet_seconds

    def note(self, left: Leftover, connection: apsw.Connection) -> None:
        """Note in the file what may still hold erased bytes."""
        note(connection, left)
        self.look(connection)

    def empty_log(self, connection: apsw.Connection) -> bool:
        """Try once to empty the log."""
        return self._file.in_memory or empty_log(connection, self._file.busy_seconds)

    def patience(self) -> float:
        """How long to wait for someone who writes before erased bytes are seen to."""
        return max(self._quiet_seconds, self._from - time.monotonic())

    def tidy(self, connection: apsw.Connection) -> None:
        """Rid the file of erased bytes, and say when to try again if any may be left."""
        wait = RETRY_SECONDS
        try:
            if not self._rid(connection):  # what was copied by then was in vain
                wait = self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        except apsw.Error as error:
            _log.warning("Erased bytes may be left in the files: %s", self._file.explained(error))
        except Exception:  # without this thread nobody could write
            _log.exception("Erased bytes may be left in the files, because of a defect")
        self._from = time.monotonic() + wait if self.is_due else 0.0

    def _rid(self, connection: apsw.Connection) -> bool:
        """Rewrite the file and empty its log where need be; False when it gave way to who came to write."""
        left = leftover(connection)
        if left is Leftover.FILE:
            if not (self._merged(connection) and rewrite(connection, self._someone_waits)):
                return False
            left = Leftover.LOG
            self.note(left, connection)
        if left is Leftover.LOG and self.empty_log(connection):
            self.note(Leftover.NOTHING, connection)
            _log.info("The database file holds no erased bytes any more")
        self.look(connection)
        return True

    def _merged(self, connection: apsw.Connection) -> bool:
        """Merge the index of terms; False when someone came to write meanwhile."""
        begin = True
        while not self._someone_waits():
            if not merge_terms(connection, begin=begin):
                return True
            begin = False
        return False
