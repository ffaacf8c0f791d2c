"""The formula of what a message is worth, against a table worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.lifecycle.score import access, inferred_importance, recency, score
from bethink.records import Message
from bethink.settings.lifecycle import KEYWORDS

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def message(days: float = 0, content: str = "hm", **fields: Any) -> Message:
    sent = NOW - timedelta(days=days)
    said = {"id": "m", "space_id": "s", "session_id": "c", "position": 1, "role": "user", "content": content}
    return Message.model_validate({**said, "sent_at": sent, "created_at": sent, **fields})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 0.35 + 0.025),
        ({"days": 7}, 0.35 * (1 - 7 / 180) + 0.025),
        ({"days": 90}, 0.175 + 0.025),
        ({"days": 180}, 0.025),
        ({"days": 1800}, 0.025),
        ({"days": -3}, 0.35 + 0.025),
        ({"days": 180, "access_count": 9}, 0.30 + 0.025),
        ({"days": 180, "access_count": 99}, 0.30 + 0.025),
        ({"days": 180, "access_count": 1}, 0.30 * 0.30102999566 + 0.025),
        ({"days": 180, "importance": 0.8}, 0.20 + 0.025),
        ({"days": 180, "attachments": [{"name": "map.png"}]}, 0.07),
        ({"days": 180, "pinned": True}, 0.325),
        ({"days": 180, "content": "The deadline is near"}, 0.25 * 0.25 + 0.025),
        ({"days": 180, "content": "Urgent: two bugs before the deadline, a risk"}, 0.25 + 0.025),
        ({"days": 180, "content": "Die Entscheidung ist dringend und wir müssen sie bald treffen"}, 0.15),
        ({"days": 180, "content": "会议决定了截止日期"}, 0.25 * 0.75 + 0.025),
        ({"days": 180, "content": "The deadline", "importance": 0.6}, 0.15 + 0.025),
        ({"importance": 1.0, "access_count": 9, "pinned": True}, 1.0),
    ],
)
def test_the_score_is_what_the_formula_says(fields: dict[str, Any], expected: float) -> None:
    assert score(message(**fields), NOW, KEYWORDS) == pytest.approx(expected)


def test_a_keyword_is_no_part_of_another_word() -> None:
    assert inferred_importance("a debugger for asterisks", KEYWORDS) == 0


@given(st.floats(-1000, 1000), st.floats(-1000, 1000))
def test_what_is_newer_scores_no_less(one: float, other: float) -> None:
    older, newer = max(one, other), min(one, other)
    assert 0 <= recency(older * DAY) <= recency(newer * DAY) <= 1


@given(st.integers(-5, 10**9), st.integers(-5, 10**9))
def test_what_is_used_more_scores_no_less(one: int, other: int) -> None:
    assert 0 <= access(min(one, other)) <= access(max(one, other)) <= 1


@given(
    days=st.floats(-10, 4000),
    uses=st.integers(0, 1000),
    importance=st.floats(0, 1),
    pinned=st.booleans(),
    text=st.text(max_size=60),
)
def test_a_score_lies_between_0_and_1_and_rises_with_importance(
    days: float, uses: int, importance: float, pinned: bool, text: str
) -> None:
    one = message(days, text, access_count=uses, importance=importance, pinned=pinned)
    found = score(one, NOW, KEYWORDS)
    assert 0 <= found <= 1
    assert score(one.model_copy(update={"importance": 1.0}), NOW, KEYWORDS) >= found
    assert score(one.model_copy(update={"pinned": True}), NOW, KEYWORDS) >= found
