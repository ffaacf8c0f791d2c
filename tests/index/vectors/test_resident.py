from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray

from bethink.errors import InvalidInput
from bethink.index.vectors.resident import NEVER, ResidentVectors
from bethink.store.vectors import pack, unpack

Floats = NDArray[np.float32]
SPACE = 7 << 32


def units(count: int, dimensions: int, seed: int = 0) -> Floats:
    vectors = np.random.default_rng(seed).standard_normal((count, dimensions), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def whole(ids: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(ids), np.int64)


def put(
    resident: ResidentVectors, ids: Iterable[int], vectors: Floats, layer: int = 0, expires: int = NEVER
) -> None:
    count = len(vectors)
    resident.put(whole(ids), vectors, np.full(count, layer, np.uint8), np.full(count, expires, np.int64))


def found(
    resident: ResidentVectors,
    query: Floats,
    count: int = 10,
    *,
    now: int = 1,
    layers: Iterable[int] | None = None,
    allowed: Iterable[int] | None = None,
) -> list[int]:
    ids, _ = resident.nearest(
        query,
        count,
        now=now,
        layers=None if layers is None else frozenset(layers),
        allowed=None if allowed is None else whole(allowed),
    )
    return [int(each) for each in ids]


def test_the_nearest_come_first_with_their_cosines() -> None:
    resident = ResidentVectors(2)
    angles = np.radians([80, 10, 170, 40])
    put(resident, [1, 2, 3, 4], np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32))

    ids, cosines = resident.nearest(np.array([1, 0], np.float32), 3, now=1)

    assert ids.tolist() == [2, 4, 1]
    assert cosines.tolist() == pytest.approx(np.cos(np.radians([10, 40, 80])), abs=0.01)
    assert [ids.dtype.name, cosines.dtype.name] == ["int64", "float32"]


def test_the_length_of_the_query_changes_nothing() -> None:
    resident = ResidentVectors(16)
    vectors = units(50, 16)
    put(resident, range(50), vectors)
    query = units(1, 16, seed=1)[0]

    for length in (1e-20, 0.5, 1e20):
        ids, cosines = resident.nearest(query * np.float32(length), 5, now=1)
        assert ids.tolist() == found(resident, query, 5)
        assert cosines == pytest.approx((vectors @ query)[ids], abs=0.02)


def test_rescoring_a_few_gives_the_same_ten_as_an_exact_search() -> None:
    # Neighbours as close as those in real text: many small variations of few themes.
    themes = units(200, 64)
    vectors = np.repeat(themes, 100, axis=0) + 0.5 * units(20_000, 64, seed=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    resident = ResidentVectors(64)
    put(resident, range(SPACE, SPACE + 20_000), vectors)

    for query in themes[:20]:
        exact = vectors @ query
        near = whole(found(resident, query, 40)) - SPACE
        assert near[np.argsort(-exact[near])][:10].tolist() == np.argsort(-exact)[:10].tolist()


def test_equal_cosines_come_in_the_order_of_their_ids() -> None:
    resident = ResidentVectors(4)
    ids = [int(each) for each in np.random.default_rng(0).permutation(3000)]
    put(resident, ids, np.tile(units(1, 4), (3000, 1)))

    assert found(resident, units(1, 4)[0], 5) == [0, 1, 2, 3, 4]


def test_putting_an_id_again_replaces_its_vector_layer_and_expiry() -> None:
    resident = ResidentVectors(2)
    east, north = np.eye(2, dtype=np.float32)
    put(resident, [1, 2], np.stack((east, east)), layer=3, expires=10)
    put(resident, [1], north[None], layer=4)

    assert len(resident) == 2
    assert found(resident, east) == [2, 1]
    assert found(resident, east, layers=[4]) == [1]
    assert found(resident, east, now=10) == [1]


def test_the_last_of_equal_ids_put_together_wins() -> None:
    resident = ResidentVectors(2)
    east, north = np.eye(2, dtype=np.float32)
    put(resident, [5, 6, 5], np.stack((east, east, north)))

    assert len(resident) == 2
    assert found(resident, north) == [5, 6]


def test_a_removed_row_is_not_found_until_it_is_put_again() -> None:
    resident = ResidentVectors(8)
    vectors = units(3, 8)
    put(resident, [1, 2, 3], vectors)
    resident.remove(whole([2, 2, 99]))

    assert len(resident) == 2
    assert 2 not in found(resident, vectors[1])
    assert found(resident, vectors[1], allowed=[2]) == []

    put(resident, [2], vectors[1:2])
    assert found(resident, vectors[1], 1) == [2]


def test_rows_removed_by_the_thousand_stay_removed() -> None:
    resident = ResidentVectors(8)
    vectors = units(5000, 8)
    put(resident, range(5000), vectors)
    resident.remove(whole(range(1100)))
    resident.remove(whole(range(1050, 1200)))

    assert len(resident) == 3800
    assert found(resident, vectors[0], allowed=range(1200)) == []
    put(resident, range(1000, 1200), vectors[1000:1200])
    assert sorted(found(resident, vectors[0], 5000)) == list(range(1000, 5000))


def test_a_row_is_not_found_from_the_moment_it_expires() -> None:
    resident = ResidentVectors(8)
    vectors = units(2, 8)
    put(resident, [2], vectors[1:])
    put(resident, [1], vectors[:1], expires=100)

    assert sorted(found(resident, vectors[0], now=99)) == [1, 2]
    for now in (100, 101, NEVER - 1):
        assert found(resident, vectors[0], now=now) == [2]
        assert found(resident, vectors[0], now=now, allowed=[1]) == []


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 1.0])
def test_layers_and_allowed_ids_restrict_the_search_exactly(share: float) -> None:
    resident = ResidentVectors(16)
    vectors = units(3000, 16)
    layers = np.random.default_rng(1).integers(0, 3, 3000).astype(np.uint8)
    resident.put(np.arange(3000), vectors, layers, np.full(3000, NEVER))
    allowed = set(np.random.default_rng(2).choice(3000, int(3000 * share), replace=False).tolist())
    everything = found(resident, vectors[0], 3000)

    assert found(resident, vectors[0], 3000, allowed=allowed) == [i for i in everything if i in allowed]
    assert found(resident, vectors[0], 3000, layers=[0, 2, 77]) == [i for i in everything if layers[i] != 1]
    assert found(resident, vectors[0], 3000, layers=[1], allowed=allowed) == [
        i for i in everything if i in allowed and layers[i] == 1
    ]


