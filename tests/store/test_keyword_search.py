"""Keyword search: what is found, in which order, and within which bounds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.records import Layer, Space
from bethink.store import Driver, entries, keyword_search
from bethink.store import entries as terms
from bethink.store import keyword_search as postings
from bethink.store.entries import Entry
from bethink.store.filters import EntryFilter
from bethink.store.keyword_search import Counts, idf
from tests.store.samples import DAY, NOW, entry

COMMON = [entry(f"filler {n}", f"filler common word{n}") for n in range(20)]


async def search(
    store: Driver,
    space: Space,
    query: str,
    *,
    chosen: EntryFilter | None = None,
    limit: int = 100,
    counts: Counts | None = None,
) -> list[str]:
    """The records found, best first."""
    chosen = chosen or EntryFilter()
    counts = counts or Counts()
    hits = await store.read(keyword_search.search, space, query.split(), chosen, NOW, limit, counts)
    scores = [score for _, score in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    rows = await store.read(entries.by_ids, space.id, [id_ for id_, _ in hits])
    return [rows[id_]["record_id"] for id_, _ in hits]


RANKINGS: dict[str, tuple[Sequence[Entry], str, list[str]]] = {
    "a rarer term weighs more": (
        [entry("frequent", "common thing"), entry("rare", "unicorn thing")],
        "common unicorn",
        ["rare", "frequent"],
    ),
    "more of the terms weigh more": (
        [entry("one", "cat sat there"), entry("two", "cat mat there"), entry("both", "cat mat sat")],
        "mat sat cat",
        ["both"],
    ),
    "a word of the record weighs more than one said nearby": (
        [entry("nearby", "thing", context="unicorn"), entry("itself", "unicorn", context="thing")],
        "unicorn",
        ["itself", "nearby"],
    ),
    "a shorter record weighs more than a longer one": (
        [entry("longer", "unicorn " + "padding " * 30), entry("shorter", "unicorn padding")],
        "unicorn",
        ["shorter", "longer"],
    ),
    "a term said twice weighs more than once": (
        [entry("once", "unicorn padding padding"), entry("twice", "unicorn unicorn padding")],
        "unicorn",
        ["twice", "once"],
    ),
    "equals come in the order of their ids": (
        [entry("first", "unicorn"), entry("second", "unicorn"), entry("third", "unicorn")],
        "unicorn",
        ["first", "second", "third"],
    ),
}


@pytest.mark.parametrize("rule", RANKINGS)
async def test_ranking(rule: str, store: Driver, space: Space) -> None:
    put, query, expected = RANKINGS[rule]
    await store.write(entries.put, space, [*COMMON, *put])
    found = await search(store, space, query)
    ranked = {item.record_id for item in put}
    top = [name for name in found if name in ranked]
    assert top[: len(expected)] == expected


@pytest.mark.parametrize("limit", [0, 1, 3, 50])
async def test_the_limit_takes_the_best(limit: int, store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [*COMMON, entry("best", "unicorn common")])
    everything = await search(store, space, "unicorn common")
    assert everything[0] == "best"
    assert await search(store, space, "unicorn common", limit=limit) == everything[:limit]


async def test_only_the_layers_asked_for(store: Driver, space: Space) -> None:
    put = [entry(f"a {layer}", "unicorn", layer=layer) for layer in Layer]
    await store.write(entries.put, space, put)
    for layers in ([], [Layer.FACT], [Layer.MESSAGE, Layer.MEMORY], list(Layer)):
        found = await search(store, space, "unicorn", chosen=EntryFilter(layers=layers))
        assert set(found) == {f"a {layer}" for layer in layers}


async def test_a_filter_and_an_expiry_leave_the_rest_in_order(store: Driver, space: Space) -> None:
    put = [
        entry("ended", "unicorn", expires_at=NOW),
        entry("late", "unicorn", observed_at=NOW + DAY),
        entry("short", "unicorn pad"),
        entry("long", "unicorn pad pad pad pad pad"),
    ]
    await store.write(entries.put, space, [*COMMON, *put])
    assert await search(store, space, "unicorn", chosen=EntryFilter(as_of=NOW)) == ["short", "long"]
    assert await search(store, space, "unicorn", chosen=EntryFilter(as_of=NOW), limit=1) == ["short"]


async def test_unknown_terms_find_nothing_and_hinder_nothing(store: Driver, space: Space) -> None:
    assert await search(store, space, "unicorn") == []
    await store.write(entries.put, space, [*COMMON, entry("r", "unicorn")])
    assert await search(store, space, "") == []
    assert await search(store, space, "dragon") == []
    assert await search(store, space, "dragon unicorn wyvern") == ["r"]
    assert await search(store, space, "unicorn unicorn unicorn") == ["r"]
    assert await search(store, space, "uni unicor") == [], "a term is not a prefix"


async def test_terms_in_any_script(store: Driver, space: Space) -> None:
    words = ["喜欢", "欢在", "タワー", "القط", "кошк", "🐈", "＃dev", "1·23", "café", "e\u0301", "𝔘𝔫𝔦", "ß"]
    put = [entry(f"about {word}", f"{word} {word} x{n}") for n, word in enumerate(words)]
    await store.write(entries.put, space, put)
    for word in words:
        assert await search(store, space, word) == [f"about {word}"]
    assert len(await search(store, space, " ".join(words))) == len(words)


async def test_statistics_follow_what_is_replaced_and_removed(store: Driver, space: Space) -> None:
    """What was common once must not count as common when most of it is gone."""
    await store.write(entries.put, space, [entry(f"r{n}", "was common") for n in range(40)])
    await store.write(entries.put, space, [entry(f"r{n}", "filler filler") for n in range(2, 40)])
    await store.write(entries.put, space, [entry(f"s{n}", "often filler") for n in range(10)])
    assert (await search(store, space, "was often"))[:2] == ["r0", "r1"]
    await store.write(entries.remove, space, Layer.MEMORY, [f"s{n}" for n in range(1, 10)])
    assert (await search(store, space, "was often"))[0] == "s0"


async def test_what_is_remembered_of_lengths_follows_every_change(store: Driver, space: Space) -> None:
    counts, padding = Counts(), "padding " * 20
    await store.write(entries.put, space, [entry("a", "unicorn"), entry("b", "unicorn pad pad")])
    assert await search(store, space, "unicorn", counts=counts) == ["a", "b"]
    await store.write(entries.put, space, [entry("a", f"unicorn {padding}")])
    assert await search(store, space, "unicorn", counts=counts) == ["b", "a"], "the longer text of a counts"
    await store.write(entries.remove, space, Layer.MEMORY, ["b"])
    assert await search(store, space, "unicorn", counts=counts) == ["a"]
    await store.write(entries.put, space, [entry("c", f"unicorn {padding * 2}")])  # it may get the id of b
    assert await search(store, space, "unicorn", counts=counts) == ["a", "c"]


async def test_many_lengths_are_read_at_once(
    store: Driver, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "LOOKED_UP", 5)
    monkeypatch.setattr(postings, "PAGE", 7)
    put = [entry(f"r{n:02}", "unicorn " + "padding " * n) for n in range(30)]
    await store.write(entries.put, space, put[::-1])
    counts = Counts()
    assert await search(store, space, "unicorn", counts=counts) == [item.record_id for item in put]
    await store.write(entries.put, space, [entry("r00", "unicorn " + "padding " * 40)])
    assert (await search(store, space, "unicorn", counts=counts))[-1] == "r00"


async def test_forgotten_lengths_are_read_again(
    store: Driver, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "KEPT", 0)
    await store.write(entries.put, space, [entry("longer", "unicorn pad pad"), entry("shorter", "unicorn")])
    counts = Counts()
    for _ in range(2):
        assert await search(store, space, "unicorn", counts=counts) == ["shorter", "longer"]


async def test_a_query_scores_no_more_rows_than_its_budget(
    store: Driver, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.write(entries.put, space, [*COMMON, entry("a", "unicorn"), entry("b", "unicorn common")])
    assert len(await search(store, space, "common unicorn")) == 22
    monkeypatch.setattr(keyword_search, "ROW_BUDGET", 10)
    assert await search(store, space, "common unicorn filler") == ["a", "b"], "only the rarest term is left"
    assert len(await search(store, space, "common")) == 21, "the only term is searched for anyway"
    assert len(await search(store, space, "common dragon")) == 21, "a term nobody holds takes no room"


@pytest.mark.parametrize("bytes_each", [12, 64])
async def test_a_record_of_very_many_terms_is_found_by_its_first(
    bytes_each: int, store: Driver, space: Space
) -> None:
    many = [f"{n:0{bytes_each}d}" for n in range(terms.TERM_LIMIT + 1)]
    huge = Entry(Layer.MEMORY, "huge", NOW, "huge", body=many, context=many[::-1])
    await store.write(entries.put, space, [huge, entry("small", many[0])])
    assert set(await search(store, space, many[0])) == {"small", "huge"}
    assert await search(store, space, many[9_000]) == ["huge"]


async def test_one_term_very_often_is_found(store: Driver, space: Space) -> None:
    await store.write(entries.put, space, [entry("huge", "unicorn " * 50_000), entry("small", "unicorn")])
    assert set(await search(store, space, "unicorn")) == {"huge", "small"}


def test_large_counts_are_remembered_for_a_while_and_small_ones_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = 100.0
    monkeypatch.setattr("bethink.store.keyword_search.time.monotonic", lambda: clock)
    counts = Counts()
    large = keyword_search.SAMPLE
    assert counts.get("small", lambda: large - 1) == large - 1
    assert counts.get("small", lambda: 7) == 7
    assert counts.get("large", lambda: large) == large
    assert counts.get("large", lambda: 7) == large
    assert counts.get("another", lambda: 7) == 7
    clock += keyword_search.COUNT_SECONDS
    assert counts.get("large", lambda: 7) == 7


def test_the_memory_for_counts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyword_search, "COUNTS_KEPT", 3)
    counts = Counts()
    for number in range(100):
        assert counts.get(str(number), lambda: 10**6) == 10**6
    assert len(counts._kept) <= 4


COUNT = st.integers(0, 10**9)


@given(COUNT, COUNT)
def test_a_weight_is_never_negative(total: int, holding: int) -> None:
    assert idf(total, holding) >= 0


@given(COUNT, COUNT, COUNT)
def test_a_rarer_term_never_weighs_less(total: int, first: int, second: int) -> None:
    rarer, commoner = sorted((min(first, total), min(second, total)))
    assert idf(total, rarer) >= idf(total, commoner)


@given(COUNT, COUNT, COUNT)
def test_a_term_weighs_no_less_in_a_larger_space(first: int, second: int, holding: int) -> None:
    smaller, larger = sorted((first, second))
    assert idf(smaller, holding) <= idf(larger, holding)


@given(st.integers(1, 10**6))
def test_a_count_that_is_behind_the_times_is_no_error(holding: int) -> None:
    assert idf(0, holding) == idf(holding, holding) > 0
