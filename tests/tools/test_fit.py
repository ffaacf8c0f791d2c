"""What a tool answers stays within its tokens, and says what was cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bethink.text.terms import estimate
from bethink.tools.fit import as_text, fitted

TEXTS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=3000)


def _items(texts: list[str]) -> dict[str, object]:
    return {"items": [{"id": f"id-{number}", "text": text} for number, text in enumerate(texts)]}


def test_what_fits_is_left_alone() -> None:
    data = _items(["Likes tea", "Has a cat"])
    assert fitted(data, 100) is data


@given(st.lists(TEXTS, min_size=1, max_size=30), st.integers(100, 2000))
def test_never_much_longer_than_allowed_and_always_with_ids(texts: list[str], limit: int) -> None:
    data = _items(texts)
    short = fitted(data, limit)
    assert short["items"]
    assert [item["id"] for item in short["items"]] == [f"id-{n}" for n in range(len(short["items"]))]
    if short != data:
        assert f"within {limit} tokens" in short["cut"]
    if len(short["items"]) > 1:
        # JSON escapes some characters, of which a text may be full.
        escaped = sum(len(as_text(item)) - len(item["text"]) for item in short["items"])
        assert estimate(as_text(short)) <= limit + escaped


def test_says_how_much_was_left_out() -> None:
    short = fitted(
        _items([f"Sentence {number} about the garden and the house." for number in range(100)]), 300
    )
    left = 100 - len(short["items"])
    assert 0 < left < 100
    assert f"{left} of 100 were left out" in short["cut"]
    assert estimate(as_text(short)) <= 300


def test_one_long_text_is_shortened() -> None:
    short = fitted({"id": "a", "text": "word " * 5000}, 200)
    assert short["text"].endswith("…")
    assert "1 long text was shortened" in short["cut"]
    assert estimate(as_text(short)) <= 200
