from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.fuse import best_of, fuse

IDS = st.lists(st.integers(1, 30), unique=True, max_size=12)
WEIGHTS = st.floats(0.01, 10)
LISTS = st.lists(st.tuples(WEIGHTS, IDS), min_size=1, max_size=4)
K = st.floats(0, 100)


@given(LISTS, K)
def test_every_id_of_a_list_has_a_score_above_nothing_and_up_to_one(
    lists: list[tuple[float, list[int]]], k: float
) -> None:
    fused = fuse(lists, k)
    assert set(fused) == {id_ for _, ids in lists for id_ in ids}
    assert all(0 < score <= 1 + 1e-9 for score in fused.values())


@given(st.lists(st.tuples(WEIGHTS, IDS), min_size=1, max_size=4), K)
def test_what_leads_every_list_scores_one(lists: list[tuple[float, list[int]]], k: float) -> None:
    leader = 99
    fused = fuse([(weight, [leader, *ids]) for weight, ids in lists], k)
    assert fused[leader] == pytest.approx(1)
    assert all(score < fused[leader] for id_, score in fused.items() if id_ != leader)


@given(LISTS, K)
def test_what_is_ahead_in_every_list_is_ahead_at_the_end(
    lists: list[tuple[float, list[int]]], k: float
) -> None:
    ahead, behind = 98, 99
    fused = fuse([(weight, [*ids, ahead, behind]) for weight, ids in lists], k)
    assert fused[ahead] > fused[behind]


def test_a_heavier_list_decides_between_two_leaders() -> None:
    fused = fuse([(1.5, [1, 2]), (1.0, [2, 1])], 10)
    assert fused[1] > fused[2]


def test_second_in_both_lists_beats_first_in_one() -> None:
    fused = fuse([(1, [1, 2]), (1, [3, 2])], 10)
    assert max(fused, key=fused.__getitem__) == 2


def test_an_empty_list_lowers_what_the_others_can_reach() -> None:
    assert fuse([(1.5, [7]), (1.0, [])], 10) == {7: pytest.approx(0.6)}


@pytest.mark.parametrize("lists", [[], [(0.0, [1, 2])], [(1.0, [])]])
def test_nothing_to_fuse_is_nothing(lists: list[tuple[float, list[int]]]) -> None:
    assert fuse(lists, 10) == {}


@given(st.dictionaries(st.integers(), st.floats(0, 1)), st.integers(0, 20))
def test_the_best_are_kept_with_their_scores(fused: dict[int, float], count: int) -> None:
    kept = best_of(fused, count)
    assert len(kept) == min(count, len(fused))
    assert kept.items() <= fused.items()
    left_out = [score for id_, score in fused.items() if id_ not in kept]
    assert not kept or not left_out or min(kept.values()) >= max(left_out)