def test_ids_that_are_unknown_or_twice_in_allowed_add_nothing() -> None:
    resident = ResidentVectors(8)
    put(resident, range(10), units(10, 8))

    assert sorted(found(resident, units(1, 8)[0], allowed=[3, -5, 3, 8, 10_000, 8])) == [3, 8]


def test_an_empty_restriction_matches_nothing() -> None:
    resident = ResidentVectors(8)
    put(resident, range(10), units(10, 8))

    assert found(resident, units(1, 8)[0], allowed=[]) == []
    assert found(resident, units(1, 8)[0], layers=[]) == []
    assert found(resident, units(1, 8)[0], layers=[256, -1]) == []


def test_fewer_rows_than_asked_for_are_all_returned() -> None:
    resident = ResidentVectors(8)
    assert found(resident, units(1, 8)[0]) == []
    put(resident, range(3), units(3, 8))
    assert sorted(found(resident, units(1, 8)[0], 1000)) == [0, 1, 2]
    put(resident, [], np.empty((0, 8), np.float32))
    resident.remove(whole(range(3)))
    assert found(resident, units(1, 8)[0]) == []


def test_a_zero_vector_is_kept_and_near_to_nothing() -> None:
    resident = ResidentVectors(2)
    put(resident, [1, 2, 3], np.array([[0, 0], [-1, 0], [1, 0]], np.float32))

    ids, cosines = resident.nearest(np.array([1, 0], np.float32), 3, now=1)

    assert ids.tolist() == [3, 1, 2]
    assert cosines.tolist() == pytest.approx([1, 0, -1], abs=1e-6)


def test_what_cannot_be_searched_for_is_refused_by_name() -> None:
    resident = ResidentVectors(4)
    put(resident, [1], units(1, 4))
    for query in (np.zeros(4), np.ones(5), np.ones((1, 4)), np.array([1, 2, np.nan, 3]), np.full(4, np.inf)):
        with pytest.raises(InvalidInput) as refused:
            resident.nearest(query.astype(np.float32), 1, now=1)
        assert refused.value.field == "query"
        assert "query" in refused.value.message
    with pytest.raises(InvalidInput) as refused:
        resident.nearest(np.ones(4, np.float32), 0, now=1)
    assert refused.value.field == "count"


