"""Where units begin and end, for any text, any tokens and any chances."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bethink.models.worth.units import Span, cut, place_of

TEXTS = st.text(alphabet="ab Z9.!?\n\t,;\"'“”()。，茶住é🎉", max_size=60)
CHANCES = st.floats(0, 1)


@st.composite
def tokenized(draw: st.DrawFn) -> tuple[str, list[Span], list[float]]:
    """A text, tokens that stand in it one after the other (some empty, some with gaps), and chances."""
    text = draw(TEXTS)
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=40)))
    offsets = list(zip(ends[::2], ends[1::2], strict=False))
    return text, offsets, draw(st.lists(CHANCES, min_size=len(offsets), max_size=len(offsets)))


@given(tokenized())
def test_units_are_in_order_apart_and_within_the_text(
    given_: tuple[str, list[Span], list[float]],
) -> None:
    text, offsets, begins = given_
    last_token, last_place = 0, 0
    for unit in cut(text, offsets, begins):
        start, end = place_of(text, offsets, unit)
        assert last_token <= unit[0] < unit[1] <= len(offsets)
        assert last_place <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert any(map(str.isalnum, text[start:end])), "a unit has something to say"
        last_token, last_place = unit[1], end


def words(text: str) -> list[Span]:
    """A token for each word, with the space before it."""
    found, start = [], 0
    for word in text.split(" "):
        found.append((max(start - 1, 0), start + len(word)))
        start += len(word) + 1
    return found


def cut_at(text: str, *beginnings: str, chance: float = 1.0) -> list[str]:
    offsets = words(text)
    begins = [chance * (text[a:b].strip() in beginnings) for a, b in offsets]
    return [text[slice(*place_of(text, offsets, unit))] for unit in cut(text, offsets, begins)]


def test_a_sentence_begins_a_unit_more_easily_than_a_clause() -> None:
    assert cut_at("I ski. You swim", "You", chance=0.2) == ["I ski.", "You swim"]
    assert cut_at("I ski but you swim", "but", chance=0.2) == ["I ski but you swim"]
    assert cut_at("I ski but you swim", "but", chance=0.5) == ["I ski", "but you swim"]


def test_no_unit_begins_within_a_word_and_none_is_only_signs() -> None:
    text = "unbelievable"
    assert cut(text, [(0, 2), (2, 9), (9, 12)], [1.0, 1.0, 1.0]) == [(0, 3)]
    assert cut_at("🎉 ... I ski", "...", "I") == ["I ski"]
    assert cut("", [], []) == []
    assert cut("ab", [(0, 2), (2, 2)], [1.0, 1.0]) == [(0, 1)], "a token may stand for nothing"
