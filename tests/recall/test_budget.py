from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.rank import HIGHEST, LOWEST, within_budget

COSTS = st.lists(st.integers(0, 9000), max_size=20)
LIMITS = st.integers(1, 25)
BUDGETS = st.integers(-100, 20_000)


@given(COSTS, LIMITS, BUDGETS)
def test_what_is_kept_is_in_order_within_the_limit_and_within_the_budget(
    costs: list[int], limit: int, budget: int
) -> None:
    kept = within_budget(costs, limit, budget)
    allowed = min(max(budget, LOWEST), HIGHEST)
    assert kept == sorted(set(kept))
    assert len(kept) <= limit
    assert len(kept) <= 1 or sum(costs[place] for place in kept) <= allowed
    assert all(0 <= place < len(costs) for place in kept)


@given(COSTS.filter(bool), LIMITS, BUDGETS)
def test_the_best_is_always_kept(costs: list[int], limit: int, budget: int) -> None:
    assert within_budget(costs, limit, budget)[0] == 0


@given(COSTS, LIMITS, BUDGETS)
def test_nothing_is_left_out_that_would_still_have_fitted(costs: list[int], limit: int, budget: int) -> None:
    kept = within_budget(costs, limit, budget)
    spare = min(max(budget, LOWEST), HIGHEST) - sum(costs[place] for place in kept)
    left_out = [cost for place, cost in enumerate(costs) if place not in kept]
    assert len(kept) == limit or all(cost > spare for cost in left_out)


@given(COSTS, LIMITS)
def test_without_a_budget_the_limit_alone_counts(costs: list[int], limit: int) -> None:
    assert within_budget(costs, limit, None) == list(range(min(limit, len(costs))))


@pytest.mark.parametrize(
    ("budget", "kept"), [(10, [0, 1, 3]), (4, [0]), (0, [0]), (-5, [0]), (10**9, [0, 1, 2, 3])]
)
def test_a_text_that_does_not_fit_is_passed_over(budget: int, kept: list[int]) -> None:
    assert within_budget([4, 3, 50, 3], 8, budget) == kept