def test_what_cannot_be_put_is_refused_by_name_and_changes_nothing() -> None:
    with pytest.raises(InvalidInput, match="dimensions"):
        ResidentVectors(0)
    resident = ResidentVectors(4)
    put(resident, [1, 2], units(2, 4))
    ids, vectors, layers, expires = whole([2, 3]), units(2, 4, seed=1), np.zeros(2, np.uint8), whole([9, 9])
    spoilt = vectors.copy()
    spoilt[1, 2] = np.nan
    for field, arguments in (
        ("vectors", (ids, units(2, 5), layers, expires)),
        ("vectors", (ids, vectors[:1], layers, expires)),
        ("vectors", (ids, spoilt, layers, expires)),
        ("layers", (ids, vectors, layers[:1], expires)),
        ("expires", (ids, vectors, layers, expires[None])),
    ):
        with pytest.raises(InvalidInput) as refused:
            resident.put(*arguments)
        assert refused.value.field == field
        assert field in refused.value.message
    assert sorted(found(resident, units(1, 4)[0], now=10)) == [1, 2]


def test_what_is_scanned_in_shares_is_what_is_scanned_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    resident, query = ResidentVectors(16), units(1, 16, seed=5)[0]
    put(resident, range(1001), units(1001, 16))
    whole_scan = resident.nearest(query, 50, now=1)
    monkeypatch.setattr("bethink.index.vectors.resident._SHARED_FROM", 100)
    monkeypatch.setattr("bethink.index.vectors.resident._SHARES", 3)
    shared = resident.nearest(query, 50, now=1)
    assert np.array_equal(whole_scan[0], shared[0])
    assert np.array_equal(whole_scan[1], shared[1])


@pytest.mark.parametrize("room", [0, 70, 100, 5000])
def test_what_is_loaded_answers_as_what_was_put(room: int) -> None:
    vectors, expires = units(90, 16), {3: 5, 80: 5, 1000: 5}
    layers = (np.arange(90) % 3).astype(np.uint8)
    codes, inverse_lengths = unpack(pack(list(vectors)))
    pages = [
        (np.arange(part.start, part.stop), layers[part], codes[part], inverse_lengths[part])
        for part in (slice(0, 40), slice(40, 80), slice(80, 90))
    ]
    loaded = ResidentVectors.loaded(16, pages, expires, room=room)
    same = ResidentVectors(16)
    ends = np.array([expires.get(each, NEVER) for each in range(90)], np.int64)
    same.put(np.arange(90), vectors, layers, ends)
    for seed in range(5):
        query = units(1, 16, seed)[0]
        for now, chosen in ((1, None), (5, None), (5, [1])):
            assert found(loaded, query, 30, now=now, layers=chosen) == found(
                same, query, 30, now=now, layers=chosen
            )
    assert loaded.bytes < 90 * 16 * 8
    put(loaded, [5, 95], units(2, 16, seed=9))
    assert found(loaded, units(2, 16, seed=9)[1], 1) == [95]
    assert len(loaded) == 91


def test_memory_grows_with_the_rows_and_is_given_back() -> None:
    resident = ResidentVectors(64)
    put(resident, range(5000), units(5000, 64))
    full = resident.bytes
    assert 5000 * 64 < full < 5000 * 128

    for start in range(0, 4900, 100):
        resident.remove(whole(range(start, start + 100)))
    assert resident.bytes < full / 20
    assert sorted(found(resident, units(1, 64)[0], 1000)) == list(range(4900, 5000))


@dataclass(frozen=True)
class Row:
    vector: Floats
    layer: int
    expires: int


