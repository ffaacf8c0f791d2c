from __future__ import annotations

import re

import pytest

from bethink.text import stopwords
from bethink.text.terms import analyse, is_common, language_of, query_terms


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "english"),
        ("pizza", "english"),
        ("where did the war die", "english"),
        ("los angeles", "english"),
        ("old war hat man", "english"),
        ("donde vive la hermana de ana", "spanish"),
        ("wo wohnt die schwester von anna", "german"),
        ("ou est la maison de ma mere et que fait elle", "french"),
        ("dove abita il fratello della maestra", "italian"),
        ("onde fica a escola do meu irmao", "portuguese"),
        ("waar woont het meisje met de hond", "dutch"),
        ("jag bor inte har men du bor dar", "swedish"),
        ("the documentation says que and und are words", "english"),
    ],
)
def test_language_of_words(text: str, language: str) -> None:
    assert language_of(text.split()) == language


def test_a_word_is_common_in_its_own_language_only() -> None:
    assert is_common("die", "german")
    assert not is_common("die", "english")
    assert is_common("и", "english")  # the script decides


def test_every_listed_word_is_written_as_the_analysis_leaves_it() -> None:
    """A word the analysis spells otherwise would never be recognised."""
    for language, words in stopwords._LATIN.items():
        for word in words.split():
            assert is_common(word, language)
            assert re.fullmatch("[a-z]+", word), word
    for words in stopwords._OTHER_SCRIPTS.values():
        for word in words.split():
            whole = max(analyse(word), key=len)
            assert whole not in query_terms(f"{word} zebra"), word


def test_lists_leave_documents_whole() -> None:
    assert analyse("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
