"""A text that is handed over is not said by the user; what they say around it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.extraction.patterns import extract
from bethink.extraction.patterns.flatten import flatten
from bethink.extraction.patterns.mask import mask
from bethink.extraction.patterns.material import material, own_text

_CASES = tomllib.loads((Path(__file__).parent / "handed_over.toml").read_text("utf-8"))
_HANDED = [text for cases in _CASES.values() for text in cases["handed"]]
_OWN = [tuple(case) for cases in _CASES.values() for case in cases["own"]]
_NOT_THE_USER = ("Bob", "Berlin", "Acme", "Berlín", "王伟", "柏林", "阿里巴巴")


@pytest.mark.parametrize("text", _HANDED)
def test_what_is_handed_over_is_not_said_by_the_user(text: str) -> None:
    taken = [found.content for found in extract(text)]
    assert not [content for content in taken if any(word in content for word in _NOT_THE_USER)]
    assert not [word for word in _NOT_THE_USER[1:3] if word in own_text(text)]


@pytest.mark.parametrize(("text", "said"), _OWN)
def test_what_users_say_themselves_is_taken(text: str, said: str) -> None:
    taken = [found.content for found in extract(text)]
    assert any(said in content for content in taken)
    assert not any(word in content for content in taken for word in _NOT_THE_USER)


_PIECES = st.sampled_from(
    ["<a>", "</a>", "<document>", "---\n", '"""', "From: x\n", "Translate this", "Fix: ", ":", "\n", "\n\n",
     "I live in Berlin.", " ", "请翻译：", "> x\n", "```\n", "Dear Bob,\n", "Kind regards\n", "¤", "“", "”"]
)  # fmt: skip


@given(st.lists(_PIECES | st.text(max_size=5), max_size=30).map("".join))
def test_masking_moves_nothing_and_the_pieces_lie_in_the_text(text: str) -> None:
    masked = mask(text)
    assert len(masked) == len(text)
    assert masked.splitlines(keepends=True) == [] or len(masked.splitlines()) == len(text.splitlines())
    words = flatten(text).words
    place = 0
    for start, end in material(words):
        assert place <= start < end <= len(words)
        place = end
