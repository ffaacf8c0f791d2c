"""How many of the ranked texts fit. Pure."""

from __future__ import annotations

from collections.abc import Iterable

LOWEST, HIGHEST = 1, 8000  # token budgets are brought into this range


def within_budget(tokens: Iterable[int], limit: int, budget: int | None) -> list[int]:
    """The places of the texts to keep, in order: at most `limit`, together within the budget.

    The first is always kept. One that does not fit is passed over, so a long text does not hide the rest.
    """
    if budget is None:
        return [place for place, _ in zip(range(limit), tokens, strict=False)]
    budget = min(max(budget, LOWEST), HIGHEST)
    kept: list[int] = []
    spent = 0
    for place, cost in enumerate(tokens):
        if len(kept) == limit:
            break
        if not kept or spent + cost <= budget:
            kept.append(place)
            spent += cost
    return kept
