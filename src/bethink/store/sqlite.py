"""SQLite through apsw: one writer thread that commits in groups, several readers, other processes welcome."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Concatenate

import apsw
from apsw.ext import query_info

from bethink.clock import now
from bethink.errors import BethinkError, Closed, Corrupt, StoreError
from bethink.settings.private import make_private_folder, open_private
from bethink.store import known_files, queries
from bethink.store.columns import micros, to_json
from bethink.store.damage import Spoiled
from bethink.store.driver import OwnProcess, P, Row, Scrubbed, T, Values, bound
from bethink.store.leftovers import Leftover, empty_log, leftover, merge_terms, note, rewrite
from bethink.store.migrate import APPLIED, LEDGER, pending

GROUP_LIMIT = 256  # transactions made durable by one commit at most
WAL_PAUSE_SECONDS = 0.01
ANSWERS_KEPT = 1000  # while nothing is committed
PAGE_BYTES = 8192  # five 384-dimensional vectors to a page instead of two
_NOTHING: Values = {}
RETRY_SECONDS = 60.0  # before ridding the file of erased bytes is tried again, when it failed
LONGEST_PAUSE_SECONDS = 3600.0  # the same, when it gave way to who wrote, again and again
LOG_SECONDS = 0.02  # between two tries to empty the log
_BUSY = (
    "Another process was reading the database, so its write-ahead log could not be emptied. It is emptied at"
    " a quiet moment after that process has finished; erase again, whatever it is, to have it done at once."
)
_AGAIN = "It is tried again by itself every minute, and with every erasure, also one that finds nothing."
_log = logging.getLogger(__name__)


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
        try:
            cursor = self._execute(query, values, marks)
            names = [column[0] for column in cursor.get_description()]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except apsw.ExecutionCompleteError:  # no rows at all
            return []
        except UnicodeDecodeError:
            rows = self._as_far_as_it_goes(query, values, marks)
            return [dict(zip(names, row, strict=True)) for names, row in rows]
        except apsw.CorruptError as error:
            raise _corrupt(self._connection.filename) from error

    def one(self, query: str, values: Values = _NOTHING, **marks: str) -> Row | None:
        rows = self.all(query, values, **marks)
        return rows[0] if rows else None

    def tuples(self, query: str, values: Values = _NOTHING, **marks: str) -> list[tuple[Any, ...]]:
        try:
            return self._execute(query, values, marks).fetchall()
        except UnicodeDecodeError:
            return [tuple(row) for _, row in self._as_far_as_it_goes(query, values, marks)]
        except apsw.CorruptError as error:
            raise _corrupt(self._connection.filename) from error

    def each(self, query: str, values: Values = _NOTHING, **marks: str) -> Iterator[Row]:
        done, names = 0, None
        try:
            cursor = self._execute(query, values, marks)
            for row in cursor:
                names = names or [column[0] for column in cursor.get_description()]
                yield dict(zip(names, row, strict=True))
                done += 1
        except UnicodeDecodeError:
            rows = islice(self._as_far_as_it_goes(query, values, marks), done, None)
            yield from (dict(zip(names, row, strict=True)) for names, row in rows)
        except apsw.CorruptError as error:
            raise _corrupt(self._connection.filename) from error

    def _as_far_as_it_goes(
        self, query: str, values: Values, marks: dict[str, str]
    ) -> Iterator[tuple[list[str], list[Any]]]:
        """Names and cells of each row of a query some of whose text is not UTF-8, which is marked."""
        sql = queries.text("sqlite", query, **marks)
        given = _bound(values)
        names = [column[0] for column in query_info(self._connection, sql).description]
        inner = ", ".join(f"c{place}" for place in range(len(names)))
        read = ", ".join(
            f"typeof(c{place}) = 'text', CASE typeof(c{place}) WHEN 'text' THEN CAST(c{place} AS BLOB)"
            f" ELSE c{place} END"
            for place in range(len(names))
        )
        cursor = self._connection.execute(f"WITH found({inner}) AS ({sql}) SELECT {read} FROM found", given)
        for row in cursor:
            cells = zip(row[::2], row[1::2], strict=True)
            yield names, [_text(cell) if is_text else cell for is_text, cell in cells]

    @contextmanager
    def attempt(self) -> Iterator[None]:
        yield  # a read that fails leaves a transaction as it was

    def run(self, query: str, values: Values = _NOTHING, **marks: str) -> int:
        self._execute(query, values, marks).fetchall()
        return self._connection.changes()

    def many(self, query: str, rows: Iterable[Values], **marks: str) -> None:
        sql = queries.text("sqlite", query, **marks)
        self._connection.executemany(sql, rows)  # no lists among the values

    def _execute(self, query: str, values: Values, marks: dict[str, str]) -> apsw.Cursor:
        return self._connection.execute(queries.text("sqlite", query, **marks), _bound(values))


@dataclass(frozen=True)
class _Apart:
    """Work outside of transactions, as when SQLite rewrites a file."""

    work: Callable[[apsw.Connection], Any]


_Work = Callable[[SqliteTx], Any]
_Job = tuple[_Work | _Apart, Future[Any]]


class SqliteDriver:
    """One database file (or `:memory:`, where the writer also reads because no one else can see the data)."""

    dialect: queries.Dialect = "sqlite"

    def __init__(
        self, path: str, *, readers: int, busy_seconds: float, vacuum_bytes: int, quiet_seconds: float
    ) -> None:
        self._path, self._busy_seconds = path, busy_seconds
        self._vacuum_bytes, self._quiet_seconds = vacuum_bytes, quiet_seconds
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._closed = False
        self._process = OwnProcess()
        self._untidy, self._tidy_from = False, 0.0  # whether erased bytes may be left, and when to see to it
        self._pause = quiet_seconds  # how long it waited after it last gave way
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
        self._check_open()
        if self._readers is None:
            return await self.write(work, *args, **kwargs)
        job = partial(self._read, bound(work, args, kwargs))
        return await asyncio.get_running_loop().run_in_executor(self._readers, job)

    async def peek(
        self, work: Callable[Concatenate[SqliteTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._closed or self._readers is None or not self._process.is_this:
            return await self.read(work, *args, **kwargs)
        return self._read(bound(work, args, kwargs))

    async def peek_once(
        self, work: Callable[Concatenate[SqliteTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._closed or self._readers is None or not self._process.is_this:
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
        self._check_open()
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
        applied = await self.write(_migrate)
        await self._apart(self._look)
        if self._path != ":memory:":
            known_files.note(Path(self._path))
        return applied

    async def integrity(self, *, deep: bool) -> list[str]:
        try:
            return await self.read(_integrity, deep)
        except Corrupt as error:  # so badly that not even the check can tell
            return [error.message]

    async def scrub(self) -> Scrubbed:
        try:
            begin = True
            while await self.write(_merge_terms, begin=begin):
                begin = False
            rewritten = self._is_small() and await self._apart(rewrite)
            emptied = await self._emptied()
            left = Leftover.FILE if not rewritten else Leftover.NOTHING if emptied else Leftover.LOG
            await self._apart(partial(self._note, left))
        except StoreError as error:
            await self._apart(self._look)
            return Scrubbed(False, [f"Erased bytes may be left in the files: {error.message} {_AGAIN}"])
        notes = [] if emptied else [_BUSY]
        return Scrubbed(left is Leftover.NOTHING, notes if rewritten else [self._later(), *notes])

    async def needs_scrub(self) -> bool:
        return self._untidy

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if not self._process.is_this:
            return  # the file's locks and the threads are the parent's
        self._jobs.put(None)
        await asyncio.to_thread(self._writer.join)
        if self._readers is not None:
            await asyncio.to_thread(self._readers.shutdown)
        for connection in (*self._opened, self._connection):
            connection.close()

    def _check_open(self) -> None:
        if self._closed:
            raise Closed
        self._process.check()

    async def _apart(self, work: Callable[[apsw.Connection], T]) -> T:
        """Do something between two commits, outside of transactions."""
        self._check_open()
        future: Future[T] = Future()
        self._jobs.put((_Apart(work), future))
        return await asyncio.wrap_future(future)

    def _is_small(self) -> bool:
        return self._path == ":memory:" or Path(self._path).stat().st_size <= self._vacuum_bytes

    def _later(self) -> str:
        return (
            f"The file is over {self._vacuum_bytes:,} bytes (the setting store.vacuum_mb), so it is"
            f" rewritten as soon as nothing was written for {self._quiet_seconds:g} s. Until then its pages"
            " may hold copies of erased rows that no query reaches."
        )

    async def _emptied(self) -> bool:
        """Try to empty the log for a while; between two tries others may write."""
        for _ in range(max(1, int(self._busy_seconds / LOG_SECONDS))):
            if await self._apart(self._empty_log):
                return True
            await asyncio.sleep(LOG_SECONDS)
        return False

    def _empty_log(self, connection: apsw.Connection) -> bool:
        return self._path == ":memory:" or empty_log(connection, self._busy_seconds)

    def _note(self, left: Leftover, connection: apsw.Connection) -> None:
        note(connection, left)
        self._look(connection)

    def _look(self, connection: apsw.Connection) -> None:
        self._untidy = leftover(connection) is not Leftover.NOTHING
        if not self._untidy:
            self._pause = self._quiet_seconds

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
            waiting = self._waiting()
            open_for_work = None not in waiting
            jobs = [job for job in waiting if job and job[1].set_running_or_notify_cancel()]
            shared = [(work, future) for work, future in jobs if not isinstance(work, _Apart)]
            if shared:
                self._commit(shared)
            for work, future in jobs:
                if isinstance(work, _Apart):
                    self._do_apart(work, future)

    def _waiting(self) -> list[_Job | None]:
        """The next jobs; none when it has been quiet for a while and erased bytes were seen to."""
        try:
            first = self._jobs.get(timeout=self._patience())
        except Empty:
            self._tidy()
            return []
        waiting = [first]
        while len(waiting) < GROUP_LIMIT:
            try:
                waiting.append(self._jobs.get_nowait())
            except Empty:
                break
        return waiting

    def _patience(self) -> float | None:
        """How long to wait for someone who writes before erased bytes are seen to; None with none left."""
        return max(self._quiet_seconds, self._tidy_from - time.monotonic()) if self._untidy else None

    def _tidy(self) -> None:
        """Rid the file of erased bytes, and say when to try again if any may be left."""
        wait = RETRY_SECONDS
        try:
            if not self._rid(self._connection):  # what was copied by then was in vain
                wait = self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        except apsw.Error as error:
            _log.warning("Erased bytes may be left in the files: %s", self._explained(error))
        except Exception:  # without this thread nobody could write
            _log.exception("Erased bytes may be left in the files, because of a defect")
        self._tidy_from = time.monotonic() + wait if self._untidy else 0.0

    def _rid(self, connection: apsw.Connection) -> bool:
        """Rewrite the file and empty its log where need be; False when it gave way to who came to write."""
        left = leftover(connection)
        if left is Leftover.FILE:
            if not (self._merged(connection) and rewrite(connection, lambda: not self._jobs.empty())):
                return False
            left = Leftover.LOG
            self._note(left, connection)
        if left is Leftover.LOG and self._empty_log(connection):
            self._note(Leftover.NOTHING, connection)
            _log.info("The database file holds no erased bytes any more")
        self._look(connection)
        return True

    def _merged(self, connection: apsw.Connection) -> bool:
        """Merge the index of terms; False when someone came to write meanwhile."""
        begin = True
        while self._jobs.empty():
            if not merge_terms(connection, begin=begin):
                return True
            begin = False
        return False

    def _commit(self, jobs: list[tuple[_Work, Future[Any]]]) -> None:
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

    def _do_apart(self, apart: _Apart, future: Future[Any]) -> None:
        try:
            future.set_result(apart.work(self._connection))
        except BaseException as error:
            future.set_exception(self._explained(error))

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
                explained = _corrupt(self._path)
                explained.__cause__ = error
                return explained
            case apsw.CantOpenError() | apsw.ReadOnlyError():
                text = f"{self._path} cannot be opened for writing; check the path and its permissions"
            case _:
                text = f"SQLite reports: {error}"
        failure = StoreError(f"The store failed: {text}.")
        failure.__cause__ = error
        return failure


def _corrupt(path: str) -> Corrupt:
    return Corrupt(f"The database file {path} is damaged. {Corrupt.ADVICE}")


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return Spoiled(content.decode(errors="replace"))


def _bound(values: Values) -> dict[str, Any]:
    """Lists go in as JSON, which IN_LIST takes apart."""
    return {name: to_json(value) if isinstance(value, list) else value for name, value in values.items()}


def _create_private(path: Path) -> None:
    """Make the file readable by its owner only; SQLite gives its side files the same mode."""
    try:
        known_files.refuse_emptied(path)
        make_private_folder(path.parent)
        if not path.exists():
            known_files.forget(path)
        os.close(open_private(path, os.O_RDWR))
    except OSError as error:
        raise StoreError(f"The database file {path} cannot be created: {error.strerror}.") from error


def _integrity(tx: SqliteTx, deep: bool) -> list[str]:
    lines = [str(row[0]) for row in tx.tuples("integrity.deep" if deep else "integrity.quick")]
    return [] if lines == ["ok"] else lines


def _merge_terms(tx: SqliteTx, *, begin: bool) -> bool:
    return merge_terms(tx._connection, begin=begin)


def _migrate(tx: SqliteTx) -> list[int]:
    connection = tx._connection
    connection.execute(LEDGER)
    todo = pending("sqlite", [row[0] for row in connection.execute(APPLIED)])
    for migration in todo:
        connection.execute(migration.sql)
        values = (migration.number, migration.name, micros(now()))
        connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", values)
    return [migration.number for migration in todo]
