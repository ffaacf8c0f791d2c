from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.extraction.duplicates import differ, find_twin, plain
from bethink.records import Memory
from bethink.shapes.inputs import MemoryDraft


def memory(content: str, **fields: Any) -> Memory:
    return Memory.made(content=content, **fields)


def duplicate(new: str, known: str, cosine: float | None = None) -> tuple[bool, bool]:
    found = find_twin(MemoryDraft(content=new), [(memory(known), cosine)], 0.9)
    return found is not None, found is not None and found.says_less


@pytest.mark.parametrize(
    ("new", "known", "cosine", "same", "says_less"),
    [
        ("I live in Lisbon", "I live in Lisbon.", None, True, False),
        ("I LIVE in Lisbón!", "i live in lisbon", None, True, False),
        ("I like green tea", "I like green tea with honey", None, True, False),
        ("I like green tea with honey", "I like green tea", None, True, True),
        ("I like tea", "I like teal walls a lot", None, False, False),
        ("I prefer tea", "Tea is what I like best", 0.95, True, False),
        ("I prefer tea", "Tea is what I like best", 0.85, False, False),
        ("I like swimming", "I don't like swimming", 0.97, False, False),
        ("The bus leaves at 9", "The bus leaves at 10", 0.98, False, False),
        ("I prefer tea over coffee", "I prefer coffee over tea", 0.99, False, False),
        ("我喜欢在早上喝绿茶和咖啡", "我喜欢在早上喝绿茶和咖啡还有水", None, True, False),
        ("I love 🍵 a lot", "I love 🍺 a lot", None, False, False),
    ],
)
def test_what_says_the_same(new: str, known: str, cosine: float | None, same: bool, says_less: bool) -> None:
    assert duplicate(new, known, cosine) == (same, says_less)


def test_people_are_kept_apart() -> None:
    draft = MemoryDraft(content="I live in Oslo", person_id="a")
    assert find_twin(draft, [(memory("I live in Oslo", person_id="b"), 1.0)], 0.9) is None
    assert find_twin(draft, [(memory("I live in Oslo", person_id="a"), None)], 0.9)


@given(st.text(max_size=60))
def test_a_text_never_differs_from_itself(text: str) -> None:
    assert differ(text, text) is None
    assert plain(plain(text)) == plain(text)
