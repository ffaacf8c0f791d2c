from __future__ import annotations

import re
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from bethink.text.secrets import find

PATTERNS = [
    re.compile(r"(?<![a-z])[a-z]+(?![0-9])"),
    re.compile(r"\b(?:key|pin) (?P<value>\d{3,8})(?!\d)"),
    re.compile(r"a{2,}"),
    re.compile(r"-+ ?-"),
]


@given(
    text=st.lists(st.sampled_from(["a", "aa", "b1", "key ", "pin 1234", "9", "-", "- ", " "])).map("".join),
    pattern=st.sampled_from(PATTERNS),
    piece=st.integers(1, 9),
    ahead=st.integers(0, 9),
)
def test_pieces_find_what_the_whole_text_holds(
    text: str, pattern: re.Pattern[str], piece: int, ahead: int
) -> None:
    with patch.object(find, "PIECE", piece), patch.object(find, "AHEAD", ahead):
        found = [match.span() for match in find.each(pattern, text)]
    assert all(pattern.match(text, start) for start, _ in found)
    if ahead == 9 and pattern is not PATTERNS[0]:
        assert found == [match.span() for match in pattern.finditer(text)]


def test_a_match_longer_than_a_piece_is_found_whole() -> None:
    text = "x " + "a" * (3 * find.PIECE) + " y " + "a" * 10
    found = [match.span() for match in find.each(re.compile(r"a{2,}"), text)]
    assert found == [(2, 2 + 3 * find.PIECE), (len(text) - 10, len(text))]
