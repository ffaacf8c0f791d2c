from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.plan import EXPAND_CHARS, expand, first_name, is_own, named, without_names

FIRST_PERSON = [
    "what do I like?", "where are MY keys", "I’m tired", "tell me", "¿qué me gusta a mí y qué es mi color?",
    "Was mag ich?", "mein Auto", "qu'est-ce que je bois", "mon vélo", "dov'è il mio gatto",
    "onde está meu carro", "где мой ключ", "что я люблю", "我喜欢什么", "私は何が好き", "僕の車",
]  # fmt: skip
OTHERS = [
    "where is the car?",
    "Mimi's bike",
    "the ichthyologist",
    "Meinung",
    "яблоко",
    "maison",
    "他喜欢什么",
    "",
]


@pytest.mark.parametrize("query", FIRST_PERSON)
def test_a_short_question_of_the_first_person_is_expanded(query: str) -> None:
    assert expand(query, "age job") == f"{query} age job"


@pytest.mark.parametrize("query", OTHERS)
def test_other_questions_stay_as_they_are(query: str) -> None:
    assert expand(query, "age job") == query


def test_a_long_question_stays_as_it_is() -> None:
    short = "what do I like" + " " * (EXPAND_CHARS - len("what do I like"))
    assert expand(short, "x") == f"{short} x"
    assert expand(short + " ", "x") == short + " "


@pytest.mark.parametrize(
    "query", ["Where do I work?", "how do I cook for my son", "wo wohne ich", "我住哪里"]
)
def test_who_asks_about_themselves_is_heard(query: str) -> None:
    assert is_own(query)


@pytest.mark.parametrize(
    "query",
    ["How do I peel an egg?", "how can we sort a list", "Wie kann ich Reis kochen?", "Comment puis-je trier"],
)
def test_how_something_is_done_is_asked_by_anybody(query: str) -> None:
    assert not is_own(query)


def test_without_configured_words_nothing_is_added() -> None:
    assert expand("what do I like?", "") == "what do I like?"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What did Anna say?", {"Anna Karenina"}),
        ("anna's plans", {"Anna Karenina"}),
        ("ANNA’S plans", {"Anna Karenina"}),
        ("Anna and bob", {"Anna Karenina", "Bob"}),
        ("Annabelle came", set()),
        ("nobody", set()),
        ("", set()),
    ],
)
def test_a_participant_is_named_by_the_first_name(query: str, names: set[str]) -> None:
    assert named(query, ["Anna Karenina", "Bob"]) == names


def test_a_name_that_is_also_a_common_word_counts_only_with_its_capital() -> None:
    assert named("what will happen", ["Will"]) == set()
    assert named("what did Will say", ["Will"]) == {"Will"}
    assert named("Will's car", ["Will"]) == {"Will"}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("田中さんは何が好きですか", "田中"),
        ("小明喜欢什么", "小明"),
        ("สมชายชอบอะไร", "สมชาย"),
        ("Что любит Анна?", "Анна"),
    ],
)
def test_names_are_found_in_scripts_that_write_no_spaces(query: str, name: str) -> None:
    assert named(query, [name, "Bob"]) == {name}
    assert name not in without_names(query, [name])


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("What did Anna Karenina buy?", "What did buy?"),
        ("what did anna buy", "what did buy"),
        ("Anna's car", "car"),
        ("Annabelle's car", "Annabelle's car"),
        ("Anna", "Anna"),
        ("Anna?", "Anna?"),
        ("what's new", "what's new"),
    ],
)
def test_names_are_cut_from_what_is_embedded_unless_nothing_is_left(query: str, left: str) -> None:
    assert without_names(query, ["Anna Karenina", "Bob"]) == left


def test_a_common_word_is_cut_only_where_it_is_the_name() -> None:
    assert without_names("what will Will do in May", ["Will", "May"]) == "what will do in"


@pytest.mark.parametrize(
    ("name", "first"), [("Anna Karenina", "Anna"), ("O'Brien", "O'Brien"), ("...", ""), ("", "")]
)
def test_a_first_name_is_the_first_word(name: str, first: str) -> None:
    assert first_name(name) == first


@given(st.text(), st.lists(st.text(max_size=12), max_size=5))
def test_any_query_and_any_names_will_do(query: str, names: list[str]) -> None:
    assert named(query, names) <= set(names)
    assert without_names(query, names) or not query
    assert expand(query, "").startswith(query)
