"""What every vector index must do, wherever its vectors are: in rows of either database, or elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import psycopg
import pytest

from bethink.clock import new_id
from bethink.contracts import VectorEntry, VectorIndex, VectorQuery
from bethink.errors import StoreError
from bethink.index.vectors import nearest as asking
from bethink.index.vectors.chroma import ChromaVectors
from bethink.index.vectors.embedded import EmbeddedVectors
from bethink.index.vectors.feed import Feed
from bethink.index.vectors.nearest import Nearest
from bethink.index.vectors.pgvector import PgVectors
from bethink.index.vectors.qdrant import QdrantVectors
from bethink.index.vectors.sqlite_vec import SqliteVectors
from bethink.records import Layer, Memory, MemoryType, Space
from bethink.settings import StoreSettings, VectorSettings
from bethink.store import Driver, Tx, changes, connect, entries, erasure, leases, memories, spaces, vectors
from bethink.store.entries import Entry
from bethink.store.filters import EntryFilter
from bethink.store.vectors import Vector
from tests.index.vectors import servers
from tests.index.vectors.dict_vectors import DictVectors
from tests.waiting import PATIENCE_SECONDS

NOW = datetime(2024, 5, 17, tzinfo=UTC)
DAY = timedelta(days=1)
SIGNATURE, OTHER = "testing:plane:2", "testing:other:2"
EVERYTHING = EntryFilter()


def direction(degrees: float) -> Vector:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], np.float32)


@dataclass
class Place:
    """A database, an index, and what asks it."""

    url: str
    driver: Driver
    index: VectorIndex
    home: Space
    work: Space

    def __post_init__(self) -> None:
        self.asks = self.another()

    def another(self) -> Nearest:
        """What asks the index as a process that begins now does."""
        return Nearest(self.driver, self.index, patience=PATIENCE_SECONDS)

    async def put(self, degrees: float, name: str, *, to: Space | None = None, **fields: Any) -> None:
        """Store a record, its entry and a vector that points in this direction."""
        await self.driver.write(_put, to or self.home, name, direction(degrees), **fields)

    async def found(
        self,
        chosen: EntryFilter = EVERYTHING,
        *,
        degrees: float = 0,
        of: Space | None = None,
        now: datetime = NOW,
        signature: str = SIGNATURE,
        limit: int = 10,
        asks: Nearest | None = None,
    ) -> list[str]:
        """The names of what is near, best first."""
        space = of or self.home
        query = VectorQuery(space, signature, direction(degrees), chosen, now, limit)
        near = await (asks or self.asks).nearest(query)
        rows = await self.driver.read(entries.by_ids, space.id, [id_ for id_, _ in near.ranked])
        return [rows[id_]["record_id"] for id_, _ in near.ranked]


def _put(
    tx: Tx,
    /,
    space: Space,
    name: str,
    vector: Vector,
    *,
    signature: str = SIGNATURE,
    text: str = "",
    **fields: Any,
) -> None:
    own = {key: fields.pop(key) for key in ("type", "tags", "category", "source", "pinned") if key in fields}
    layer, at = fields.pop("layer", Layer.MEMORY), fields.pop("observed_at", NOW)
    if layer is Layer.MEMORY and not memories.by_ids(tx, space.id, [name]):
        times = {"observed_at": at, "created_at": NOW, "updated_at": NOW}
        memories.add(
            tx, [Memory.model_validate({"id": name, "space_id": space.id, "content": name} | times | own)]
        )
    fingerprint = text or name
    entries.put(tx, space, [Entry(layer, name, at, fingerprint, ["term"], **fields)])
    row = next(
        row
        for row in entries.following(tx, space, 0, 1000)
        if (row["layer"], row["record_id"]) == (layer, name)
    )
    assert vectors.put(tx, space, signature, [(row["id"], fingerprint, vector)]) == 1


PLACES = [
    "embedded", "pgvector", "elsewhere-sqlite", "elsewhere-postgres", "elsewhere-without-filters",
    "sqlite-vec", "qdrant", "qdrant-engine", "chroma", "chroma-folder",
]  # fmt: skip
pytestmark = pytest.mark.xdist_group("vector stores")  # their clients are loaded in one process only


@pytest.fixture(scope="module")
def chroma_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with servers.chroma_server(tmp_path_factory.mktemp("chroma")) as port:
        yield port


@pytest.fixture(scope="module")
def qdrant_port() -> Iterator[int]:
    with servers.qdrant_engine() as port:
        yield port


@pytest.fixture(params=PLACES)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    on_postgres = request.param == "pgvector" or request.param.endswith("-postgres")
    url = str(request.getfixturevalue("postgres_url")) if on_postgres else str(tmp_path / "memory.db")
    driver = await connect(url, StoreSettings())
    index: VectorIndex
    if request.param == "embedded":
        index = EmbeddedVectors(driver, memory_bytes=1 << 20, rescore=20)
    elif request.param == "pgvector":
        index = PgVectors(driver, index_from=10**6)
    elif request.param.startswith("sqlite-vec"):
        index = SqliteVectors(str(tmp_path / "vectors.db"))
    elif request.param == "qdrant":
        index = servers.qdrant()
    elif request.param == "qdrant-engine":
        index = servers.at_engine(request.getfixturevalue("qdrant_port"))
    elif request.param == "chroma-folder":
        index = ChromaVectors(VectorSettings(path=tmp_path / "chroma"), new_id())
    elif request.param == "chroma":
        chosen = VectorSettings(host="127.0.0.1", port=request.getfixturevalue("chroma_port"))
        index = ChromaVectors(chosen, new_id())
    else:
        index = DictVectors(frozenset()) if "without" in request.param else DictVectors()
    home = await driver.write(spaces.ensure, "home", NOW)
    work = await driver.write(spaces.ensure, "work", NOW)
    place = Place(url, driver, index, home, work)
    yield place
    await place.asks.close()
    await driver.close()


async def test_the_nearest_come_first_with_their_cosines(place: Place) -> None:
    for degrees, name in ((90, "north"), (0, "east"), (180, "west"), (45, "northeast")):
        await place.put(degrees, name)
    assert await place.found() == ["east", "northeast", "north", "west"]
    assert await place.found(degrees=80, limit=2) == ["north", "northeast"]
    near = await place.asks.nearest(VectorQuery(place.home, SIGNATURE, direction(0), EVERYTHING, NOW, 3))
    assert [cosine for _, cosine in near.ranked] == pytest.approx([1, 0.5**0.5, 0], abs=1e-6)


async def test_a_query_of_zeros_is_near_to_nothing(place: Place) -> None:
    await place.put(0, "a")
    nothing = VectorQuery(place.home, SIGNATURE, np.zeros(2, np.float32), EVERYTHING, NOW, 5)
    something = VectorQuery(place.home, SIGNATURE, direction(0), EVERYTHING, NOW, 5)
    found = await place.asks.nearest_each([nothing, something, nothing])
    assert [len(near.ranked) for near in found] == [0, 1, 0]


async def furnish(place: Place) -> None:
    """Memories, a message and a fact that each filter takes some of, all in about one direction."""
    trip: dict[str, Any] = {"tags": ["trip", "sea"], "category": "travel", "type": "episodic", "pinned": True}
    await place.put(0, "ana's trip", person_id="ana", session_id="chat", source="import", **trip)
    await place.put(1, "ben's trip", person_id="ben", tags=["trip"], observed_at=NOW - 10 * DAY)
    await place.put(2, "a note", category="home", observed_at=NOW - 30 * DAY)
    await place.put(3, "said", layer=Layer.MESSAGE, session_id="chat", person_id="ana")
    await place.put(4, "known", layer=Layer.FACT, observed_at=NOW - 10 * DAY, expires_at=NOW - DAY)
    await place.put(5, "ends", expires_at=NOW + DAY, session_id="other")


ALL = ["ana's trip", "ben's trip", "a note", "said", "ends"]
FILTERS: list[tuple[EntryFilter, list[str]]] = [
    (EntryFilter(), ALL),
    (EntryFilter(layers=[Layer.MESSAGE]), ["said"]),
    (EntryFilter(layers=[Layer.MESSAGE, Layer.FACT]), ["said"]),
    (EntryFilter(person_ids=["ana"]), ["ana's trip", "said"]),
    (EntryFilter(person_ids=["ana", "ben"]), ["ana's trip", "ben's trip", "said"]),
    (EntryFilter(session_ids=["chat"]), ["ana's trip", "said"]),
    (EntryFilter(tags=["trip"]), ["ana's trip", "ben's trip"]),
    (EntryFilter(tags=["sea", "hills"]), ["ana's trip"]),
    (EntryFilter(types=[MemoryType.EPISODIC]), ["ana's trip"]),
    (EntryFilter(categories=["home"]), ["a note"]),
    (EntryFilter(sources=["import"]), ["ana's trip"]),
    (EntryFilter(pinned=True), ["ana's trip"]),
    (EntryFilter(pinned=False), ["ben's trip", "a note", "ends"]),
    (EntryFilter(since=NOW - 10 * DAY), ["ana's trip", "ben's trip", "said", "ends"]),
    (EntryFilter(until=NOW), ["ben's trip", "a note"]),
    (EntryFilter(as_of=NOW - 5 * DAY), ["ben's trip", "a note"]),
    (EntryFilter(alive_at=NOW + 2 * DAY), ["ana's trip", "ben's trip", "a note", "said"]),
    (EntryFilter(layers=[Layer.MEMORY], person_ids=["ana"], since=NOW - DAY), ["ana's trip"]),
    (EntryFilter(tags=["trip"], person_ids=["ben"], as_of=NOW - DAY), ["ben's trip"]),
    (EntryFilter(tags=["trip"], categories=["travel"], types=[MemoryType.EPISODIC]), ["ana's trip"]),
    (EntryFilter(session_ids=["chat"], layers=[Layer.FACT]), []),
]
EMPTY = [
    EntryFilter(layers=[]),
    EntryFilter(person_ids=[]),
    EntryFilter(session_ids=[]),
    EntryFilter(tags=[]),
    EntryFilter(types=[]),
    EntryFilter(categories=[]),
    EntryFilter(sources=[]),
    EntryFilter(layers=[Layer.MEMORY], tags=[], person_ids=["ana"]),
]


async def test_only_what_the_filter_allows_is_found(place: Place) -> None:
    await furnish(place)
    for chosen, expected in FILTERS:
        assert await place.found(chosen) == expected, chosen
        assert await place.found(chosen, limit=1) == expected[:1], chosen


async def test_a_list_that_is_given_but_empty_allows_nothing(place: Place) -> None:
    await furnish(place)
    for chosen in EMPTY:
        assert await place.found(chosen) == [], chosen


async def test_ids_that_are_allowed_stand_for_a_filter(place: Place) -> None:
    await furnish(place)
    await place.found()
    ids = await place.driver.read(erasure.entry_ids, place.home.id, ["ben's trip", "said"])
    query = VectorQuery(place.home, SIGNATURE, direction(0), EVERYTHING, NOW, 10, allowed=ids)
    assert {id_ for id_, _ in await place.index.nearest(query)} == set(ids)
    assert await place.index.nearest(replace(query, allowed=[])) == []


async def test_a_filter_that_allows_very_many_is_seen_to_as_well(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_ALLOWED", 1)
    await furnish(place)
    for number in range(20):  # nearer than all else, and not allowed
        await place.put(-number / 10, f"in the way {number}", category="other", expires_at=NOW)
    for chosen, expected in FILTERS:
        assert await place.found(chosen, limit=2) == expected[:2], chosen


async def test_what_has_ended_is_found_only_at_a_time_before(place: Place) -> None:
    await furnish(place)
    before = NOW - 2 * DAY
    assert "known" not in await place.found()
    assert await place.found(EntryFilter(layers=[Layer.FACT]), now=before) == ["known"]
    past = EntryFilter(layers=[Layer.FACT], as_of=before)
    assert await place.found(past, now=before) == ["known"]
    assert await place.found(EntryFilter(as_of=NOW - 20 * DAY), now=before) == ["a note"]
    assert await place.found(now=NOW + DAY) == ALL[:-1]
    await place.driver.write(entries.expire, place.home, Layer.MEMORY, "a note", NOW)
    assert "a note" not in await place.found()


async def test_two_spaces_never_mix(place: Place) -> None:
    await place.put(0, "mine")
    await place.put(0, "theirs", to=place.work)
    await place.put(1, "mine too")
    assert await place.found() == ["mine", "mine too"]
    assert await place.found(of=place.work) == ["theirs"]
    await place.driver.write(erasure.everything, place.work)
    assert await place.found(of=place.work) == []
    assert await place.found() == ["mine", "mine too"]


async def test_what_changes_is_seen_by_the_next_search(place: Place) -> None:
    assert await place.found() == []
    await place.put(0, "a")
    assert await place.found() == ["a"]
    await place.put(10, "b")
    await place.put(5, "c")
    assert await place.found() == ["a", "c", "b"]
    await place.put(20, "a", text="another text")
    assert await place.found() == ["c", "b", "a"]
    await place.put(5, "c", person_id="ana")  # the text is the same, and so is the vector
    assert await place.found(EntryFilter(person_ids=["ana"])) == ["c"]
    await place.driver.write(entries.remove, place.home, Layer.MEMORY, ["c"])
    assert await place.found() == ["b", "a"]
    await place.driver.write(_entry, place.home, "b", "not embedded yet")
    assert await place.found() == ["a"], "a vector does not answer for a text it was not made of"


def _entry(tx: Tx, space: Space, name: str, text: str) -> None:
    entries.put(tx, space, [Entry(Layer.MEMORY, name, NOW, text, ["term"])])


async def test_vectors_of_two_signatures_are_never_compared(place: Place) -> None:
    for number in range(3):
        await place.put(number, f"old {number}")
    assert len(await place.found()) == 3
    await place.put(0, "new", signature=OTHER)
    assert await place.found(signature=OTHER) == ["new"]
    assert await place.found() == ["old 0", "old 1", "old 2"]
    await place.put(1, "old 1", signature=OTHER)  # as when another model takes over, one after the other
    assert await place.found(signature=OTHER) == ["new", "old 1"]
    assert await place.found() == ["old 0", "old 2"]


async def test_what_another_process_commits_is_seen_before_the_next_search(place: Place) -> None:
    await place.put(0, "a")
    assert await place.found() == ["a"]
    other = await connect(place.url, StoreSettings())
    await other.write(_put, place.home, "b", direction(10))
    await other.write(entries.remove, place.home, Layer.MEMORY, ["a"])
    assert await place.found() == ["b"]
    await other.write(erasure.everything, place.home)
    await other.write(
        _entry, place.home, "c", "not embedded yet"
    )  # perhaps under an id that was given before
    assert await place.found() == []
    await other.close()


async def test_what_an_index_missed_is_caught_up_with(place: Place) -> None:
    await place.put(0, "a")
    await place.put(5, "b")
    await place.put(7, "c")
    assert await place.found() == ["a", "b", "c"]
    await place.put(20, "a", text="another text")
    await place.driver.write(entries.remove, place.home, Layer.MEMORY, ["b"])
    for number in range(30):
        await place.put(90 + number, f"d{number}")
    later = place.another()  # a process that begins now
    assert await place.found(asks=later, limit=2) == ["c", "a"]
    assert len(await place.found(asks=later, limit=100)) == 32
    if isinstance(place.index, DictVectors):
        assert place.index.wiped == 1, "it was filled once, and told the rest"
        assert len(place.index.told) == 3 + 1 + 30
    await later.tend(place.home, SIGNATURE, 2, 30)
    assert await place.found(limit=2) == ["c", "a"]


async def test_a_log_that_was_cut_leads_to_filling_anew(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    await place.put(0, "a")
    await place.put(5, "b")
    assert await place.found() == ["a", "b"]
    monkeypatch.setattr(changes, "KEPT", 2)
    monkeypatch.setattr(changes, "_PRUNE_EVERY", 1)
    await place.driver.write(entries.remove, place.home, Layer.MEMORY, ["b"])
    for number in range(5):
        await place.put(number, f"elsewhere {number}", to=place.work)
    await _prune(place)
    assert await place.found() == ["a"]
    assert len(await place.found(of=place.work)) == 5
    await place.put(1, "c")
    assert await place.found() == ["a", "c"]
    if isinstance(place.index, DictVectors):
        assert place.index.wiped == 3, "one space twice, the other once"


async def _prune(place: Place) -> None:
    if place.driver.dialect == "postgres":
        await place.driver.write_in_turn(["test"], changes.number)
        await place.driver.write(changes.prune, NOW)


async def test_an_index_that_was_emptied_is_filled_from_the_rows(place: Place) -> None:
    await place.put(0, "a")
    await place.put(1, "b")
    assert await place.found() == ["a", "b"]
    await place.driver.write(changes.note_whole, place.home.number)
    assert await place.found() == ["a", "b"]
    await place.index.wipe(place.home.number)  # behind everyone's back
    assert await place.found(asks=place.another()) == ["a", "b"]
    assert await place.index.count(place.home.number, SIGNATURE) == 2


async def test_what_is_put_or_deleted_twice_is_so_once(place: Place) -> None:
    await place.put(0, "a")
    await place.put(1, "b")
    assert await place.found() == ["a", "b"]
    whole = await place.driver.read(vectors.whole_space, place.home.number, SIGNATURE, 0, 10)
    await place.index.put(place.home.number, SIGNATURE, whole)
    await place.index.delete(place.work.number, [one.id for one in whole])
    assert await place.found() == ["a", "b"]
    await place.driver.write(entries.remove, place.home, Layer.MEMORY, ["a"])
    await place.index.delete(place.home.number, [whole[0].id, whole[0].id + 1000])
    assert await place.found() == ["b"]
    assert await place.index.count(place.home.number, SIGNATURE) == 1


async def test_nothing_is_left_of_what_is_erased(place: Place) -> None:
    for degrees, name in ((0, "secret"), (1, "kept")):
        await place.put(degrees, name)
    await place.put(0, "theirs", to=place.work)
    ids = await place.driver.read(erasure.entry_ids, place.home.id, ["secret", "kept"])
    await place.found()
    await place.found(of=place.work)
    home, prove = place.home.number, place.index.prove
    assert await prove(home, ids) == sorted(ids)
    await place.driver.write(entries.remove, place.home, Layer.MEMORY, ["secret"])
    await place.asks.forget(place.home)
    assert len(await prove(home, ids)) == 1
    assert len(await prove(home, None)) == 1
    assert await place.found() == ["kept"]
    await place.driver.write(erasure.everything, place.home)
    await place.asks.forget(place.home)
    assert await prove(home, ids) == await prove(home, None) == []
    assert len(await prove(place.work.number, None)) == 1


async def test_nothing_is_left_of_a_space_that_is_removed(place: Place) -> None:
    await place.put(0, "secret")
    await place.found()
    await place.driver.write(_remove, place.home)
    await place.asks.forget(place.home)
    assert await place.index.prove(place.home.number, None) == []
    assert await place.driver.read(changes.left_behind, place.index.reader) == []


def _remove(tx: Tx, space: Space) -> None:
    erasure.everything(tx, space)
    memories.delete(tx, space.id, ["secret"])
    spaces.remove(tx, space, NOW)


async def test_it_says_when_it_does_not_work(place: Place) -> None:
    await place.put(0, "a")
    assert await place.index.health() is None
    await _break(place)
    assert await place.index.health()
    with pytest.raises(StoreError):
        await place.found()


async def _break(place: Place) -> None:
    if isinstance(place.index, DictVectors):
        place.index.down = True
        return
    if isinstance(place.index, SqliteVectors | QdrantVectors | ChromaVectors):
        await place.index.close()
        return
    if place.driver.dialect == "sqlite":
        with apsw.Connection(place.url) as file:
            file.execute("PRAGMA foreign_keys = off; DROP TABLE codes; DROP TABLE vectors")
    else:
        with psycopg.connect(place.url, autocommit=True) as server:
            server.execute("ALTER TABLE entries DROP COLUMN vector")


async def test_the_ids_it_holds_are_told_in_order_a_page_at_a_time(place: Place) -> None:
    for number in range(5):
        await place.put(number, f"r{number}")
    await place.put(0, "theirs", to=place.work)
    await place.found()
    home = place.home.number
    whole = await place.index.ids(home, SIGNATURE, 0, 10)
    assert len(whole) == 5
    assert whole == sorted(
        await place.driver.read(erasure.entry_ids, place.home.id, list(map("r{}".format, range(5))))
    )
    assert await place.index.ids(home, SIGNATURE, 0, 2) == whole[:2]
    assert await place.index.ids(home, SIGNATURE, whole[1], 2) == whole[2:4]
    assert await place.index.ids(home, OTHER, 0, 10) == []


async def test_more_are_found_than_most_searches_want(place: Place) -> None:
    for number in range(40):
        await place.put(number, f"r{number}")
    assert await place.found(limit=5_000) == [f"r{number}" for number in range(40)]


FED = [
    "elsewhere-sqlite", "elsewhere-postgres", "sqlite-vec", "qdrant", "qdrant-engine", "chroma",
    "chroma-folder",
]  # fmt: skip
ELSEWHERE = pytest.mark.parametrize("place", FED, indirect=True)


@ELSEWHERE
async def test_what_two_processes_tell_at_once_ends_as_the_rows_have_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One reads a vector and is slow to tell it; meanwhile the other tells a newer one."""
    index, other = place.index, place.another()
    await place.put(0, "a")
    assert await place.found() == await place.found(asks=other) == ["a"]
    real, told = index.put, list[str]()

    async def put(space: int, signature: str, whole: Sequence[VectorEntry]) -> None:
        if not told:
            told.append("slowly")
            await place.put(90, "a", text="the newest")
            await place.found(asks=other)
        await real(space, signature, whole)

    monkeypatch.setattr(index, "put", put)
    await place.put(45, "a", text="newer")
    await place.found()
    assert told
    near = await place.asks.nearest(VectorQuery(place.home, SIGNATURE, direction(90), EVERYTHING, NOW, 1))
    assert [cosine for _, cosine in near.ranked] == pytest.approx([1])


