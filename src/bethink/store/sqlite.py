"""SQLite through apsw: one writer thread that commits in groups, several readers, other processes welcome."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Concatenate

import apsw

from bethink.clock import now
from bethink.errors import BethinkError, Closed, StoreError
from bethink.store import queries
from bethink.store.columns import micros, to_json
from bethink.store.driver import P, Row, Scrubbed, T, Values, bound
from bethink.store.migrate import APPLIED, LEDGER, pending

GROUP_LIMIT = 256  # transactions made durable by one commit at most
WAL_PAUSE_SECONDS = 0.01
ANSWERS_KEPT = 1000  # while nothing is committed
PAGE_BYTES = 8192  # five 384-dimensional vectors to a page instead of two
_NOTHING: Values = {}
_BUSY = (
    "Another process was reading the database, so its write-ahead log could not be emptied; it is when that"
    " process has finished and the next checkpoint runs. Erase again to make sure."
)


class SqliteTx:
    """A transaction on one connection."""

    dialect: queries.Dialect = "sqlite"

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    @property
    def state(self) -> tuple[int, int, int]:
        connection = self._connection  # which counts for itself alone: the commits of others, its own changes
        return id(connection), connection.execute("PRAGMA data_version").get, connection.total_changes()

    def all(self, query: str, values: Values = _NOTHING, **marks: str) -> list[Row]:
        cursor = self._execute(query, values, marks)
        try:
            names = [column[0] for column in cursor.get_description()]
        except apsw.ExecutionCompleteError:  # no rows at all
            return []
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def one(self, query: str, values: Values = _NOTHING, **marks: str) -> Row | None:
        rows = self.all(query, values, **marks)
        return rows[0] if rows else None

    def tuples(self, query: str, values: Values = _NOTHING, **marks: str) -> list[tuple[Any, ...]]:
        return self._execute(query, values, marks).fetchall()

    def each(self, query: str, values: Values = _NOTHING, **marks: str) -> Iterator[Row]:
        cursor = self._execute(query, values, marks)
        names: list[str] = []
        for row in cursor:
            names = names or [column[0] for column in cursor.get_description()]
            yield dict(zip(names, row, strict=True))

    def run(self, query: str, values: Values = _NOTHING, **marks: str) -> int:
        self._execute(query, values, marks).fetchall()
        return self._connection.changes()

    def many(self, query: str, rows: Iterable[Values], **marks: str) -> None:
        sql = queries.text("sqlite", query, **marks)
        self._connection.executemany(sql, rows)  # no lists among the values

    def _execute(self, query: str, values: Values, marks: dict[str, str]) -> apsw.Cursor:
        return self._connection.execute(queries.text("sqlite", query, **marks), _bound(values))


class SqliteDriver:
    """One database file (or `:memory:`, where the writer also reads because no one else can see the data)."""

    dialect: queries.Dialect = "sqlite"

    def __init__(self, path: str, *, readers: int, busy_seconds: float) -> None:
        self._path, self._busy_seconds = path, busy_seconds
        self._jobs: SimpleQueue[tuple[Callable[[SqliteTx], Any], Future[Any]] | None] = SimpleQueue()
        self._closed = False
        if path != ":memory:":
            _create_private(Path(path))
        try:
            self._connection = self._connect()
        except apsw.Error as error:
            raise self._explained(error) from error
        self._writer = threading.Thread(target=self._serve, name="bethink-writer", daemon=True)
        self._writer.start()
        self._local = threading.local()
        self._opened: list[apsw.Connection] = []
        self._readers = None if path == ":memory:" else ThreadPoolExecutor(readers, "bethink-reader")

    async def read(
        self, work: Callable[Concatenate[SqliteTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._closed:
            raise Closed
        if self._readers is None:
            return await self.write(work, *args, **kwargs)
        job = partial(self._read, bound(work, args, kwargs))
        return await asyncio.get_running_loop().run_in_executor(self._readers, job)

    async def peek(
        self, work: Callable[Concatenate[SqliteTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._closed or self._readers is None:
            return await self.read(work, *args, **kwargs)
        return self._read(bound(work, args, kwargs))

    async def peek_once(
        self, work: Callable[Concatenate[SqliteTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._closed or self._readers is None:
            return await self.read(work, *args, **kwargs)
        answers = self._answers()
        asked = (work, args, *kwargs.items())
        if asked not in answers:
            answers[asked] = self._read(bound(work, args, kwargs))
        answer: T = answers[asked]
        return answer

    def forget(self) -> None:
        self._local.answers = {}

    async def write(
        self, work: Callable[Concatenate[SqliteTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._closed:
            raise Closed
        future: Future[T] = Future()
        self._jobs.put((bound(work, args, kwargs), future))
        return await asyncio.wrap_future(future)

    async def write_in_turn(
        self,
        _names: Iterable[str],
        work: Callable[Concatenate[SqliteTx, P], T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return await self.write(work, *args, **kwargs)  # here all that write go one after the other

    async def alone(self, query: str, **marks: str) -> None:
        await self.write(lambda tx: tx.run(query, _NOTHING, **marks))

    async def migrate(self) -> list[int]:
        return await self.write(_migrate)

    async def scrub(self) -> Scrubbed:
        if self._closed:
            raise Closed
        future: Future[Scrubbed] = Future()
        self._jobs.put((self._scrub, future))
        return await asyncio.wrap_future(future)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._writer.join)
        if self._readers is not None:
            await asyncio.to_thread(self._readers.shutdown)
        for connection in (*self._opened, self._connection):
            connection.close()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(self._path)
        connection.set_busy_timeout(int(self._busy_seconds * 1000))
        connection.pragma("page_size", PAGE_BYTES)
        self._use_wal(connection)
        connection.pragma("synchronous", "full")
        connection.pragma("foreign_keys", True)
        connection.pragma("temp_store", "memory")
        connection.pragma("cache_size", -32_000)
        return connection

    def _use_wal(self, connection: apsw.Connection) -> None:
        """SQLite itself does not wait when several processes turn one new file to WAL, so this does."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                connection.pragma("journal_mode", "wal")
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(WAL_PAUSE_SECONDS)
            else:
                return

    def _reader(self) -> apsw.Connection:
        """The connection of this reader thread."""
        if not hasattr(self._local, "connection"):
            self._local.connection = self._connect()
            self._opened.append(self._local.connection)
        connection: apsw.Connection = self._local.connection
        return connection

    def _answers(self) -> dict[Any, Any]:
        """What this thread has read since the last commit, of whichever process."""
        try:
            state = SqliteTx(self._reader()).state
        except apsw.Error as error:
            raise self._explained(error) from error
        if getattr(self._local, "state", None) != state or len(self._local.answers) >= ANSWERS_KEPT:
            self._local.state, self._local.answers = state, {}
        answers: dict[Any, Any] = self._local.answers
        return answers

    def _read(self, work: Callable[[SqliteTx], T]) -> T:
        try:
            connection = self._reader()
            connection.execute("BEGIN")
            try:
                return work(SqliteTx(connection))
            finally:
                connection.execute("ROLLBACK")
        except apsw.Error as error:
            raise self._explained(error) from error

    def _serve(self) -> None:
        """The writer thread: whatever has queued up meanwhile shares the next commit."""
        open_for_work = True
        while open_for_work:
            waiting = [self._jobs.get()]
            while len(waiting) < GROUP_LIMIT:
                try:
                    waiting.append(self._jobs.get_nowait())
                except Empty:
                    break
            open_for_work = None not in waiting
            jobs = [job for job in waiting if job and job[1].set_running_or_notify_cancel()]
            shared = [job for job in jobs if job[0] != self._scrub]
            if shared:
                self._commit(shared)
            for _, future in jobs:
                if not future.done():
                    self._alone(future)

    def _commit(self, jobs: list[tuple[Callable[[SqliteTx], Any], Future[Any]]]) -> None:
        done: list[tuple[Future[Any], Any]] = []
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for work, future in jobs:
                connection.execute("SAVEPOINT job")
                try:
                    done.append((future, work(SqliteTx(connection))))
                except BaseException as error:
                    if not connection.in_transaction:
                        raise  # SQLite has undone the whole group, as it does when the disk is full
                    connection.execute("ROLLBACK TO job")
                    future.set_exception(self._explained(error))
                connection.execute("RELEASE job")
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            for _, future in jobs:
                if not future.done():
                    future.set_exception(self._explained(error))
        else:
            for future, result in done:
                future.set_result(result)

    def _alone(self, future: Future[Any]) -> None:
        """Scrub between two commits: SQLite rewrites a file only outside of transactions."""
        try:
            future.set_result(self._scrub(SqliteTx(self._connection)))
        except BaseException as error:
            future.set_exception(self._explained(error))

    def _scrub(self, tx: SqliteTx) -> Scrubbed:
        connection = tx._connection
        tx.run("erasure.merge_terms")
        connection.pragma(
            "temp_store", "file"
        )  # the copy is as large as the database, and holds nothing erased
        try:
            connection.execute("VACUUM")
        finally:
            connection.pragma("temp_store", "memory")
        if self._path == ":memory:":
            return Scrubbed(True)
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        if busy:
            return Scrubbed(False, [_BUSY])
        return Scrubbed(True)

    def _explained(self, error: BaseException) -> BaseException:
        """What went wrong in words a user can act on; errors that are not SQLite's pass unchanged."""
        if isinstance(error, BethinkError) or not isinstance(error, apsw.Error):
            return error
        match error:
            case apsw.BusyError():
                text = f"another process has held the write lock of {self._path} for {self._busy_seconds:g} s"
            case apsw.FullError():
                text = f"the disk that holds {self._path} is full"
            case apsw.NotADBError():
                text = f"{self._path} is not an SQLite database"
            case apsw.CorruptError():
                text = f"{self._path} is damaged; restore a backup or an export"
            case apsw.CantOpenError() | apsw.ReadOnlyError():
                text = f"{self._path} cannot be opened for writing; check the path and its permissions"
            case _:
                text = f"SQLite reports: {error}"
        explained = StoreError(f"The store failed: {text}.")
        explained.__cause__ = error
        return explained


def _bound(values: Values) -> dict[str, Any]:
    """Lists go in as JSON, which IN_LIST takes apart."""
    return {name: to_json(value) if isinstance(value, list) else value for name, value in values.items()}


def _create_private(path: Path) -> None:
    """Make the file readable by its owner only; SQLite gives its side files the same mode."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(f"The database file {path} cannot be created: {error.strerror}.") from error


def _migrate(tx: SqliteTx) -> list[int]:
    connection = tx._connection
    connection.execute(LEDGER)
    todo = pending("sqlite", [row[0] for row in connection.execute(APPLIED)])
    for migration in todo:
        connection.execute(migration.sql)
        values = (migration.number, migration.name, micros(now()))
        connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", values)
    return [migration.number for migration in todo]
