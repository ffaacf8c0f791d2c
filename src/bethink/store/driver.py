"""The contract between the nouns and a database.

A transaction is a plain function that takes a `Tx`; the driver runs it off the event loop from its first
statement to its commit. So one set of noun modules serves both databases, no transaction can be interleaved
with another or left half done by a cancelled task, and SQLite can commit many of them at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from bethink.errors import Forked
from bethink.store.queries import Dialect


class OwnProcess:
    """The process in which this was made."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    @property
    def is_this(self) -> bool:
        """Is this still that process, and not one forked from it?"""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Raise `Forked` in a forked child: what it waits for would never come."""
        if not self.is_this:
            raise Forked


Row = dict[str, Any]
Values = Mapping[str, Any]
P = ParamSpec("P")
T = TypeVar("T")


class Tx(Protocol):
    """One transaction. Queries and the marks in them go by name (`memories.page`, `where=…`)."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def state(self) -> Hashable | None:
        """What is the same for two transactions that read the same; None where that cannot be told."""

    def all(self, query: str, values: Values = ..., **marks: str) -> list[Row]:
        """Every row of a query."""

    def one(self, query: str, values: Values = ..., **marks: str) -> Row | None:
        """The first row, or None."""

    def tuples(self, query: str, values: Values = ..., **marks: str) -> list[tuple[Any, ...]]:
        """Every row as a bare tuple, for the large reads of the index."""

    def each(self, query: str, values: Values = ..., **marks: str) -> Iterator[Row]:
        """The rows one by one, however many; to be read to the end."""

    def run(self, query: str, values: Values = ..., **marks: str) -> int:
        """Carry out a statement; how many rows it changed."""

    def attempt(self) -> AbstractContextManager[None]:
        """Within, a read that fails does not spoil the transaction for the reads after it."""

    def many(self, query: str, rows: Iterable[Values], **marks: str) -> None:
        """Carry out a statement once per row."""


@dataclass(frozen=True)
class Scrubbed:
    """Whether the database's files were rewritten without what was deleted, and what is to be known of it."""

    done: bool
    notes: list[str] = field(default_factory=list)


class Driver(Protocol):
    """A database: `read` and `write` each run one transaction and return what it returns."""

    @property
    def dialect(self) -> Dialect: ...

    async def read(self, work: Callable[Concatenate[Tx, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction that only reads."""

    async def peek(self, work: Callable[Concatenate[Tx, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction that reads a few rows by their keys.

        An embedded database does so at once, on the event loop: a thread costs several times as much.
        """

    async def peek_once(
        self, work: Callable[Concatenate[Tx, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Like `peek`, but an embedded database answers from memory until something is committed to it.

        Several may get the same answer, so it must not be changed; the arguments must be hashable.
        """

    def forget(self) -> None:
        """Let go of the answers kept for `peek_once`, at once."""

    async def write(self, work: Callable[Concatenate[Tx, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction that writes; it is durable when this returns."""

    async def write_in_turn(
        self,
        names: Iterable[str],
        work: Callable[Concatenate[Tx, P], T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Like `write`, but transactions that share a name go one after the other, each seeing the last."""

    async def alone(self, query: str, **marks: str) -> None:
        """Carry out a statement that takes long and must not stand in a transaction: making an index."""

    async def migrate(self) -> list[int]:
        """Bring the schema up to date; the numbers of the migrations applied."""

    async def integrity(self, *, deep: bool) -> list[str]:
        """What the database's own check finds wrong: the quick one, or all it has."""

    async def scrub(self) -> Scrubbed:
        """Rid the database of the bytes of deleted rows, as far as a client of it can.

        Others who write wait no longer than a step of it takes. What a full disk or a reader hinders is in
        the notes, and is tried again later.
        """

    async def needs_scrub(self) -> bool:
        """Whether bytes of an earlier erasure may be left that a client can do something about."""

    async def close(self) -> None:
        """Finish what is under way and let go of the database."""


def bound(
    work: Callable[Concatenate[Any, P], T], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[Any], T]:
    """A transaction with its arguments filled in, waiting for its `Tx`, in the context it was made in."""
    context = copy_context()
    return lambda tx: context.run(work, tx, *args, **kwargs)