@ELSEWHERE
async def test_only_one_process_fills_it_at_a_time(place: Place) -> None:
    await place.put(0, "a")
    lease = f"fill:{place.index.reader}:{place.home.number}"
    await place.driver.write(leases.take, lease, "another process", datetime.now(UTC), DAY)
    with pytest.raises(StoreError, match="is being filled"):
        await place.found()
    await place.driver.write(leases.release, lease, "another process")
    assert await place.found() == ["a"]


@ELSEWHERE
async def test_what_it_lost_or_has_too_much_is_noticed_by_a_new_process(place: Place) -> None:
    for number in range(3):
        await place.put(number, f"r{number}")
    assert await place.found() == ["r0", "r1", "r2"]
    ids = await place.driver.read(erasure.entry_ids, place.home.id, ["r1"])
    await place.index.delete(place.home.number, ids)
    assert await place.found(asks=place.another()) == ["r0", "r1", "r2"]
    strange = VectorEntry(ids[0] + 500, Layer.MEMORY, direction(0), NOW)
    await place.index.put(place.home.number, SIGNATURE, [strange])
    assert await place.found(asks=place.another()) == ["r0", "r1", "r2"]
    assert await place.index.count(place.home.number, SIGNATURE) == 3


@ELSEWHERE
async def test_what_it_lost_and_has_too_much_at_once_is_mended_when_compared(place: Place) -> None:
    """As many are missing as are too many, so that their number says nothing."""
    for number in range(4):
        await place.put(number, f"r{number}")
    await place.found()
    ids = await place.driver.read(erasure.entry_ids, place.home.id, ["r1"])
    await place.index.delete(place.home.number, ids)
    strange = VectorEntry(ids[0] + 500, Layer.MEMORY, direction(0), NOW)
    await place.index.put(place.home.number, SIGNATURE, [strange])
    feed = Feed(place.driver, place.index)
    assert await feed.reconcile(place.home.number, SIGNATURE) == (1, 1)
    assert await feed.reconcile(place.home.number, SIGNATURE) == (0, 0)
    assert await place.found() == ["r0", "r1", "r2", "r3"]
    await feed.close()
