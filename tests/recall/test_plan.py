from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bethink.recall.plan import Plan, plan
from bethink.records import Layer, MemoryType
from bethink.settings import RecallSettings
from bethink.shapes.inputs import RecallRequest
from bethink.store.filters import EntryFilter
from bethink.store.rows import every_layer
from tests.index.records import NOW

SETTINGS = RecallSettings(limit=5, max_tokens=700, strategy="semantic", min_similarity=0.4)


def planned(query: str = "keys", **fields: Any) -> Plan:
    return plan(RecallRequest(query=query, **fields), SETTINGS, NOW)


def test_the_settings_fill_in_what_a_request_leaves_out() -> None:
    found = planned()
    assert (found.limit, found.budget, found.strategy, found.min_similarity) == (5, 700, "semantic", 0.4)
    assert (found.at, found.age_counts, found.fallback) == (NOW, True, False)
    assert found.chosen == EntryFilter(layers=[one for one in every_layer() if one is not Layer.PASSAGE])


def test_a_request_comes_before_the_settings() -> None:
    found = planned(
        limit=2, max_tokens=50, strategy="hybrid", min_similarity=0.0, recency="neutral", fallback=True
    )
    assert (found.limit, found.budget, found.strategy, found.min_similarity) == (2, 50, "hybrid", 0.0)
    assert (found.age_counts, found.fallback) == (False, True)


def test_who_names_a_limit_and_no_budget_gets_the_limit() -> None:
    assert planned(limit=50).budget is None
    assert planned(limit=50, max_tokens=10).budget == 10


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_of_nothing_is_not_taken_for_no_budget(budget: int) -> None:
    assert planned(max_tokens=budget).budget == budget


def test_every_filter_reaches_the_search() -> None:
    asked: dict[str, Any] = {
        "layers": [Layer.FACT],
        "types": [MemoryType.EPISODIC],
        "person_ids": ["p"],
        "session_ids": ["s"],
        "tags": ["t"],
        "categories": ["c"],
        "sources": ["o"],
        "pinned": True,
        "since": NOW - timedelta(days=2),
        "until": NOW - timedelta(days=1),
        "as_of": NOW - timedelta(hours=1),
    }
    found = planned(**asked, person_hints=["p", "p"])
    assert found.chosen == EntryFilter(**asked)
    assert found.at == asked["as_of"]
    assert found.person_hints == {"p"}


@pytest.mark.parametrize(
    ("query", "strategy", "searches"),
    [
        ("keys", "hybrid", True),
        ("keys", "semantic", True),
        ("keys", "recent", False),
        (" \n", "hybrid", False),
    ],
)
def test_without_a_query_or_with_the_recent_strategy_nothing_is_searched(
    query: str, strategy: str, searches: bool
) -> None:
    assert planned(query, strategy=strategy).searches is searches
