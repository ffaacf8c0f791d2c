"""Values cut clean, and objects that are the same however they are said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.values import cut, endings, object_of, objects_in, role_in, why_no_value

_LANGUAGES = st.sampled_from(sorted(endings()))
_WORDS = st.lists(st.text("abcdeéñöst", min_size=1, max_size=8), min_size=1, max_size=4).map(" ".join)


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "Porto in May", "Porto"),
        ("en", "Feedzai as a data engineer", "Feedzai"),
        ("en", "Ma from", "Ma"),
        ("en", "peanuts anyway", "peanuts"),
        ("en", "peanuts and I need help", "peanuts"),
        ("en", "the Golf now", "Golf"),
        ("en", "The Hague", "The Hague"),
        ("en", "a small town in Bavaria", "small town in Bavaria"),
        ("en", "Galp since last March because of the money", "Galp"),
        ("de", "Leipzig seit März", "Leipzig"),
        ("de", "Bosch als Ingenieur", "Bosch"),
        ("de", "Erdnüsse leider auch", "Erdnüsse"),
        ("es", "Oporto desde hace un mes", "Oporto"),
        ("es", "Los Angeles", "Los Angeles"),
        ("fr", "Lyon depuis mars avec ma femme", "Lyon"),
        ("fr", "Airbus comme ingénieur", "Airbus comme ingénieur"),
        ("pt", "São Paulo há dois anos", "São Paulo"),
        ("pt", "Braga agora", "Braga"),
        ("zh", "波尔图了", "波尔图"),
        ("xx", "Porto in May", "Porto in May"),
    ],
)
def test_a_value_ends_where_more_is_only_said_about_it(language: str, said: str, value: str) -> None:
    assert cut(said, language) == value


@pytest.mark.parametrize(
    ("language", "said", "role"),
    [
        ("en", "Feedzai as a data engineer", "data engineer"),
        ("en", "Feedzai", None),
        ("de", "Bosch als Ingenieurin seit Mai", "Ingenieurin"),
        ("pt", "na Galp como analista", "analista"),
    ],
)
def test_the_role_behind_an_employer(language: str, said: str, role: str | None) -> None:
    assert role_in(said, language) == role


@pytest.mark.parametrize(
    ("language", "value"),
    [
        ("en", ""), ("en", "it"), ("en", "the"), ("en", "42"), ("en", "as well"), ("en", "this conversation"),
        ("en", "a b c d e f g h i"), ("de", "dort"), ("es", "esto"), ("fr", "ça"), ("pt", "isso"),
        ("zh", "这里"),
    ],
)  # fmt: skip
def test_what_is_no_value(language: str, value: str) -> None:
    assert why_no_value(value, language)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("peanut", "Peanuts"), ("berry", "berries"), ("peach", "peaches"), ("tomato", "tomatoes"),
        ("Erdnuss", "Erdnüsse"), ("Katze", "Katzen"), ("nuez", "nueces"), ("camarón", "camarones"),
        ("arachide", "arachides"), ("camarão", "camarões"), ("amendoim", "amendoins"),
        ("metformin", "metformin 500 mg"),
    ],
)  # fmt: skip
def test_singular_and_plural_are_one_object(one: str, other: str) -> None:
    assert object_of(one) == object_of(other)


@pytest.mark.parametrize(("one", "other"), [("C", "C++"), ("nuts", "pine nuts"), ("Porto", "Lisbon")])
def test_other_things_are_other_objects(one: str, other: str) -> None:
    assert object_of(one) != object_of(other)


def test_a_list_has_several_objects() -> None:
    assert objects_in("peanuts, shellfish and kiwi") == ["peanuts", "shellfish", "kiwi"]
    assert objects_in("花生和海鲜") == ["花生", "海鲜"]
    assert objects_in("peanuts") == ["peanuts"]


@given(st.text(max_size=60), _LANGUAGES)
def test_cutting_leaves_a_piece_of_what_was_said_and_cutting_again_nothing_less(
    said: str, language: str
) -> None:
    value = cut(said, language)
    assert value in " ".join(said.split())
    assert cut(value, language) in value


@given(_WORDS, _LANGUAGES)
def test_what_is_left_never_ends_in_what_belongs_to_no_value(words: str, language: str) -> None:
    value = cut(words, language)
    tail = endings()[language].tail.search(value)
    assert tail is None or tail.start() == 0


@given(st.text(max_size=40))
def test_every_value_has_an_object_of_its_own_case_and_spacing_aside(value: str) -> None:
    assert object_of(value)
    assert object_of(f"  {value} ") == object_of(value)


@given(_WORDS)
def test_the_objects_of_a_list_are_pieces_of_it(words: str) -> None:
    for one in objects_in(words):
        assert one in " ".join(words.split())
