"""PostgreSQL through psycopg 3: a pool of connections, each transaction in a worker thread of its own."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any, Concatenate

import psycopg
from psycopg.rows import dict_row
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolTimeout

from bethink.clock import new_id, now
from bethink.errors import Closed, Corrupt, MigrationError, StoreError
from bethink.nouns import NOUNS
from bethink.store import queries
from bethink.store.driver import OwnProcess, P, Row, Scrubbed, T, Values, bound
from bethink.store.migrate import APPLIED, LEDGER, pending
from bethink.store.rows import micros

CONNECT_SECONDS = 10.0
TRIES = 12  # a transaction that lost a race is run again: it is a function of its arguments
PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.002, 0.1  # between tries, of random length: others may race too
MIGRATION_LOCK = 0x7265636F6C6C6563  # "recollec", for pg_advisory_lock
TURN_LOCK = 0x7265636F  # "reco", for pg_advisory_lock with two numbers: this and one of so many
TURN_LOCKS = 256
_LOCK = "SELECT pg_advisory_lock(%s, turn) FROM unnest(%s::int[]) AS turn"
_CONNECTION: dict[str, Any] = {
    "application_name": "bethink",
    "connect_timeout": int(CONNECT_SECONDS),
    # A server that vanished without a word is noticed within seconds, not after a quarter of an hour.
    "tcp_user_timeout": int(CONNECT_SECONDS * 1000),
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
_LOST_RACE = (
    psycopg.errors.UniqueViolation,
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
)
_CORRUPT = (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted)
NEAR_AT_ONCE = 200  # candidates an HNSW search keeps; with fewer than asked for after filters, it goes on
ROWS_AHEAD = 500  # fetched at once where rows are read one by one
_INDEX = ("entries", "token_vectors")
_UNVACUUMED = (
    "VACUUM failed, so the room of deleted rows, which no query reaches, is freed when the server next does"
    " so by itself (autovacuum); run VACUUM to have it done at once."
)
_AFTERLIFE = [
    "The rows are gone and VACUUM has freed their room, but PostgreSQL does not overwrite freed room at once:"
    " VACUUM FULL rewrites the tables without it.",
    "The server's write-ahead log, its archives, its replicas and your backups hold what they held before;"
    " they are beyond the reach of a client.",
]
_NOTHING: Values = {}
_random = random.SystemRandom()


class PostgresTx:
    """A transaction on one pooled connection."""

    dialect: queries.Dialect = "postgres"
    state = None

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def all(self, query: str, values: Values = _NOTHING, **marks: str) -> list[Row]:
        with _corruption_named(), self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(_sql(query, marks), values).fetchall()

    def one(self, query: str, values: Values = _NOTHING, **marks: str) -> Row | None:
        with _corruption_named(), self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(_sql(query, marks), values).fetchone()

    def tuples(self, query: str, values: Values = _NOTHING, **marks: str) -> list[tuple[Any, ...]]:
        with _corruption_named():
            return self._connection.execute(_sql(query, marks), values).fetchall()

    def each(self, query: str, values: Values = _NOTHING, **marks: str) -> Iterator[Row]:
        with (
            _corruption_named(),
            self._connection.cursor(name=f"each_{new_id()}", row_factory=dict_row) as cursor,
        ):
            cursor.itersize = ROWS_AHEAD
            yield from cursor.execute(_sql(query, marks), values)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        with self._connection.transaction():
            yield

    def run(self, query: str, values: Values = _NOTHING, **marks: str) -> int:
        return self._connection.execute(_sql(query, marks), values).rowcount

    def many(self, query: str, rows: Iterable[Values], **marks: str) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_sql(query, marks), list(rows))


class PostgresDriver:
    """One PostgreSQL database with the pgvector extension."""

    dialect: queries.Dialect = "postgres"

    def __init__(self, url: str, *, pool_size: int, build_mb: int) -> None:
        self._closed = False
        self._process = OwnProcess()
        self._url, self._build_mb = url, build_mb
        self._pool = ConnectionPool(
            url,
            min_size=1,
            max_size=pool_size,
            timeout=CONNECT_SECONDS,
            # Tries to connect are ever farther apart; so they begin anew, or a server that is back after an
            # hour would be found minutes later.
            reconnect_timeout=CONNECT_SECONDS,
            kwargs=_CONNECTION,
            configure=_configure,
            open=False,
        )
        self._threads = ThreadPoolExecutor(pool_size, "bethink-postgres")
        self._lone: set[psycopg.Connection[Any]] = set()  # with a long statement under way
        self._losers = threading.Lock()  # losers of a race go one at a time, so as not to meet again

    async def read(
        self, work: Callable[Concatenate[PostgresTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._run(bound(work, args, kwargs))

    peek = peek_once = read  # every look takes a trip to the server

    def forget(self) -> None:
        """Nothing is kept."""

    async def write(
        self, work: Callable[Concatenate[PostgresTx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._run(bound(work, args, kwargs))

    async def write_in_turn(
        self,
        names: Iterable[str],
        work: Callable[Concatenate[PostgresTx, P], T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        locks = sorted({zlib.crc32(name.encode()) % TURN_LOCKS for name in names})  # one order: no deadlock
        return await self._run(bound(work, args, kwargs), locks)

    async def alone(self, query: str, **marks: str) -> None:
        self._check_open()
        await asyncio.to_thread(self._alone, _sql(query, marks))

    def _check_open(self) -> None:
        if self._closed:
            raise Closed
        self._process.check()

    async def migrate(self) -> list[int]:
        await asyncio.get_running_loop().run_in_executor(self._threads, self._open)
        return await self._run(_migrate)

    async def integrity(self, *, deep: bool) -> list[str]:
        return await self.read(_integrity) if deep else []  # there is no quick one

    async def scrub(self) -> Scrubbed:
        self._check_open()
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, self._vacuum)
        except StoreError as error:
            return Scrubbed(False, [f"{_UNVACUUMED} ({error.message})", *_AFTERLIFE])
        return Scrubbed(False, list(_AFTERLIFE))

    async def needs_scrub(self) -> bool:
        return False  # what one could not do, the server does by itself

    async def close(self) -> None:
        self._closed = True
        if not self._process.is_this:
            return  # a goodbye on the parent's connections would end them
        for connection in list(
            self._lone
        ):  # what is half done is done anew by whoever opens the database next
            connection.cancel_safe()
        await asyncio.to_thread(self._threads.shutdown)
        await asyncio.to_thread(self._pool.close)

    async def _run(self, work: Callable[[PostgresTx], T], locks: Sequence[int] = ()) -> T:
        self._check_open()
        # Shielded: a cancelled caller must not leave a connection in the middle of a transaction.
        return await asyncio.shield(
            asyncio.get_running_loop().run_in_executor(self._threads, self._transact, work, locks)
        )

    def _open(self) -> None:
        try:
            # The pool would try again and again and never say why, so one connection goes ahead.
            psycopg.connect(self._url, **_CONNECTION).close()
            self._pool.open(wait=True, timeout=CONNECT_SECONDS)
        except psycopg.ProgrammingError as error:  # its text repeats parts of the URL, perhaps the password
            raise StoreError(
                "The PostgreSQL URL cannot be read: write postgresql://user:password@host:port/database, "
                "with special characters in the password percent-encoded."
            ) from error
        except psycopg.OperationalError as error:
            self._pool.close()
            raise StoreError(
                "PostgreSQL cannot be reached: check the host, port, user, password and database of the URL. "
                f"({str(error).splitlines()[0]})"
            ) from error

    def _vacuum(self) -> None:
        self._alone(f"VACUUM {', '.join(sorted({*_INDEX, *NOUNS.tables}))}".encode())

    def _alone(self, statement: bytes) -> None:
        try:
            with psycopg.connect(self._url, autocommit=True, **_CONNECTION) as connection:
                self._lone.add(connection)
                try:
                    connection.execute(f"SET maintenance_work_mem = '{self._build_mb}MB'".encode())
                    connection.execute(statement)
                finally:
                    self._lone.discard(connection)
        except psycopg.Error as error:
            raise _explained(error) from error

    def _transact(self, work: Callable[[PostgresTx], T], locks: Sequence[int]) -> T:
        for attempt in range(1, TRIES + 1):
            try:
                with self._losers if attempt > 1 else nullcontext():
                    return self._attempt(work, locks)
            except _LOST_RACE as error:
                if attempt == TRIES:
                    raise _explained(error) from error
                pause = min(PAUSE_SECONDS * 2**attempt, LONGEST_PAUSE_SECONDS)
                time.sleep(_random.uniform(0, pause))
            except PoolTimeout as error:
                raise StoreError("The store failed: PostgreSQL has no free connection or is down.") from error
            except psycopg.Error as error:
                raise _explained(error) from error
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _attempt(self, work: Callable[[PostgresTx], T], locks: Sequence[int]) -> T:
        try:
            return self._once(work, locks)
        except _Unanswered:  # as after a restart of the server: those that are pooled may all be like it
            self._pool.check()
            return self._once(work, locks)

    def _once(self, work: Callable[[PostgresTx], T], locks: Sequence[int]) -> T:
        with self._pool.connection() as connection, ExitStack() as stack:
            try:
                if locks:
                    stack.enter_context(_locked(connection, locks))
                stack.enter_context(connection.transaction())
            except psycopg.OperationalError as error:
                raise _Unanswered(*error.args) if connection.broken else error from error
            return work(PostgresTx(connection))


@contextmanager
def _corruption_named() -> Iterator[None]:
    try:
        yield
    except _CORRUPT as error:
        what = error.diag.message_primary or "the data is damaged"
        raise Corrupt(f"The database is damaged: {what}. {Corrupt.ADVICE}") from error


class _Unanswered(psycopg.OperationalError):
    """A pooled connection turned out to be lost before anything was done on it."""


@contextmanager
def _locked(connection: psycopg.Connection[Any], locks: Sequence[int]) -> Iterator[None]:
    """Hold locks around a transaction: one that waited inside would not see what it had waited for."""
    connection.autocommit = True
    try:
        connection.execute(_LOCK, (TURN_LOCK, list(locks)))
        yield
    finally:
        if not connection.broken:  # what is lost holds no locks
            connection.execute("SELECT pg_advisory_unlock_all()")
            connection.autocommit = False


def _explained(error: psycopg.Error) -> StoreError:
    """What PostgreSQL reports, without the detail lines, which may hold a whole row of someone's data."""
    return StoreError(f"The store failed: PostgreSQL reports: {error.diag.message_primary or error}.")


