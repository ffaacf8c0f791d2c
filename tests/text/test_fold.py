from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.fold import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Élan ÀÇ", "Elan AC"),
        ("it’s", "it's"),
        ("well‐known", "well-known"),
        ("wait—what", "wait what"),
        ("a🍕b", "a 🍕 b"),
        ("ÅÆØ þorn", "AAeO thorn"),
        ("МОСКВА", "москва"),
        ("й", "й"),
        ("क्षि", "क्षि"),
        ("ที่", "ที่"),
        ("ｶﾞ", "ガ"),
        ("x²", "x2"),
        ("a\u200bb\ufeffc", "a bc"),
        ("───", "   "),
        ("\U0001fadc", " \U0001fadc "),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_left_alone(text: str) -> None:
    assert fold(text) == text


@given(st.text(st.characters()))
def test_folding_twice_changes_no_letter(text: str) -> None:
    assert fold(fold(text)).split() == fold(text).split()


def test_an_endless_run_of_marks_is_folded_away() -> None:
    assert fold("a" + "\u0315\u0300" * 20_000) == "a"
