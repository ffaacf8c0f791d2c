"""SQLite through apsw: one writer thread that commits in groups, several readers, other processes welcome."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Concatenate

import apsw

from bethink.errors import Closed, Corrupt, StoreError
from bethink.store import queries
from bethink.store.driver import OwnProcess, P, Row, Scrubbed, T, Values, bound
from bethink.store.leftovers import AGAIN, BUSY, Leftover, Tidying, merge_terms, rewrite
from bethink.store.rows import to_json
from bethink.store.sqlite_file import SqliteFile, corrupt, migrate, spoiled_rows

GROUP_LIMIT = 256  # transactions made durable by one commit at most
ANSWERS_KEPT = 1000  # while nothing is committed
_NOTHING: Values = {}
LOG_SECONDS = 0.02  # between two tries to empty the log


class SqliteTx:
    """A transaction on one connection."""

    dialect: queries.Dialect = "sqlite"

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    @property
    def state(self) -> tuple[int, int, int]:
        connection = self.connection  # which counts for itself alone: the commits of others, its own changes
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
            raise corrupt(self.connection.filename) from error

    def one(self, query: str, values: Values = _NOTHING, **marks: str) -> Row | None:
        rows = self.all(query, values, **marks)
        return rows[0] if rows else None

    def tuples(self, query: str, values: Values = _NOTHING, **marks: str) -> list[tuple[Any, ...]]:
        try:
            return self._execute(query, values, marks).fetchall()
        except UnicodeDecodeError:
            return [tuple(row) for _, row in self._as_far_as_it_goes(query, values, marks)]
        except apsw.CorruptError as error:
            raise corrupt(self.connection.filename) from error

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
            raise corrupt(self.connection.filename) from error

    def _as_far_as_it_goes(
        self, query: str, values: Values, marks: dict[str, str]
    ) -> Iterator[tuple[list[str], list[Any]]]:
        return spoiled_rows(self.connection, queries.text("sqlite", query, **marks), _bound(values))

    @contextmanager
    def attempt(self) -> Iterator[None]:
        yield  # a read that fails leaves a transaction as it was

    def run(self, query: str, values: Values = _NOTHING, **marks: str) -> int:
        self._execute(query, values, marks).fetchall()
        return self.connection.changes()

    def many(self, query: str, rows: Iterable[Values], **marks: str) -> None:
        sql = queries.text("sqlite", query, **marks)
        self.connection.executemany(sql, rows)  # no lists among the values

    def _execute(self, query: str, values: Values, marks: dict[str, str]) -> apsw.Cursor:
        return self.connection.execute(queries.text("sqlite", query, **marks), _bound(values))


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
        self._file = SqliteFile(path, busy_seconds)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._tidying = Tidying(self._file, vacuum_bytes, quiet_seconds, lambda: not self._jobs.empty())
        self._closed = False
        self._process = OwnProcess()
        self._file.create()
        try:
            self._connection = self._file.connect()
        except apsw.Error as error:
            raise self._file.explained(error) from error
        self._writer = threading.Thread(target=self._serve, name="bethink-writer", daemon=True)
        self._writer.start()
        self._local = threading.local()
        self._opened: list[apsw.Connection] = []
        self._readers = None if self._file.in_memory else ThreadPoolExecutor(readers, "bethink-reader")

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
        applied = await self.write(lambda tx: migrate(tx.connection))
        await self._apart(self._tidying.look)
        self._file.note_known()
        return applied

    async def integrity(self, *, deep: bool) -> list[str]:
        try:
            return await self.read(_integrity, deep)
        except Corrupt as error:  # so badly that not even the check can tell
            return [error.message]

    async def scrub(self) -> Scrubbed:
        tidying = self._tidying
        try:
            begin = True
            while await self.write(lambda tx, begin: merge_terms(tx.connection, begin=begin), begin):
                begin = False
            rewritten = tidying.is_small and await self._apart(rewrite)
            emptied = await self._emptied()
            left = Leftover.FILE if not rewritten else Leftover.NOTHING if emptied else Leftover.LOG
            await self._apart(partial(tidying.note, left))
        except StoreError as error:
            await self._apart(tidying.look)
            return Scrubbed(False, [f"Erased bytes may be left in the files: {error.message} {AGAIN}"])
        notes = [] if emptied else [BUSY]
        return Scrubbed(left is Leftover.NOTHING, notes if rewritten else [tidying.later, *notes])

    async def needs_scrub(self) -> bool:
        return self._tidying.is_due

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

    async def _emptied(self) -> bool:
        """Try to empty the log for a while; between two tries others may write."""
        for _ in range(max(1, int(self._file.busy_seconds / LOG_SECONDS))):
            if await self._apart(self._tidying.empty_log):
                return True
            await asyncio.sleep(LOG_SECONDS)
        return False

    def _reader(self) -> apsw.Connection:
        """The connection of this reader thread."""
        if not hasattr(self._local, "connection"):
            self._local.connection = self._file.connect()
            self._opened.append(self._local.connection)
        connection: apsw.Connection = self._local.connection
        return connection

    def _answers(self) -> dict[Any, Any]:
        """What this thread has read since the last commit, of whichever process."""
        try:
            state = SqliteTx(self._reader()).state
        except apsw.Error as error:
            raise self._file.explained(error) from error
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
            raise self._file.explained(error) from error

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
            first = self._jobs.get(timeout=self._tidying.patience() if self._tidying.is_due else None)
        except Empty:
            self._tidying.tidy(self._connection)
            return []
        waiting = [first]
        while len(waiting) < GROUP_LIMIT:
            try:
                waiting.append(self._jobs.get_nowait())
            except Empty:
                break
        return waiting

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
                    future.set_exception(self._file.explained(error))
                connection.execute("RELEASE job")
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            for _, future in jobs:
                if not future.done():
                    future.set_exception(self._file.explained(error))
        else:
            for future, result in done:
                future.set_result(result)

    def _do_apart(self, apart: _Apart, future: Future[Any]) -> None:
        try:
            future.set_result(apart.work(self._connection))
        except BaseException as error:
            future.set_exception(self._file.explained(error))


def _bound(values: Values) -> dict[str, Any]:
    """Lists go in as JSON, which IN_LIST takes apart."""
    return {name: to_json(value) if isinstance(value, list) else value for name, value in values.items()}


def _integrity(tx: SqliteTx, deep: bool) -> list[str]:
    lines = [str(row[0]) for row in tx.tuples("integrity.deep" if deep else "integrity.quick")]
    return [] if lines == ["ok"] else lines
