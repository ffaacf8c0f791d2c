from __future__ import annotations

import math

import pytest
from bench.quality.metrics import mean, ndcg_at, recall_at, reciprocal_rank, score
from hypothesis import given
from hypothesis import strategies as st

IDS = [f"turn {number}" for number in range(60)]


def test_recall_is_the_share_of_the_evidence_found() -> None:
    evidence = frozenset({"a", "c", "z"})
    assert recall_at(2, ["a", "b", "c"], evidence) == pytest.approx(1 / 3)
    assert recall_at(3, ["a", "b", "c"], evidence) == pytest.approx(2 / 3)


def test_reciprocal_rank_is_of_the_first_evidence() -> None:
    assert reciprocal_rank(["x", "a", "b"], frozenset({"a", "b"})) == 1 / 2
    assert reciprocal_rank(["x"], frozenset({"a"})) == 0


def test_ndcg_by_hand() -> None:
    ranked, evidence = ["a", "x", "b"], frozenset({"a", "b"})
    best = 1 + 1 / math.log2(3)
    assert ndcg_at(10, ranked, evidence) == pytest.approx((1 + 1 / math.log2(4)) / best)
    assert ndcg_at(1, ranked, evidence) == 1


def test_sessions_are_ranked_by_their_first_record() -> None:
    session_of = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"} | {f"x{n}": f"x{n}" for n in range(5)}
    found = score(["a1", *[f"x{n}" for n in range(4)], "b1"], frozenset({"a2", "b1"}), session_of)
    assert found["recall@5"] == 0
    assert found["session_recall@5"] == 0.5
    assert found["session_recall@10"] == 1


def test_a_repeated_id_counts_once() -> None:
    session_of = {"a": "s", "b": "s"}
    assert score(["b", "b", "a"], frozenset({"a"}), session_of)["mrr"] == 1 / 2


def test_no_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match="without evidence"):
        score(["a"], frozenset(), {"a": "s"})


def test_the_mean_is_over_questions() -> None:
    assert mean([{"mrr": 1.0}, {"mrr": 0.5}]) == {"mrr": 0.75}


@given(st.permutations(IDS), st.sets(st.sampled_from(IDS), min_size=1, max_size=8))
def test_bounds_and_order(ranked: list[str], evidence: set[str]) -> None:
    wanted = frozenset(evidence)
    found = score(ranked, wanted, {id_: id_ for id_ in IDS})
    assert all(0 <= value <= 1 for value in found.values())
    assert found["recall@5"] <= found["recall@10"] <= found["recall@20"] <= found["recall@50"]
    best = score(
        [*sorted(wanted), *(id_ for id_ in ranked if id_ not in wanted)], wanted, {i: i for i in IDS}
    )
    assert best["ndcg@10"] == pytest.approx(1)
    assert best["mrr"] == 1
    assert found["ndcg@10"] <= best["ndcg@10"] + 1e-9
