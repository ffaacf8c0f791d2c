"""Every token of a message is read, once; of an endless message, those at the beginning and the end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bethink.models.worth.windows import BEFORE, MOST, OVERLAP, WINDOW, windows

CLS, SEP = -1, -2
STEP = WINDOW - OVERLAP
WHOLE = STEP * MOST + OVERLAP  # tokens of the longest message that is read whole


def answered(length: int, before: int = 0) -> list[int]:
    """The numbers of the tokens that are answered, as the model's answers are cut out."""
    found = []
    for window in windows(range(1_000_000, 1_000_000 + before), range(length), CLS, SEP):
        count = window.end - window.start
        found += window.ids[window.first : window.first + count]
        assert window.ids[window.first : window.first + count] == list(range(window.start, window.end))
    return found


@given(st.integers(1, WHOLE), st.integers(0, 100))
def test_each_token_is_answered_exactly_once_and_in_order(length: int, before: int) -> None:
    assert answered(length, before) == list(range(length))


@given(st.integers(WHOLE + 1, 100_000))
def test_of_a_longer_message_the_beginning_and_the_end_are_answered_once(length: int) -> None:
    found = answered(length)
    assert found == sorted(set(found))
    assert found[:STEP] == list(range(STEP))
    assert found[-1] == length - 1
    assert len(found) <= WHOLE


@given(st.integers(0, 5000), st.integers(0, 200))
def test_a_window_is_short_and_tells_the_turn_before_from_the_message(length: int, before: int) -> None:
    made = list(windows(range(before), range(length), CLS, SEP))
    assert 1 <= len(made) <= MOST
    for window in made:
        head = min(before, BEFORE)
        assert len(window.ids) == len(window.types) <= WINDOW + BEFORE + 3
        assert window.types == [0] * (head + 2) + [1] * (len(window.ids) - head - 2)
        assert (window.ids[0], window.ids[head + 1], window.ids[-1]) == (CLS, SEP, SEP)
        assert window.ids[1 : head + 1] == list(range(before - head, before))


def test_an_empty_message_is_a_window_without_an_answer() -> None:
    (window,) = windows([], [], CLS, SEP)
    assert window.start == window.end == 0
