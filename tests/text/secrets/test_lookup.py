"""Looking where a word can begin finds what looking everywhere does."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.secrets import find, vocabulary

WORDS = [
    re.sub(r"\\s\{1,2\}", " ", re.sub(r"\?|\(\?:|\)|\[.*?\]|\{.*?\}", "", word))
    for name in ("PASSWORDS", "PINS", "KEYS", "CODES", "NUMBERS", "LOCKED", "WIFIS", "LOGINS", "IDENTITIES")
    for word in getattr(vocabulary, name).removeprefix("(?:").split("|")
]
pieces = st.sampled_from(
    [*WORDS, " ", "  ", "-", ": ", " is ", "4711", "Tulip!77", "x", "é", "İ", "ſ", "号", "码"]
)
texts = st.lists(pieces, max_size=12).map("".join)


@pytest.mark.parametrize("lookup", [find._ANYWHERE, find._NEAR_NUMBERS], ids=["anywhere", "near numbers"])
@given(text=texts)
def test_every_expression_finds_what_it_finds_by_itself(lookup: find._Lookup, text: str) -> None:
    for spelling in (text, text.upper()):
        by_itself = [[match.span() for match in one.finditer(spelling)] for one in lookup._patterns]
        assert [[match.span() for match in found] for found in lookup.matches(spelling)] == by_itself


def test_a_word_may_begin_with_the_second_sign_of_another() -> None:
    found = [match[0] for matches in find._NEAR_NUMBERS.matches("账号码") for match in matches]
    assert found == ["号码", "账号", "账号"]