def _sql(query: str, marks: dict[str, str]) -> bytes:
    return queries.text("postgres", query, **marks).encode()


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.adapters.register_loader("jsonb", TextLoader)  # read as text, like the other database
    # One state of the data from first look to last, also like it: a change built on a state that someone else
    # has changed meanwhile is refused, and tried again, instead of undoing theirs.
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.autocommit = True
    connection.execute("SET jit = off")  # compiling takes longer than any query of ours
    connection.execute(f"SET hnsw.ef_search = {NEAR_AT_ONCE}".encode())
    with suppress(psycopg.Error):  # pgvector before 0.8 cannot go on, and finds fewer
        connection.execute("SET hnsw.iterative_scan = relaxed_order")
    connection.autocommit = False


def _integrity(tx: PostgresTx) -> list[str]:
    """What amcheck finds in our tables and their indexes; nothing where a superuser has not installed it."""
    if not tx.tuples("integrity.has_amcheck"):
        return []
    problems: list[str] = []
    for name, kind in tx.tuples("integrity.relations"):
        try:
            with tx.attempt():
                query = "integrity.table" if kind == "r" else "integrity.index"
                rows = tx.tuples(query, {"relation": name})
                problems += [f"{name}: {row[-1]}" for row in rows if kind == "r"]
        except (psycopg.Error, Corrupt) as error:
            problems.append(f"{name}: {str(error).splitlines()[0]}")
    return problems


def _migrate(tx: PostgresTx) -> list[int]:
    connection = tx._connection
    # Whoever has waited for the lock must see what was done under it.
    connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error as error:
        raise MigrationError(
            "The pgvector extension is not available: install it on the PostgreSQL server and run "
            f"'CREATE EXTENSION vector' in this database as a superuser. ({error})"
        ) from error
    connection.execute(LEDGER)
    todo = pending("postgres", [row[0] for row in connection.execute(APPLIED)])
    for migration in todo:
        connection.execute(migration.sql.encode())
        values = (migration.number, migration.name, micros(now()))
        connection.execute("INSERT INTO migrations VALUES (%s, %s, %s)", values)
    return [migration.number for migration in todo]