class AgainstADictionary(RuleBasedStateMachine):
    """Whatever is put and removed, a search agrees with an exact one over a dictionary."""

    dimensions = 8
    # The worst that rounding two vectors of this many dimensions to int8 can do to their cosine.
    slack = 2 * np.sqrt(dimensions) * 0.5 / 127

    some_ids = st.lists(
        st.one_of(st.integers(0, 40), st.sampled_from([-(2**63), 2**63 - 1, SPACE, SPACE + 1])), max_size=12
    )
    seeds = st.integers(0, 2**32 - 1)

    def __init__(self) -> None:
        super().__init__()
        self.resident = ResidentVectors(self.dimensions)
        self.rows: dict[int, Row] = {}

    def put_rows(self, ids: list[int], seed: int) -> None:
        dice = np.random.default_rng(seed)
        vectors = units(len(ids), self.dimensions, seed)
        layers = dice.integers(0, 3, len(ids)).astype(np.uint8)
        expires = dice.choice([5, 10, NEVER], len(ids))
        self.resident.put(whole(ids), vectors, layers, expires)
        for each, vector, layer, expiry in zip(ids, vectors, layers, expires, strict=True):
            self.rows[each] = Row(vector, int(layer), int(expiry))

    def remove_rows(self, ids: list[int]) -> None:
        self.resident.remove(whole(ids))
        for each in ids:
            self.rows.pop(each, None)

    @rule(ids=some_ids, seed=seeds)
    def put_a_few(self, ids: list[int], seed: int) -> None:
        self.put_rows(ids, seed)

    @rule(start=st.integers(0, 500), count=st.integers(1, 1500), seed=seeds)
    def put_many(self, start: int, count: int, seed: int) -> None:
        self.put_rows(list(range(start, start + count)), seed)

    @rule(ids=some_ids)
    def remove_a_few(self, ids: list[int]) -> None:
        self.remove_rows(ids)

    @rule(start=st.integers(0, 1500), count=st.integers(1, 1000))
    def remove_many(self, start: int, count: int) -> None:
        self.remove_rows(list(range(start, start + count)))

    @rule(
        seed=seeds,
        count=st.integers(1, 60) | st.just(5000),
        now=st.integers(0, 12),
        layers=st.none() | st.frozensets(st.integers(0, 3)),
        allowed=st.none() | some_ids | st.builds(range, st.integers(0, 300), st.integers(300, 2000)),
    )
    def search(
        self, seed: int, count: int, now: int, layers: frozenset[int] | None, allowed: Iterable[int] | None
    ) -> None:
        query = units(1, self.dimensions, seed)[0]
        ids, cosines = self.resident.nearest(
            query, count, now=now, layers=layers, allowed=None if allowed is None else whole(allowed)
        )

        visible = [
            each
            for each in (self.rows.keys() if allowed is None else self.rows.keys() & set(allowed))
            if self.rows[each].expires > now and (layers is None or self.rows[each].layer in layers)
        ]
        vectors = np.array([self.rows[each].vector for each in visible]).reshape(-1, self.dimensions)
        exact = dict(zip(visible, (vectors @ query).tolist(), strict=True))
        assert len(set(ids.tolist())) == len(ids) == min(count, len(exact))
        assert (np.diff(cosines) <= 0).all()
        expected = np.array([exact.pop(each) for each in ids.tolist()])
        assert (np.abs(cosines - expected) <= self.slack).all()
        if exact:
            assert max(exact.values()) <= cosines[-1] + self.slack

    @invariant()
    def what_has_not_expired_is_found(self) -> None:
        assert len(self.resident) == len(self.rows)
        self.search(seed=0, count=20, now=7, layers=None, allowed=None)


AgainstADictionary.TestCase.settings = settings(max_examples=50, stateful_step_count=25, deadline=None)
TestAgainstADictionary = AgainstADictionary.TestCase


@pytest.fixture
def eager_threads() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("eager_threads")
def test_searches_are_right_while_others_write() -> None:
    """Standing ids are rewritten all along, a pair turns round together, passing ids come and go."""
    standing, dimensions, rounds = 500, 32, 300
    vectors = units(standing, dimensions)
    compass = units(1, dimensions, seed=9)[0]
    pair, passing = [10_000, 10_001], range(20_000, 20_000 + rounds)
    resident = ResidentVectors(dimensions)
    put(resident, range(standing), vectors)
    put(resident, pair, np.stack((compass, compass)), layer=1)
    done = Event()
    removed: list[int] = []

    def rewrite() -> None:
        dice = np.random.default_rng(3)
        for _ in range(rounds):
            some = dice.choice(standing, 20, replace=False)
            put(resident, some, vectors[some])

    def turn_the_pair() -> None:
        for turn in range(rounds):
            side = compass if turn % 2 else -compass
            put(resident, pair, np.stack((side, side)), layer=1)

    def come_and_go() -> None:
        for each in passing:
            put(resident, [each], vectors[each % standing][None])
            resident.remove(whole([each]))
            removed.append(each)

    def search(seed: int) -> int:
        dice = np.random.default_rng(seed)
        searches = 0
        while not done.is_set():
            gone = set(removed)
            sought = int(dice.integers(standing))
            ids, cosines = resident.nearest(vectors[sought], 5, now=1)
            assert sought in ids[:2]
            assert cosines[0] > 0.999
            assert len(set(ids.tolist())) == 5
            assert not gone & set(ids.tolist())
            assert found(resident, vectors[sought], allowed=[sought]) == [sought]
            both, sides = resident.nearest(compass, 5, now=1, layers=frozenset({1}))
            assert sorted(both.tolist()) == pair
            assert sides[0] == sides[1]
            assert abs(sides[0]) > 0.999
            searches += 1
        return searches

    with ThreadPoolExecutor(5) as threads:
        searching = [threads.submit(search, seed) for seed in range(2)]
        writing = [threads.submit(work) for work in (rewrite, turn_the_pair, come_and_go)]
        try:
            for work in writing:
                work.result()
        finally:
            done.set()
        assert sum(work.result() for work in searching) > 0
    assert len(resident) == standing + len(pair)
