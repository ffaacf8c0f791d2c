"""What can be added to Bethink without changing it: every extension point, in one file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from datetime import datetime
    from importlib.resources.abc import Traversable

    import numpy as np
    from numpy.typing import NDArray
    from starlette.types import ASGIApp, Scope

    from bethink.index.describe import Style
    from bethink.journal.change import Change, Made
    from bethink.records import Layer, Record, Space
    from bethink.store import Tx
    from bethink.store.driver import Row
    from bethink.store.entries import Entry
    from bethink.store.filters import EntryFilter

R = TypeVar("R", bound="Record")
Tie = Literal["link", "about", "any source", "all sources"]


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch of a sweep did: how much of what was due, and what came of it by kind.

    Both are kept in the history of runs, so the kinds are words of the sweep and never of a record.
    """

    done: int
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a sweep runs by itself: `every` so often, or daily `at` a time of the space's own timezone.

    With a `jitter`, each space has its own moment within so long after that, so that not all begin at once.
    """

    every: timedelta | None = None
    at: time | None = None
    jitter: timedelta = timedelta()

    def __post_init__(self) -> None:
        if (self.every is None) == (self.at is None):
            raise ValueError("A schedule says either `every` or `at`.")


class Sweep(Protocol):
    """A job over state: the rows say what is due, so a run that was cut short is gone on with by the next.

    The runner gives it the rest: a lease, nudges, runs on demand with progress, a history. For example:

        class Tidying(Sweep):
            name = "tidy"

            async def due(self, space):
                return len(await untidy(space))

            async def batches(self, space, about):
                while tidied := await tidy_some(space, limit=100):
                    yield Batch(tidied, {"tidied": tidied})
    """

    name: str
    schedule: Schedule | None = None

    async def enabled(self, _space: Space, /) -> bool:
        """Whether it is to run in a space at all."""
        return True

    async def due(self, space: Space, /) -> int:
        """How much is due in a space, by the rows. Changes nothing."""

    async def dry_run(self, space: Space, /) -> Mapping[str, int]:
        """What a run would do, counted by kind. Changes nothing."""
        return {"due": await self.due(space)}

    def batches(self, space: Space, about: frozenset[str] | None, /) -> AsyncGenerator[Batch, None]:
        """Do what is due, one bounded batch after the other, each committed before it is yielded.

        `about` is what nudges named, such as sessions with something new; None means everything.
        """


@dataclass(frozen=True)
class Surface:
    """Another application under this roof: where it is, how much it takes, how it says no.

    `paths`, `shapes` and `security` are its part of the OpenAPI document. `pages` are addresses that it
    answers besides those below its prefix.
    """

    prefix: str
    app: ASGIApp
    max_body_bytes: int
    setting: str
    refuse: Callable[[Scope, str, int, str], ASGIApp]
    paths: Mapping[str, Any] = field(default_factory=dict)
    shapes: Mapping[str, Any] = field(default_factory=dict)
    security: Mapping[str, Any] = field(default_factory=dict)
    pages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """An entry as a vector index is given it: its vector, and what filters can look at."""

    id: int
    layer: Layer
    vector: NDArray[np.float32]
    observed_at: datetime
    expires_at: datetime | None = None
    person_id: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """What to look for in a vector index.

    Only entries of this space and signature count. Where `allowed` is given, only these entries count, and
    nothing else need be looked at: they are what the filter and the time leave.
    """

    space: Space
    signature: str
    vector: NDArray[np.float32]
    chosen: EntryFilter
    now: datetime
    limit: int
    allowed: Sequence[int] | None = None


class VectorIndex(Protocol):
    """Finds the entries whose vectors are nearest to a query's.

    The rows of the database are the truth, and an index follows them: it is told what changed, in the order
    of the commits, once at least, and is emptied and filled anew where that cannot be told. It is never
    called in a transaction. `space` is the number of a space, which no other space ever gets. Each method
    raises `StoreError`, saying what to do, when the index cannot answer.
    """

    @property
    def name(self) -> str:
        """What users call this kind of index, as in `index.vector_store`."""

    @property
    def reader(self) -> str:
        """Under which name the database keeps how far this index has been fed: another server, collection or
        file is another reader.
        """

    @property
    def filters(self) -> frozenset[str]:
        """The fields of `EntryFilter` that `nearest` looks at itself, and `now` if it leaves out what has
        expired. Where a search needs others, it is given the ids that they allow, or asked for more than is
        wanted.
        """

    async def put(self, space: int, signature: str, entries: Sequence[VectorEntry]) -> None:
        """Take in entries. What was there under their ids goes, of whatever signature it was."""

    async def delete(self, space: int, ids: Sequence[int]) -> None:
        """Let go of entries; one that is not there is passed over."""

    async def wipe(self, space: int) -> None:
        """Let go of all entries of a space."""

    async def nearest(self, query: VectorQuery) -> list[tuple[int, float]]:
        """The nearest entries and their cosines, best first. An empty list in the filter allows nothing."""

    async def count(self, space: int, signature: str) -> int:
        """How many entries of a space it holds, to notice that it has lost some."""

    async def ids(self, space: int, signature: str, after: int, limit: int) -> list[int]:
        """The ids of the entries of a space that it holds, those greater than `after`, in order, so many."""

    async def health(self) -> str | None:
        """What is wrong with it, and what to do; None when it works. Never raises."""

    async def prove(self, space: int, ids: Sequence[int] | None) -> list[int]:
        """Which of these entries it still holds; with None, those of the whole space, or some of them."""

    async def close(self) -> None:
        """Let go of connections, threads and memory."""


@dataclass(frozen=True)
class Reference:
    """A field that holds the id of another record, a list of ids, or an object with ids in it.

    `tie` says what becomes of a record when one that it names is erased. A `link` is taken out of it. What
    is `about` it goes too. So does what was made from it: once `any source` goes, or once `all sources` do.
    """

    field: str
    to: str | None = None  # the noun of the other record; None when it may be of several
    tie: Tie = "link"
    required: bool = True  # an archive without the other record is refused, where `to` is given


class Line(NamedTuple):
    """A recalled record as one line of a prompt: what it says, who said it or whom it is about."""

    text: str
    person_id: str | None = None
    speaker: str | None = None  # when `person_id` is nobody's
    confidence: int = 100


@dataclass(frozen=True)
class Indexed(Generic[R]):
    """How records of a noun are found: each has an entry in the index, in the layer that the noun names."""

    code: int  # of the layer, 1 to 15, for ever: it is part of every entry's id
    brief: str  # the query that tells ranking of entries: see store/sql/briefs.sql for its columns
    entry: Callable[[R, str, Style], Entry]  # with the timezone of the space
    embedded: Callable[[R, Style], str]  # the text that is embedded
    # From the record and the text of its brief; else that text, of its person, as sure as the record.
    line: Callable[[R, str], Line] | None = None
    # Tells the index of records and of those beside them, also when they are gone; else `entry` tells it.
    index: Callable[[Tx, Space, Sequence[R], Style], None] | None = None
    count_access: str | None = None  # the query that counts a recall
    unless: str | None = None  # the column that is set while a record is not to be found


@dataclass
class Taking:
    """An import under way: where it stores, and what was found out so far.

    `people` are those of the archive who are known there by another id. `mixed` says of each session whose
    messages came whether it has others too, so that positions of the archive mean nothing there.
    """

    tx: Tx
    space: Space
    style: Style
    people: dict[str, str]
    mixed: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Archived(Generic[R]):
    """How records of a noun are taken along in an archive, and brought in from one."""

    query: str = "archive.by_id"
    order: tuple[str, ...] = ("id",)  # the columns that the query sorts by
    read: Callable[[Row], R] | None = None  # by default each column is the field of its name
    long: tuple[str, ...] = ()  # fields with texts that are longer than names
    local: tuple[str, ...] = ()  # fields that say what is so on this machine only, and are not taken along
    stand_in: Callable[[str, Space], R] | None = None  # for one that is damaged, where others must name it
    check: Callable[[R], tuple[str, str] | None] | None = None  # a field and what is wrong with it
    take: Callable[[Taking, Sequence[R]], int] | None = None  # by default, those whose ids are new


@dataclass(frozen=True)
class Noun(Generic[R]):
    """A kind of record: all that the rest of the system has to know of it, said once.

    >>> Noun("bookmark", Bookmark, "bookmarks", archived=Archived(), texts=lambda one: (one.title, one.note))

    A record has an `id` and a `space_id`; its table has a column for each field of it, by the same name.
    """

    name: str  # in the journal, in archives, in receipts; of its layer, where it has one
    record: type[R]
    table: str
    derived: tuple[str, ...] = ()  # other tables that hold what is made from its records, when it is needed
    attached: tuple[str, ...] = ()  # other tables of which each row belongs to a record, and goes with it
    ids: Literal["database", "space"] = "database"  # where an id is given only once
    references: tuple[Reference, ...] = ()
    indexed: Indexed[R] | None = None
    archived: Archived[R] | None = None
    counted_as: str | None = None  # where the records of a space are counted
    ended_by: str | None = None  # the column that is set once a record no longer counts

    # Erasing. Nouns with `texts` are erased by what they say, by what they are about and by their sources.
    texts: Callable[[R], Iterable[Any]] | None = None  # every text of a record that a person wrote
    traces: Callable[[R], Iterable[str | None]] | None = None  # what must be nowhere afterwards; else `texts`
    erase: Callable[[Tx, Space, Sequence[str]], None] | None = None  # by default, the rows are deleted
    relink: Callable[[Tx, R], None] | None = None  # store the references that are left of a record
    own_words: bool = True  # what it says stands in its own right, and does not only tell of other records
    quotes: Callable[[R], Iterable[str]] | None = None  # where it may tell of others; `blank` empties that
    blank: Callable[[Tx, str, Sequence[str]], None] | None = None
    on_everything: Literal["goes", "renewed", "stays"] = "goes"  # when all that a space holds is erased

    # Undoing, by the action of the journal's line: how, or why not.
    ways: Mapping[str, Callable[[Change], Made]] = field(default_factory=dict)
    final: Mapping[str, str] = field(default_factory=dict)
    mutable: Collection[str] = ()  # the fields that the usual ways ever give back an old value
    journalled_as: tuple[str, ...] = ()  # other names than its own in the journal

    # What a noun from elsewhere brings: a folder with `<name>.sql` and `migrations/<number>_<name>.sql`,
    # numbered from 1000.
    sql: Traversable | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What it is called in the journal."""
        return self.journalled_as or (self.name,)

    def traces_of(self, record: R) -> Iterable[Any]:
        """What must be found nowhere once a record is erased."""
        told = self.traces or self.texts
        return told(record) if told else ()
