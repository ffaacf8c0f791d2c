"""An SQLite file: made for its owner alone, opened, brought up to date; what is wrong with it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
from apsw.ext import query_info

from bethink.clock import now
from bethink.errors import BethinkError, Corrupt, StoreError
from bethink.settings.private import make_private_folder, open_private
from bethink.store import known_files
from bethink.store.damage import Spoiled
from bethink.store.migrate import APPLIED, LEDGER, pending
from bethink.store.rows import micros

WAL_PAUSE_SECONDS = 0.01
PAGE_BYTES = 8192  # five 384-dimensional vectors to a page instead of two


@dataclass(frozen=True)
class SqliteFile:
    """A file, or `:memory:`, and how long to wait for who else writes to it."""

    path: str
    busy_seconds: float

    @property
    def in_memory(self) -> bool:
        """Whether there is no file at all."""
        return self.path == ":memory:"

    @property
    def size(self) -> int:
        """Its bytes, without its log."""
        return 0 if self.in_memory else Path(self.path).stat().st_size

    def create(self) -> None:
        """Make the file readable by its owner only; SQLite gives its side files the same mode."""
        if self.in_memory:
            return
        path = Path(self.path)
        try:
            known_files.refuse_emptied(path)
            make_private_folder(path.parent)
            if not path.exists():
                known_files.forget(path)
            os.close(open_private(path, os.O_RDWR))
        except OSError as error:
            raise StoreError(f"The database file {path} cannot be created: {error.strerror}.") from error

    def note_known(self) -> None:
        """Remember that this file holds a database, so that one emptied by mistake is noticed."""
        if not self.in_memory:
            known_files.note(Path(self.path))

    def connect(self) -> apsw.Connection:
        """A connection, set up as every one is."""
        connection = apsw.Connection(self.path)
        connection.set_busy_timeout(int(self.busy_seconds * 1000))
        connection.pragma("page_size", PAGE_BYTES)
        self._use_wal(connection)
        connection.pragma("synchronous", "full")
        connection.pragma("foreign_keys", True)
        connection.pragma("temp_store", "memory")
        connection.pragma("cache_size", -32_000)
        return connection

    def _use_wal(self, connection: apsw.Connection) -> None:
        """SQLite itself does not wait when several processes turn one new file to WAL, so this does."""
        deadline = time.monotonic() + self.busy_seconds
        while True:
            try:
                connection.pragma("journal_mode", "wal")
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(WAL_PAUSE_SECONDS)
            else:
                return

    def explained(self, error: BaseException) -> BaseException:
        """What went wrong in words a user can act on; errors that are not SQLite's pass unchanged."""
        if isinstance(error, BethinkError) or not isinstance(error, apsw.Error):
            return error
        match error:
            case apsw.BusyError():
                text = f"another process has held the write lock of {self.path} for {self.busy_seconds:g} s"
            case apsw.FullError():
                text = f"the disk that holds {self.path} is full"
            case apsw.NotADBError():
                text = f"{self.path} is not an SQLite database"
            case apsw.CorruptError():
                explained = corrupt(self.path)
                explained.__cause__ = error
                return explained
            case apsw.CantOpenError() | apsw.ReadOnlyError():
                text = f"{self.path} cannot be opened for writing; check the path and its permissions"
            case _:
                text = f"SQLite reports: {error}"
        failure = StoreError(f"The store failed: {text}.")
        failure.__cause__ = error
        return failure


def corrupt(path: str) -> Corrupt:
    """The error of a damaged file."""
    return Corrupt(f"The database file {path} is damaged. {Corrupt.ADVICE}")


def spoiled_rows(
    connection: apsw.Connection, sql: str, values: dict[str, Any]
) -> Iterator[tuple[list[str], list[Any]]]:
    """Names and cells of each row of a query some of whose text is not UTF-8, which is marked."""
    names = [column[0] for column in query_info(connection, sql).description]
    inner = ", ".join(f"c{place}" for place in range(len(names)))
    read = ", ".join(
        f"typeof(c{place}) = 'text', CASE typeof(c{place}) WHEN 'text' THEN CAST(c{place} AS BLOB)"
        f" ELSE c{place} END"
        for place in range(len(names))
    )
    for row in connection.execute(f"WITH found({inner}) AS ({sql}) SELECT {read} FROM found", values):
        cells = zip(row[::2], row[1::2], strict=True)
        yield names, [_text(cell) if is_text else cell for is_text, cell in cells]


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return Spoiled(content.decode(errors="replace"))


def migrate(connection: apsw.Connection) -> list[int]:
    """Bring the schema up to date; the numbers of the migrations applied."""
    connection.execute(LEDGER)
    todo = pending("sqlite", [row[0] for row in connection.execute(APPLIED)])
    for migration in todo:
        connection.execute(migration.sql)
        values = (migration.number, migration.name, micros(now()))
        connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", values)
    return [migration.number for migration in todo]
