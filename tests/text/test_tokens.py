from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.terms import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("x" * 400, 100),
        ("naïve café “ok”", 4),
        ("我喜欢猫", 4),
        ("猫が好き。", 5),
        ("고양이", 3),
        ("ข้าว", 4),
        ("🍕", 1),
        ("кошка", 3),
    ],
)
def test_estimate(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(st.characters()), st.text(st.characters()))
def test_bounds(one: str, other: str) -> None:
    assert len(one) / 4 <= estimate(one) <= len(one)
    assert max(estimate(one), estimate(other)) <= estimate(one + other) <= estimate(one) + estimate(other)
