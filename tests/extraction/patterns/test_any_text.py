"""What holds for every text, however odd or hostile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.extraction.patterns import Found, extract
from bethink.extraction.patterns.extract import LONGEST, SHORTEST
from bethink.extraction.patterns.mask import MOST_BYTES, has_injected, mask, own_words

CODES = ("en", "es", "de", "fr", "zh")

# Pieces that the rules know, in any order: far more telling than characters drawn by lot.
WORDS = """
    I|i'm|we|my|our|don't|never|always|not|like|prefer|live in|work as|am|is|decided to|use|remember that|note
    if|imagine|she said|actually|no|,|.|?|!|:|;|-|(|"|'|“|”|«|»|and|but|so|because|Porto|Dr.|3.5|U.S.|tea|C++
    yo|me gusta|vivo en|ich|mag|keine|wohne in|heiße|je|j'aime|n'aime pas|habite à|我|喜欢|不|住在|叫|，|。
    女儿|生日|是|？|password|is|hunter2|4111 1111 1111 1111|daughter's|birthday|favorite|call me|Sam|```|>
    - |👍|sister|é|<bethink>|</bethink>|## Relevant Memory
"""
PIECES = st.sampled_from(
    [*WORDS.strip().replace("\n    ", "|").split("|"), "\n", "\n\n", "    ", "\t", "\u200b", "\u00a0"]
)
MESSAGES = st.lists(PIECES, max_size=40).map(" ".join) | st.text()


def check(text: str, found: list[Found]) -> None:
    for one in found:
        start, end = one.span
        assert 0 <= start < end <= len(text)
        assert " ".join(text[start:end].split()) == one.content
        assert SHORTEST <= len(one.content) <= LONGEST
        assert one.key.startswith(f"{one.category}:")
        assert len(one.key) <= 500
    assert len({one.key for one in found}) == len(found)


@given(MESSAGES)
def test_statements_are_pieces_of_the_text_within_limits(text: str) -> None:
    check(text, extract(text))


@given(MESSAGES, st.sampled_from(CODES))
def test_every_language_reads_every_text(text: str, code: str) -> None:
    check(text, extract(text, language=code))


@given(MESSAGES)
def test_masking_moves_nothing(text: str) -> None:
    assert len(mask(text)) == len(text)


@given(st.text())
def test_without_injected_text_the_words_are_all_the_users_own(text: str) -> None:
    if not has_injected(text):
        assert own_words(text) == text


THINGS = st.lists(
    st.sampled_from(["green", "tea", "C++", "the sea", "München", "3.5", "dr. who"]), min_size=1, max_size=5
)


@given(
    THINGS,
    st.sampled_from(["I prefer {}", "We decided to use {}", "I always drink {}", "remember that I like {}"]),
)
def test_case_space_and_punctuation_do_not_change_the_key(things: list[str], template: str) -> None:
    text = template.format("x " + " ".join(things))
    keys = [one.key for one in extract(text)]
    assert keys
    for same in (
        text.lower(),
        text.replace(" ", "   "),
        f"  {text}!!",
        f"Ok, {text}.",
        text.replace(" ", "\u00a0"),
    ):
        assert [one.key for one in extract(same, language="en")] == keys


HOSTILE = [
    "I like a. ", "I like x\n", " ", "\n", "I " + " " * 50, "' ", '"a ', "„a ", ", i ",
    "my sister ", "I don't ", "I really really ", "every day ", "it's not ", "no, ",
    "remember that I ", "translate a: ", "```\n", "> a\n", "    x\n", "(", "...",
    "I moved from a ", "我喜欢", "请帮我", "我，", "ich mag nicht ", "je n'aime pas ", "no me gusta ",
    "password is ", "password for a ", "4 ", "-----BEGIN ", "eyJaaaaaaaaaa.", "api key for a ",
    "<bethink", "e\u0301\u0301",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_in_one_go(piece: str) -> None:
    """Expressions that backtrack without end would never finish this."""
    text = (piece * MOST_BYTES)[:MOST_BYTES]
    check(text, extract(text))


def test_of_a_very_long_text_only_the_end_is_read() -> None:
    text = "I live in Rome.\n" + "word " * MOST_BYTES + "\nI like tea."
    (found,) = extract(text)
    assert found.content == "I like tea"
    assert text[slice(*found.span)] == "I like tea"


def test_the_limit_counts_bytes_and_cuts_at_a_boundary() -> None:
    text = "我喜欢茶。\n" + "字" * (MOST_BYTES // 3) + "\n我喜欢咖啡。"
    assert [one.value for one in extract(text)] == ["咖啡"]


def test_a_statement_longer_than_the_limit_is_not_kept() -> None:
    assert extract("I prefer " + "very " * 200 + "long texts") == []
    assert extract("I prefer " + "very " * 50 + "long texts") != []
