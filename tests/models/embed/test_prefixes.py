from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.models.embed.prefixes import Prefixes
from bethink.settings import EmbedSettings

BGE = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("BAAI/bge-base-en-v1.5", BGE, ""),
        ("BAAI/bge-small-en", BGE, ""),
        ("BAAI/bge-small-en-v1.5", "", ""),
        ("bge-small-en-v1.5-int8", "", ""),
        ("BAAI/bge-m3", "", ""),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "", ""),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_known_models_get_the_prefixes_they_want(model: str, query: str, document: str) -> None:
    prefixes = Prefixes.of(model, EmbedSettings())
    assert (prefixes.query, prefixes.document, prefixes.tag) == (query, document, "")


def test_settings_override_the_known_prefixes() -> None:
    prefixes = Prefixes.of("nomic-embed-text", EmbedSettings(query_prefix="", document_prefix="doc: "))
    assert prefixes.apply(["a"], "query") == ["a"]
    assert prefixes.apply(["a"], "document") == ["doc: a"]


def test_only_another_document_prefix_shows_in_the_name() -> None:
    def tag(**embed: str) -> str:
        return Prefixes.of("nomic-embed-text", EmbedSettings.model_validate(embed)).tag

    assert tag(query_prefix="anything") == tag(document_prefix="search_document: ") == ""
    assert len({tag(document_prefix=""), tag(document_prefix="a"), tag(document_prefix="b"), ""}) == 4


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_sent_can_always_be_encoded(text: str) -> None:
    (sent,) = Prefixes(document="doc: ").apply([text], "document")
    assert sent.encode("utf-8").decode("utf-8") == sent
    assert sent.startswith("doc: ")
    assert len(sent) == len("doc: " + text)
