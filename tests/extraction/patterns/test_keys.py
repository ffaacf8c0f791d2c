from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bethink.extraction.patterns import Category
from bethink.extraction.patterns.keys import LONGEST_SLUG, key_of, slug


def test_case_spacing_and_punctuation_do_not_matter() -> None:
    assert slug("Type-Script!") == slug("  type   script") == "type_script"


def test_signs_that_tell_things_apart_stay() -> None:
    assert len({slug(text) for text in ("C", "C++", "C#", "3.5", "35", "10%", "10", "☕", "🍵")}) == 9


def test_what_has_no_words_still_has_a_key_of_its_own() -> None:
    assert slug("...") != slug("???")


def test_a_long_text_is_cut_with_a_mark_that_tells_it_from_others() -> None:
    one, other = slug("a" * 300 + "1"), slug("a" * 300 + "2")
    assert one != other
    assert len(one) < LONGEST_SLUG + 20


def test_an_attribute_with_one_value_is_the_key_by_itself() -> None:
    assert key_of(Category.IDENTITY, None, "home", "Porto") == "identity:home"
    assert key_of(Category.IDENTITY, "wife", "name", "Ingrid") == "identity:wife:name"


def test_an_attribute_with_several_values_has_them_in_the_key() -> None:
    assert key_of(Category.IDENTITY, None, "allergy", "Nuts") == "identity:allergy:nut"
    assert key_of(Category.IDENTITY, "son", "name", "Max") == "identity:son:name:max"


@given(st.text(min_size=1))
def test_any_text_has_a_key(text: str) -> None:
    assert slug(text)
    assert slug(text) == slug(f"  {text} ")


@given(st.lists(st.text("abcäöüéñабв日本語猫犬", min_size=1), min_size=1).map(" ".join))
def test_letters_of_any_script_are_never_lost(text: str) -> None:
    assert "".join(slug(text).split("_")) == "".join(text.split()) or len(text) > LONGEST_SLUG
    assert slug(text.upper()) == slug(text)
