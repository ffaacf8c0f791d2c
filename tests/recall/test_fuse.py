from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.rank import best_of, fused_parts, summed

Lists = list[tuple[float, list[tuple[int, float]]]]

WEIGHTS = st.floats(0.01, 10)
K = st.floats(0, 100)
SHARE = st.floats(0, 1)


@st.composite
def ranked(draw: st.DrawFn) -> list[tuple[int, float]]:
    """Some ids with falling scores."""
    ids = draw(st.lists(st.integers(1, 30), unique=True, max_size=12))
    scores = draw(st.lists(st.floats(-1, 50), min_size=len(ids), max_size=len(ids)))
    return list(zip(ids, sorted(scores, reverse=True), strict=True))


LISTS = st.lists(st.tuples(WEIGHTS, ranked()), min_size=1, max_size=4)


def fuse(lists: Lists, k: float, share: float = 0.0) -> dict[int, float]:
    """The fused scores."""
    return summed(fused_parts(lists, k, share))


def even(*ids: int) -> list[tuple[int, float]]:
    """Ids whose scores fall evenly."""
    return [(id_, float(len(ids) - place)) for place, id_ in enumerate(ids)]


@given(LISTS, K, st.floats(0, 0.99))
def test_every_id_of_a_list_has_a_score_above_nothing_and_up_to_one(
    lists: Lists, k: float, share: float
) -> None:
    fused = fuse(lists, k, share)
    assert set(fused) == {id_ for _, entries in lists for id_, _ in entries}
    assert all(0 < score <= 1 + 1e-9 for score in fused.values())


@given(LISTS, K, SHARE)
def test_what_leads_every_list_scores_one(lists: Lists, k: float, share: float) -> None:
    leader = 99
    fused = fuse([(weight, [(leader, 51.0), *entries]) for weight, entries in lists], k, share)
    assert fused[leader] == pytest.approx(1)
    assert all(score < fused[leader] for id_, score in fused.items() if id_ != leader)


@given(LISTS, K, SHARE)
def test_what_is_ahead_in_every_list_is_ahead_at_the_end(lists: Lists, k: float, share: float) -> None:
    ahead, behind = 98, 99
    fused = fuse([(weight, [*entries, (ahead, -2.0), (behind, -3.0)]) for weight, entries in lists], k, share)
    assert fused[ahead] > fused[behind]


@given(LISTS, K, SHARE, st.floats(0.1, 10), st.floats(-5, 5))
def test_the_unit_of_a_list_s_scores_does_not_matter(
    lists: Lists, k: float, share: float, unit: float, zero: float
) -> None:
    lists = [(weight, even(*(id_ for id_, _ in entries))) for weight, entries in lists]
    other = [(weight, [(id_, unit * score + zero) for id_, score in entries]) for weight, entries in lists]
    assert fuse(other, k, share) == pytest.approx(fuse(lists, k, share))


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_a_heavier_list_decides_between_two_leaders(share: float) -> None:
    fused = fuse([(1.5, even(1, 2)), (1.0, even(2, 1))], 10, share)
    assert fused[1] > fused[2]


def test_second_in_both_lists_beats_first_in_one() -> None:
    fused = fuse([(1, even(1, 2, 4, 5)), (1, even(3, 2, 6, 7))], 10, 0.5)
    assert max(fused, key=fused.__getitem__) == 2


def test_a_clear_first_beats_a_first_among_equals_only_where_scores_count() -> None:
    clear, crowd = [(1, 9.0), (2, 1.0), (9, 0.0)], [(2, 9.0), (1, 8.9), (9, 0.0)]
    assert fuse([(1.0, clear), (1.0, crowd)], 10, 0.5)[1] > fuse([(1.0, clear), (1.0, crowd)], 10, 0.5)[2]
    by_rank = fuse([(1.0, clear), (1.0, crowd)], 10)
    assert by_rank[1] == pytest.approx(by_rank[2])


def test_an_empty_list_lowers_what_the_others_can_reach() -> None:
    assert fuse([(1.5, [(7, 3.0)]), (1.0, [])], 10, 0.5) == {7: pytest.approx(0.6)}


@pytest.mark.parametrize("lists", [[], [(0.0, even(1, 2))], [(1.0, [])]])
def test_nothing_to_fuse_is_nothing(lists: Lists) -> None:
    assert fuse(lists, 10) == {}


@given(st.dictionaries(st.integers(), st.floats(0, 1)), st.integers(0, 20))
def test_the_best_are_kept_with_their_scores(fused: dict[int, float], count: int) -> None:
    kept = best_of(fused, count)
    assert len(kept) == min(count, len(fused))
    assert kept.items() <= fused.items()
    left_out = [score for id_, score in fused.items() if id_ not in kept]
    assert not kept or not left_out or min(kept.values()) >= max(left_out)
